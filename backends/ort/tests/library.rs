//! A file that is not ONNX Runtime. It needs a separate process, because a process keeps the first runtime
//! that it loads.

use backend_api::BackendError;
use backend_ort::{OrtBackend, Settings};

#[test]
fn a_file_that_is_not_a_library_is_missing_and_does_not_panic() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("libonnxruntime.so");
    std::fs::write(&file, "not a library").expect("a file can be written");
    for _ in 0..2 {
        let settings = Settings {
            library: Some(file.display().to_string()),
            ..Settings::default()
        };
        let error = OrtBackend::new(settings).err().expect("it cannot be loaded");
        assert!(
            matches!(&error, BackendError::Missing { message } if message.contains("libonnxruntime.so")),
            "{error}"
        );
    }
}
