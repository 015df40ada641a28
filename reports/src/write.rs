//! Writes all files of a report to a folder.

use std::path::{Path, PathBuf};
use std::thread;

use run_record::sums::Sums;
use run_record::{WriteError, replace_in, replace_or_remove};
use thiserror::Error;

use crate::View;
use crate::render::{self, Picture, RenderError};

/// Why a report's files could not be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file's content could not be rendered.
    #[error("cannot render {}: {source}", path.display())]
    Render {
        /// The file.
        path: PathBuf,
        /// The error.
        source: RenderError,
    },
}

type Renderer = fn(&View) -> Result<String, RenderError>;

/// The files of a report, by name.
const FILES: [(&str, Renderer); 10] = [
    ("summary.json", |report| render::summary_json(report)),
    ("results.csv", |report| render::results_csv(report)),
    ("releases.csv", |report| render::releases_csv(report)),
    ("latency.csv", |report| render::latency_csv(report)),
    ("models.csv", |report| render::models_csv(report)),
    ("junit.xml", render::junit),
    ("ctrf.json", render::ctrf),
    ("report.html", render::html),
    ("cases.html", render::cases_html),
    ("summary.md", render::markdown),
];

/// The files of a report with measured coverage.
const COVERAGE_FILES: [(&str, Renderer); 3] = [
    ("coverage.csv", |report| render::matrix_csv(report)),
    ("operators.html", |report| render::operators_html(report)),
    ("coverage.json", |report| render::matrix_json(report)),
];

/// The files of a report with cases of operators that ONNX Runtime adds.
const CONTRIB_FILES: [(&str, Renderer); 2] = [
    ("contrib.html", |report| render::contrib_html(report)),
    ("contrib.csv", |report| render::contrib_csv(report)),
];

/// The files of a report with latencies.
const LATENCY_FILES: [(&str, Renderer); 1] = [("networks.md", |report| render::networks_markdown(report))];

/// The files of a report with a decision of a gate.
const GATE_FILES: [(&str, Renderer); 2] = [
    ("annotations.txt", render::annotations),
    ("code-quality.json", render::code_quality),
];

/// The file of a report with the sums of backends.
const SUMS_FILES: [(&str, Renderer); 1] = [("populations.csv", |report| {
    render::populations_csv(report.sums.as_ref().unwrap_or(&Sums::default()))
})];

/// The folder of the pictures.
const PICTURES: &str = "pictures";

/// Writes every file of `report` to `folder`, which is created if necessary, and returns their paths.
/// Each file is written atomically.
///
/// # Errors
/// The first file that cannot be written, after all others were written.
pub fn write_all(report: &View, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let coverage = COVERAGE_FILES.iter().filter(|_| !report.catalogue.is_empty());
    let is_contrib = !run_record::support::supported(report).is_empty();
    let contrib = CONTRIB_FILES.iter().filter(|_| is_contrib);
    let latency = LATENCY_FILES.iter().filter(|_| !report.latencies.is_empty());
    let gate = GATE_FILES.iter().filter(|_| !report.gates.is_empty());
    let sums = SUMS_FILES.iter().filter(|_| report.sums.is_some());
    let files = FILES
        .iter()
        .chain(coverage)
        .chain(contrib)
        .chain(latency)
        .chain(gate)
        .chain(sums);
    // Renderers depend only on the report, so they run in parallel.
    let written: Vec<_> = thread::scope(|scope| {
        let file = |(name, renderer): &(&'static str, Renderer)| {
            let (name, renderer) = (*name, *renderer);
            scope.spawn(move || write(report, renderer, (folder, name)).map(|path| vec![path]))
        };
        let picture = |(name, picture): &(&'static str, Picture)| {
            let (name, picture) = (Path::new(PICTURES).join(name), *picture);
            scope.spawn(move || write_picture(report, picture, (folder, &name)))
        };
        let started: Vec<_> = files
            .map(file)
            .chain(render::PICTURES.iter().map(picture))
            .collect();
        let join = |handle: thread::ScopedJoinHandle<'_, _>| handle.join();
        started.into_iter().map(join).collect()
    });
    let (mut paths, mut first_error) = (Vec::new(), None);
    for outcome in written {
        match outcome {
            Ok(Ok(files)) => paths.extend(files),
            Ok(Err(error)) => drop(first_error.get_or_insert(error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    match first_error {
        None => Ok(paths),
        Some(error) => Err(error),
    }
}

fn write(report: &View, renderer: Renderer, (folder, name): (&Path, &str)) -> Result<PathBuf, ReportError> {
    let text = renderer(report).map_err(|source| failed(&folder.join(name), source))?;
    Ok(replace_in(folder, name, text.as_bytes())?)
}

/// Writes a picture, or removes that of an earlier run if `report` has nothing to draw.
fn write_picture(
    report: &View,
    picture: Picture,
    (folder, name): (&Path, &Path),
) -> Result<Vec<PathBuf>, ReportError> {
    let svg = picture(report).map_err(|source| failed(&folder.join(name), source))?;
    let written = replace_or_remove(folder, name, svg.as_deref().map(str::as_bytes))?;
    Ok(written.into_iter().collect())
}

fn failed(path: &Path, source: RenderError) -> ReportError {
    ReportError::Render {
        path: path.to_path_buf(),
        source,
    }
}
