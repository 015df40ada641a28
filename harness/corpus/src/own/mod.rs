//! Own cases: models with one node and expected outputs, as text that can be checked by hand.
//!
//! They cover the versions of operators that no official case exercises.
//! `onnx-tests/own/<domain>/<operator>.toml` holds the cases of one operator, and every case states
//! the source of its expected outputs; none of them comes from the reference.
//!
//! ```toml
//! operator = "Scaler"
//! domain = "ai.onnx.ml"
//!
//! [[case]]
//! name = "each_feature"
//! since = [1]                    # the versions that must give these outputs
//! derivation = "worked by hand: (3 − 1)·2 and (3 − 2)·0.5"
//! attributes = { offset = [1.0, 2.0], scale = [2.0, 0.5] }
//! inputs = [{ dtype = "float", shape = [1, 2], values = [3.0, 3.0] }]
//! outputs = [{ dtype = "float", shape = [1, 2], values = [4.0, 0.5] }]
//! ```
//!
//! - An attribute is an integer, a float, a string or a list of one of them;
//!   `{ floats = ["nan", 1.0] }` and `{ ints = [] }` set the type of a list, a tensor has the
//!   notation of an input, a type is `{ type = "seq(tensor(float))" }`. A body is
//!   `{ graph = { inputs = ["i: tensor(int64)", …], outputs = […], initializers = {…}, nodes = [{ operator = "Add", inputs = […], outputs = […], attributes = {…} }, …] } }`.
//! - The node's inputs are `x0`, `x1`, …, its outputs `y0`, `y1`, …; `outer` has other values that
//!   bodies read, by name.
//! - Elements ([`crate::notation`]): integers, floats, `true`, text; a float may be `"nan"`, `"inf"`,
//!   `"-inf"` or its bits (`"0x7fc0"`), an integer beyond int64 its decimal digits in quotes, a
//!   complex number `[re, im]`.
//! - Values : a tensor with `values` or one value to `fill` it; a sparse one with
//!   `indices`; `{ sequence = […], of = "tensor(float)" }`,
//!   `{ map = [[1, 0.5]], of = "map(int64, tensor(float))" }`, `{ optional = {…} }` or
//!   `{ none = "optional(tensor(float))" }`, and `{ omitted = true }` for an omitted input.
//! - `initializer = true` makes an input a constant of the model, which is not fed: backends
//!   process constant operands with other code than run-time operands.
//! - `opset` is that of the operator's domain, by default the version. `rtol` and `atol` replace
//!   the official tolerance.
//! - `expected = "statistical contract"`: the operator is random; its outputs have a type and a
//!   shape, and no values.
//!
//! [`cases`] returns all of them. They run like the cases of any corpus ([`corpus`]): [`layout`]
//! converts them to the official layout.

mod layout;
mod model;
mod text;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use backend_api::Named;
use onnx_model::{Model, Node};
use onnx_tensor::Value;

use crate::notation::{attribute, value};
use crate::{CaseId, Corpus, CorpusError, InvalidCaseId};
pub(crate) use model::of_node;
use text::{CaseText, ExpectedText, FileText};

/// The name of the corpus of own cases.
pub const CORPUS: &str = "own";

/// Every file, by its path below `onnx-tests/own`, sorted.
const OWN_FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/own_files.rs"));

/// A case with one node.
#[derive(Clone, Debug)]
pub struct OwnCase {
    /// Operator, name and version: `own/Scaler/each_feature-1`.
    pub id: CaseId,
    /// The operator's domain; `""` for ai.onnx.
    pub domain: String,
    /// The operator version under test.
    pub since: u32,
    /// A graph with one node.
    pub model: Model,
    pub inputs: Vec<Named>,
    /// The expected outputs, in the order of the graph.
    pub outputs: Vec<Named>,
    /// Whether the outputs are random, so that `outputs` has only their types and shapes.
    pub random: bool,
    /// The source of the expected outputs.
    pub derivation: String,
    /// Relative tolerance of floats.
    pub rtol: f64,
    /// Absolute tolerance of floats.
    pub atol: f64,
}

/// Why own cases are invalid.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// A file does not have the format of own cases.
    #[error("{path}: {source}")]
    Form {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        source: Box<toml::de::Error>,
    },
    /// A case is malformed.
    #[error("{path}: case `{case}`: {problem}")]
    Case {
        /// The file.
        path: PathBuf,
        /// Its name.
        case: String,
        /// The error.
        problem: Problem,
    },
    /// The cases cannot be converted to a corpus.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

/// The error of a case.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The opset does not select the version.
    #[error("opset {opset} does not select version {since} of {operator}")]
    Version {
        operator: String,
        /// The version of the case.
        since: u32,
        /// The imported opset.
        opset: u32,
    },
    /// A value or attribute is malformed.
    #[error("{place}: {problem}")]
    Value {
        /// `input 0`, `output 1`, ``attribute `axis` ``.
        place: String,
        /// The error.
        problem: value::ValueProblem,
    },
    /// There is no version, no output or no derivation.
    #[error("`{0}` must not be empty")]
    Empty(&'static str),
    /// The name is not valid in an id.
    #[error(transparent)]
    Name(#[from] InvalidCaseId),
    /// Two cases have the same id.
    #[error("there is another case `{0}`")]
    Twice(CaseId),
}

/// All own cases, by file.
///
/// # Errors
/// None as long as the tests pass: one of them reads all.
pub fn cases() -> Result<Vec<OwnCase>, OwnError> {
    let mut cases = Vec::new();
    let mut ids = HashSet::new();
    for (name, text) in OWN_FILES {
        let path = Path::new("onnx-tests/own").join(name);
        for case in parse(&path, text)? {
            if !ids.insert(case.id.clone()) {
                return Err(OwnError::Case {
                    path,
                    case: case.id.name().to_owned(),
                    problem: Problem::Twice(case.id),
                });
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

/// The corpus of all own cases; each operator is a suite.
///
/// # Errors
/// Those of [`cases`].
pub fn corpus() -> Result<Corpus, OwnError> {
    Ok(Corpus::of_files(CORPUS, layout::files(&cases()?))?)
}

/// The cases in a text, one for each listed version; `path` is for messages.
///
/// # Errors
/// The text is not TOML of this format, or a case is malformed.
pub fn parse(path: &Path, text: &str) -> Result<Vec<OwnCase>, OwnError> {
    let form = |source| OwnError::Form {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let file: FileText = toml::from_str(text).map_err(form)?;
    let mut cases = Vec::new();
    for case in &file.case {
        let fault = |problem| OwnError::Case {
            path: path.to_owned(),
            case: case.name.clone(),
            problem,
        };
        if case.since.is_empty() {
            return Err(fault(Problem::Empty("since")));
        }
        for &since in &case.since {
            cases.push(build(&file, case, since).map_err(fault)?);
        }
    }
    Ok(cases)
}

fn build(file: &FileText, case: &CaseText, since: u32) -> Result<OwnCase, Problem> {
    let opset = case.opset.unwrap_or(since);
    check(file, case, since, opset)?;
    let random = case.expected == ExpectedText::Contract;
    let inputs = slots("input", "x", &case.inputs, value::ValueText::value)?;
    let constant = initializers(&case.inputs, &inputs)?;
    let outputs = slots("output", "y", &case.outputs, |text| match random {
        _ if text.is_initializer() => Err(value::ValueProblem::Initializer),
        true => text.template().map(Some),
        false => text.value(),
    })?;
    let attributes = attribute::attributes(&case.attributes).map_err(|(name, problem)| Problem::Value {
        place: format!("attribute `{name}`"),
        problem,
    })?;
    let node = Node {
        domain: onnx_schema::canonical_domain(&file.domain).to_owned(),
        operator: file.operator.clone(),
        inputs: names(&inputs),
        outputs: names(&outputs),
        attributes,
        ..Node::default()
    };
    let (inputs, outputs) = (present(inputs), present(outputs));
    let (initializers, mut inputs): (Vec<Named>, Vec<Named>) =
        inputs.into_iter().partition(|(name, _)| constant.contains(name));
    inputs.extend(outer(case)?);
    Ok(OwnCase {
        id: CaseId::new(CORPUS, &file.operator, &format!("{}-{since}", case.name))?,
        domain: node.domain.clone(),
        since,
        model: model::of_node(node, opset, &inputs, &outputs, initializers),
        inputs,
        outputs,
        random,
        derivation: case.derivation.clone(),
        rtol: case.rtol,
        atol: case.atol,
    })
}

/// Checks the required parts of a case, independent of its values.
fn check(file: &FileText, case: &CaseText, since: u32, opset: u32) -> Result<(), Problem> {
    let bound = onnx_schema::lookup(&file.domain, &file.operator, opset);
    if bound.is_none_or(|schema| schema.since != since) {
        return Err(Problem::Version {
            operator: file.operator.clone(),
            since,
            opset,
        });
    }
    if case.derivation.trim().is_empty() {
        return Err(Problem::Empty("derivation"));
    }
    if case.outputs.is_empty() {
        return Err(Problem::Empty("outputs"));
    }
    Ok(())
}

/// A value with its name; an empty name for an omitted value.
type Slot = (String, Option<Value>);

fn slots(
    what: &str,
    prefix: &str,
    texts: &[value::ValueText],
    read: impl Fn(&value::ValueText) -> Result<Option<Value>, value::ValueProblem>,
) -> Result<Vec<Slot>, Problem> {
    let slot = |(index, text): (usize, &value::ValueText)| match read(text) {
        Ok(Some(value)) => Ok((format!("{prefix}{index}"), Some(value))),
        Ok(None) => Ok((String::new(), None)),
        Err(problem) => Err(Problem::Value {
            place: format!("{what} {index}"),
            problem,
        }),
    };
    texts.iter().enumerate().map(slot).collect()
}

/// The names of the inputs that are initializers: dense or sparse tensors.
fn initializers(texts: &[value::ValueText], slots: &[Slot]) -> Result<HashSet<String>, Problem> {
    let named = texts.iter().zip(slots).enumerate();
    named
        .filter(|(_, (text, _))| text.is_initializer())
        .map(|(index, (_, (name, value)))| match value {
            Some(Value::Tensor(_) | Value::Sparse(_)) => Ok(name.clone()),
            _ => Err(Problem::Value {
                place: format!("input {index}"),
                problem: value::ValueProblem::Initializer,
            }),
        })
        .collect()
}

fn names(slots: &[Slot]) -> Vec<String> {
    slots.iter().map(|(name, _)| name.clone()).collect()
}

fn present(slots: Vec<Slot>) -> Vec<Named> {
    let value = |(name, value): Slot| Some((name, value?));
    slots.into_iter().filter_map(value).collect()
}

/// The outer values that bodies read.
fn outer(case: &CaseText) -> Result<Vec<Named>, Problem> {
    let named = |(name, text): (&String, &value::ValueText)| {
        let wrong = |problem| Problem::Value {
            place: format!("outer `{name}`"),
            problem,
        };
        let value = if text.is_initializer() {
            Err(value::ValueProblem::Initializer)
        } else {
            text.value()
                .and_then(|value| value.ok_or(value::ValueProblem::Kind))
        };
        Ok((name.clone(), value.map_err(wrong)?))
    };
    case.outer.iter().map(named).collect()
}
