//! backend-reference (being built).
