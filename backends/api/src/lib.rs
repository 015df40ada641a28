//! backend-api (being built).
