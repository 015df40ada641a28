//! backend-ort (being built).

mod backend;
mod error;
mod ffi;

mod runtime;
mod session;
mod session_options;
mod settings;
mod values;

pub use backend::OrtBackend;
pub use settings::{Optimization, Settings, Switch};
