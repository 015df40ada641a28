//! Tests of versions of ONNX Runtime that do not exist or cannot be fetched: one clear line each.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use crate::models::*;
use crate::program::ended;

/// A folder with the program, its reference, and a worker under the name of that for ONNX Runtime.
fn program_with_ort(bench: &Bench) -> PathBuf {
    let folder = bench.at("bin");
    fs::create_dir(&folder).expect("a folder");
    let program = folder.join("onnx-conformance");
    fs::hard_link(crate::models::program(), &program).expect("the program");
    for name in ["onnx-worker-reference", "onnx-worker-ort"] {
        symlink(FAULTY, folder.join(name)).expect("a worker");
    }
    program
}

/// A `python3` whose pip exists and reaches no index.
fn pip_without_network(bench: &Bench) -> PathBuf {
    let folder = bench.at("tools");
    fs::create_dir(&folder).expect("a folder");
    let script = "#!/bin/sh\ncase \"$3\" in --version) exit 0;; esac\n\
                  echo 'ERROR: Could not find a version that satisfies the requirement' >&2\nexit 1\n";
    let path = folder.join("python3");
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    folder
}

#[test]
fn a_version_that_is_not_there_is_one_clear_line() {
    let bench = Bench::new();
    let (program, tools) = (program_with_ort(&bench), pip_without_network(&bench));
    for (line, code, said) in [
        (
            "locate net.onnx --backend ort:version=0.0.1",
            6,
            &["ONNX Runtime 0.0.1", "1.31.1", "--pin-runtime"][..],
        ),
        (
            "bisect net.onnx --backend ort --over version=1.20.1,0.0.1",
            6,
            &["ONNX Runtime 0.0.1"],
        ),
        (
            "compare net.onnx --noise 0 --backend ort:version=0.0.1",
            6,
            &["ONNX Runtime 0.0.1"],
        ),
        (
            "locate net.onnx --backend ort:version=1.20.1",
            6,
            &["Could not find a version", "onnxruntime-1.20.1", "cache"],
        ),
        (
            "compare net.onnx --noise 0 --backend ort:version=1.20.1",
            6,
            &["Could not find a version"],
        ),
    ] {
        let mut command = Command::new(&program);
        command
            .args(line.split(' '))
            .current_dir(bench.folder.path())
            .env("PATH", &tools)
            .env("ONNX_CONFORMANCE_CACHE", bench.at("cache"))
            .env_remove("ORT_DYLIB_PATH")
            .env("MOCK_REFERENCE", "none");
        let ended = ended(&mut command);
        assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
        for part in said {
            assert!(
                ended.stderr.contains(part),
                "{line}: wanted `{part}` in {}",
                ended.stderr
            );
        }
        let lines = ended.stderr.lines().filter(|line| line.contains(said[0]));
        assert_eq!(lines.count(), 1, "{line}: {}", ended.stderr);
    }
}
