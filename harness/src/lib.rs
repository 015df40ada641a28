//! harness (being built).
