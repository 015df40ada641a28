//! Cases of ONNX on tract, as the tests of its own repository would have them.

mod built;

use std::process::ExitCode;

use backend_tract::{Settings, Tract};
use onnx_conformance_test::Suite;

fn main() -> ExitCode {
    Suite::new("tract-in-process")
        .program(built::program())
        .arguments(["--release", "1.22", "--filter", "*/node/test_softmax*"])
        .run(|options| Settings::from_options(options).map(Tract::new))
}
