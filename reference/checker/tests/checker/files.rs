//! Files with violations that keep them from being decoded, and files that are not models.

use std::fs;

use onnx_checker::{Rule, check_file};
use onnx_rejections::FILES;

/// The violated rules, or the message for an unreadable file.
fn found(bytes: &[u8]) -> Result<Vec<Rule>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    fs::write(&path, bytes).expect("a file");
    let found = check_file(&path, &onnx_model::Limits::default()).map_err(|error| error.to_string())?;
    Ok(found.list.iter().map(|finding| finding.rule()).collect())
}

#[test]
fn a_violation_that_prevents_decoding_is_a_finding() {
    for case in FILES {
        assert_eq!(found(&(case.bytes)()), Ok(vec![case.rule]), "{}", case.what);
    }
}

#[test]
fn a_file_that_is_not_a_model_is_an_error() {
    let files: [&[u8]; 7] = [
        b"",
        b"no protobuf message at all",
        b"\x1f\x8b\x08\x00",
        b"PK\x03\x04\x14\x00",
        b"<!DOCTYPE html>",
        b"version https://git-lfs.github.com/spec/v1\n",
        b"\x89PNG\r\n\x1a\n",
    ];
    for bytes in files {
        assert!(found(bytes).is_err(), "{}", bytes.escape_ascii());
    }
    assert!(check_file("/nowhere/model.onnx".as_ref(), &onnx_model::Limits::default()).is_err());
}
