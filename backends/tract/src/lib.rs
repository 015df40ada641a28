//! backend-tract (being built).
