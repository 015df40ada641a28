//! The worker for rten.

use std::process::ExitCode;

use backend_rten::{Rten, Settings};

fn main() -> ExitCode {
    backend_api::serve(|options| Settings::from_options(options).map(Rten::new))
}
