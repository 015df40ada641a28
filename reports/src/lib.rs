//! reports (being built).
