//! Writes the report of a fault as Markdown, for the maintainers of the backend.

use onnx_model::Model;
use onnx_tensor::Value;
use run_record::shown::{lines, one_line};

use super::Provenance;
use crate::inputs::shown;
use crate::subject::StoredSet;
use crate::text::{elements, text};

/// Text of a file or of a backend as Markdown.
fn plain(text: &str) -> String {
    run_record::shown::markdown(text)
}

/// Text as a code span, whatever backticks it has (CommonMark, "Code spans").
fn code(text: &str) -> String {
    let text = one_line(text);
    let marks = "`".repeat(longest_run(&text) + 1);
    if text.starts_with('`') || text.ends_with('`') {
        format!("{marks} {text} {marks}")
    } else {
        format!("{marks}{text}{marks}")
    }
}

/// Text as a fenced block of code, whatever fences it has (CommonMark, "Fenced code blocks").
fn block(language: &str, text: &str) -> String {
    let text = lines(text);
    let fence = "`".repeat(longest_run(&text).saturating_add(1).max(3));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A word of a command in the quoting of a POSIX shell. A word with a NUL byte cannot be one.
fn word(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

/// The text of the issue.
pub(super) fn markdown(provenance: &Provenance, model: &Model, set: &StoredSet, id: &str) -> String {
    let Provenance {
        backend,
        version,
        verdict,
        detail,
        reason,
        operators,
        nodes,
        ..
    } = provenance;
    let detail = if detail.is_empty() {
        String::new()
    } else {
        format!(" ({})", plain(detail))
    };
    let command = format!(
        "onnx-conformance conformance --cases cases --filter {} --policy bound --backend {}",
        word(id),
        word(backend)
    );
    let values = |values: &[backend_api::Named]| {
        let line = |(name, value): &backend_api::Named| match value {
            Value::Tensor(tensor) => format!(
                "- {}: {} = {}",
                code(name),
                plain(&shown(&value.value_type())),
                plain(&elements(tensor))
            ),
            other => format!("- {}: {}", code(name), plain(&shown(&other.value_type()))),
        };
        values.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    format!(
        "# {operators}: {verdict}{detail} on {version}\n\n\
         {reason}\n\n\
         - backend: {backend}, {version}\n\
         - model: {after} of {before} nodes of {original} (SHA-256 {sha256})\n\
         - expected values: {expected}\n\
         - found by onnx-conformance {harness}\n\n\
         ## Model\n\n{text}\n\n\
         ## Inputs\n\n{inputs}\n\n\
         ## Expected outputs\n\n{outputs}\n\n\
         ## Reproduce\n\n{command}\n",
        operators = plain(&operators.join(", ")),
        verdict = plain(verdict),
        version = plain(version),
        reason = plain(reason),
        backend = code(backend),
        command = block("sh", &command),
        after = nodes.1,
        before = nodes.0,
        original = code(&provenance.model),
        sha256 = code(&provenance.sha256),
        expected = plain(&provenance.expected),
        harness = code(&provenance.harness),
        text = block("", &text(model)),
        inputs = values(&set.inputs),
        outputs = values(&set.outputs),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ends_where_it_has_to() {
        for (text, expected) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("``", "``` `` ```"),
            ("a\n\u{202e}b", "`a\\n\\u{202e}b`"),
        ] {
            assert_eq!(code(text), expected);
        }
        for (text, expected) in [("a\n", "```\na\n```"), ("```\n# b", "````\n```\n# b\n````")] {
            assert_eq!(block("", text), expected);
        }
    }

    #[test]
    fn a_command_is_one_word_for_each_text() {
        for text in ["a b", "it's", "$(touch x)", "`x`", "a\nb", "--x=1;y", ""] {
            let line = format!("run {}", word(text));
            assert_eq!(shlex::split(&line), Some(vec!["run".to_owned(), text.to_owned()]));
        }
    }
}
