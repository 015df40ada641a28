//! The selection of cases: `--filter PATTERN`, repeatable.

use super::case::{CaseDefect, CaseFiles};
use super::compact::compact;
use super::digest::{distinct, distinct_defects};
use super::{CaseId, Corpus, CorpusError};
use crate::pattern::{CasePattern, PatternError};

/// A set of patterns. A case is selected if any of them matches its id, or if there are none. A pattern is
/// a whole id, a glob, or a plain word ([`CasePattern::or_word`]).
#[derive(Clone, Debug, Default)]
pub struct Filter {
    patterns: Vec<CasePattern>,
}

/// The selection of a filter from one or more corpora.
#[derive(Debug)]
pub struct Selection {
    /// The cases to run.
    pub cases: Vec<CaseFiles>,
    /// Selected items that cannot be run, with the reason; to be reported, never ignored.
    pub defects: Vec<CaseDefect>,
}

impl Filter {
    /// A filter from patterns.
    ///
    /// # Errors
    /// A pattern is an invalid glob.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, PatternError> {
        let patterns = patterns.into_iter();
        let patterns = patterns.map(|pattern| CasePattern::or_word(pattern.as_ref()));
        Ok(Self {
            patterns: patterns.collect::<Result<_, _>>()?,
        })
    }

    /// Whether this case is selected.
    pub fn matches(&self, id: &CaseId) -> bool {
        let id = id.to_string();
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.matches(&id))
    }

    /// The patterns that match no case of `corpora`, nor an item that cannot be run.
    pub fn unmatched(&self, corpora: &[Corpus]) -> Vec<&str> {
        let ids = || {
            let cases = corpora.iter().flat_map(Corpus::cases).map(|case| &case.id);
            let defects = corpora.iter().flat_map(Corpus::defects).map(|defect| &defect.id);
            cases.chain(defects)
        };
        let patterns = self.patterns.iter();
        let unmatched = patterns.filter(|pattern| !ids().any(|id| pattern.matches(&id.to_string())));
        unmatched.map(CasePattern::text).collect()
    }

    /// All selected cases of `corpora`. Cases that several of them contain, with the same bytes and the
    /// same name, occur once, under the newest corpus, if the cases have digests ([`Corpus::releases`]).
    ///
    /// # Errors
    /// [`CorpusError::NoCaseSelected`] if nothing is selected: an empty run is never a success.
    pub fn select(&self, corpora: &[Corpus]) -> Result<Selection, CorpusError> {
        let cases = corpora
            .iter()
            .flat_map(Corpus::cases)
            .filter(|case| self.matches(&case.id));
        let defects = corpora
            .iter()
            .flat_map(Corpus::defects)
            .filter(|defect| self.matches(&defect.id));
        let mut cases = distinct(cases.cloned().collect());
        if corpora.len() > 1 {
            compact(&mut cases)?;
        }
        let selection = Selection {
            cases,
            defects: distinct_defects(defects.cloned().collect()),
        };
        if selection.cases.is_empty() && selection.defects.is_empty() {
            return Err(CorpusError::NoCaseSelected {
                patterns: self.quoted(),
            });
        }
        Ok(selection)
    }

    /// The selected ones of `items`, at least one. `of` names all of them in the error: `the models of the
    /// zoo`.
    ///
    /// # Errors
    /// [`CorpusError::NoCaseSelected`] if nothing is selected.
    pub fn among<T>(
        &self,
        items: impl IntoIterator<Item = (CaseId, T)>,
        of: &str,
    ) -> Result<Vec<(CaseId, T)>, CorpusError> {
        let selected: Vec<(CaseId, T)> = items.into_iter().filter(|(id, _)| self.matches(id)).collect();
        if selected.is_empty() {
            Err(CorpusError::NoCaseSelected {
                patterns: format!("{} among {of}", self.quoted()),
            })
        } else {
            Ok(selected)
        }
    }

    fn quoted(&self) -> String {
        if self.patterns.is_empty() {
            return "an empty corpus".to_owned();
        }
        let quoted: Vec<_> = self
            .patterns
            .iter()
            .map(|pattern| format!("`{}`", pattern.text()))
            .collect();
        quoted.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_without_a_case_are_known() {
        let corpus = crate::own::corpus().unwrap();
        let filter = Filter::new(["own/MaxPool/ceiling-10", "nosuch", "*/no/such"]).unwrap();
        assert_eq!(filter.unmatched(&[corpus]), ["nosuch", "*/no/such"]);
    }

    #[test]
    fn a_case_is_selected_by_any_pattern_or_without_patterns() {
        let id = "onnx-1.22.0/node/test_softmax".parse().unwrap();
        for (patterns, selected) in [
            (&[][..], true),
            (&["abs", "softmax"], true),
            (&["abs", "relu*"], false),
        ] {
            let filter = Filter::new(patterns).unwrap();
            assert_eq!(filter.matches(&id), selected, "{patterns:?}");
        }
    }

    #[test]
    fn an_empty_selection_is_an_error() {
        let nothing = Filter::new(["abs", "relu*"])
            .unwrap()
            .select(&[])
            .unwrap_err()
            .to_string();
        assert!(nothing.contains("`abs`, `relu*`"), "{nothing}");
    }
}
