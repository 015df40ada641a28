//! Checks the line width of prose: of documents, and of comments in Rust.

use std::path::{Component, Path};

/// The maximum width of a line of a document, in characters. Tables, code, and lines without a
/// space are exempt.
const DOCUMENT: usize = 100;

/// The maximum width of a comment in Rust, that of rustfmt.toml.
const COMMENT: usize = 110;

/// Documents that programs write.
const GENERATED: [&str; 1] = ["docs/ambiguities.md"];

/// One line for each line of prose that is too wide.
pub fn faults(file: &Path, text: &str) -> Vec<String> {
    let wide = match file.extension().and_then(|extension| extension.to_str()) {
        Some("md") if !is_output(file) => wide_in_document(text),
        Some("rs") if !is_output(file) => wide_in_comments(text),
        _ => Vec::new(),
    };
    let fault = |(line, width, most): (usize, usize, usize)| {
        format!(
            "{}:{line}: {width} characters of prose; at most {most} are allowed",
            file.display()
        )
    };
    wide.into_iter().map(fault).collect()
}

/// Whether a program writes the file: an expected output of a test, generated code, or one of [`GENERATED`].
fn is_output(file: &Path) -> bool {
    let is_written = |part: Component| part.as_os_str() == "golden" || part.as_os_str() == "generated";
    file.components().any(is_written) || GENERATED.iter().any(|generated| file == Path::new(generated))
}

/// The line, its width and the limit.
type Wide = (usize, usize, usize);

fn wide_in_document(text: &str) -> Vec<Wide> {
    let lines = text.lines().map(|line| (line, line));
    wide(lines, DOCUMENT)
}

/// A line of code ends a block of comments, and any code example in it.
fn wide_in_comments(text: &str) -> Vec<Wide> {
    let lines = text.lines().map(|line| {
        let inner = line.trim_start();
        let comment = ["///", "//!", "//"]
            .iter()
            .find_map(|mark| inner.strip_prefix(mark));
        (line, comment.unwrap_or_default())
    });
    wide(lines, COMMENT)
}

/// The lines, each with its prose, that are wider than the limit and can be wrapped.
fn wide<'t>(lines: impl Iterator<Item = (&'t str, &'t str)>, most: usize) -> Vec<Wide> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (at, (line, prose)) in lines.enumerate() {
        let prose = prose.trim();
        in_code ^= prose.starts_with("```");
        let width = line.chars().count();
        if !in_code && width > most && can_be_wrapped(prose) {
            found.push((at + 1, width, most));
        }
    }
    found
}

/// Whether a text has a space outside of code, and is no table, picture or address.
fn can_be_wrapped(prose: &str) -> bool {
    let outside_of_code = prose.split('`').step_by(2);
    let is_fixed = prose.starts_with('|') || prose.starts_with("![") || prose.contains("://");
    !is_fixed && outside_of_code.map(str::trim).any(|text| text.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, text: &str, expected: &[usize]) {
        let found = faults(Path::new(file), text);
        let expected: Vec<String> = expected.iter().map(|line| format!("{file}:{line}: ")).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(found, start)| found.starts_with(start)),
            "{found:?}"
        );
    }

    #[test]
    fn wide_prose_is_found() {
        let wide = "a word ".repeat(15);
        check("docs/a.md", &format!("short\n{wide}\n- {wide}"), &[2, 3]);
        check(
            "docs/a.md",
            &format!("```\n{wide}\n```\n| {wide} |\n{}", "x".repeat(120)),
            &[],
        );
        check("a/golden/a.md", &wide, &[]);
        let wider = "a word ".repeat(17);
        check(
            "a.rs",
            &format!("/// {wider}\n    // {wider}\nlet a = \"{wider}\";"),
            &[1, 2],
        );
        check(
            "a.rs",
            &format!("/// | {wider} |\n//! `{wider}`\n/// ```\n/// {wider}\n/// ```"),
            &[],
        );
    }
}
