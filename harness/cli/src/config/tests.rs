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
"#;

fn root() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    let conformance = Command::new("conformance")
        .arg(option("backend").action(ArgAction::Append))
        .arg(option("policy"))
        .arg(option("timeout"))
        .arg(option("locale").action(ArgAction::SetTrue))
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
        &format!("x|conformance|{file}|--policy=bound|--timeout=60|--locale"),
    );
    check_line(
        "x conformance --policy strict --backend=new",
        &[],
        "x|conformance|--timeout=60|--locale|--policy|strict|--backend=new=ort:version=1.31.1",
    );
    check_line(
        "x conformance --backend my-npu --timeout=5",
        &[
            ("ONNX_CONFORMANCE_POLICY", "strict"),
            ("ONNX_CONFORMANCE_LOCALE", "0"),
        ],
        "x|conformance|--policy=strict|--backend|my-npu=cmd:/p/npu --fast|--timeout=5",
    );
    check_line(
        "x conformance --release 1.22 --backend ort --policy a --timeout 1",
        &[("ONNX_CONFORMANCE_CASES", "mine")],
        "x|conformance|--locale|--release|1.22|--backend|ort|--policy|a|--timeout|1",
    );
    check_line("x other --backend my-npu", &[], "x|other|--backend|my-npu");
}

#[track_caller]
fn check_refused(text: &str, said: &str) {
    let path = Path::new("/p/onnx-conformance.toml");
    let used = ConfigFile::parse(text, path).and_then(|file| check(&root(), &file));
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
