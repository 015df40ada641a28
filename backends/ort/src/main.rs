//! The worker for ONNX Runtime.

use std::process::ExitCode;

use backend_ort::{OrtBackend, Settings};

fn main() -> ExitCode {
    backend_api::serve(|options| OrtBackend::new(Settings::from_options(options)?))
}
