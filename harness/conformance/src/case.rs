//! A decoded case: a model with its operators, inputs and expected outputs.

mod detail;
pub mod external;
mod inputs;
mod variant;

use std::collections::HashSet;

use backend_api::Named;
use backend_api::protocol::{External, Load};
use harness_compare::{Envelopes, Tolerance};
use harness_corpus::{CaseFiles, CaseId, CorpusError, FileRef, OfficialInputTooLarge, official_input};
use onnx_model::{Bytes, Graph, Limits, Model, ModelError, Node, ValueInfo, decode_value_in_pieces};
use onnx_randomness::Draws;
use onnx_tensor::{Dim, Tensor, TensorError, Value, ValueType};
use run_record::Exercise;

use crate::coverage::exercises;
use crate::forms::NotApplicable;
use crate::readings::Open;

pub use detail::detail;
pub use inputs::InputMatchError;

/// A case, ready to be run.
#[derive(Clone, Debug)]
pub struct Case {
    pub id: CaseId,
    /// The bytes of the model file, shared without copies.
    pub model: Bytes,
    /// External data that the model refers to.
    pub external: External,
    /// Operator and since-version of every node, bodies included, each once, in order of
    /// appearance: `Softmax-13`.
    pub operators: Vec<String>,
    /// Nodes of the main graph.
    pub nodes: usize,
    /// The uses of operators in the model, including bodies and called functions.
    pub exercises: Vec<Exercise>,
    /// Inputs with expected outputs; at least one.
    pub data_sets: Vec<DataSet>,
    /// The official tolerance of floats.
    pub tolerance: Tolerance,
}

/// Inputs with their expected outputs.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// The folder's name, `test_data_set_0`.
    pub name: String,
    /// Values for graph inputs, without omitted optional ones.
    pub inputs: Vec<Named>,
    /// Values of graph outputs, in their order.
    pub expected: Vec<Named>,
    /// Whether the reference is asked for `expected`, which is empty until it answers.
    pub asked: bool,
    /// Whether `expected` is an answer of the reference in which the specification determines every result.
    pub settled: bool,
    /// The distributions of the outputs, if a random operator draws them: `expected` then fixes only
    /// type and shape.
    pub draws: Option<Draws>,
    /// The bounds of the rounding error around the reference's outputs
    /// ([`reference::bounds`](crate::reference::bounds)); empty until requested.
    pub envelopes: Envelopes,
    /// How the reference's outputs differ from `expected` by more than the official rule allows; `None`
    /// if they do not, and until requested.
    pub disagreement: Option<String>,
    /// The answers to open questions on which the outputs depend ([`readings`](crate::readings)); empty
    /// until requested.
    pub open: Vec<Open>,
}

/// The reference's result for one data set.
#[derive(Clone, Debug, Default)]
pub struct SetBounds {
    /// The bounds of the rounding error; empty if the reference declines the data set.
    pub envelopes: Envelopes,
    /// How its outputs differ from the stored ones by more than the official rule allows; `None` if they
    /// do not.
    pub disagreement: Option<String>,
    /// The answers to open questions on which the outputs depend.
    pub open: Vec<Open>,
    /// The outputs, of a data set for which the reference is asked.
    pub answers: Option<Vec<Named>>,
}

/// Why a case cannot be run. This is a fault of the case or of the harness, never of a backend.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A file cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A file cannot be decoded.
    #[error("{file}: {error}")]
    Decode { file: String, error: ModelError },
    /// There are more files than graph outputs, or an output has no type.
    #[error("{file}: the graph declares no type for output {index}")]
    Untyped {
        file: String,
        /// The number of the output.
        index: usize,
    },
    /// A file matches no graph input.
    #[error("{file}: {error}")]
    Input {
        file: String,
        /// The reason.
        error: InputMatchError,
    },
    /// A generated input would be too large.
    #[error(transparent)]
    InputTooLarge(#[from] OfficialInputTooLarge),
    /// The form does not apply to the case.
    #[error("the variant cannot be made: {0}")]
    Variant(#[from] NotApplicable),
    /// A generated input cannot be built.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl Case {
    /// The case with the reference's result for each data set.
    pub fn with_bounds(mut self, bounds: Vec<SetBounds>) -> Case {
        for (set, bounds) in self.data_sets.iter_mut().zip(bounds) {
            set.envelopes = bounds.envelopes;
            set.disagreement = bounds.disagreement;
            set.open = bounds.open;
            if let Some(answers) = bounds.answers {
                set.expected = answers;
            }
        }
        self
    }

    /// The request that loads the model; `with_inputs` for a backend that takes the inputs of a data set
    /// as constants.
    pub fn load_request(&self, set: &DataSet, with_inputs: bool) -> Load {
        let inputs = if with_inputs {
            set.inputs.clone()
        } else {
            Vec::new()
        };
        Load::of(self.model.clone(), self.external.clone(), inputs)
    }

    /// The approximate memory of the case in bytes.
    pub fn memory(&self) -> usize {
        let values = self
            .data_sets
            .iter()
            .flat_map(|set| set.inputs.iter().chain(&set.expected));
        self.model.len() + self.external.sent_bytes() + values.map(|(_, value)| value.memory()).sum::<usize>()
    }

    /// Reads and decodes the files of a case, or of a variant.
    pub fn decode(files: &CaseFiles) -> Result<Case, CaseError> {
        let (case, model) = Case::decode_plain(files)?;
        match files.form {
            Some(form) => case.in_form(&model, form),
            None => Ok(case),
        }
    }

    /// Reads and decodes the plain case, whatever the form, and returns the decoded model.
    pub fn decode_plain(files: &CaseFiles) -> Result<(Case, Model), CaseError> {
        let DecodedModel {
            bytes,
            model,
            external,
        } = decode_model(files)?;
        let data_sets = files.data_sets.iter().map(|set| {
            let inputs = if set.generated_inputs {
                generated_inputs(&model.graph)?
            } else {
                stored_inputs(&model.graph, &set.inputs)?
            };
            let expected = stored_outputs(&model.graph.outputs, &set.outputs)?;
            Ok(DataSet {
                name: set.name.clone(),
                draws: Draws::of_model(&model, &inputs),
                inputs,
                expected,
                asked: false,
                settled: set.settled,
                envelopes: Envelopes::default(),
                disagreement: None,
                open: Vec::new(),
            })
        });
        let case = Case {
            id: files.id.clone(),
            data_sets: data_sets.collect::<Result<_, CaseError>>()?,
            operators: operators(&model),
            nodes: model.graph.nodes.len(),
            exercises: exercises(&model),
            external,
            tolerance: files.tolerance.into(),
            model: bytes,
        };
        Ok((case, model))
    }
}

/// A decoded model with its source.
pub struct DecodedModel {
    /// The file.
    pub bytes: Bytes,
    /// The model.
    pub model: Model,
    /// External data that it refers to.
    pub external: External,
}

/// Reads and decodes the model of a case.
pub fn decode_model(files: &CaseFiles) -> Result<DecodedModel, CaseError> {
    let bytes = files.model.read()?;
    let name = files.model.to_string();
    let decoded = match files.external_folder() {
        Some(folder) => external::in_folder(&bytes, &name, folder),
        None => external::beside(&bytes, &name, files),
    };
    let (model, external) = decoded.map_err(|error| CaseError::Decode { file: name, error })?;
    Ok(DecodedModel {
        bytes,
        model,
        external,
    })
}

/// The values of the graph's inputs, in the order of the files.
fn stored_inputs(graph: &Graph, files: &[Option<FileRef>]) -> Result<Vec<Named>, CaseError> {
    let read = |file: &Option<FileRef>| file.as_ref().map(FileRef::read).transpose();
    let bytes: Vec<Option<Bytes>> = files.iter().map(read).collect::<Result<_, _>>()?;
    let name = |number: usize| {
        files
            .get(number)
            .and_then(Option::as_ref)
            .map_or(String::new(), ToString::to_string)
    };
    let places = inputs::matched(graph, &bytes).map_err(|(number, error)| CaseError::Input {
        file: name(number),
        error,
    })?;
    let mut values = Vec::new();
    for (number, (bytes, place)) in bytes.into_iter().zip(places).enumerate() {
        let info = place.and_then(|place| graph.inputs.get(place));
        let value_type = info.and_then(|info| Some((info, info.value_type.as_ref()?)));
        if let (Some(bytes), Some((info, value_type))) = (bytes, value_type) {
            let value = stored_value(bytes, value_type, || name(number))?;
            values.push((info.name.clone(), value));
        }
    }
    Ok(values)
}

/// The values of the graph's outputs, in order.
fn stored_outputs(infos: &[ValueInfo], files: &[FileRef]) -> Result<Vec<Named>, CaseError> {
    let value = |(index, file): (usize, &FileRef)| {
        let info = infos.get(index);
        let info = info.and_then(|info| Some((&info.name, info.value_type.as_ref()?)));
        let (name, value_type) = info.ok_or_else(|| CaseError::Untyped {
            file: file.to_string(),
            index,
        })?;
        let value = stored_value(file.read()?, value_type, || file.to_string())?;
        Ok((name.clone(), value))
    };
    files.iter().enumerate().map(value).collect()
}

fn stored_value(
    bytes: Bytes,
    value_type: &ValueType,
    file: impl FnOnce() -> String,
) -> Result<Value, CaseError> {
    decode_value_in_pieces([bytes], value_type, &Limits::default())
        .map_err(|error| CaseError::Decode { file: file(), error })
}

/// The inputs of the official runner for a model without stored inputs.
fn generated_inputs(graph: &Graph) -> Result<Vec<Named>, CaseError> {
    let shape_of = |info: &ValueInfo| match &info.value_type {
        Some(ValueType::Tensor {
            shape: Some(dims), ..
        }) => dims
            .iter()
            .map(|dim| if let Dim::Fixed(extent) = dim { *extent } else { 1 })
            .collect(),
        _ => Vec::new(),
    };
    let value = |info: &ValueInfo| {
        let shape: Vec<usize> = shape_of(info);
        let tensor = Tensor::new(&shape, official_input(&shape)?)?;
        Ok((info.name.clone(), Value::Tensor(tensor)))
    };
    graph.required_inputs().map(value).collect()
}

/// Every operator version that a model uses, each once, in order of appearance.
pub(crate) fn operators(model: &Model) -> Vec<String> {
    let mut found = Operators {
        seen: HashSet::new(),
        list: Vec::new(),
    };
    found.visit(&model.graph.nodes, &model.opset_imports);
    for function in &model.functions {
        found.visit(&function.nodes, &function.opset_imports);
    }
    found.list
}

struct Operators {
    seen: HashSet<String>,
    list: Vec<String>,
}

impl Operators {
    fn visit(&mut self, nodes: &[Node], imports: &std::collections::BTreeMap<String, i64>) {
        for node in nodes {
            let label = onnx_schema::operator_label(imports, &node.domain, &node.operator);
            if self.seen.insert(label.clone()) {
                self.list.push(label);
            }
            node.bodies().for_each(|body| self.visit(&body.nodes, imports));
        }
    }
}
