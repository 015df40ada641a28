//! Workers behind `kubectl` and `adb`: programs that run the command locally substitute for them.

use std::fs;

use crate::program::{MOCK, Place, ended};
use crate::remote::{RUN, fake, verdicts};
use run_record::VerdictKind;

/// `kubectl exec`: the words after `--` are the command.
const KUBECTL: &str = "#!/bin/sh
[ \"$1 $2 $3 $4 $5 $6\" = 'exec --stdin --namespace lab pod-1 --' ] || exit 64
shift 6
\"$@\"
exit $?
";

/// `adb shell`: a shell of the device gets the words as one text.
const ADB: &str = "#!/bin/sh
[ \"$1 $2 $3 $4\" = '-s serial shell -T' ] || exit 64
shift 4
sh -c \"$(printf '%s' \"$*\" | sed \"s,/data/local/tmp,$TMPDIR,g\")\"
exit $?
";

#[track_caller]
fn check(program: &str, script: &str, target: &str, worker: &str) {
    let long = format!("healthy;{}", "-".repeat(20_000));
    let place = Place::with_cases(&[("crash", "run:abort"), ("good", &long)]);
    let folder = fake(&place, program, script);
    fs::create_dir(place.at("tmp")).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(&format!(
        "{RUN} --jobs 1 --backend 'far={program}:{target}:{worker} slow 0'"
    ));
    let ended = ended(
        command
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("TMPDIR", place.at("tmp"))
            .env("XDG_CACHE_HOME", place.at("far")),
    );
    assert_eq!(ended.code, Some(0), "{program}: {}", ended.stderr);
    let kinds: Vec<VerdictKind> = verdicts(&place).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [VerdictKind::Crash, VerdictKind::Pass], "{program}");
    // The model is long enough to be kept.
    let store = place.at("far/onnx-conformance/store");
    assert_eq!(fs::read_dir(store).unwrap().count(), 1, "{program}");
}

#[test]
fn workers_behind_other_programs_are_workers() {
    check("kubectl", KUBECTL, "lab/pod-1", MOCK);
    check("adb", ADB, "serial", MOCK);
}

#[test]
fn workers_are_sent_by_other_programs() {
    let sent = format!("@{MOCK}");
    check("kubectl", KUBECTL, "lab/pod-1", &sent);
    check("adb", ADB, "serial", &sent);
}
