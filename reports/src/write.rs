//! All of a report's files, written into a folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::Builder;
use thiserror::Error;

use crate::Report;
use crate::render::{self, RenderError};

/// Why a report's files could not be written. Exit code 73.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The folder could not be made.
    #[error("cannot make the report's folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file could not be written; what stood there before still does.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file's content could not be made.
    #[error("cannot render {}: {source}", path.display())]
    Render {
        /// The file.
        path: PathBuf,
        /// Why.
        source: RenderError,
    },
}

type Renderer = fn(&Report) -> Result<String, RenderError>;

/// The files of a report, by name.
const FILES: [(&str, Renderer); 8] = [
    ("summary.json", render::summary_json),
    ("results.csv", render::results_csv),
    ("releases.csv", render::releases_csv),
    ("latency.csv", render::latency_csv),
    ("models.csv", render::models_csv),
    ("junit.xml", render::junit),
    ("report.html", render::html),
    ("summary.md", render::markdown),
];

/// The files of a report that tells what its cases are meant to cover.
const COVERAGE_FILES: [(&str, Renderer); 3] = [
    ("coverage.csv", render::matrix_csv),
    ("coverage.html", render::coverage_html),
    ("coverage.json", render::matrix_json),
];

/// Writes every file of `report` into `folder`, which is made if need be, and gives their paths. Each file appears whole
/// or not at all: it is written beside its place and then moved there.
pub fn write_all(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    fs::create_dir_all(folder).map_err(|source| WriteError::Folder {
        path: folder.into(),
        source,
    })?;
    let coverage = COVERAGE_FILES.iter().filter(|_| !report.catalogue.is_empty());
    FILES
        .iter()
        .chain(coverage)
        .map(|(name, renderer)| {
            let path = folder.join(name);
            let text = renderer(report).map_err(|source| WriteError::Render {
                path: path.clone(),
                source,
            })?;
            replace(folder, &path, text.as_bytes()).map_err(|source| WriteError::File {
                path: path.clone(),
                source,
            })?;
            Ok(path)
        })
        .collect()
}

fn replace(folder: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut builder = Builder::new();
    builder.prefix(".report-");
    // A temporary file is its owner's alone; a report is for whoever may read the folder.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
