//! `corpora.lock`: which files there are to fetch, and what they must be.

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::folder::relative_name;
use super::{CorpusError, Sha256};

/// The lock file of this build, so that an installed binary needs no source tree.
const EMBEDDED: &str = include_str!("../../../onnx-tests/corpora.lock");

/// The version of the lock file's layout that this build reads.
const FORMAT: u32 = 1;

/// The pinned corpora and runtimes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lockfile {
    format: u32,
    corpora: BTreeMap<String, CorpusPin>,
    runtime: BTreeMap<String, RuntimePin>,
}

/// One pinned corpus.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusPin {
    /// The file that holds it.
    pub artifact: Artifact,
    /// The number of cases of each suite that it must yield at least.
    pub cases: BTreeMap<String, usize>,
}

/// One pinned build of ONNX Runtime.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimePin {
    /// The wheel that holds it.
    pub artifact: Artifact,
    /// The entry of the wheel that is the shared library.
    pub library: String,
    /// The digest of that entry's bytes.
    pub library_sha256: Sha256,
}

/// One pinned file, and how to ask for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// What kind of file it is.
    pub kind: ArtifactKind,
    /// The distribution's name in the Python package index.
    pub distribution: String,
    /// Its version.
    pub version: String,
    /// The CPython version of the wheel, without the dot: `311`.
    pub python: String,
    /// The platform tags to ask for.
    pub platforms: Vec<String>,
    /// The exact file name.
    pub file: String,
    /// The digest of the file's bytes.
    pub sha256: Sha256,
}

/// The kinds of files that corpora come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    /// A Python wheel: a zip archive, read in place.
    Wheel,
}

impl Lockfile {
    /// The lock file that was built in.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads it.
    pub fn embedded() -> Result<Self, CorpusError> {
        Self::parse(EMBEDDED, Path::new("onnx-tests/corpora.lock"))
    }

    /// Reads another lock file.
    ///
    /// # Errors
    /// An unreadable file, and an entry that is missing, unknown or unusable.
    pub fn load(path: &Path) -> Result<Self, CorpusError> {
        let text = fs::read_to_string(path).map_err(CorpusError::io("read", path))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, CorpusError> {
        let lock: Self = toml::from_str(text).map_err(|source| CorpusError::LockSyntax {
            path: path.to_path_buf(),
            source: Box::new(source),
        })?;
        lock.check().map_err(|(entry, reason)| CorpusError::LockEntry {
            path: path.to_path_buf(),
            entry,
            reason,
        })?;
        Ok(lock)
    }

    /// The ids of the pinned corpora, sorted.
    pub fn corpus_ids(&self) -> impl Iterator<Item = &str> {
        self.corpora.keys().map(String::as_str)
    }

    /// The corpus of this id.
    ///
    /// # Errors
    /// [`CorpusError::UnknownCorpus`], which names those that there are.
    pub fn corpus(&self, id: &str) -> Result<&CorpusPin, CorpusError> {
        let unknown = || CorpusError::UnknownCorpus {
            id: id.to_owned(),
            known: joined(&self.corpora),
        };
        self.corpora.get(id).ok_or_else(unknown)
    }

    /// The ONNX Runtime build for the machine this runs on.
    ///
    /// # Errors
    /// [`CorpusError::NoRuntimeBuild`].
    pub fn runtime(&self) -> Result<&RuntimePin, CorpusError> {
        let target = format!("{OS}-{ARCH}");
        let pin = self.runtime.get(&target);
        pin.ok_or_else(|| CorpusError::NoRuntimeBuild {
            target,
            known: joined(&self.runtime),
        })
    }

    /// Every pinned file with the name of its table.
    fn artifacts(&self) -> impl Iterator<Item = (String, &Artifact)> {
        let corpora = self
            .corpora
            .iter()
            .map(|(id, pin)| (format!("corpora.\"{id}\""), &pin.artifact));
        let runtimes = self
            .runtime
            .iter()
            .map(|(target, pin)| (format!("runtime.{target}"), &pin.artifact));
        corpora.chain(runtimes)
    }

    /// The first entry that cannot be used, and why.
    fn check(&self) -> Result<(), (String, String)> {
        if self.format != FORMAT {
            return Err((
                "format".to_owned(),
                format!("is {}, this build reads {FORMAT}", self.format),
            ));
        }
        for (table, artifact) in self.artifacts() {
            artifact
                .check()
                .map_err(|(key, reason)| (format!("{table}.artifact.{key}"), reason))?;
        }
        for (target, pin) in &self.runtime {
            if relative_name(&pin.library).as_deref() != Some(&pin.library) {
                let entry = format!("runtime.{target}.library");
                return Err((entry, format!("`{}` is no path inside the wheel", pin.library)));
            }
        }
        Ok(())
    }
}

impl Artifact {
    /// Values end up on a command line and in a path: neither an option nor a folder can hide in them.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let fields = [
            ("distribution", &self.distribution),
            ("version", &self.version),
            ("python", &self.python),
            ("file", &self.file),
        ];
        let platforms = self.platforms.iter().map(|platform| ("platforms", platform));
        for (key, value) in fields.into_iter().chain(platforms) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
            if !value.starts_with(|c: char| c.is_ascii_alphanumeric()) || !value.chars().all(plain) {
                return Err((key, format!("`{value}` has characters that do not belong there")));
            }
        }
        Ok(())
    }
}

fn joined<T>(map: &BTreeMap<String, T>) -> String {
    map.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_lock_file_is_sorted_and_pins_the_official_counts() {
        let lock = Lockfile::embedded().unwrap();
        let pinned = &lock.corpus("onnx-1.22.0").unwrap().cases;
        assert_eq!(pinned.values().sum::<usize>(), 1914);
        let unknown = lock.corpus("onnx-9.9").unwrap_err().to_string();
        assert!(unknown.contains("onnx-1.22.0"), "{unknown}");

        for section in ["[corpora.", "[runtime."] {
            let tables = EMBEDDED
                .lines()
                .filter(|line| line.starts_with(section) && line.ends_with(".artifact]"));
            assert!(tables.is_sorted(), "tables of {section} are not sorted");
        }
    }

    fn check(from: &str, to: &str, complaint: &str) {
        assert!(EMBEDDED.contains(from), "{from}");
        let error = Lockfile::parse(&EMBEDDED.replacen(from, to, 1), Path::new("test.lock")).unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }

    #[test]
    fn unusable_entries_are_named() {
        check("format = 1", "format = 2", "format: is 2");
        check(
            "version = \"1.22.0\"",
            "version = \"--pre\"",
            "onnx-1.22.0\".artifact.version",
        );
        check("file = \"onnx-", "file = \"../onnx-", "artifact.file");
        check("[\"manylinux_2_27_x86_64\"", "[\"a b\"", "artifact.platforms");
        check("library = \"onnxruntime", "library = \"/onnxruntime", "library");
        check("kind = \"wheel\"", "kind = \"tarball\"", "tarball");
        check("sha256 = \"1", "sha256 = \"x", "no SHA-256");
        check("light = 9", "light = -9", "test.lock");
    }
}
