//! Patterns of case ids: `--filter`, `--accept`, tolerances and errata name cases by them.

use globset::{GlobBuilder, GlobMatcher};

use crate::CaseId;

/// What makes a text a glob.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Which cases are meant.
///
/// - A text without `*`, `?`, `[` and `{` is a whole id and matches only itself.
/// - Any other is a glob over the whole id, in which `*` also crosses slashes. It also matches the id that is spelled as the
///   glob is; `[*]` is a star and nothing else.
/// - For `--filter` alone, a text that is neither is a plain word, which matches every id that contains it.
#[derive(Clone, Debug)]
pub struct CasePattern {
    text: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Exact,
    Glob(GlobMatcher),
    Word,
}

/// A text that has wildcards and is no glob.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{pattern}` is not a pattern of cases: {source}")]
pub struct PatternError {
    /// The text as typed.
    pub pattern: String,
    /// Why it is no glob.
    pub source: globset::Error,
}

impl CasePattern {
    /// A whole id or a glob.
    ///
    /// # Errors
    /// A text that has wildcards and is no glob.
    pub fn new(text: &str) -> Result<CasePattern, PatternError> {
        let form = match text.contains(WILDCARDS) {
            true => Form::Glob(glob(text)?),
            false => Form::Exact,
        };
        Ok(CasePattern {
            text: text.to_owned(),
            form,
        })
    }

    /// As [`Self::new`], but a text that is neither a glob nor has the three parts of an id is a plain word.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn or_word(text: &str) -> Result<CasePattern, PatternError> {
        let pattern = CasePattern::new(text)?;
        let is_word = matches!(pattern.form, Form::Exact) && text.parse::<CaseId>().is_err();
        Ok(match is_word {
            true => CasePattern {
                form: Form::Word,
                ..pattern
            },
            false => pattern,
        })
    }

    /// Whether the case of this id is meant.
    pub fn matches(&self, id: &str) -> bool {
        match &self.form {
            Form::Exact => self.text == id,
            Form::Glob(glob) => self.text == id || glob.is_match(id),
            Form::Word => id.contains(&self.text),
        }
    }

    /// Whether it names a single case.
    pub fn is_exact(&self) -> bool {
        matches!(self.form, Form::Exact)
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A backslash is a character as any other: ids of hostile files may hold it.
fn glob(text: &str) -> Result<GlobMatcher, PatternError> {
    let glob = GlobBuilder::new(text).backslash_escape(false).build();
    let glob = glob.map_err(|source| PatternError {
        pattern: text.to_owned(),
        source,
    })?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: &str = "onnx-1.22.0/node/test_add";
    const BCAST: &str = "onnx-1.22.0/node/test_add_bcast";

    #[track_caller]
    fn check(pattern: &str, id: &str, strict: bool, word: bool) {
        let matches = |pattern: Result<CasePattern, PatternError>| pattern.unwrap().matches(id);
        assert_eq!(matches(CasePattern::new(pattern)), strict, "{pattern} on {id}");
        assert_eq!(
            matches(CasePattern::or_word(pattern)),
            word,
            "word {pattern} on {id}"
        );
    }

    #[test]
    fn ids_are_exact_globs_are_globs_and_only_a_filter_has_words() {
        check(ADD, ADD, true, true);
        check(ADD, BCAST, false, false);
        check("*/test_add", ADD, true, true);
        check("*/test_add", BCAST, false, false);
        check("*test_add*", BCAST, true, true);
        check("*{_bcast,_relu}", BCAST, true, true);
        check("test_add", BCAST, false, true);
        check("node/test_add", BCAST, false, true);
        check("Test_Add", ADD, false, false);
        check("onnx-1.22.0*test_?dd", ADD, true, true);
        check("test_add*", ADD, false, false);
        check("", ADD, false, true);
    }

    #[test]
    fn an_id_with_wildcards_is_named_by_itself_and_alone_in_brackets() {
        let (odd, other) = ("local/s/a [1]*", "local/s/a 1b");
        check(odd, odd, true, true);
        check(odd, other, true, true);
        check("local/s/a [[]1[]][*]", odd, true, true);
        check("local/s/a [[]1[]][*]", other, false, false);
        check("local/s/a\\x", "local/s/a\\x", true, true);
        check("local/s/*\\x", "local/s/a\\x", true, true);
    }

    #[test]
    fn a_broken_glob_is_said() {
        let error = CasePattern::new("*[a").unwrap_err().to_string();
        assert!(error.starts_with("`*[a` is not a pattern of cases: "), "{error}");
    }
}
