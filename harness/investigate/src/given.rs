//! A model as the user gave it.

use backend_api::Named;
use onnx_model::Model;

use crate::runner::RunRequest;
use crate::subject::Subject;

/// A model as the user gave it, with the values of its inputs.
#[derive(Clone, Debug)]
pub struct Given<'m> {
    /// The decoded model.
    pub model: &'m Model,
    /// The bytes of the file with its external data, and the values of the inputs.
    pub request: RunRequest,
}

impl<'m> Given<'m> {
    /// The file of a subject with these inputs.
    pub fn file(subject: &'m Subject, inputs: Vec<Named>) -> Given<'m> {
        Given {
            model: &subject.model,
            request: RunRequest {
                model: subject.bytes.clone(),
                external: subject.external.clone(),
                inputs,
            },
        }
    }

    /// A model without a file.
    pub fn model(model: &'m Model, inputs: Vec<Named>) -> Given<'m> {
        Given {
            model,
            request: RunRequest::of(model, inputs),
        }
    }
}
