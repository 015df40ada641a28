//! Input values that a person gives as files.

mod image;
mod json;
mod npy;

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use onnx_model::{Limits, ValueInfo, decode_value};
use onnx_tensor::Value;

use crate::InvestigateError;
use crate::error::InputProblem;
use crate::inputs::names;
use crate::runner::Runner;

/// Bytes of the largest array in an archive.
const LARGEST: u64 = 2 << 30;

/// Why no value was read.
pub(crate) enum GivenError {
    /// The file or the text is wrong.
    Problem(InputProblem),
    /// The worker that decodes images cannot be asked.
    Investigate(Box<InvestigateError>),
}

impl From<InputProblem> for GivenError {
    fn from(problem: InputProblem) -> GivenError {
        GivenError::Problem(problem)
    }
}

/// The name of an input, the file it comes from, and its value.
pub(crate) type Given = (String, String, Value);

/// The values that `text` gives: `NAME=FILE`, or an `.npz` whose entries are named after inputs.
pub(crate) fn read(
    text: &str,
    inputs: &[ValueInfo],
    dims: &crate::inputs::Extents,
    reference: &mut Runner,
) -> Result<Vec<Given>, GivenError> {
    let form = || InputProblem::Form {
        text: text.to_owned(),
        form: "NAME=FILE (.npy, .npz, .pb, .json, .png, .jpg), or FILE.npz",
    };
    let (name, path) = match text.split_once('=') {
        Some((name, path)) => (Some(name), Path::new(path)),
        None => (None, Path::new(text)),
    };
    let origin = path.display().to_string();
    let fail = |reason: String| InputProblem::File {
        file: origin.clone(),
        reason,
    };
    let kind = path.extension().map(|kind| kind.to_string_lossy().to_lowercase());
    let kind = kind.unwrap_or_default();
    let info =
        match name {
            Some(name) => Some(inputs.iter().find(|info| info.name == name).ok_or_else(|| {
                InputProblem::UnknownInput {
                    name: name.to_owned(),
                    known: names(inputs),
                }
            })?),
            None if kind == "npz" => None,
            None => return Err(form().into()),
        };
    let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
    let one = |info: &ValueInfo, value: Value| vec![(info.name.clone(), origin.clone(), value)];
    Ok(match (kind.as_str(), info) {
        ("npz", info) => archive(bytes, info.map(|info| info.name.as_str()))
            .map_err(fail)?
            .into_iter()
            .map(|(name, value)| (name, origin.clone(), value))
            .collect(),
        (_, None) => return Err(form().into()),
        ("npy", Some(info)) => one(info, npy::read(&bytes).map_err(fail)?.into()),
        ("pb", Some(info)) => {
            let value_type = info
                .value_type
                .as_ref()
                .ok_or_else(|| fail("the model declares no type for it".to_owned()))?;
            one(
                info,
                decode_value(&bytes, value_type, &Limits::default())
                    .map_err(|error| fail(error.to_string()))?,
            )
        }
        ("json", Some(info)) => one(info, json::read(&bytes, info).map_err(fail)?.into()),
        ("png" | "jpg" | "jpeg", Some(info)) => {
            let value = image::read(bytes, info, dims, reference)
                .map_err(|error| GivenError::Investigate(Box::new(error)))?;
            one(info, value.map_err(fail)?)
        }
        (_, Some(_)) => return Err(form().into()),
    })
}

/// The arrays of an `.npz`: all by their names, or for one input the array of its name, or the only one.
fn archive(bytes: Vec<u8>, wanted: Option<&str>) -> Result<Vec<(String, Value)>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?;
        let name = name.trim_end_matches(".npy").to_owned();
        let mut content = Vec::new();
        entry
            .take(LARGEST)
            .read_to_end(&mut content)
            .map_err(|error| format!("`{name}`: {error}"))?;
        let tensor = npy::read(&content).map_err(|reason| format!("`{name}`: {reason}"))?;
        found.push((name, Value::from(tensor)));
    }
    let Some(wanted) = wanted else { return Ok(found) };
    let only = found.len() == 1;
    let place = found.iter().position(|(name, _)| only || name == wanted);
    match place {
        Some(place) => Ok(vec![(wanted.to_owned(), found.swap_remove(place).1)]),
        None => Err(format!("it has no array `{wanted}`")),
    }
}
