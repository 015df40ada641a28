//! Own cases: models of one node with expected outputs, as text that a person can check.
//!
//! They cover the versions of operators that no official case exercises. `own/<domain>/<operator>.toml` holds the cases of one
//! operator, and every case says where its expected outputs come from; none of them comes from the reference.
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
//! - An attribute is an integer, a float, a string or a list of one of them; `{ floats = ["nan", 1.0] }` and `{ ints = [] }` say
//!   of which kind a list is, and a tensor is written as an input is.
//! - Elements ([`element`]): integers, floats, `true`, text; a float may be `"nan"`, `"inf"`, `"-inf"` or its bits (`"0x7fc0"`),
//!   an integer beyond int64 its decimal digits in quotes, a complex number `[re, im]`.
//! - Values ([`value`]): `{ sequence = […], of = "tensor(float)" }`, `{ map = [[1, 0.5]], of = "map(int64, tensor(float))" }`,
//!   `{ optional = {…} }` or `{ none = "optional(tensor(float))" }`, and `{ omitted = true }` for an input that is left out.
//! - `opset` is that of the operator's domain, and the version itself unless said. `rtol` and `atol` replace the official
//!   tolerance.
//!
//! [`read_folder`] gives the cases, [`OwnCase::model`] is ready for `Model::encode`. Running them is for whoever has a backend.

pub mod element;
mod text;
pub mod value;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::Value;

use text::{CaseText, FileText};

/// A case of one node.
#[derive(Clone, Debug)]
pub struct OwnCase {
    /// Domain, file, name and version: `ai.onnx.ml/scaler/each_feature-1`.
    pub name: String,
    /// The version of the operator that it exercises.
    pub since: u32,
    /// A graph of one node; its inputs are `x0`, `x1`, …, its outputs `y0`, `y1`, ….
    pub model: Model,
    /// What to feed.
    pub inputs: Vec<(String, Value)>,
    /// What must come out, in the order of the graph.
    pub outputs: Vec<(String, Value)>,
    /// Where the expected outputs come from.
    pub derivation: String,
    /// Relative tolerance of floats.
    pub rtol: f64,
    /// Absolute tolerance of floats.
    pub atol: f64,
}

/// Why own cases cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// A file or folder cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file does not have the form of own cases.
    #[error("{path}: {source}")]
    Form {
        /// Which.
        path: PathBuf,
        /// Where and what.
        source: Box<toml::de::Error>,
    },
    /// A case is malformed.
    #[error("{path}: case `{case}`: {problem}")]
    Case {
        /// In which file.
        path: PathBuf,
        /// Its name.
        case: String,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with a case.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The opset does not bind the version.
    #[error("opset {opset} does not give version {since} of {operator}")]
    Version {
        /// The operator.
        operator: String,
        /// The version that the case names.
        since: u32,
        /// The opset that it imports.
        opset: u32,
    },
    /// A value or attribute is malformed.
    #[error("{place}: {problem}")]
    Value {
        /// `input 0`, `output 1`, ``attribute `axis` ``.
        place: String,
        /// What is wrong.
        problem: value::ValueProblem,
    },
    /// There is no version, no output or no derivation.
    #[error("`{0}` must not be empty")]
    Empty(&'static str),
}

/// The cases of every file below `folder`, by path.
///
/// # Errors
/// A file that cannot be read, is no TOML of this form, or holds a malformed case.
pub fn read_folder(folder: &Path) -> Result<Vec<OwnCase>, OwnError> {
    let read = |path: &Path| {
        let entries = fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let mut paths: Vec<PathBuf> = entries.map_err(|source| OwnError::Read {
            path: path.to_owned(),
            source,
        })?;
        paths.sort();
        Ok::<_, OwnError>(paths)
    };
    let mut cases = Vec::new();
    for domain in read(folder)? {
        for file in read(&domain)? {
            cases.extend(read_file(&file)?);
        }
    }
    Ok(cases)
}

/// The cases of one file, one for each version that they name.
///
/// # Errors
/// As [`read_folder`].
pub fn read_file(path: &Path) -> Result<Vec<OwnCase>, OwnError> {
    let text = fs::read_to_string(path).map_err(|source| OwnError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(path, &text)
}

/// The cases of a text; `path` names it in messages and gives the cases their names.
///
/// # Errors
/// As [`read_folder`], but for reading.
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
            cases.push(build(path, &file, case, since).map_err(fault)?);
        }
    }
    Ok(cases)
}

fn build(path: &Path, file: &FileText, case: &CaseText, since: u32) -> Result<OwnCase, Problem> {
    let opset = case.opset.unwrap_or(since);
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
    let inputs = values("input", "x", &case.inputs)?;
    let outputs = values("output", "y", &case.outputs)?;
    let attributes = case.attributes.iter().map(|(name, given)| {
        let place = || format!("attribute `{name}`");
        value::attribute(name, given).map_err(|problem| Problem::Value {
            place: place(),
            problem,
        })
    });
    let node = Node {
        domain: onnx_schema::canonical_domain(&file.domain).to_owned(),
        operator: file.operator.clone(),
        inputs: names(&inputs),
        outputs: names(&outputs),
        attributes: attributes.collect::<Result<_, _>>()?,
        ..Node::default()
    };
    let (inputs, outputs) = (present(inputs), present(outputs));
    let stem = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let folder = stem(path.parent().and_then(Path::file_name));
    Ok(OwnCase {
        name: format!("{folder}/{}/{}-{since}", stem(path.file_stem()), case.name),
        since,
        model: model(node, opset, &inputs, &outputs),
        inputs,
        outputs,
        derivation: case.derivation.clone(),
        rtol: case.rtol,
        atol: case.atol,
    })
}

/// A value with its name; an empty name is one that is omitted.
type Slot = (String, Option<Value>);

fn values(what: &str, prefix: &str, texts: &[value::ValueText]) -> Result<Vec<Slot>, Problem> {
    let slot = |(index, text): (usize, &value::ValueText)| match text.value() {
        Ok(Some(value)) => Ok((format!("{prefix}{index}"), Some(value))),
        Ok(None) => Ok((String::new(), None)),
        Err(problem) => Err(Problem::Value {
            place: format!("{what} {index}"),
            problem,
        }),
    };
    texts.iter().enumerate().map(slot).collect()
}

fn names(slots: &[Slot]) -> Vec<String> {
    slots.iter().map(|(name, _)| name.clone()).collect()
}

fn present(slots: Vec<Slot>) -> Vec<(String, Value)> {
    slots
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// A model of one node, in the oldest format that knows its opset, but none that lacks value types in use here.
fn model(node: Node, opset: u32, inputs: &[(String, Value)], outputs: &[(String, Value)]) -> Model {
    let infos = |values: &[(String, Value)]| {
        let info = |(name, value): &(String, Value)| ValueInfo {
            name: name.clone(),
            value_type: Some(value.value_type()),
        };
        values.iter().map(info).collect()
    };
    let release = onnx_schema::releases()
        .iter()
        .find(|release| release.opset_of(&node.domain) >= Some(opset));
    let graph = Graph {
        name: node.operator.clone(),
        inputs: infos(inputs),
        outputs: infos(outputs),
        nodes: vec![node.clone()],
        ..Graph::default()
    };
    Model {
        // 8 brought optional types; older files than 4 list initializers as inputs.
        ir_version: release.map_or(8, |release| i64::from(release.ir_version).max(8)),
        opset_imports: BTreeMap::from([(node.domain, i64::from(opset))]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "onnx-conformance".to_owned(),
        producer_version: String::new(),
    }
}
