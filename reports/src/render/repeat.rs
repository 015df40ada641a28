//! The command that repeats a result.

use std::borrow::Cow;

use crate::record::{CaseId, Release, Repeat};

/// What a report of an unknown run is repeated by.
const PROGRAM: [&str; 3] = ["cargo", "xtask", "conformance"];

/// Characters that have a meaning in a pattern of cases.
const WILDCARDS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// The command line that runs `case` on `backend` again and nothing else, under the arguments of the run, quoted for a POSIX
/// shell.
pub fn repeat_command(repeat: &Repeat, backend: &str, case: &str) -> String {
    repeat_prefix(repeat, backend, case) + &literal_filter(case)
}

/// The command without the case at its end: the same for all cases of one corpus on one backend.
pub(super) fn repeat_prefix(repeat: &Repeat, backend: &str, case: &str) -> String {
    let mut words: Vec<String> = match repeat.program.is_empty() {
        true => PROGRAM.map(String::from).into(),
        false => repeat.program.clone(),
    };
    match Release::of_corpus(CaseId::parse(case).corpus) {
        Some(release) => words.extend(["--release".to_owned(), release.to_string()]),
        None => words.extend(repeat.cases.iter().cloned()),
    }
    words.extend(repeat.options.iter().cloned());
    let backend = match repeat.named.get(backend) {
        Some(text) => format!("{backend}={text}"),
        None => backend.to_owned(),
    };
    words.extend(["--backend".to_owned(), backend]);
    let words: Vec<Cow<'_, str>> = words.iter().map(|word| quote(word)).collect();
    format!("{} --filter ", words.join(" "))
}

/// The word that names this case and no other, quoted.
pub(super) fn literal_filter(case: &str) -> String {
    quote(&literal(case)).into_owned()
}

/// A pattern that matches this id and no other: each wildcard in it stands in brackets.
fn literal(id: &str) -> String {
    let bracketed = |c: char| match WILDCARDS.contains(&c) {
        true => format!("[{c}]"),
        false => c.to_string(),
    };
    id.chars().map(bracketed).collect()
}

/// No argument can hold a NUL, so one in a hostile name is left out rather than refused.
fn quote(text: &str) -> Cow<'_, str> {
    let quoter = shlex::Quoter::new().allow_nul(true);
    match text.contains('\0') {
        false => quoter.quote(text).unwrap_or(text.into()),
        true => {
            let text = text.replace('\0', "");
            let quoted = quoter.quote(&text).map(Cow::into_owned);
            quoted.unwrap_or(text).into()
        }
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
