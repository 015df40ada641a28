//! `cargo xtask generate`: writes the checked-in files that are generated from a pinned package, and
//! checks that they are current.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use harness_fetch::python::{self, PythonError};

const SCHEMA_SCRIPT: &str = "xtask/scripts/generate_schema.py";
const CONTRIB_SCRIPT: &str = "xtask/scripts/generate_contrib.py";
const SCHEMA_FOLDER: &str = "reference/schema/src/generated";

/// Why files could not be generated, or differ.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Python or rustfmt is missing, or fails.
    #[error(transparent)]
    Program(#[from] PythonError),
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Checked-in files differ from the generated ones.
    #[error("generated files are stale:\n{}\nrun `cargo xtask generate schema` and commit", lines(.0))]
    Drift(Vec<PathBuf>),
}

/// Generates the tables of the crate `onnx-schema` from the Python packages `onnx` and `onnxruntime`
/// ([`python::ONNX`], [`python::ONNX_RUNTIME`]; the scripts check their versions), which are installed
/// into a temporary environment (requires `python3`, rustfmt, and a package index or a wheel folder
/// configured in pip).
///
/// Returns the files that changed, relative to the repository root: written, created or removed. With
/// `check` nothing is written, and any such file is the error [`GenerateError::Drift`], with exit code
/// 1.
pub fn schema(check: bool) -> Result<Vec<PathBuf>, GenerateError> {
    let root = repository_root();
    let scratch = tempfile::tempdir().map_err(|source| GenerateError::Io {
        path: std::env::temp_dir(),
        source,
    })?;
    let fresh = scratch.path().join("generated");
    let packages = [python::ONNX, python::ONNX_RUNTIME].concat();
    let python = python::environment(&scratch.path().join("venv"), &packages)?;
    for (script, folder) in [
        (SCHEMA_SCRIPT, fresh.clone()),
        (CONTRIB_SCRIPT, fresh.join("contrib")),
    ] {
        python::run(
            "generating the operator tables",
            Command::new(&python).arg("-B").arg(root.join(script)).arg(folder),
        )?;
    }
    python::run(
        "formatting the operator tables",
        Command::new("rustfmt")
            .args(["--edition", "2024", "--config-path"])
            .arg(root.join("rustfmt.toml"))
            .arg(fresh.join("mod.rs")),
    )?;
    let changed = differing(&read_tree(&fresh)?, &read_tree(&root.join(SCHEMA_FOLDER))?);
    if check {
        return if changed.is_empty() {
            Ok(changed)
        } else {
            Err(GenerateError::Drift(in_repository(&changed)))
        };
    }
    for file in &changed {
        replace(&fresh.join(file), &root.join(SCHEMA_FOLDER).join(file))?;
    }
    Ok(in_repository(&changed))
}

fn repository_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// The files of a folder, by relative path; empty if the folder does not exist.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn read_tree(folder: &Path) -> Result<Tree, GenerateError> {
    let mut tree = Tree::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(inner) = pending.pop() {
        let path = folder.join(&inner);
        let at = |source| GenerateError::Io {
            path: path.clone(),
            source,
        };
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(at)?,
        };
        for entry in entries {
            let entry = entry.map_err(at)?;
            let file = inner.join(entry.file_name());
            if entry.file_type().map_err(at)?.is_dir() {
                pending.push(file);
            } else {
                tree.insert(file, fs::read(entry.path()).map_err(at)?);
            }
        }
    }
    Ok(tree)
}

/// The paths that only one of the trees has, or that differ in content; sorted.
fn differing(fresh: &Tree, checked_in: &Tree) -> Vec<PathBuf> {
    let paths: BTreeSet<&PathBuf> = fresh.keys().chain(checked_in.keys()).collect();
    paths
        .into_iter()
        .filter(|&path| fresh.get(path) != checked_in.get(path))
        .cloned()
        .collect()
}

/// Makes `target` equal to `source`; removes it if `source` does not exist.
fn replace(source: &Path, target: &Path) -> Result<(), GenerateError> {
    let result = if source.exists() {
        target
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::copy(source, target).map(drop))
    } else {
        fs::remove_file(target)
    };
    result.map_err(|source| GenerateError::Io {
        path: target.to_path_buf(),
        source,
    })
}

fn in_repository(files: &[PathBuf]) -> Vec<PathBuf> {
    files
        .iter()
        .map(|file| Path::new(SCHEMA_FOLDER).join(file))
        .collect()
}

fn lines(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    names.join("\n")
}
