//! Releases of ONNX, sorted by version and not as text: 1.9 comes before 1.10.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A release of the `onnx` distribution, such as `1.22.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Release(pub [u32; 3]);

/// A text that is not a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a release: expected three numbers as in `1.22.0`")]
pub struct InvalidRelease(String);

/// The prefix of the name of a release's corpus.
const CORPUS: &str = "onnx-";

impl Release {
    /// The release whose official tests are the corpus with this name, `onnx-1.22.0`; `None` for any
    /// other corpus.
    pub fn of_corpus(corpus: &str) -> Option<Self> {
        corpus.strip_prefix(CORPUS)?.parse().ok()
    }

    /// The name of the corpus of its official tests.
    pub fn corpus(self) -> String {
        format!("{CORPUS}{self}")
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl FromStr for Release {
    type Err = InvalidRelease;

    fn from_str(text: &str) -> Result<Self, InvalidRelease> {
        let invalid = || InvalidRelease(text.to_owned());
        let numbers: Vec<u32> = text
            .split('.')
            .map(|number| number.parse().map_err(|_| invalid()))
            .collect::<Result<_, _>>()?;
        let release = Self(numbers.try_into().map_err(|_| invalid())?);
        // There is only one notation: `1.022.0` and `+1.22.0` are invalid.
        if release.to_string() == text {
            Ok(release)
        } else {
            Err(invalid())
        }
    }
}

impl TryFrom<String> for Release {
    type Error = InvalidRelease;

    fn try_from(text: String) -> Result<Self, InvalidRelease> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_sorted_by_number_and_have_one_notation() {
        let mut texts = ["1.10.2", "1.2.1", "1.22.0", "1.9.0"];
        texts.sort_by_key(|text| text.parse::<Release>().unwrap());
        assert_eq!(texts, ["1.2.1", "1.9.0", "1.10.2", "1.22.0"]);
        for text in [
            "",
            "1.22",
            "1.22.0.0",
            "1.022.0",
            "+1.22.0",
            "1.22.x",
            "1.22.4294967296",
        ] {
            assert!(text.parse::<Release>().is_err(), "{text:?}");
        }
        let release: Release = "1.22.0".parse().unwrap();
        assert_eq!(Release::of_corpus(&release.corpus()), Some(release));
        assert_eq!(Release::of_corpus("local"), None);
    }
}
