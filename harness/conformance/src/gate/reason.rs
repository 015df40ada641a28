//! Normalises reasons for baselines: removes the parts that depend on the machine.

use std::sync::LazyLock;

use regex::Regex;

/// The number of kept characters at the start of a reason, which name the source.
const HEAD: usize = 120;

/// The number of kept characters at its end, which state the fault: a C++ runtime writes its file and
/// the full types of a function before it.
const TAIL: usize = 280;

/// The folders of an absolute path.
static FOLDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?P<before>^|[\s"'`(\[])(?:/[^\s/:"'`]+)+/"#).expect("the expression is valid")
});

/// The reason without folders of the machine. In a very long reason the
/// middle is omitted, except for the name of the operator.
pub fn lasting(reason: &str, operators: &[String]) -> String {
    let kept = FOLDERS.replace_all(reason, "$before");
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

/// The text of `--backend` without the folders of the machine: an absolute path becomes the file name.
pub fn portable(backend: &str) -> String {
    static FOLDERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<before>^|[\s"'=:,])/(?:[^\s/"',]+/)*"#).expect("the expression is valid")
    });
    FOLDERS.replace_all(backend, "$before").into_owned()
}

#[cfg(test)]
mod tests {
    use super::{HEAD, TAIL, lasting, portable};

    #[test]
    fn folders_of_the_machine_are_removed() {
        let check = |reason: &str, kept: &str| assert_eq!(lasting(reason, &[]), kept);
        check(
            "thread 'main' panicked at /home/me/index-1949/core-0.23.9/src/gather.rs:72:23: index < dim",
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
    fn a_long_reason_keeps_both_ends_and_the_operator() {
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
    fn the_text_of_a_backend_contains_no_folders() {
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
