//! The worker for tract.

use std::process::ExitCode;

use backend_tract::{Settings, Tract};

fn main() -> ExitCode {
    backend_api::serve(|options| Settings::from_options(options).map(Tract::new))
}
