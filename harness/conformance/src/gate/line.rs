//! Keys of a baseline: a case in one corpus, or in a range of releases.

use std::fmt;
use std::str::FromStr;

use run_record::Release;

/// A key of a baseline: `onnx-1.22.0/node/test_abs`, `onnx-1.2.1..1.22.0/node/test_abs`, `own/Softmax/large`.
///
/// Keys are sorted by case, then by release, oldest first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    /// `onnx` for all releases; otherwise the corpus.
    family: String,
    /// `node/test_abs`.
    pub case: String,
    releases: Option<Span>,
}

/// Releases from the first to the last, inclusive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Span {
    pub first: Release,
    pub last: Release,
}

const FAMILY: &str = "onnx";

impl Key {
    /// The key of a case in releases from `first` to `last`.
    pub fn span(case: &str, first: Release, last: Release) -> Self {
        Self {
            family: FAMILY.to_owned(),
            case: case.to_owned(),
            releases: Some(Span { first, last }),
        }
    }

    /// Whether the key covers this case in this corpus.
    pub fn covers(&self, corpus: &str, case: &str) -> bool {
        self.case == case && self.covers_corpus(corpus)
    }

    /// Whether the key covers a case in this corpus.
    pub fn covers_corpus(&self, corpus: &str) -> bool {
        match (self.releases, Release::of_corpus(corpus)) {
            (Some(span), Some(release)) => (span.first..=span.last).contains(&release),
            (None, None) => self.family == corpus,
            _ => false,
        }
    }

    /// Whether both keys cover a case of the same corpus.
    pub fn overlaps(&self, other: &Self) -> bool {
        let same = self.family == other.family && self.case == other.case;
        match (self.releases, other.releases) {
            (Some(a), Some(b)) => same && a.first <= b.last && b.first <= a.last,
            _ => same,
        }
    }

    /// Its releases; `None` for a corpus that is not a release.
    pub fn releases(&self) -> Option<Span> {
        self.releases
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            family,
            case,
            releases,
        } = self;
        match releases {
            None => write!(f, "{family}/{case}"),
            Some(Span { first, last }) if first == last => write!(f, "{family}-{first}/{case}"),
            Some(Span { first, last }) => write!(f, "{family}-{first}..{last}/{case}"),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            "expected `<corpus>/<suite>/<name>`; the corpus may be a range, as in `onnx-1.2.1..1.22.0`";
        let (corpus, case) = text.split_once('/').ok_or(wanted)?;
        if case.split('/').filter(|part| !part.is_empty()).count() != 2 || corpus.is_empty() {
            return Err(wanted.to_owned());
        }
        let span = match corpus.split_once("..") {
            Some((first, last)) => {
                let first = Release::of_corpus(first).ok_or(wanted)?;
                let last: Release = last.parse().map_err(|_| wanted)?;
                if first >= last {
                    return Err(format!("{first} is not before {last}: releases sort by number"));
                }
                Some(Span { first, last })
            }
            None => Release::of_corpus(corpus).map(|release| Span {
                first: release,
                last: release,
            }),
        };
        Ok(Self {
            family: if span.is_some() { FAMILY } else { corpus }.to_owned(),
            case: case.to_owned(),
            releases: span,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip_through_text_and_are_sorted_by_case() {
        let texts = [
            "onnx-1.2.1..1.9.0/node/test_a",
            "onnx-1.10.2/node/test_a",
            "onnx-1.3.0/node/test_b",
            "own/Softmax/large",
        ];
        let keys: Vec<Key> = texts.iter().map(|text| text.parse().unwrap()).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        assert_eq!(keys.iter().map(Key::to_string).collect::<Vec<_>>(), texts);
        for text in [
            "",
            "onnx-1.2.1",
            "a/b",
            "a/b/c/d",
            "onnx-1.9.0..1.2.1/n/a",
            "onnx-1.2..1.3/n/a",
            "a//b",
        ] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_covers_the_case_in_each_of_its_releases() {
        let key: Key = "onnx-1.2.1..1.10.2/node/a".parse().unwrap();
        for (corpus, covered) in [
            ("onnx-1.9.0", true),
            ("onnx-1.2.1", true),
            ("onnx-1.11.0", false),
            ("own", false),
        ] {
            assert_eq!(key.covers(corpus, "node/a"), covered, "{corpus}");
            assert!(!key.covers(corpus, "node/b"));
        }
    }
}
