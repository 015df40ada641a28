//! The program of this checkout.

use std::path::PathBuf;

use backend_api::protocol::FD_IN;
use xtask_launcher::Checkout;

/// The path of the program, which is built with the reference if a file of theirs has changed. A worker
/// builds nothing.
pub fn program() -> PathBuf {
    let checkout = Checkout::of_this_program().expect("a target folder");
    if std::env::var_os(FD_IN).is_none() {
        let status = checkout.build(&["onnx-conformance", "onnx-worker-reference"]);
        assert!(
            status.is_ok_and(|status| status.success()),
            "the program cannot be built"
        );
    }
    checkout.program("onnx-conformance")
}
