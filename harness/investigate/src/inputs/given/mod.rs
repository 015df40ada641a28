//! Input values from files.

mod image;
mod json;
mod npy;

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use onnx_model::{Limits, ValueInfo, decode_value};
use onnx_tensor::Value;

use super::{Extents, known};
use crate::InvestigateError;
use crate::error::InputProblem;
use crate::runner::Runner;

/// The maximum size of an array in an archive, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// Why no value was read.
pub(crate) enum GivenError {
    /// The file or the argument is invalid.
    Problem(InputProblem),
    /// The worker that decodes images failed.
    Investigate(Box<InvestigateError>),
}

impl From<InputProblem> for GivenError {
    fn from(problem: InputProblem) -> GivenError {
        GivenError::Problem(problem)
    }
}

/// The name of an input, its file, and its value.
pub(crate) type Given = (String, String, Value);

/// The form of an argument that gives values.
const FORM: &str = "NAME=FILE (.npy, .npz, .pb, .json, or an image), or FILE.npz";

/// The values of the argument `text`: `NAME=FILE`, or an `.npz` file whose entries have the names of
/// inputs.
pub(crate) fn read(
    text: &str,
    inputs: &[ValueInfo],
    dims: &Extents,
    reference: &mut Runner,
) -> Result<Vec<Given>, GivenError> {
    let (name, path) = match text.split_once('=') {
        Some((name, path)) => (Some(name), Path::new(path)),
        None => (None, Path::new(text)),
    };
    let origin = path.display().to_string();
    let fail = |reason: String| InputProblem::File {
        file: origin.clone(),
        reason,
    };
    if path.is_dir() {
        return Err(InputProblem::Folder { file: origin }.into());
    }
    let kind = path.extension().map(|kind| kind.to_string_lossy().to_lowercase());
    let kind = Kind::of(&kind.unwrap_or_default()).filter(|kind| name.is_some() || *kind == Kind::Npz);
    let kind = kind.ok_or_else(|| InputProblem::Form {
        text: text.to_owned(),
        form: FORM,
    })?;
    let info = name.map(|name| known(inputs, name)).transpose()?;
    // A pipe would be read for ever.
    if path.exists() && !path.is_file() {
        return Err(fail("it is not a regular file (a pipe or a device)".to_owned()).into());
    }
    let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
    let values = match info {
        None => archive(bytes, None).map_err(fail)?,
        Some(info) if kind == Kind::Npz => archive(bytes, Some(&info.name)).map_err(fail)?,
        Some(info) => {
            let value = kind.value(bytes, info, dims, reference);
            let value = value.map_err(|error| GivenError::Investigate(Box::new(error)))?;
            vec![(info.name.clone(), value.map_err(fail)?)]
        }
    };
    Ok(values
        .into_iter()
        .map(|(name, value)| (name, origin.clone(), value))
        .collect())
}

/// What was done with an image in the file of an argument; `None` for other files.
pub(crate) fn image(text: &str, inputs: &[ValueInfo], dims: &Extents) -> Option<String> {
    let (name, path) = text.split_once('=')?;
    let extension = Path::new(path).extension()?.to_string_lossy().to_lowercase();
    let info = known(inputs, name)
        .ok()
        .filter(|_| Kind::of(&extension) == Some(Kind::Image))?;
    Some(format!("{name}: {path} {}", image::words(info, dims)?))
}

/// Whether a file has values, by its extension.
pub(crate) fn is_readable(path: &Path) -> bool {
    let extension = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    Kind::of(&extension).is_some()
}

/// The kinds of files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Npy,
    Npz,
    Pb,
    Json,
    Image,
}

impl Kind {
    /// The kind of a file by its extension.
    fn of(extension: &str) -> Option<Kind> {
        Some(match extension {
            "npy" => Kind::Npy,
            "npz" => Kind::Npz,
            "pb" => Kind::Pb,
            "json" => Kind::Json,
            "png" | "jpg" | "jpeg" | "bmp" | "webp" | "tiff" => Kind::Image,
            _ => return None,
        })
    }

    /// The value in a file for an input. The inner error is a fault of the file.
    fn value(
        self,
        bytes: Vec<u8>,
        info: &ValueInfo,
        dims: &Extents,
        reference: &mut Runner,
    ) -> Result<Result<Value, String>, InvestigateError> {
        Ok(match self {
            Kind::Npy => npy::read(&bytes).map(Value::from),
            Kind::Npz => archive(bytes, Some(&info.name)).and_then(|found| {
                found
                    .into_iter()
                    .next()
                    .map(|(_, value)| value)
                    .ok_or_else(String::new)
            }),
            Kind::Json => json::read(&bytes, info).map(Value::from),
            Kind::Image => image::read(bytes, info, dims, reference)?,
            Kind::Pb => match &info.value_type {
                Some(declared) => {
                    decode_value(&bytes, declared, &Limits::default()).map_err(|error| error.to_string())
                }
                None => Err("the model declares no type for the input".to_owned()),
            },
        })
    }
}

/// The arrays of an `.npz` file: all with their names, or for one input the array with its name, or the
/// only array.
fn archive(bytes: Vec<u8>, wanted: Option<&str>) -> Result<Vec<(String, Value)>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?;
        let name = name.trim_end_matches(".npy").to_owned();
        let mut content = Vec::new();
        entry
            .take(MAX_BYTES)
            .read_to_end(&mut content)
            .map_err(|error| format!("`{name}`: {error}"))?;
        let tensor = npy::read(&content).map_err(|reason| format!("`{name}`: {reason}"))?;
        if found.iter().any(|(other, _)| *other == name) {
            return Err(format!("it has two arrays `{name}`"));
        }
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
