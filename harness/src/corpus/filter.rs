//! Which cases a person asks for: `--filter PATTERN`, as often as wanted.

use globset::{Glob, GlobMatcher};

use super::case::{CaseDefect, CaseFiles};
use super::digest::{distinct, distinct_defects};
use super::{CaseId, Corpus, CorpusError};

/// A set of patterns; a case is selected when any of them matches its id, and always when there is none.
///
/// A pattern with `*`, `?` or `[` is a glob over the whole id, in which `*` also crosses slashes;
/// any other is a substring of the id.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    patterns: Vec<(String, Pattern)>,
}

#[derive(Clone, Debug)]
enum Pattern {
    Glob(GlobMatcher),
    Substring,
}

/// What a filter selects from one or more corpora.
#[derive(Debug)]
pub struct Selection {
    /// The cases to run.
    pub cases: Vec<CaseFiles>,
    /// What was asked for and cannot be run, with the reason; to be reported, never dropped.
    pub defects: Vec<CaseDefect>,
}

impl Filter {
    /// A filter from the patterns as typed.
    ///
    /// # Errors
    /// A pattern that looks like a glob and is none.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, CorpusError> {
        let patterns = patterns.into_iter().map(|pattern| {
            let text = pattern.as_ref().to_owned();
            let compiled = compile(&text)?;
            Ok((text, compiled))
        });
        Ok(Self {
            patterns: patterns.collect::<Result<_, CorpusError>>()?,
        })
    }

    /// Whether this case is asked for.
    pub fn matches(&self, id: &CaseId) -> bool {
        let id = id.to_string();
        let one = |(text, pattern): &(String, Pattern)| match pattern {
            Pattern::Glob(glob) => glob.is_match(&id),
            Pattern::Substring => id.contains(text),
        };
        self.patterns.is_empty() || self.patterns.iter().any(one)
    }

    /// Everything in `corpora` that is asked for. What several of them have, byte for byte and under the same name, is there
    /// once, under the newest, if their cases have digests ([`Corpus::releases`]).
    ///
    /// # Errors
    /// [`CorpusError::NoCaseSelected`] when that is nothing: an empty run is never a success.
    pub fn select(&self, corpora: &[Corpus]) -> Result<Selection, CorpusError> {
        let cases = corpora
            .iter()
            .flat_map(Corpus::cases)
            .filter(|case| self.matches(&case.id));
        let defects = corpora
            .iter()
            .flat_map(Corpus::defects)
            .filter(|defect| self.matches(&defect.id));
        let selection = Selection {
            cases: distinct(cases.cloned().collect()),
            defects: distinct_defects(defects.cloned().collect()),
        };
        if selection.cases.is_empty() && selection.defects.is_empty() {
            return Err(CorpusError::NoCaseSelected {
                patterns: self.quoted(),
            });
        }
        Ok(selection)
    }

    fn quoted(&self) -> String {
        if self.patterns.is_empty() {
            return "an empty corpus".to_owned();
        }
        let quoted: Vec<_> = self
            .patterns
            .iter()
            .map(|(text, _)| format!("`{text}`"))
            .collect();
        quoted.join(", ")
    }
}

fn compile(text: &str) -> Result<Pattern, CorpusError> {
    if !text.contains(['*', '?', '[']) {
        return Ok(Pattern::Substring);
    }
    let glob = Glob::new(text).map_err(|source| CorpusError::Pattern {
        pattern: text.to_owned(),
        source,
    })?;
    Ok(Pattern::Glob(glob.compile_matcher()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], id: &str, expected: bool) {
        let filter = Filter::new(patterns).unwrap();
        assert_eq!(
            filter.matches(&id.parse().unwrap()),
            expected,
            "{patterns:?} on {id}"
        );
    }

    #[test]
    fn globs_match_the_whole_id_and_other_patterns_a_part_of_it() {
        let softmax = "onnx-1.22.0/node/test_softmax_axis_0";
        check(&[], softmax, true);
        check(&["softmax"], softmax, true);
        check(&["node/test_soft"], softmax, true);
        check(&["Softmax"], softmax, false);
        check(&["*/node/test_softmax_*"], softmax, true);
        check(&["onnx-1.22.0*axis_?"], softmax, true);
        check(&["*_axis_[12]"], softmax, false);
        check(&["test_softmax*"], softmax, false);
        check(&["abs", "*softmax*"], softmax, true);
        check(&["abs", "relu"], softmax, false);
    }

    #[test]
    fn a_broken_glob_and_an_empty_selection_are_errors() {
        let broken = Filter::new(["*[a"]).unwrap_err();
        assert!(matches!(broken, CorpusError::Pattern { .. }), "{broken}");
        let nothing = Filter::new(["abs", "relu*"])
            .unwrap()
            .select(&[])
            .unwrap_err()
            .to_string();
        assert!(nothing.contains("`abs`, `relu*`"), "{nothing}");
    }
}
