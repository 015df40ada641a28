//! The worker for the reference interpreter.

use std::process::ExitCode;

use backend_reference::Reference;

fn main() -> ExitCode {
    backend_api::serve(Reference::from_options)
}
