//! Options of the configuration file, names of backends, and reports of backends about themselves.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::program::{Place, ended};

const FILE: &str = "\
[backends]
npu = \"cmd:MOCK\"

[conformance]
backend = \"npu\"
no-bounds = true
noise = 0
cases = \"cases\"
out = \"out\"
";

fn place() -> Place {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "run:exit-3")]);
    place.write(
        "onnx-conformance.toml",
        &FILE.replace("MOCK", crate::program::MOCK),
    );
    place
}

#[test]
fn a_run_needs_no_arguments_that_the_file_has() {
    let place = place();
    let ended = place.run("conformance");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let results = place.read("out/results.csv");
    assert_eq!(results.matches(",npu,").count(), 2, "{results}");
    // The command that repeats a result works in any folder.
    let html = place.read("out/report.html");
    assert!(html.contains("--backend") && html.contains("npu=cmd:"), "{html}");
    let typed = place.run("conformance --out typed --backend two=cmd:MOCK --floor two=1");
    assert_eq!(typed.code, Some(0), "{}", typed.stderr);
    assert!(place.read("typed/results.csv").contains(",two,"));
    let shown = place.run("config show");
    for line in ["backend npu", "--noise", "onnx-conformance.toml"] {
        assert!(shown.stdout.contains(line), "{line}: {}", shown.stdout);
    }
}

#[track_caller]
fn check(place: &Place, line: &str, code: i32, stdout: &str, stderr: &str) {
    let ended = place.run(line);
    assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
    assert!(
        ended.stdout.contains(stdout),
        "{line}: wanted `{stdout}` in\n{}",
        ended.stdout
    );
    assert!(
        ended.stderr.contains(stderr),
        "{line}: wanted `{stderr}` in\n{}",
        ended.stderr
    );
}

#[test]
fn backends_are_listed_and_probed() {
    let place = place();
    check(&place, "backends list", 0, "npu", "backend `npu` is `cmd:");
    check(&place, "backends list --format json", 0, "\"version\": 2", "");
    check(
        &place,
        "backends probe npu",
        0,
        "runtime",
        "backend `npu` is `cmd:",
    );
    check(&place, "conformance", 0, "", "backend `npu` is `cmd:");
    check(&place, "backends probe cmd:false", 6, "", "the handshake failed");
    check(
        &place,
        "backends probe nowhere",
        6,
        "",
        "`backends list` names the backends",
    );
    place.write("onnx-conformance.toml", "[conformance]\npolicie = \"a\"\n");
    check(
        &place,
        "conformance",
        2,
        "",
        "no option `--policie` of `conformance`",
    );
    check(&place, "config show", 2, "", "no option `--policie`");
}

/// Runs a command with a variable and a state folder of its own.
#[track_caller]
fn check_with(place: &Place, line: &str, variable: (&str, &str), code: i32, said: &str) {
    let mut command = place.command(line);
    command.env("XDG_STATE_HOME", place.at("state"));
    command.env(variable.0, variable.1);
    let ended = ended(&mut command);
    assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(all.contains(said), "{line}: wanted `{said}` in\n{all}");
}

#[test]
fn a_file_that_others_may_write_is_used_only_after_it_was_allowed() {
    let place = place();
    let (none, file) = (("A", ""), "onnx-conformance.toml");
    for (path, usual, mode) in [(file, 0o644, 0o666), (file, 0o644, 0o664), (".", 0o700, 0o777)] {
        let set = |mode| fs::set_permissions(place.at(path), Permissions::from_mode(mode)).unwrap();
        set(mode);
        for line in [
            "conformance",
            "backends list",
            "backends probe npu",
            "bench",
            "--quiet gate",
        ] {
            check_with(&place, line, none, 2, "is not used, because others may write");
        }
        check_with(&place, "config show", none, 0, "not used: others may write");
        check_with(&place, "config allow", none, 0, "backend npu");
        check_with(&place, "conformance", none, 0, "");
        // Any other content has to be allowed again.
        let text = place.read(file);
        place.write(file, &format!("{text}# more\n"));
        check_with(&place, "conformance", none, 2, "is not used");
        let variable = ("ONNX_CONFORMANCE_CONFIG", file);
        check_with(&place, "conformance", variable, 0, "backend `npu` is `cmd:");
        let variable = ("ONNX_CONFORMANCE_CONFIG", "none");
        check_with(&place, "backends probe npu", variable, 6, "no executable");
        place.write(file, &text);
        fs::remove_dir_all(place.at("state")).unwrap();
        set(usual);
    }
    check_with(&place, "conformance", none, 0, "");
}

#[test]
fn a_mistyped_variable_is_named() {
    let bytes = "ONNX_CONFORMANCE_RESIDENT_BYTES";
    for (name, value, code, said) in [
        (
            "ONNX_CONFORMANCE_POLCY",
            "bound",
            0,
            "ONNX_CONFORMANCE_POLCY has no effect",
        ),
        (bytes, "1GB", 2, "is `1GB`, expected a number of bytes"),
        (bytes, "-1", 2, "is `-1`, expected a number of bytes"),
        (bytes, "0", 0, ""),
    ] {
        check_with(&place(), "config show", (name, value), code, said);
    }
}

#[test]
fn a_path_of_the_file_is_relative_to_it() {
    let place = place();
    let text = place.read("onnx-conformance.toml");
    place.write(
        "onnx-conformance.toml",
        &format!("{text}\n[gate]\nbackend = \"npu\"\ncases = \"cases\"\nbaseline = \"npu.toml\"\nno-bounds = true\npolicy = \"official\"\n"),
    );
    fs::create_dir_all(place.at("below/deep")).unwrap();
    for (line, code) in [("conformance", 0), ("gate --accept '*'", 0), ("gate", 0)] {
        let ended = ended(place.command(line).current_dir(place.at("below/deep")));
        assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
    }
    assert!(place.at("npu.toml").is_file() && place.at("out/run.jsonl").is_file());
}
