//! `cargo xtask generate`: the checked-in files that come from a pinned package, and the check that they
//! still do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use harness_corpus::python::{self, PythonError};

/// What the operator tables are made from. The script checks the version again.
const PACKAGES: [&str; 5] = [
    "onnx==1.23.2",
    "ml_dtypes==0.6.0",
    "numpy==2.4.6",
    "protobuf==7.36.2",
    "typing_extensions==4.16.0",
];
const SCHEMA_SCRIPT: &str = "xtask/scripts/generate_schema.py";
const SCHEMA_FOLDER: &str = "reference/schema/src/generated";

/// Why files could not be generated, or are not what they should be.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Python or rustfmt is not there, or fails.
    #[error(transparent)]
    Program(#[from] PythonError),
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Checked-in files differ from what the generator makes.
    #[error("generated files are stale:\n{}\nrun `cargo xtask generate schema` and commit", lines(.0))]
    Drift(Vec<PathBuf>),
}

/// Generates the tables of the crate `onnx-schema` from the `onnx` Python package, which it installs into a
/// throw-away environment (needs `python3`, rustfmt, and a package index or a wheel folder known to pip).
///
/// Gives the files that changed, relative to the repository root: written, created or removed. With `check`
/// nothing is touched, and any such file is the error [`GenerateError::Drift`], which stands for exit code 1.
pub fn schema(check: bool) -> Result<Vec<PathBuf>, GenerateError> {
    let root = repository_root();
    let scratch = tempfile::tempdir().map_err(|source| GenerateError::Io {
        path: std::env::temp_dir(),
        source,
    })?;
    let fresh = scratch.path().join("generated");
    let python = python::environment(&scratch.path().join("venv"), &PACKAGES)?;
    python::run(
        "generating the operator tables",
        Command::new(python).arg(root.join(SCHEMA_SCRIPT)).arg(&fresh),
    )?;
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

/// The files of a folder, by their path inside it; empty when there is no such folder.
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

/// Makes `target` what `source` is, also when that means that it goes.
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
