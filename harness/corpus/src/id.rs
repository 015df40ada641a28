//! Case ids: `<corpus>/<suite>/<name>`, e.g. `onnx-1.22.0/node/test_abs`.

use std::fmt;
use std::str::FromStr;

use run_record::{VARIANT_MARK, VariantId};

use crate::form::Form;

/// Identifies a case in all corpora, in arguments, reports and baselines.
///
/// Ids sort by corpus, then suite, then name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseId {
    corpus: String,
    suite: String,
    name: String,
}

/// A text that is not a case id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a case id: expected `<corpus>/<suite>/<name>` without control characters")]
pub struct InvalidCaseId {
    text: String,
}

impl CaseId {
    /// An id from its three parts.
    ///
    /// # Errors
    /// A part is empty or contains a slash or a control character, so that the id could not be parsed.
    pub fn new(corpus: &str, suite: &str, name: &str) -> Result<Self, InvalidCaseId> {
        let valid = |part: &str| !part.is_empty() && !part.contains(|c: char| c == '/' || c.is_control());
        if [corpus, suite, name].into_iter().all(valid) {
            Ok(Self {
                corpus: corpus.to_owned(),
                suite: suite.to_owned(),
                name: name.to_owned(),
            })
        } else {
            Err(InvalidCaseId {
                text: format!("{corpus}/{suite}/{name}"),
            })
        }
    }

    /// The corpus, e.g. `onnx-1.22.0`, or `local`.
    pub fn corpus(&self) -> &str {
        &self.corpus
    }

    /// The suite, e.g. `node`.
    pub fn suite(&self) -> &str {
        &self.suite
    }

    /// The id of the variant of this case in a form: `<case>~<form>`.
    ///
    /// # Errors
    /// None, because no form has a slash or a control character.
    pub fn variant(&self, form: Form) -> Result<Self, InvalidCaseId> {
        Self::new(
            &self.corpus,
            &self.suite,
            &format!("{}{VARIANT_MARK}{form}", self.name),
        )
    }

    /// The id of the plain case of this variant; its own id if it is not a variant.
    pub fn plain(&self) -> Self {
        let text = self.to_string();
        let plain = VariantId::parse(&text).and_then(|variant| variant.plain.parse().ok());
        plain.unwrap_or_else(|| self.clone())
    }

    /// The case's own name, e.g. `test_abs`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.corpus, self.suite, self.name)
    }
}

impl FromStr for CaseId {
    type Err = InvalidCaseId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('/');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(corpus), Some(suite), Some(name), None) => Self::new(corpus, suite, name),
            _ => Err(InvalidCaseId {
                text: text.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parsed_as_they_are_shown() {
        for text in ["onnx-1.22.0/node/test_abs", "local/my suite/größe [1]*"] {
            let id: CaseId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
            assert_eq!(CaseId::new(id.corpus(), id.suite(), id.name()).as_ref(), Ok(&id));
        }
        for text in ["", "node/test_abs", "a/b/c/d", "a//c", "/b/c", "a/b/", "a/b/c\n"] {
            assert!(text.parse::<CaseId>().is_err(), "{text:?}");
        }
    }
}
