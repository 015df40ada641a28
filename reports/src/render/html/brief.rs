//! Shortens reasons, for lines that show only the beginning.

use std::sync::LazyLock;

use regex::Regex;

/// A C++ source file with its folders and line, which runtimes put before a message.
static SOURCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:/[^\s/:]+)+\.(?:cc|cpp|cxx|c|h|hpp|cu|cuh):\d+ ").ok());

/// The folders of an absolute path.
static FOLDERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?P<before>^|[\s"'`(\[])(?:/[^\s/:"'`]+)+/"#).ok());

/// `reason` without the C++ source file and the function signature before its message, or without the
/// folders of paths.
pub(super) fn brief(reason: &str) -> String {
    let found = SOURCE.as_ref().and_then(|source| source.find(reason));
    let Some(found) = found else {
        let kept = FOLDERS
            .as_ref()
            .map(|folders| folders.replace_all(reason, "$before"));
        return kept.map_or(reason.to_owned(), |kept| kept.into_owned());
    };
    let (before, after) = (&reason[..found.start()], &reason[found.end()..]);
    format!("{before}{}", &after[signature(after)..])
}

/// The number of bytes of a function signature at the start of `text`, including the following space; 0
/// if there is none. It ends at the first space outside brackets after its parameters.
fn signature(text: &str) -> usize {
    let (mut depth, mut parameters) = (0_i32, false);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            ' ' if depth == 0 && parameters => return qualified(text, at + 1),
            _ => {}
        }
        parameters |= character == '(';
    }
    0
}

/// The end of the qualifiers that may follow parameters: `const`, `[with T = float]`.
fn qualified(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    if rest.starts_with("const ") {
        return qualified(text, at + "const ".len());
    }
    match rest.starts_with("[with ").then(|| rest.find("] ")).flatten() {
        Some(end) => at + end + "] ".len(),
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[track_caller]
    fn check(reason: &str, expected: &str) {
        assert_eq!(brief(reason), expected);
    }

    #[test]
    fn the_message_is_kept_and_its_location_removed() {
        check("no kernel for Abs-13", "no kernel for Abs-13");
        check(
            "load failed: /src/core/graph/utils.h:46 void ns::Validate(const std::map<std::basic_string<char>, int>&, bool, \
             int) Opset 27 is under development",
            "load failed: Opset 27 is under development",
        );
        check(
            "load failed: Exception: /src/text/normalizer.cc:235 ns::Locale::Locale(const std::string&)::<lambda()> Failed",
            "load failed: Exception: Failed",
        );
        check(
            "/a/b.cc:1 ns::Status ns::Op<T>::Compute(ns::Context*) const [with T = float; U = int] axis < rank",
            "axis < rank",
        );
        check("at /a/b.cc:7 and nothing else", "at and nothing else");
        check(
            "panicked at /home/me/index-1949/core-0.23.9/src/gather.rs:72:23: index",
            "panicked at gather.rs:72:23: index",
        );
        check("`a/b` of [2, 3] at 1/2 differs", "`a/b` of [2, 3] at 1/2 differs");
    }
}
