//! backend-api (being built).

mod backend;
mod error;

pub use backend::{Backend, Capabilities, Description, LoadRequest, Named, Placement, Session};
pub use error::BackendError;
