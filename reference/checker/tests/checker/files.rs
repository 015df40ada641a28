//! Files that break a rule so early that no model can be made of them, and files of which nothing can be said.

use std::fs;

use onnx_checker::{Rule, check_file};
use onnx_rejections::FILES;

/// The rules that the file breaks, or the message of what cannot be read.
fn found(bytes: &[u8]) -> Result<Vec<Rule>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    fs::write(&path, bytes).expect("a file");
    let found = check_file(&path, &onnx_model::Limits::default()).map_err(|error| error.to_string())?;
    Ok(found.list.iter().map(|finding| finding.rule()).collect())
}

#[test]
fn what_keeps_a_file_from_being_a_model_is_a_finding() {
    for case in FILES {
        assert_eq!(found(&(case.bytes)()), Ok(vec![case.rule]), "{}", case.what);
    }
}

#[test]
fn of_what_is_no_model_nothing_is_said() {
    assert!(found(b"no protobuf message at all").is_err());
    assert!(check_file("/nowhere/model.onnx".as_ref(), &onnx_model::Limits::default()).is_err());
}
