//! Tests of command lines with additions from a file and variables.

use std::path::Path;

use clap::{Arg, ArgAction, Command};

use super::*;

const FILE: &str = r#"
[backends]
my-npu = "cmd:{dir}/npu --fast"
new = "ort:version=1.31.1"

[conformance]
backend = ["reference", "my-npu"]
policy = "bound"
timeout = 60
locale = true
out = "reports"
"#;

fn root() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    let conformance = Command::new("conformance")
        .arg(
            option("backend")
                .action(ArgAction::Append)
                .value_parser(clap::value_parser!(BackendArg)),
        )
        .arg(option("policy"))
        .arg(option("timeout"))
        .arg(option("locale").action(ArgAction::SetTrue))
        .arg(option("out").value_parser(clap::value_parser!(PathBuf)))
        .arg(option("release"))
        .arg(option("cases").conflicts_with("release"));
    Command::new("onnx-conformance").subcommand(conformance)
}

#[track_caller]
fn check_line(line: &str, variables: &[(&str, &str)], expected: &str) {
    let file = ConfigFile::parse(FILE, Path::new("/p/onnx-conformance.toml")).unwrap();
    let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    let variable = |name: &str| {
        let mut set = variables.iter();
        set.find(|(set, _)| *set == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let expanded = expand(words(line), &root(), Some(&file), &variable).unwrap();
    let expanded: Vec<String> = expanded
        .words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    assert_eq!(expanded, expected.split('|').collect::<Vec<_>>());
}

#[test]
fn the_command_line_takes_precedence_then_variables_then_the_file() {
    let file = "--backend=reference|--backend=my-npu=cmd:/p/npu --fast";
    check_line(
        "x conformance",
        &[],
        &format!("x|conformance|{file}|--policy=bound|--timeout=60|--locale|--out=/p/reports"),
    );
    check_line(
        "x conformance --policy strict --backend=new",
        &[],
        "x|conformance|--timeout=60|--locale|--out=/p/reports|--policy|strict|--backend=new=ort:version=1.31.1",
    );
    check_line(
        "x conformance --backend my-npu --timeout=5",
        &[
            ("ONNX_CONFORMANCE_POLICY", "strict"),
            ("ONNX_CONFORMANCE_LOCALE", "0"),
        ],
        "x|conformance|--policy=strict|--out=/p/reports|--backend|my-npu=cmd:/p/npu --fast|--timeout=5",
    );
    check_line(
        "x conformance --release 1.22 --backend ort --policy a --timeout 1",
        &[("ONNX_CONFORMANCE_CASES", "mine")],
        "x|conformance|--locale|--out=/p/reports|--release|1.22|--backend|ort|--policy|a|--timeout|1",
    );
    check_line("x other --backend my-npu", &[], "x|other|--backend|my-npu");
}

#[track_caller]
fn check_refused(text: &str, said: &str) {
    let path = Path::new("/p/onnx-conformance.toml");
    let words = ["x", "conformance"].map(OsString::from).to_vec();
    let used = ConfigFile::parse(text, path).and_then(|file| expand(words, &root(), Some(&file), &|_| None));
    let error = used.expect_err(text).to_string();
    assert!(
        error.contains(path.to_str().unwrap()) && error.contains(said),
        "{error}"
    );
}

#[test]
fn a_file_with_unknown_names_is_refused() {
    check_refused(
        "[conformanse]\npolicy = \"a\"\n",
        "there is no command `conformanse`",
    );
    check_refused(
        "[conformance]\npolicie = \"a\"\n",
        "no option `--policie` of `conformance`",
    );
    check_refused(
        "[conformance]\npolicy = { a = 1 }\n",
        "`conformance.policy` must be a string",
    );
    check_refused("[backends]\nnew = 1\n", "expected a string");
    check_refused("policy = ", "onnx-conformance.toml");
}

#[test]
fn backends_of_this_program_keep_their_names() {
    for name in ["reference", "native", "ort", "tract", "rten"] {
        let said = format!("`{name}` is a backend of this program; give yours another name");
        check_refused(&format!("[backends]\n{name} = \"cmd:./mine\"\n"), &said);
        check_refused(
            &format!("[conformance]\nbackend = \"{name}=cmd:./mine\"\n"),
            &said,
        );
        let other = if name == "tract" { "ort" } else { "tract" };
        check_refused(&format!("[conformance]\nbackend = [\"{name}={other}\"]\n"), &said);
    }
}

/// The lines about programs that a command starts because of the file.
#[track_caller]
fn check_started(text: &str, line: &str, expected: &[&str]) {
    let file = ConfigFile::parse(text, Path::new("/p/onnx-conformance.toml")).unwrap();
    let words = line.split(' ').map(OsString::from).collect();
    let expanded = expand(words, &root(), Some(&file), &|_| None).unwrap();
    let expected: Vec<String> = expected
        .iter()
        .map(|line| format!("/p/onnx-conformance.toml: {line}"))
        .collect();
    assert_eq!(expanded.started, expected, "{line}");
}

#[test]
fn each_program_of_the_file_is_named() {
    let npu = "backend `my-npu` is `cmd:/p/npu --fast`";
    check_started(FILE, "x conformance", &[npu]);
    check_started(FILE, "x conformance --backend=my-npu", &[npu]);
    check_started(FILE, "x conformance --backend ort", &[]);
    for value in [
        "cmd:./w",
        "a=stdio:./w",
        "ssh:host:w",
        "onnx-backend:m",
        "ort:library=/l.so",
        "ort=ort:version=1",
    ] {
        let text = format!("[conformance]\nbackend = \"{value}\"\n");
        check_started(&text, "x conformance", &[&format!("--backend={value}")]);
    }
    check_started("[conformance]\nbackend = \"ort\"\n", "x conformance", &[]);
    check_started(
        "[conformance]\nbackend = \"cmd:a\\u202eb\"\n",
        "x conformance",
        &["--backend=cmd:a\\u{202e}b"],
    );
}

#[test]
fn variables_without_effect_are_found() {
    let names = [
        "ONNX_CONFORMANCE_POLCY",
        "ONNX_CONFORMANCE_POLICY",
        "ONNX_CONFORMANCE_CACHE",
        "ONNX_CONFORMANCE_CONFIG",
        "PATH",
    ];
    let unknown = unknown_variables(&root(), names.iter().map(|name| (*name).to_owned()));
    assert_eq!(unknown, ["ONNX_CONFORMANCE_POLCY"]);
}
