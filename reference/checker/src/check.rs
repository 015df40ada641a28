//! The ways in.

use std::path::Path;

use onnx_model::{Model, ModelError};

use crate::finding::{Findings, Sink};
use crate::limits::Limits;
use crate::problem::Problem;
use crate::{decode, structure, types};

/// Everything that is wrong with a model, in the order in which it stands in the file, names and signatures before types.
pub fn check(model: &Model) -> Findings {
    check_within(model, Limits::default())
}

/// The same within limits.
pub fn check_within(model: &Model, limits: Limits) -> Findings {
    let mut sink = Sink::new(limits.findings);
    structure::walk(model, limits, &mut sink);
    types::walk(model, limits, &mut sink, false);
    sink.finish()
}

/// Everything that is wrong with the model in a file; of external data the place and the length, not the elements. Data that fits no tensor, an attribute that is given twice and the like keep
/// a model from being made of the file: the first of these is the only finding then.
///
/// # Errors
/// A file that cannot be read, is no model at all, or is larger than the limits allow.
pub fn check_file(path: &Path, limits: &onnx_model::Limits) -> Result<Findings, ModelError> {
    match Model::decode_file_without_contents(path, limits) {
        Ok(model) => Ok(check(&model)),
        Err(error) if decode::rule(&error.kind).is_some() => {
            let mut sink = Sink::new(1);
            // The caller knows which file it is.
            let error = ModelError {
                file: String::new(),
                ..error
            };
            sink.push("", None, Problem::Decode(error));
            Ok(sink.finish())
        }
        Err(error) => Err(error),
    }
}
