//! Writes light models with random weights as cases in the official layout.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backend_api::Named;
use harness_corpus::CaseFiles;
use harness_worker::{Cancel, StartError, WorkerSpec};
use onnx_model::encode_value;
use run_record::Weights;
use run_record::{WriteError, replace};
use serde::Serialize;

use super::oracle::Oracle;
use super::subject::{Rule, Subject, light_name};

/// Why a case cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The reference does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The model cannot get random weights.
    #[error("{case}: {reason}")]
    Subject {
        case: String,
        reason: Box<dyn Error + Send + Sync>,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The official description of a case, with the fields that differ from the official default.
#[derive(Serialize)]
struct Description {
    rtol: f64,
    atol: f64,
}

/// Puts random weights into the model of each of `cases` and writes it to a folder in `out`, with a few
/// random inputs and the outputs of the reference. The folder has the name of the model. Returns the
/// folders.
///
/// # Errors
/// A model cannot get random weights, the reference does not start, or a file cannot be written. Cases
/// that were written before remain.
pub fn export(
    cases: &[CaseFiles],
    seed: u64,
    reference: WorkerSpec,
    timeout: Duration,
    cancel: &Cancel,
    out: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let mut oracle = Oracle::start(reference, cancel.clone(), timeout)?;
    let mut written = Vec::new();
    for files in cases {
        let subject = Subject::light(files, Weights::Random, seed, &mut oracle);
        let subject = subject.map_err(|error| ExportError::Subject {
            case: files.id.to_string(),
            reason: error.into(),
        })?;
        let folder = out.join(light_name(&files.id));
        write(&subject, &folder)?;
        written.push(folder);
    }
    Ok(written)
}

fn write(subject: &Subject, folder: &Path) -> Result<(), ExportError> {
    put(&folder.join("model.onnx"), &subject.model)?;
    let expected = || subject.expected.iter().flatten();
    let tolerances = expected().filter_map(|expected| match expected.rule {
        Rule::Within(tolerance) => Some(tolerance),
        Rule::Agreement(_) | Rule::Judged(_) => None,
    });
    if let Some(widest) = tolerances.reduce(|a, b| if b.absolute > a.absolute { b } else { a }) {
        let description = Description {
            rtol: widest.relative,
            atol: widest.absolute,
        };
        let path = folder.join("data.json");
        let text = serde_json::to_vec(&description).map_err(|error| WriteError {
            path: path.clone(),
            source: error.into(),
        })?;
        put(&path, &text)?;
    }
    for (number, (inputs, expected)) in subject.ring.sets.iter().zip(expected()).enumerate() {
        let set = folder.join(format!("test_data_set_{number}"));
        put_values(&set, "input", inputs)?;
        put_values(&set, "output", &expected.outputs)?;
    }
    Ok(())
}

fn put_values(set: &Path, what: &str, values: &[Named]) -> Result<(), ExportError> {
    let mut values = values.iter().enumerate();
    values.try_for_each(|(number, (name, value))| {
        put(
            &set.join(format!("{what}_{number}.pb")),
            &encode_value(value, name),
        )
    })
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    Ok(replace(path, bytes)?)
}
