//! Patterns of case ids, for `--filter`, `--accept`, tolerances and errata.

use globset::{GlobBuilder, GlobMatcher};

use crate::CaseId;

/// The characters that make a text a glob.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// A pattern that selects cases.
///
/// - A text without `*`, `?`, `[` and `{` is a whole id and matches only itself.
/// - Any other text is a glob over the whole id, in which `*` also matches slashes. It also matches an id
///   that equals the text; `[*]` matches only a star.
/// - For `--filter` only, a text that is neither is a plain word, which matches every id that contains
///   it, and a glob also matches from the beginning of any part of an id: `node/test_softmax*`.
#[derive(Clone, Debug)]
pub struct CasePattern {
    text: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Exact,
    Glob(GlobMatcher),
    /// A glob over the whole id, or from the beginning of a part of it.
    Parts(GlobMatcher, GlobMatcher),
    Word,
}

/// A text with wildcards that is not a valid glob.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{pattern}` is not a pattern of cases: {source}")]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// The error.
    pub source: globset::Error,
}

impl CasePattern {
    /// A whole id or a glob.
    ///
    /// # Errors
    /// A text with wildcards is not a valid glob.
    pub fn new(text: &str) -> Result<CasePattern, PatternError> {
        let form = if text.contains(WILDCARDS) {
            Form::Glob(glob(text)?)
        } else {
            Form::Exact
        };
        Ok(CasePattern {
            text: text.to_owned(),
            form,
        })
    }

    /// Like [`Self::new`], but a text that is neither a glob nor has the three parts of an id is a plain
    /// word, and a glob may begin at any part of an id.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn or_word(text: &str) -> Result<CasePattern, PatternError> {
        let pattern = CasePattern::new(text)?;
        if let Form::Glob(whole) = pattern.form {
            let part = glob(&format!("*/{text}"))?;
            return Ok(CasePattern {
                text: pattern.text,
                form: Form::Parts(whole, part),
            });
        }
        let is_word = matches!(pattern.form, Form::Exact) && text.parse::<CaseId>().is_err();
        Ok(if is_word {
            CasePattern {
                form: Form::Word,
                ..pattern
            }
        } else {
            pattern
        })
    }

    /// Whether the pattern matches this id.
    pub fn matches(&self, id: &str) -> bool {
        match &self.form {
            Form::Exact => self.text == id,
            Form::Glob(glob) => self.text == id || glob.is_match(id),
            Form::Parts(whole, part) => self.text == id || whole.is_match(id) || part.is_match(id),
            Form::Word => id.contains(&self.text),
        }
    }

    /// Whether it matches only a single id.
    pub fn is_exact(&self) -> bool {
        matches!(self.form, Form::Exact)
    }

    /// The text of the pattern.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A backslash is an ordinary character: ids of hostile files may contain it.
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
        check("test_add*", ADD, false, true);
        check("node/test_add*", BCAST, false, true);
        check("node/test_a??", ADD, false, true);
        check("node/test_a??", BCAST, false, false);
        check("est_add*", ADD, false, false);
        check("", ADD, false, true);
    }

    #[test]
    fn an_id_with_wildcards_matches_itself_and_with_brackets() {
        let (odd, other) = ("local/s/a [1]*", "local/s/a 1b");
        check(odd, odd, true, true);
        check(odd, other, true, true);
        check("local/s/a [[]1[]][*]", odd, true, true);
        check("local/s/a [[]1[]][*]", other, false, false);
        check("local/s/a\\x", "local/s/a\\x", true, true);
        check("local/s/*\\x", "local/s/a\\x", true, true);
    }

    #[test]
    fn an_invalid_glob_is_an_error() {
        let error = CasePattern::new("*[a").unwrap_err().to_string();
        assert!(error.starts_with("`*[a` is not a pattern of cases: "), "{error}");
    }
}
