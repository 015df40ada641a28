//! Selection of releases: `all`, `1.22`, `1.2..1.10`, or several of these.

use std::fmt;
use std::str::FromStr;

use run_record::Release;

/// A set of releases from a text. The items, separated by commas, are
/// - `all`;
/// - a release, `1.22.0`, or the beginning of its number, `1.22`, for all releases with that beginning;
/// - an inclusive range, `1.2..1.10`; either end may be omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    text: String,
    ranges: Vec<Range>,
}

/// An inclusive range.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    text: String,
    first: Release,
    last: Release,
}

/// Why a text selects no releases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleasesError {
    /// An item has none of the forms.
    #[error(
        "`{item}` selects no releases: expected `all`, a release such as `1.22` or `1.22.0`, or a range such as `1.2..1.10`"
    )]
    Syntax { item: String },
    /// The end of a range is before its start.
    #[error("`{item}` ends before it begins: releases sort by number, so that 1.9 comes before 1.10")]
    Backwards { item: String },
    /// No pinned release is in an item.
    #[error("no release `{item}` is pinned; there are: {known}")]
    Unknown {
        item: String,
        /// The pinned releases, separated by commas.
        known: String,
    },
}

impl Releases {
    /// The selected releases of `known` (sorted), in order.
    ///
    /// # Errors
    /// [`ReleasesError::Unknown`] for an item that selects none of them, because a mistyped release must
    /// not shrink a run.
    pub fn select(&self, known: &[Release]) -> Result<Vec<Release>, ReleasesError> {
        for range in &self.ranges {
            if !known.iter().any(|release| range.contains(*release)) {
                let known: Vec<String> = known.iter().map(Release::to_string).collect();
                return Err(ReleasesError::Unknown {
                    item: range.text.clone(),
                    known: known.join(", "),
                });
            }
        }
        let known = known.iter().copied();
        Ok(known.filter(|release| self.contains(*release)).collect())
    }

    /// The start of its first range.
    pub fn first(&self) -> Option<Release> {
        self.ranges.iter().map(|range| range.first).min()
    }

    /// Whether `release` is selected.
    pub fn contains(&self, release: Release) -> bool {
        self.ranges.iter().any(|range| range.contains(release))
    }
}

impl Range {
    fn contains(&self, release: Release) -> bool {
        (self.first..=self.last).contains(&release)
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Release> for Releases {
    fn from(release: Release) -> Self {
        let text = release.to_string();
        let range = Range {
            text: text.clone(),
            first: release,
            last: release,
        };
        Self {
            text,
            ranges: vec![range],
        }
    }
}

impl FromStr for Releases {
    type Err = ReleasesError;

    fn from_str(text: &str) -> Result<Self, ReleasesError> {
        let ranges = text.split(',').map(|item| item.trim().parse());
        Ok(Self {
            text: text.to_owned(),
            ranges: ranges.collect::<Result<_, _>>()?,
        })
    }
}

impl FromStr for Range {
    type Err = ReleasesError;

    fn from_str(text: &str) -> Result<Self, ReleasesError> {
        let item = || text.to_owned();
        let (from, to) = match text.split_once("..") {
            Some(ends) => ends,
            None if text == "all" => ("", ""),
            None if text.is_empty() => return Err(ReleasesError::Syntax { item: item() }),
            None => (text, text),
        };
        let end = |end: &str, fill| bound(end, fill).ok_or_else(|| ReleasesError::Syntax { item: item() });
        let (first, last) = (end(from, 0)?, end(to, u32::MAX)?);
        if first > last {
            return Err(ReleasesError::Backwards { item: item() });
        }
        Ok(Range {
            text: item(),
            first,
            last,
        })
    }
}

/// The release number in `text`, with `fill` for omitted parts.
fn bound(text: &str, fill: u32) -> Option<Release> {
    let mut numbers = [fill; 3];
    let given: Vec<&str> = text.split('.').filter(|_| !text.is_empty()).collect();
    for (place, number) in given.iter().enumerate() {
        *numbers.get_mut(place)? = number.parse().ok()?;
    }
    Some(Release(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Release> {
        let known = ["1.2.1", "1.2.2", "1.9.0", "1.10.2", "1.16.0", "1.16.2", "1.22.0"];
        known.map(|text| text.parse().unwrap()).to_vec()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let selected = text
            .parse::<Releases>()
            .and_then(|releases| releases.select(&known()))
            .unwrap();
        let selected: Vec<String> = selected.iter().map(Release::to_string).collect();
        assert_eq!(selected.join(" "), expected, "{text}");
    }

    #[test]
    fn releases_are_selected_by_number() {
        check("all", "1.2.1 1.2.2 1.9.0 1.10.2 1.16.0 1.16.2 1.22.0");
        check("1.22", "1.22.0");
        check("1.2", "1.2.1 1.2.2");
        check("1.16.2", "1.16.2");
        check("1.2..1.10", "1.2.1 1.2.2 1.9.0 1.10.2");
        check("1.2.2..1.16.0", "1.2.2 1.9.0 1.10.2 1.16.0");
        check("1.16..", "1.16.0 1.16.2 1.22.0");
        check("..1.2", "1.2.1 1.2.2");
        check("1.22, 1.2.1,1.22", "1.2.1 1.22.0");
    }

    #[test]
    fn an_item_without_releases_is_an_error_that_lists_them() {
        for text in ["", "newest", "1.x", "1.2.3.4", "-1", "1.2,", "1.2...1.3"] {
            let error = text.parse::<Releases>().unwrap_err();
            assert!(matches!(error, ReleasesError::Syntax { .. }), "{text}: {error}");
        }
        let backwards = "1.10..1.9".parse::<Releases>().unwrap_err();
        assert!(
            matches!(backwards, ReleasesError::Backwards { .. }),
            "{backwards}"
        );
        for text in ["1.3", "1.22,1.16.1", "2.."] {
            let releases: Releases = text.parse().unwrap();
            let error = releases.select(&known()).unwrap_err().to_string();
            assert!(error.contains("there are: 1.2.1, 1.2.2, 1.9.0"), "{error}");
        }
    }
}
