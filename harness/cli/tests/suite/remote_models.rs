//! Models for workers on another machine are sent once: behind a local `sshd` if it is installed, and always
//! behind a program that substitutes for `ssh`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{self, MOCK, Place, ended};
use crate::remote::{RUN, Server, fake_ssh, real_ssh, verdicts};
use run_record::VerdictKind;

/// The length of the model in bytes, at least.
const MODEL: u64 = 200_000;

/// What one worker needs besides its model.
const REST: u64 = 4_000;

/// A place with one case, whose model is long enough to be named by its digest.
fn place() -> Place {
    let long = format!("healthy;{}", "-".repeat(MODEL as usize));
    Place::with_cases(&[("good", &long)])
}

/// Runs the case by one worker whose `ssh` is the program in `folder`, and which has its store in `far`.
fn run(place: &Place, folder: &Path, target: &str) -> program::Ended {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(&format!(
        "{RUN} --jobs 1 --backend 'far=ssh:{target}:{MOCK} slow 0'"
    ));
    ended(
        command
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("XDG_CACHE_HOME", place.at("far")),
    )
}

/// A program `ssh` that also appends to the file `bytes` what it sends to the workers.
fn counting(place: &Place, whole: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\ntee -a {} | {whole}\n",
        place.at("bytes").display()
    );
    fake_ssh(place, &script)
}

/// A program `ssh` that breaks the connection in the middle of a model.
fn breaking(place: &Place, whole: &str) -> PathBuf {
    let script =
        format!("#!/bin/sh\nfor last; do :; done\ndd bs=4096 count=20 2>/dev/null | {whole}\nexit 255\n");
    fake_ssh(place, &script)
}

/// The number of bytes that a run sends, which passes.
#[track_caller]
fn sent(place: &Place, folder: &Path, target: &str) -> u64 {
    let _ = fs::remove_file(place.at("bytes"));
    let ended = run(place, folder, target);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let verdict = verdicts(place).into_iter().map(|(_, verdict)| verdict);
    assert_eq!(verdict.collect::<Vec<_>>(), [VerdictKind::Pass]);
    fs::metadata(place.at("bytes")).unwrap().len()
}

fn stored(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.at("far/onnx-conformance/store"))
        .into_iter()
        .flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

#[track_caller]
fn check(place: &Place, whole: &str, target: &str) {
    // The connection breaks in the middle of the model: no verdict, and nothing is kept.
    let broken = run(place, &breaking(place, whole), target);
    assert_eq!(broken.code, Some(5), "{}", broken.stderr);
    assert_eq!(stored(place), Vec::<PathBuf>::new());
    let folder = counting(place, whole);
    let first = sent(place, &folder, target);
    assert!(
        (MODEL..MODEL + REST).contains(&first),
        "the first run sends {first} bytes"
    );
    let second = sent(place, &folder, target);
    assert!(second < REST, "the second run sends {second} bytes");
    let files = stored(place);
    let [file] = files.as_slice() else {
        panic!("{files:?}")
    };
    fs::write(file, vec![b'-'; fs::metadata(file).unwrap().len() as usize]).unwrap();
    let repaired = sent(place, &folder, target);
    assert!(repaired > MODEL, "a damaged file is sent again: {repaired} bytes");
    assert!(sent(place, &folder, target) < REST);
}

#[test]
fn a_model_is_sent_once() {
    check(&place(), "sh -c \"$last\"", "host");
}

#[test]
fn a_real_server_gets_a_model_once() {
    let place = place();
    let cache = format!("SetEnv XDG_CACHE_HOME={}\n", place.at("far").display());
    let Some(server) = Server::start_with(&place.at(""), &cache) else {
        eprintln!("no sshd on this machine: only the substitute for ssh is tested");
        return;
    };
    let real = fs::read_to_string(real_ssh(&place).join("ssh")).unwrap();
    let command = real
        .lines()
        .nth(1)
        .and_then(|line| line.strip_prefix("exec "))
        .unwrap();
    check(&place, command, &format!("127.0.0.1:{}", server.port));
}
