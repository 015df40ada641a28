//! backend-ort (being built).
