//! Cases of ONNX on rten, as the tests of its own repository would have them.

mod built;

use std::process::ExitCode;

use backend_rten::{Rten, Settings};
use onnx_conformance_test::Suite;

fn main() -> ExitCode {
    Suite::new("rten-in-process")
        .program(built::program())
        .arguments(["--builtin", "--filter", "own/Clip/*"])
        .run(|options| Settings::from_options(options).map(Rten::new))
}
