//! The worker for the native backend.

use std::process::ExitCode;

use backend_native::{Native, Settings};

fn main() -> ExitCode {
    native_kernels::keep_freed_memory();
    backend_api::serve(|options| Settings::from_options(options).map(Native::new))
}
