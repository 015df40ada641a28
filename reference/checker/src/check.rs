//! Entry points of the checker.

use std::path::Path;

use onnx_model::{Model, ModelError};

use crate::finding::{Findings, Sink};
use crate::limits::Limits;
use crate::problem::Problem;
use crate::{decode, structure, types};

/// All violations in a model, in file order, names and signatures before types.
pub fn check(model: &Model) -> Findings {
    check_within(model, Limits::default())
}

/// Like [`check`], within limits.
pub fn check_within(model: &Model, limits: Limits) -> Findings {
    let mut sink = Sink::new(limits.findings);
    structure::walk(model, limits, &mut sink);
    types::walk(model, limits, &mut sink, false);
    sink.finish()
}

/// All violations of the model in a file. Of large external initializers, the location and the length are
/// checked, but not the elements. Some violations keep the file from being decoded (data that does not match
/// a tensor, a repeated attribute); the first of these is then the only finding.
///
/// # Errors
/// The file cannot be read, is not a model, or exceeds the limits.
pub fn check_file(path: &Path, limits: &onnx_model::Limits) -> Result<Findings, ModelError> {
    checked_file(path, limits, 0).map(|(findings, _)| findings)
}

/// Like [`check_file`], with the model, unless a violation keeps the file from being decoded. Initializers of
/// up to `resident` bytes of external data are read.
///
/// # Errors
/// Those of [`check_file`].
pub fn checked_file(
    path: &Path,
    limits: &onnx_model::Limits,
    resident: u64,
) -> Result<(Findings, Option<Model>), ModelError> {
    match Model::decode_file_resident(path, limits, resident) {
        Ok(model) => Ok((check(&model), Some(model))),
        Err(error) if decode::rule(&error.kind).is_some() => {
            let mut sink = Sink::new(1);
            // The caller knows the path of the file.
            let error = ModelError {
                file: String::new(),
                ..error
            };
            sink.push("", None, Problem::Decode(error));
            Ok((sink.finish(), None))
        }
        Err(error) => Err(error),
    }
}
