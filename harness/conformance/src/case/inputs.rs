//! Matches the input files of a data set with graph inputs.
//!
//! `input_K.pb` is for the graph input named in the stored value. If the name is not that of a graph
//! input, the file is matched by position: among the graph inputs without an initializer, as in ONNX's
//! own runner and the model zoo, if these are enough; otherwise among all graph inputs. Models of IR 3
//! list their initializers as inputs, often first, so that position alone would assign the data to a
//! weight.

use std::collections::{HashMap, HashSet};

use onnx_model::{Bytes, Graph, ValueInfo, stored_name};
use onnx_tensor::{DType, ValueType};

/// Why a file matches no graph input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputMatchError {
    /// There are more files than graph inputs.
    #[error("it is input {number}, but the graph has {inputs} inputs")]
    TooMany {
        /// The number in the file's name.
        number: usize,
        /// The number of graph inputs.
        inputs: usize,
    },
    /// Two files match one input.
    #[error(
        "it is for the graph input `{input}`, like another file: name each stored value after its graph input"
    )]
    Twice { input: String },
    /// The graph declares no type for the input.
    #[error("the graph declares no type for input `{input}`")]
    Untyped { input: String },
}

/// The graph input of each file, as its position. The number of a file is its position in `files`.
///
/// # Errors
/// The number of the first file that matches no graph input, with the reason.
pub(super) fn matched(
    graph: &Graph,
    files: &[Option<Bytes>],
) -> Result<Vec<Option<usize>>, (usize, InputMatchError)> {
    let by_name = named(graph, files);
    let unnamed = |number: &usize| files[*number].is_some() && by_name[*number].is_none();
    let unnamed: Vec<usize> = (0..files.len()).filter(unnamed).collect();
    let places = places(graph, unnamed.last().map_or(0, |last| last + 1));
    let mut taken: HashSet<usize> = HashSet::new();
    let mut found = vec![None; files.len()];
    let position = |number: usize| by_name[number].or_else(|| places.get(number).copied());
    for number in (0..files.len()).filter(|number| files[*number].is_some()) {
        let inputs = graph.inputs.len();
        let input = position(number).ok_or((number, InputMatchError::TooMany { number, inputs }))?;
        let name = || graph.inputs[input].name.clone();
        if !taken.insert(input) {
            return Err((number, InputMatchError::Twice { input: name() }));
        }
        if graph.inputs[input].value_type.is_none() {
            return Err((number, InputMatchError::Untyped { input: name() }));
        }
        found[number] = Some(input);
    }
    Ok(found)
}

/// The positions by which files are numbered, of which `count` are needed.
fn places(graph: &Graph, count: usize) -> Vec<usize> {
    let initializers: HashSet<&str> = graph.initializers.iter().map(|(name, _)| name.as_str()).collect();
    let all = 0..graph.inputs.len();
    let required = all
        .clone()
        .filter(|input| !initializers.contains(graph.inputs[*input].name.as_str()));
    let required: Vec<usize> = required.collect();
    if required.len() >= count {
        required
    } else {
        all.collect()
    }
}

/// The input that each file names. If several files have one name, only the first gets the input; none
/// gets an input without a type.
fn named(graph: &Graph, files: &[Option<Bytes>]) -> Vec<Option<usize>> {
    let inputs: HashMap<&str, usize> = (graph.inputs.iter().enumerate())
        .map(|(position, info)| (info.name.as_str(), position))
        .collect();
    let mut taken = HashSet::new();
    let name = |bytes: &Bytes| {
        FORMS.iter().find_map(|form| {
            let input = *inputs.get(stored_name(bytes, &form.value_type())?.as_str())?;
            form.stores(&graph.inputs[input]).then_some(input)
        })
    };
    let file = |file: &Option<Bytes>| name(file.as_ref()?).filter(|input| taken.insert(*input));
    files.iter().map(file).collect()
}

/// The protobuf messages of stored values whose name fields differ.
#[derive(Clone, Copy)]
enum Form {
    Tensor,
    Sparse,
    Container,
}

const FORMS: [Form; 3] = [Form::Tensor, Form::Sparse, Form::Container];

impl Form {
    /// A type whose values are stored in this message.
    fn value_type(self) -> ValueType {
        let float = ValueType::tensor(DType::Float);
        match self {
            Form::Tensor => float,
            Form::Sparse => ValueType::Sparse {
                dtype: DType::Float,
                shape: None,
            },
            Form::Container => ValueType::Sequence(Box::new(float)),
        }
    }

    /// Whether values of this input are stored in this message.
    fn stores(self, input: &ValueInfo) -> bool {
        match (&input.value_type, self) {
            (Some(ValueType::Tensor { .. }), Form::Tensor)
            | (Some(ValueType::Sparse { .. }), Form::Sparse)
            | (
                Some(ValueType::Sequence(_) | ValueType::Map { .. } | ValueType::Optional(_)),
                Form::Container,
            ) => true,
            (
                Some(
                    ValueType::Tensor { .. }
                    | ValueType::Sparse { .. }
                    | ValueType::Sequence(_)
                    | ValueType::Map { .. }
                    | ValueType::Optional(_),
                )
                | None,
                Form::Tensor | Form::Sparse | Form::Container,
            ) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::encode_value;
    use onnx_tensor::{Tensor, Value};

    use super::*;

    fn float(name: &str) -> ValueInfo {
        ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::tensor(DType::Float)),
        }
    }

    /// Matches a graph with these inputs, of which some have initializers, with files of these names
    /// (`None`: no file). Expects the names of the matched inputs, or the error.
    #[track_caller]
    fn check(
        inputs: &[&str],
        initializers: &[&str],
        files: &[Option<&str>],
        expected: Result<&[Option<&str>], InputMatchError>,
    ) {
        let value = || Value::Tensor(Tensor::vector(vec![1.0_f32]));
        let graph = Graph {
            inputs: inputs.iter().map(|name| float(name)).collect(),
            initializers: initializers
                .iter()
                .map(|name| ((*name).to_owned(), value()))
                .collect(),
            ..Graph::default()
        };
        let file = |name: &Option<&str>| name.map(|name| Bytes::from(encode_value(&value(), name)));
        let files: Vec<Option<Bytes>> = files.iter().map(file).collect();
        let found = matched(&graph, &files).map_err(|(_, error)| error);
        let found = found.map(|found| {
            let name = |input: Option<usize>| input.map(|input| inputs[input]);
            found.into_iter().map(name).collect::<Vec<_>>()
        });
        assert_eq!(found.as_deref(), expected.as_ref().map(|names| *names));
    }

    /// A model of IR 3 lists its initializers as inputs, here first. The data is for `data_0` at any
    /// position.
    #[test]
    fn files_are_matched_by_their_names() {
        let inputs = ["w", "b", "data_0"];
        check(&inputs, &["w", "b"], &[Some("data_0")], Ok(&[Some("data_0")]));
        check(
            &inputs,
            &["w", "b"],
            &[Some("b"), Some("data_0")],
            Ok(&[Some("b"), Some("data_0")]),
        );
        check(
            &["x", "y"],
            &[],
            &[Some("y"), Some("x")],
            Ok(&[Some("y"), Some("x")]),
        );
    }

    #[test]
    fn files_without_a_name_are_matched_by_position() {
        let inputs = ["w", "b", "data_0"];
        check(&inputs, &["w", "b"], &[Some("")], Ok(&[Some("data_0")]));
        check(
            &inputs,
            &["w", "b"],
            &[Some("gpu_0/data_0")],
            Ok(&[Some("data_0")]),
        );
        let all = Ok(&[Some("w"), Some("b"), Some("data_0")][..]);
        check(&inputs, &["w", "b"], &[Some(""), Some(""), Some("")], all);
        check(
            &["x", "y", "z"],
            &[],
            &[Some(""), None, Some("")],
            Ok(&[Some("x"), None, Some("z")]),
        );
        check(
            &["x", "y"],
            &[],
            &[Some("x"), Some("")],
            Ok(&[Some("x"), Some("y")]),
        );
    }

    #[test]
    fn a_file_without_input_and_two_files_for_one_input_are_errors() {
        let too_many = InputMatchError::TooMany { number: 1, inputs: 1 };
        check(&["x"], &[], &[Some(""), Some("")], Err(too_many));
        let twice = InputMatchError::Twice {
            input: "y".to_owned(),
        };
        check(&["x", "y"], &[], &[Some("y"), Some("y")], Err(twice));
    }

    /// A model of IR 3 that lists its weight first, with one data file.
    #[test]
    fn the_data_of_an_old_model_does_not_replace_its_weight() {
        let value = |x: f32| Value::Tensor(Tensor::vector(vec![x]));
        let node = onnx_model::Node {
            operator: "Sub".to_owned(),
            inputs: ["data_0", "w"].map(str::to_owned).to_vec(),
            outputs: vec!["y".to_owned()],
            ..onnx_model::Node::default()
        };
        let graph = Graph {
            name: "old".to_owned(),
            inputs: vec![float("w"), float("data_0")],
            outputs: vec![float("y")],
            initializers: vec![("w".to_owned(), value(1.0))],
            nodes: vec![node],
            value_info: Vec::new(),
        };
        let model = onnx_model::Model {
            ir_version: 3,
            ..onnx_model::Model::new(7, graph)
        };
        for stored in ["data_0", ""] {
            let files = [
                ("model.onnx", model.encode()),
                ("test_data_set_0/input_0.pb", encode_value(&value(5.0), stored)),
                ("test_data_set_0/output_0.pb", encode_value(&value(4.0), "y")),
            ];
            let files = files.map(|(name, bytes)| (format!("suite/case/{name}"), bytes));
            let corpus = harness_corpus::Corpus::of_files("old", files.into()).unwrap();
            let case = crate::case::Case::decode(&corpus.cases()[0]).unwrap();
            let fed: Vec<&str> = case.data_sets[0]
                .inputs
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(fed, ["data_0"], "stored as {stored:?}");
        }
    }
}
