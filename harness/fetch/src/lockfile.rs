//! `corpora.lock`: the files to fetch and their digests.

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::Path;

use harness_corpus::{Sha256, relative_name};
use run_record::Release;
use serde::Deserialize;

use super::FetchError;
use super::artifact::{Artifact, Origin};

/// The lock file of this build, so that an installed binary needs no source tree.
const EMBEDDED: &str = include_str!("../../../onnx-tests/corpora.lock");

/// The version of the lock file's format that this build reads.
const FORMAT: u32 = 2;

/// The pinned corpora and runtimes.
#[derive(Clone, Debug)]
pub struct Lockfile {
    releases: BTreeMap<Release, CorpusPin>,
    runtimes: BTreeMap<String, RuntimePin>,
    /// Other versions of the runtime: by version, then by target.
    versions: BTreeMap<Release, BTreeMap<String, RuntimePin>>,
    /// Packages with a plug-in provider, those for this machine: by name, then by version.
    providers: BTreeMap<String, BTreeMap<Release, ProviderPin>>,
}

/// The pinned corpus of one release.
#[derive(Clone, Debug)]
pub struct CorpusPin {
    /// The file of the corpus.
    pub artifact: Artifact,
    /// The minimum number of cases of each suite.
    pub cases: BTreeMap<String, usize>,
    /// The wheel of a release whose corpus is computed: it has the sources of the operators.
    wheel: Option<Artifact>,
}

impl CorpusPin {
    /// The wheel of the release, which has the texts of the operators (`onnx/defs`).
    pub fn wheel(&self) -> &Artifact {
        self.wheel.as_ref().unwrap_or(&self.artifact)
    }
}

/// One pinned build of ONNX Runtime.
#[derive(Clone, Debug)]
pub struct RuntimePin {
    /// The wheel or npm package of the build.
    pub artifact: Artifact,
    /// The entry of the package with the shared library.
    pub library: String,
    /// The digest of that entry.
    pub library_sha256: Sha256,
}

/// One pinned package with a plug-in execution provider of ONNX Runtime.
#[derive(Clone, Debug)]
pub struct ProviderPin {
    /// The provider's short name, as in `ep=webgpu`.
    pub provider: String,
    /// The wheel, and the entry with the provider's library.
    pub package: RuntimePin,
}

/// The file format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u32,
    releases: BTreeMap<Release, WrittenCorpus>,
    runtime: BTreeMap<String, WrittenRuntime>,
    #[serde(default)]
    onnxruntime: BTreeMap<Release, BTreeMap<String, WrittenRuntime>>,
    #[serde(default)]
    provider: BTreeMap<String, BTreeMap<Release, BTreeMap<String, WrittenProvider>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCorpus {
    file: String,
    sha256: Sha256,
    #[serde(default)]
    packages: Vec<String>,
    wheel: Option<WrittenWheel>,
    cases: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenWheel {
    file: String,
    sha256: Sha256,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProvider {
    provider: String,
    file: String,
    sha256: Sha256,
    library: String,
    library_sha256: Sha256,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRuntime {
    file: String,
    sha256: Sha256,
    library: String,
    library_sha256: Sha256,
}

impl Lockfile {
    /// The embedded lock file.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads it.
    pub fn embedded() -> Result<Self, FetchError> {
        Self::parse(EMBEDDED, Path::new("onnx-tests/corpora.lock"))
    }

    /// Reads another lock file.
    ///
    /// # Errors
    /// The file is unreadable, or an entry is missing, unknown or invalid.
    pub fn load(path: &Path) -> Result<Self, FetchError> {
        let text = fs::read_to_string(path).map_err(FetchError::io("read", path))?;
        Self::parse(&text, path)
    }

    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, FetchError> {
        let written: Written = toml::from_str(text).map_err(|source| FetchError::LockSyntax {
            path: path.to_path_buf(),
            source: Box::new(source),
        })?;
        Self::checked(written).map_err(|(entry, reason)| FetchError::LockEntry {
            path: path.to_path_buf(),
            entry,
            reason,
        })
    }

    /// The pinned releases, oldest first.
    pub fn releases(&self) -> Vec<Release> {
        self.releases.keys().copied().collect()
    }

    /// The newest release that is downloaded as a wheel; newer ones have to be materialised, which requires
    /// a Python environment.
    pub fn newest_wheel(&self) -> Option<Release> {
        let wheel = |pin: &CorpusPin| matches!(pin.artifact.origin, Origin::Wheel(_));
        let mut newest_first = self.releases.iter().rev();
        newest_first
            .find(|(_, pin)| wheel(pin))
            .map(|(release, _)| *release)
    }

    /// The corpus of this id, `onnx-1.22.0`.
    ///
    /// # Errors
    /// [`FetchError::UnknownCorpus`], which lists the pinned ids.
    pub fn corpus(&self, id: &str) -> Result<&CorpusPin, FetchError> {
        let pin = Release::of_corpus(id).and_then(|release| self.releases.get(&release));
        pin.ok_or_else(|| FetchError::UnknownCorpus {
            id: id.to_owned(),
            known: joined(self.releases.keys().map(|release| release.corpus())),
        })
    }

    /// The ONNX Runtime build for this machine.
    ///
    /// # Errors
    /// [`FetchError::NoRuntimeBuild`].
    pub fn runtime(&self) -> Result<&RuntimePin, FetchError> {
        let target = target();
        let pin = self.runtimes.get(&target);
        pin.ok_or_else(|| FetchError::NoRuntimeBuild {
            target,
            known: joined(self.runtimes.keys().cloned()),
        })
    }

    /// The build of another version of ONNX Runtime for this machine.
    ///
    /// # Errors
    /// [`FetchError::UnknownRuntimeVersion`], which lists the pinned versions for this machine.
    pub fn runtime_version(&self, version: &str) -> Result<&RuntimePin, FetchError> {
        let target = target();
        let known = || {
            let versions = self
                .versions
                .iter()
                .filter(|(_, pins)| pins.contains_key(&target));
            versions.map(|(version, _)| version.to_string())
        };
        let release = version.parse::<Release>().ok();
        let pin = release.and_then(|release| self.versions.get(&release)?.get(&target));
        pin.ok_or_else(|| FetchError::UnknownRuntimeVersion {
            version: version.to_owned(),
            known: joined(known()),
            target: target.clone(),
        })
    }

    /// The package `NAME==VERSION` with a plug-in provider, for this machine.
    ///
    /// # Errors
    /// [`FetchError::UnknownProvider`], which lists the pinned packages for this machine.
    pub fn provider_package(&self, package: &str) -> Result<&ProviderPin, FetchError> {
        let pin = split_package(package).and_then(|(name, version)| self.providers.get(name)?.get(&version));
        let known = self
            .providers
            .iter()
            .flat_map(|(name, versions)| versions.keys().map(move |version| format!("{name}=={version}")));
        pin.ok_or_else(|| FetchError::UnknownProvider {
            package: package.to_owned(),
            target: target(),
            known: joined(known),
        })
    }

    /// The newest package with this provider, for this machine: `webgpu` or `WebGpuExecutionProvider`, in
    /// upper or lower case.
    pub fn provider(&self, name: &str) -> Option<&ProviderPin> {
        const SUFFIX: &str = "ExecutionProvider";
        let short = name.strip_suffix(SUFFIX).unwrap_or(name);
        let newest = self
            .providers
            .values()
            .filter_map(|versions| versions.values().last());
        newest
            .into_iter()
            .find(|pin| pin.provider.eq_ignore_ascii_case(short))
    }

    /// Validates the file; returns the first invalid entry and the reason.
    fn checked(written: Written) -> Result<Self, Fault> {
        if written.format != FORMAT {
            let reason = format!("is {}, but this build reads {FORMAT}", written.format);
            return Err(("format".to_owned(), reason));
        }
        Ok(Self {
            releases: written
                .releases
                .into_iter()
                .map(corpus)
                .collect::<Result<_, _>>()?,
            runtimes: written
                .runtime
                .into_iter()
                .map(|(target, pin)| runtime("runtime", target, pin))
                .collect::<Result<_, _>>()?,
            versions: written
                .onnxruntime
                .into_iter()
                .map(version)
                .collect::<Result<_, _>>()?,
            providers: written
                .provider
                .into_iter()
                .map(provider)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The first invalid value, and the reason.
type Fault = (String, String);

fn corpus((release, pin): (Release, WrittenCorpus)) -> Result<(Release, CorpusPin), Fault> {
    let place = |reason| (format!("releases.\"{release}\""), reason);
    let artifact = Artifact::new(&pin.file, pin.sha256, &pin.packages).map_err(place)?;
    let wheel = pin
        .wheel
        .map(|wheel| Artifact::new(&wheel.file, wheel.sha256, &[]));
    let wheel = wheel.transpose().map_err(place)?;
    if wheel.is_none() && !matches!(artifact.origin, Origin::Wheel(_)) {
        return Err(place(
            "needs the `wheel` with the texts of the operators".to_owned(),
        ));
    }
    let cases = pin.cases;
    let pin = CorpusPin {
        artifact,
        cases,
        wheel,
    };
    Ok((release, pin))
}

/// This machine's target, as in the file: `<os>-<arch>`.
pub(super) fn target() -> String {
    format!("{OS}-{ARCH}")
}

fn version(
    (version, pins): (Release, BTreeMap<String, WrittenRuntime>),
) -> Result<(Release, BTreeMap<String, RuntimePin>), Fault> {
    let table = format!("onnxruntime.\"{version}\"");
    let pins = pins.into_iter().map(|(target, pin)| runtime(&table, target, pin));
    Ok((version, pins.collect::<Result<_, _>>()?))
}

/// The name and the version of `NAME==VERSION`.
pub(super) fn split_package(package: &str) -> Option<(&str, Release)> {
    let (name, version) = package.split_once("==")?;
    Some((name, version.parse().ok()?)).filter(|(name, _)| !name.is_empty())
}

/// The versions of a package for this machine. The others are validated too.
fn provider(
    (package, versions): (String, BTreeMap<Release, BTreeMap<String, WrittenProvider>>),
) -> Result<(String, BTreeMap<Release, ProviderPin>), Fault> {
    let mut kept = BTreeMap::new();
    for (version, pins) in versions {
        let table = format!("provider.{package}.\"{version}\"");
        for (machine, pin) in pins {
            let written = WrittenRuntime {
                file: pin.file,
                sha256: pin.sha256,
                library: pin.library,
                library_sha256: pin.library_sha256,
            };
            let (machine, package) = runtime(&table, machine, written)?;
            if machine == target() {
                let provider = pin.provider;
                kept.insert(version, ProviderPin { provider, package });
            }
        }
    }
    Ok((package, kept))
}

fn runtime(table: &str, target: String, pin: WrittenRuntime) -> Result<(String, RuntimePin), Fault> {
    let artifact = Artifact::new(&pin.file, pin.sha256, &[])
        .map_err(|reason| (format!("{table}.{target}.file"), reason))?;
    if relative_name(&pin.library).as_deref() != Some(&pin.library) {
        let reason = format!("`{}` is not a path inside the package", pin.library);
        return Err((format!("{table}.{target}.library"), reason));
    }
    let (library, library_sha256) = (pin.library, pin.library_sha256);
    Ok((
        target,
        RuntimePin {
            artifact,
            library,
            library_sha256,
        },
    ))
}

fn joined(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_lock_file_is_sorted_and_pins_every_release_with_data() {
        let lock = Lockfile::embedded().unwrap();
        let pinned = &lock.corpus("onnx-1.22.0").unwrap().cases;
        assert_eq!(pinned.values().sum::<usize>(), 1914);
        assert!(lock.releases().len() >= 24, "{:?}", lock.releases());
        let unknown = lock.corpus("onnx-9.9.9").unwrap_err().to_string();
        assert!(unknown.contains("onnx-1.22.0"), "{unknown}");

        let lines = EMBEDDED.lines().filter(|line| line.starts_with('"'));
        let written: Vec<Release> = lines
            .map(|line| line.split('"').nth(1).unwrap().parse().unwrap())
            .collect();
        assert_eq!(
            written,
            lock.releases(),
            "one line for each release, oldest first"
        );
        let runtimes: Vec<_> = EMBEDDED
            .lines()
            .filter(|line| line.starts_with("[runtime."))
            .collect();
        assert!(runtimes.is_sorted(), "{runtimes:?}");
    }

    #[test]
    fn an_unpinned_runtime_version_is_an_error_that_lists_the_pinned_ones() {
        let lock = Lockfile::embedded().unwrap();
        for version in ["9.9.9", "nonsense"] {
            let error = lock.runtime_version(version).unwrap_err().to_string();
            let begin = format!("ONNX Runtime {version} is not pinned for {}", target());
            assert!(error.starts_with(&begin), "{error}");
        }
    }

    fn check(from: &str, to: &str, complaint: &str) {
        assert!(EMBEDDED.contains(from), "{from}");
        let error = Lockfile::parse(&EMBEDDED.replacen(from, to, 1), Path::new("test.lock")).unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }

    #[test]
    fn invalid_entries_are_named() {
        check("format = 2", "format = 1", "format: is 1");
        check("\"1.22.0\" =", "\"1.22\" =", "`1.22` is not a release");
        check(
            "file = \"onnx-1.22.0",
            "file = \"../onnx-1.22.0",
            "releases.\"1.22.0\": `../onnx",
        );
        check(
            "-cp311-manylinux_2_27_x86_64.many",
            "-many",
            "must be the name of a CPython wheel",
        );
        check(
            "\"numpy==",
            "\"--pre\", \"numpy==",
            "`--pre` has invalid characters",
        );
        check("\"numpy==", "\"numpy>=", "`numpy>=");
        check(
            "wheel = { file = \"onnx-1.23.2-cp311",
            "wheel = { file = \"onnx-1.23.2",
            "CPython wheel",
        );
        check("library = \"onnxruntime", "library = \"/onnxruntime", "library");
        check("sha256 = \"1", "sha256 = \"x", "not a SHA-256");
        check(
            "file = \"onnxruntime-node-1.10.0.tgz",
            "file = \"onnxruntime.tgz",
            "expected `NAME-VERSION.tgz`",
        );
        check("light = 9", "light = -9", "test.lock");
    }
}
