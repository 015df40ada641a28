//! What a baseline keeps of a reason: what stays the same on the next machine and in the next run.

use std::sync::LazyLock;

use regex::Regex;

/// Characters of a reason's beginning that are kept, which say who speaks.
const HEAD: usize = 120;

/// Characters of its end that are kept, which say what is wrong: a runtime in C++ puts its file and the full types of a function
/// before it.
const TAIL: usize = 280;

/// The folders of an absolute path, and the number that Rust prints behind the name of a thread that panics.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?P<before>^|[\s"'`(\[])(?:/[^\s/:"'`]+)+/|(?P<thread>thread '[^']*') \(\d+\)"#)
        .expect("the expression is sound")
});

/// The reason without folders of the machine and numbers of the process. Of a very long one the middle is left out, unless the
/// operator that it is about would go with it.
pub fn lasting(reason: &str, operators: &[String]) -> String {
    let kept = PASSING.replace_all(reason, "$before$thread");
    let characters: Vec<char> = kept.chars().collect();
    let Some(left_out) = characters
        .len()
        .checked_sub(HEAD + TAIL)
        .filter(|count| *count > 0)
    else {
        return kept.into_owned();
    };
    let text = |part: &[char]| part.iter().collect::<String>();
    let (head, rest) = characters.split_at(HEAD);
    let (middle, tail) = rest.split_at(left_out);
    let (head, middle, tail) = (text(head), text(middle), text(tail));
    let name = |operator: &String| {
        operator
            .rsplit_once('-')
            .map_or(operator.clone(), |(name, _)| name.to_owned())
    };
    let named = operators.iter().map(name).find(|name| {
        middle.contains(name.as_str()) && !head.contains(name.as_str()) && !tail.contains(name.as_str())
    });
    match named {
        Some(name) => format!("{head} … {name} … {tail}"),
        None => format!("{head} … {tail}"),
    }
}

/// The text of `--backend` as another machine would have it: of an absolute path, the file's name.
pub fn portable(backend: &str) -> String {
    static FOLDERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<before>^|[\s"'=:,])/(?:[^\s/"',]+/)*"#).expect("the expression is sound")
    });
    FOLDERS.replace_all(backend, "$before").into_owned()
}

#[cfg(test)]
mod tests {
    use super::{HEAD, TAIL, lasting, portable};

    #[test]
    fn what_is_of_one_machine_or_run_goes() {
        let check = |reason: &str, kept: &str| assert_eq!(lasting(reason, &[]), kept);
        check(
            "thread 'main' (2665) panicked at /home/me/index-1949/core-0.23.9/src/gather.rs:72:23: index < dim",
            "thread 'main' panicked at gather.rs:72:23: index < dim",
        );
        check(
            "load failed: /src/graph/model.cc:256 Model::Model",
            "load failed: model.cc:256 Model::Model",
        );
        check(
            "`a/b/c` of [2, 3] at 1/2 differs",
            "`a/b/c` of [2, 3] at 1/2 differs",
        );
        check("/", "/");
    }

    #[test]
    fn of_a_long_reason_both_ends_and_the_operator_stay() {
        let (head, tail) = ("a".repeat(HEAD), "z".repeat(TAIL));
        let operators = ["Relu-14".to_owned(), "ai.onnx.ml.Scaler-1".to_owned()];
        for (middle, kept) in [
            ("", format!("{head}{tail}")),
            (" and more of it ", format!("{head} … {tail}")),
            (" for Relu(14) ", format!("{head} … Relu … {tail}")),
        ] {
            assert_eq!(lasting(&format!("{head}{middle}{tail}"), &operators), kept);
        }
    }

    #[test]
    fn a_backend_is_named_without_the_folders_of_a_machine() {
        for (backend, name) in [
            ("ort", "ort"),
            ("cmd:./w --x a/b", "cmd:./w --x a/b"),
            ("cmd:/home/me/bin/w '/opt/a b' /x", "cmd:w 'a b' x"),
            (
                "ort:library=/opt/ort/lib.so.1,threads=2",
                "ort:library=lib.so.1,threads=2",
            ),
        ] {
            assert_eq!(portable(backend), name);
            assert_eq!(portable(name), name);
        }
    }
}
