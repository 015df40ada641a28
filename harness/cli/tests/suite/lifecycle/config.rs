//! Options of the configuration file, names of backends, and reports of backends about themselves.

use crate::program::Place;

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
    check(&place, "backends list", 0, "npu", "");
    check(&place, "backends list --format json", 0, "\"version\": 2", "");
    check(&place, "backends probe npu", 0, "runtime", "");
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
