//! The corpus `architectures`: networks that frameworks export on this machine, with seeded weights.
//!
//! The scripts in `onnx-tests/scripts/exports` export them with pinned packages, one Python environment for
//! each framework, into the cache, in the layout of the official tests. The stored outputs are those of the
//! framework. A lock file holds the digest of each exported graph to detect differing exports. Existing
//! files in the cache are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness_corpus::{CaseId, Corpus, CorpusError, Filter, models_in};

use super::python::{self, PythonError};
use super::{Cache, FetchError};

/// The name of the corpus in case ids.
const CORPUS: &str = "architectures";

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../onnx-tests/scripts/exports/", $name)))),*]
    };
}

/// The family of the networks in the sizes that people deploy.
pub const FULL_SIZE: &str = "full-size";

/// The scripts and the lock file, which are in the same folder of the cache.
const SCRIPTS: [(&str, &str); 23] = scripts![
    "boosted_models.py",
    "case.py",
    "digest.py",
    "exports.lock",
    "full_size.py",
    "genai_models.py",
    "layer_table.py",
    "main.py",
    "optimised_models.py",
    "paddle_models.py",
    "quantised_models.py",
    "sklearn_models.py",
    "sklearn_table.py",
    "survey.py",
    "survey_images.py",
    "survey_sequences.py",
    "tensorflow_models.py",
    "torch_diffusion.py",
    "torch_export.py",
    "torch_layers.py",
    "torch_networks.py",
    "torch_text.py",
    "torch_vision.py",
];

/// A Python environment and the scripts that run in it.
struct Framework {
    /// The name of the environment.
    name: &'static str,
    /// Its packages, each with its version and the hashes of its files.
    packages: &'static str,
    /// The modules with the tables of exported networks, and the family of each.
    modules: &'static [(&'static str, &'static str)],
}

const FRAMEWORKS: [Framework; 4] = [
    Framework {
        name: "trees",
        packages: include_str!("../../../onnx-tests/scripts/exports/packages/trees.txt"),
        modules: &[("sklearn_models", "sklearn"), ("boosted_models", "boosted")],
    },
    Framework {
        name: "torch",
        packages: include_str!("../../../onnx-tests/scripts/exports/packages/torch.txt"),
        modules: &[
            ("torch_layers", "torch-layers"),
            ("torch_networks", "torch-networks"),
            ("torch_vision", "torchvision"),
            ("torch_text", "transformers"),
            ("quantised_models", "quantised"),
            ("optimised_models", "optimised"),
            ("genai_models", "genai"),
            ("full_size", FULL_SIZE),
            ("survey", "survey"),
        ],
    },
    Framework {
        name: "tensorflow",
        packages: include_str!("../../../onnx-tests/scripts/exports/packages/tensorflow.txt"),
        modules: &[("tensorflow_models", "tensorflow")],
    },
    Framework {
        name: "paddle",
        packages: include_str!("../../../onnx-tests/scripts/exports/packages/paddle.txt"),
        modules: &[("paddle_models", "paddle")],
    },
];

/// The folder of the cases in `cache`.
fn folder(cache: &Cache) -> PathBuf {
    cache.root().join(CORPUS).join("cases")
}

/// Builds the missing networks that `filter` selects in `cache` and returns the folder of all. Only the
/// environments of their frameworks are installed. `notify` receives each step; the scripts write a line
/// for each export to stderr. Exports that differ from the lock file are left out; the others are complete
/// when the error is returned.
///
/// # Errors
/// [`FetchError::Architectures`]: no Python or network, or exports that differ from the lock file;
/// [`CorpusError::NoCaseSelected`]: `filter` selects no network.
pub fn build_architectures(
    cache: &Cache,
    filter: &Filter,
    notify: &dyn Fn(&str),
) -> Result<PathBuf, FetchError> {
    let selected = selected(filter)?;
    let (root, cases) = (cache.root().join(CORPUS), folder(cache));
    let scripts = root.join("scripts");
    for folder in [&scripts, &cases] {
        fs::create_dir_all(folder).map_err(FetchError::write("make the folder", folder))?;
    }
    for (name, text) in SCRIPTS {
        let path = scripts.join(name);
        fs::write(&path, text).map_err(FetchError::write("write", &path))?;
    }
    let mut failed = None;
    for framework in &FRAMEWORKS {
        for (module, family) in framework.modules {
            let names: Vec<&CaseId> = selected.iter().filter(|id| id.suite() == *family).collect();
            if names.is_empty() {
                continue;
            }
            let python = environment(&root, framework, notify)?;
            let step = format!("exporting {module}");
            notify(&step);
            let mut command = Command::new(&python);
            command.arg(scripts.join("main.py")).arg(module);
            command.arg(&cases).arg(scripts.join("exports.lock"));
            for id in names {
                command.arg("--only").arg(format!("{family}/{}", id.name()));
            }
            failed = failed.or(python::stream(&step, &mut command).err());
        }
    }
    match failed {
        Some(source) => Err(source.into()),
        None => Ok(cases),
    }
}

/// The networks in `cache` as cases.
///
/// # Errors
/// [`FetchError::NoArchitectures`] if they are not built, and an unreadable folder.
pub fn corpus(cache: &Cache) -> Result<Corpus, FetchError> {
    let path = folder(cache);
    if !path.is_dir() {
        return Err(FetchError::NoArchitectures { path });
    }
    Ok(Corpus::in_folder(CORPUS, &path)?)
}

/// The networks in `cache` by their ids `architectures/<family>/<name>`.
///
/// # Errors
/// A folder that cannot be read; [`FetchError::NoArchitectures`] if there is none.
pub fn models(cache: &Cache) -> Result<Vec<(CaseId, PathBuf)>, FetchError> {
    let path = folder(cache);
    let found = models_in(CORPUS, [path.clone()])?;
    if found.is_empty() {
        Err(FetchError::NoArchitectures { path })
    } else {
        Ok(found)
    }
}

/// The networks of the lock file that `filter` selects, at least one.
fn selected(filter: &Filter) -> Result<Vec<CaseId>, FetchError> {
    let ids = locked().map(|name| {
        let (family, name) = name.split_once('/').unwrap_or((name, ""));
        CaseId::new(CORPUS, family, name)
            .map(|id| (id, ()))
            .map_err(CorpusError::from)
    });
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    let of = format!("the {} networks of the lock file", ids.len());
    let selected = filter.among(ids, &of)?.into_iter();
    Ok(selected.map(|(id, ())| id).collect())
}

/// The names of the networks in the lock file, `<family>/<name>`.
fn locked() -> impl Iterator<Item = &'static str> {
    let lock = SCRIPTS.iter().find(|(name, _)| *name == "exports.lock");
    let lines = lock.map_or("", |(_, text)| text).lines();
    lines.filter_map(|line| line.strip_prefix('"')?.split('"').next())
}

/// The interpreter of a framework's environment, which is created if it does not exist.
fn environment(root: &Path, framework: &Framework, notify: &dyn Fn(&str)) -> Result<PathBuf, FetchError> {
    let folder = root.join("environments").join(framework.name);
    let complete = folder.join("packages.txt");
    if fs::read_to_string(&complete).is_ok_and(|packages| packages == framework.packages) {
        return Ok(python::interpreter(&folder));
    }
    notify(&format!("installing the packages of {}", framework.name));
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(FetchError::write("remove", &folder)(error));
        }
        _ => {}
    }
    let python = python::environment(&folder, framework.packages)?;
    fs::write(&complete, framework.packages).map_err(FetchError::write("write", &complete))?;
    Ok(python)
}

impl From<PythonError> for FetchError {
    fn from(source: PythonError) -> Self {
        Self::Architectures { source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_and_every_module_exists() {
        for framework in &FRAMEWORKS {
            let list = framework.packages.replace("\\\n", " ");
            for line in list.lines().filter(|line| !line.starts_with('#')) {
                let (package, hashes) = line.split_once(' ').unwrap_or_default();
                assert!(hashes.contains("--hash=sha256:"), "{}: {line}", framework.name);
                let (name, version) = package.split_once("==").unwrap_or_default();
                let plain = |text: &str| {
                    !text.is_empty()
                        && text
                            .chars()
                            .all(|c| c.is_ascii_alphanumeric() || "._-+".contains(c))
                };
                assert!(plain(name) && plain(version), "{}: {package}", framework.name);
            }
            for (module, _) in framework.modules {
                let file = format!("{module}.py");
                assert!(SCRIPTS.iter().any(|(name, _)| *name == file), "{file}");
            }
        }
    }

    #[test]
    fn the_lock_file_names_each_export_once() {
        let names: Vec<&str> = locked().collect();
        assert!(names.len() >= 200, "{}", names.len());
        let mut unique = names.clone();
        unique.dedup();
        assert_eq!(names, unique);
    }

    #[test]
    fn each_family_of_the_lock_file_has_one_module() {
        let families: std::collections::BTreeSet<&str> =
            locked().map(|name| name.split('/').next().unwrap()).collect();
        let mut of_modules: Vec<&str> = FRAMEWORKS
            .iter()
            .flat_map(|framework| framework.modules)
            .map(|(_, family)| *family)
            .collect();
        of_modules.sort_unstable();
        assert_eq!(of_modules, families.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_pattern_selects_networks() {
        let select = |patterns: &[&str]| selected(&Filter::new(patterns).unwrap());
        let found = select(&["architectures/full-size/*"]).unwrap();
        assert!(found.len() >= 40 && found.iter().all(|id| id.suite() == FULL_SIZE));
        assert_eq!(select(&[]).unwrap().len(), locked().count());
        let error = select(&["no-such-network"]).unwrap_err().to_string();
        assert!(
            error.contains("`no-such-network` among the") && error.contains("networks of the lock file"),
            "{error}"
        );
    }

    #[test]
    fn the_cases_are_read_from_the_cache() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path());
        let missing = corpus(&cache).unwrap_err().to_string();
        assert!(missing.contains("fetch --zoo architectures"), "{missing}");
        let data = folder(&cache).join("torch-layers/conv2d-legacy-9/test_data_set_0");
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("output_0.pb"), "").unwrap();
        fs::write(data.with_file_name("model.onnx"), "").unwrap();
        let found = corpus(&cache).unwrap();
        let ids: Vec<String> = found.cases().iter().map(|case| case.id.to_string()).collect();
        assert_eq!(ids, ["architectures/torch-layers/conv2d-legacy-9"]);
    }
}
