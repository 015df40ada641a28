//! The command that repeats a result.

use std::borrow::Cow;

use run_record::{CaseId, Release, Repeat};

/// The program that repeats a result of an unknown run.
const PROGRAM: [&str; 3] = ["cargo", "xtask", "conformance"];

/// Characters with a meaning in a pattern of cases.
const WILDCARDS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// The command line that runs only `case` on `backend`, with the arguments of the run, quoted for a
/// POSIX shell.
pub fn repeat_command(repeat: &Repeat, backend: &str, case: &str) -> String {
    repeat_prefix(repeat, backend, case) + &literal_filter(case)
}

/// The command without the case at its end: the same for all cases of one corpus on one backend.
pub(super) fn repeat_prefix(repeat: &Repeat, backend: &str, case: &str) -> String {
    let mut words: Vec<String> = if repeat.program.is_empty() {
        PROGRAM.map(String::from).into()
    } else {
        repeat.program.clone()
    };
    words.extend(cases_arguments(repeat, case));
    words.extend(repeat.options.iter().cloned());
    let backend = match repeat.named.get(backend) {
        Some(text) => format!("{backend}={text}"),
        None => backend.to_owned(),
    };
    words.extend(["--backend".to_owned(), backend]);
    format!("{} --filter ", joined(&words))
}

/// The actions on a failing case, with their commands, quoted for a POSIX shell: write its files, find
/// the first wrong node, reduce the model, keep it as a regression case.
pub(super) fn case_commands(repeat: &Repeat, backend: &str, case: &str) -> Vec<(&'static str, String)> {
    let conformance: Vec<String> = if repeat.program.is_empty() {
        PROGRAM.map(String::from).into()
    } else {
        repeat.program.clone()
    };
    let (_, program) = conformance.split_last().unzip();
    let program = joined(program.unwrap_or_default());
    let text = repeat.named.get(backend).map_or(backend, String::as_str);
    let (folder, text) = (case_folder(case), quote(text));
    let (model, reduced) = (format!("cases/{folder}"), format!("reduced/{folder}"));
    let mut words = conformance;
    words.extend(cases_arguments(repeat, case));
    let export = format!(
        "{} --filter {} --export cases",
        joined(&words),
        literal_filter(case)
    );
    vec![
        ("repeat", repeat_command(repeat, backend, case)),
        ("export", export),
        ("locate", format!("{program} locate {model} --backend {text}")),
        (
            "reduce",
            format!("{program} reduce {model} --backend {text} --out {reduced}"),
        ),
        ("keep", format!("{program} keep {reduced} --to regressions")),
    ]
}

/// The name of the folder to which `--export` writes a case: its id, with hyphens in place of characters
/// that are special in a shell or a file system.
pub fn case_folder(case: &str) -> String {
    const MOST: usize = 120;
    let plain = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '~' => c,
        _ => '-',
    };
    let name: String = case.chars().take(MOST).map(plain).collect();
    match name.trim_start_matches(['-', '.', '~']) {
        "" => "case".to_owned(),
        name => name.to_owned(),
    }
}

fn joined(words: &[String]) -> String {
    let words: Vec<Cow<'_, str>> = words.iter().map(|word| quote(word)).collect();
    words.join(" ")
}

/// The arguments for the source of the case.
fn cases_arguments(repeat: &Repeat, case: &str) -> Vec<String> {
    match Release::of_corpus(CaseId::parse(case).corpus) {
        Some(release) => vec!["--release".to_owned(), release.to_string()],
        None => repeat.cases.clone(),
    }
}

/// The argument that selects only this case, quoted.
pub(super) fn literal_filter(case: &str) -> String {
    quote(&literal(case)).into_owned()
}

/// A pattern that matches only this id: each wildcard in it is in brackets.
fn literal(id: &str) -> String {
    let bracketed = |c: char| {
        if WILDCARDS.contains(&c) {
            format!("[{c}]")
        } else {
            c.to_string()
        }
    };
    id.chars().map(bracketed).collect()
}

/// No argument can contain a NUL, so a NUL in a hostile name is removed.
fn quote(text: &str) -> Cow<'_, str> {
    let quoter = shlex::Quoter::new().allow_nul(true);
    if text.contains('\0') {
        let text = text.replace('\0', "");
        let quoted = quoter.quote(&text).map(Cow::into_owned);
        quoted.unwrap_or(text).into()
    } else {
        quoter.quote(text).unwrap_or(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(repeat: &Repeat, backend: &str, case: &str, command: &str) {
        let found = repeat_command(repeat, backend, case);
        assert_eq!(found, command);
        assert!(shlex::split(&found).is_some(), "{found}");
    }

    #[test]
    fn arguments_survive_a_shell() {
        let unknown = Repeat::default();
        check(
            &unknown,
            "tract:plain",
            "onnx-1.22.0/node/test_abs",
            "cargo xtask conformance --release 1.22.0 --backend tract:plain --filter onnx-1.22.0/node/test_abs",
        );
        check(
            &unknown,
            "cmd:./w --x",
            "a/b/$(rm)",
            "cargo xtask conformance --backend 'cmd:./w --x' --filter 'a/b/$(rm)'",
        );
        check(
            &unknown,
            "ort",
            "a/b/it's\0",
            "cargo xtask conformance --backend ort --filter \"a/b/it's\"",
        );
    }

    #[test]
    fn commands_of_a_case_follow_each_other_through_its_folders() {
        let run = Repeat {
            program: ["onnx-conformance", "conformance"].map(String::from).into(),
            named: [("new".to_owned(), "cmd:./w --x".to_owned())].into(),
            ..Repeat::default()
        };
        let commands = case_commands(&run, "new", "onnx-1.22.0/node/test_abs");
        let expected = [
            "onnx-conformance conformance --release 1.22.0 --backend 'new=cmd:./w --x' --filter onnx-1.22.0/node/test_abs",
            "onnx-conformance conformance --release 1.22.0 --filter onnx-1.22.0/node/test_abs --export cases",
            "onnx-conformance locate cases/onnx-1.22.0-node-test_abs --backend 'cmd:./w --x'",
            "onnx-conformance reduce cases/onnx-1.22.0-node-test_abs --backend 'cmd:./w --x' --out reduced/onnx-1.22.0-node-test_abs",
            "onnx-conformance keep reduced/onnx-1.22.0-node-test_abs --to regressions",
        ];
        let commands: Vec<&str> = commands.iter().map(|(_, command)| command.as_str()).collect();
        assert_eq!(commands, expected);
    }

    #[test]
    fn a_folder_has_a_plain_name_whatever_the_case_is_called() {
        let check = |case: &str, folder: &str| assert_eq!(case_folder(case), folder);
        check(
            "onnx-1.22.0/node/test_abs~branch",
            "onnx-1.22.0-node-test_abs~branch",
        );
        check("../../etc/passwd", "etc-passwd");
        check("-rf $(x) *", "rf---x---");
        check("/", "case");
        check(&"x".repeat(500), &"x".repeat(120));
    }

    #[test]
    fn the_arguments_of_the_run_are_kept_and_wildcards_are_taken_literally() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let run = Repeat {
            program: words(&["onnx-conformance", "conformance"]),
            cases: words(&["--cases", "my models"]),
            named: [("new".to_owned(), "ort:version=1.31.1".to_owned())].into(),
            options: words(&["--policy", "bound"]),
        };
        check(
            &run,
            "ort",
            "local/my suite/a [1]*",
            "onnx-conformance conformance --cases 'my models' --policy bound --backend ort \
             --filter 'local/my suite/a [[]1[]][*]'",
        );
        check(
            &run,
            "ort",
            "onnx-1.2.1/node/a",
            "onnx-conformance conformance --release 1.2.1 --policy bound --backend ort --filter onnx-1.2.1/node/a",
        );
        check(
            &run,
            "new",
            "onnx-1.2.1/node/a",
            "onnx-conformance conformance --release 1.2.1 --policy bound --backend 'new=ort:version=1.31.1' \
             --filter onnx-1.2.1/node/a",
        );
    }
}
