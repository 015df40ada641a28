//! The version of glibc that programs need.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;
use regex::bytes::Regex as BytesRegex;

/// A version of glibc, `2.28`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Glibc {
    major: u32,
    minor: u32,
}

/// A text is no version of glibc.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a version of glibc, as in 2.28")]
pub struct NoGlibc(String);

impl Glibc {
    /// The newest version whose symbols an executable names; `None` if it names none, as a static one.
    pub fn needed(executable: &[u8]) -> Option<Glibc> {
        static VERSION: LazyLock<BytesRegex> =
            LazyLock::new(|| BytesRegex::new(r"GLIBC_(\d{1,3}\.\d{1,3})").expect("the pattern is valid"));
        let named = VERSION.captures_iter(executable).filter_map(|found| {
            let text = std::str::from_utf8(&found[1]).ok()?;
            text.parse().ok()
        });
        named.max()
    }

    /// The platform tag of a wheel whose programs need this version (PEP 600).
    pub fn platform(self, architecture: &str) -> String {
        format!("manylinux_{}_{}_{architecture}", self.major, self.minor)
    }
}

impl FromStr for Glibc {
    type Err = NoGlibc;

    fn from_str(text: &str) -> Result<Glibc, NoGlibc> {
        static FORM: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^(\d{1,3})\.(\d{1,3})$").expect("the pattern is valid"));
        let refused = || NoGlibc(text.to_owned());
        let parts = FORM.captures(text).ok_or_else(refused)?;
        let number = |at: usize| parts[at].parse().map_err(|_| refused());
        Ok(Glibc {
            major: number(1)?,
            minor: number(2)?,
        })
    }
}

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(executable: &str, needed: Option<&str>) {
        let found = Glibc::needed(executable.as_bytes()).map(|version| version.to_string());
        assert_eq!(found.as_deref(), needed, "{executable}");
    }

    #[test]
    fn the_newest_version_counts_as_numbers() {
        check("", None);
        check("GLIBC_PRIVATE\0", None);
        check("\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.4\0", Some("2.34"));
        check("GLIBC_2.9\0GLIBC_2.17\0", Some("2.17"));
    }

    #[test]
    fn versions_are_parsed() {
        let version: Glibc = "2.28".parse().unwrap();
        assert_eq!(version.platform("x86_64"), "manylinux_2_28_x86_64");
        for refused in ["", "2", "2.28.1", "musl", "2.99999"] {
            assert!(refused.parse::<Glibc>().is_err(), "{refused}");
        }
    }
}
