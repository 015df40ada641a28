//! Checks that no model makes the native backend panic: every operator with extreme attributes, inputs and
//! extents returns a result or a typed error.
//!
//! Each line of the table in `cases` is a valid node. Its variants replace one number by extremes, several at
//! once, extents by 0, and extents next to a 0 by huge ones. Each variant runs with its inputs declared,
//! undeclared, and constant: by kernels, over whole values, and folded at load. The crate of the kernels has
//! overflow checks in tests, so a product that exceeds 64 bits is found too.

mod cases;
mod text;
mod variants;

use backend_api::{Backend, BackendError, LoadRequest, Named};
use backend_native::{INTERNAL_ERROR, Native, Settings};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value, ValueType};

/// One node with its inputs.
#[derive(Clone, Debug)]
struct Case {
    operator: &'static str,
    opset: i64,
    inputs: Vec<Option<Input>>,
    attributes: Vec<(String, AttributeValue)>,
}

/// An input: a tensor whose extents may be varied, or one whose elements may be varied.
#[derive(Clone, Debug)]
enum Input {
    /// A tensor of this shape with small elements of this kind.
    Shaped(char, Vec<usize>),
    /// Integers, as a scalar or as a list.
    Ints(Vec<i64>, bool),
    /// Floats, as a scalar or as a list.
    Floats(Vec<f32>, bool),
}

/// How the inputs of a node are provided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// With their types declared; inputs that hold numbers are constants.
    Declared,
    /// With only their element types declared.
    Open,
    /// All as constants.
    Constant,
}

impl Case {
    /// Runs the case in a form; `None` if no tensor has such a shape.
    fn run(&self, form: Form) -> Option<Result<(), BackendError>> {
        let tensors = self.inputs.iter().map(|input| match input {
            None => Some(None),
            Some(input) => input.tensor().map(Some),
        });
        let tensors: Vec<Option<Tensor>> = tensors.collect::<Option<_>>()?;
        let mut graph = Graph::default();
        let mut fed: Vec<Named> = Vec::new();
        for (at, (tensor, input)) in tensors.iter().zip(&self.inputs).enumerate() {
            let (Some(tensor), Some(input)) = (tensor, input) else {
                continue;
            };
            let (name, value) = (format!("i{at}"), Value::Tensor(tensor.clone()));
            let shaped = matches!(input, Input::Shaped(..));
            // The second operand of a product is usually a weight.
            let weight = matches!(at, 1 | 3) && shaped && !matches!(self.operator, "Add" | "Concat");
            if form == Form::Constant || (form == Form::Declared && (!shaped || weight)) {
                graph.initializers.push((name, value));
                continue;
            }
            let value_type = match form {
                Form::Open => ValueType::tensor(tensor.dtype()),
                Form::Declared | Form::Constant => value.value_type(),
            };
            let value_type = Some(value_type);
            graph.inputs.push(ValueInfo {
                name: name.clone(),
                value_type,
            });
            fed.push((name, value));
        }
        let output = "y".to_owned();
        graph.outputs.push(ValueInfo {
            name: output.clone(),
            value_type: None,
        });
        graph.nodes.push(self.node(output));
        let model = Model {
            ir_version: 10,
            ..Model::new(self.opset, graph)
        };
        let request = LoadRequest {
            model: model.encode().into(),
            folder: None,
            inputs: Vec::new(),
        };
        let session = Native::new(Settings::default()).load(request);
        Some(session.and_then(|mut session| session.run(&fed).map(|_| ())))
    }

    fn node(&self, output: String) -> Node {
        let name = |(at, input): (usize, &Option<Input>)| match input {
            Some(_) => format!("i{at}"),
            None => String::new(),
        };
        let attribute = |(name, value): &(String, AttributeValue)| Attribute {
            name: name.clone(),
            value: value.clone(),
        };
        let schema = u32::try_from(self.opset)
            .ok()
            .and_then(|opset| onnx_schema::lookup("", self.operator, opset))
            .expect("an operator of this opset");
        let more = (1..schema.min_outputs).map(|at| format!("y{at}"));
        Node {
            operator: self.operator.to_owned(),
            inputs: self.inputs.iter().enumerate().map(name).collect(),
            outputs: [output].into_iter().chain(more).collect(),
            attributes: self.attributes.iter().map(attribute).collect(),
            ..Node::default()
        }
    }
}

impl Input {
    fn tensor(&self) -> Option<Tensor> {
        match self {
            Input::Shaped(kind, shape) => text::tensor(*kind, shape),
            Input::Ints(values, true) => Some(Tensor::scalar(*values.first()?)),
            Input::Ints(values, false) => Some(Tensor::vector(values.clone())),
            Input::Floats(values, true) => Some(Tensor::scalar(*values.first()?)),
            Input::Floats(values, false) => Some(Tensor::vector(values.clone())),
        }
    }
}

/// Whether the case runs; a panic is recorded with its case.
fn check(case: &Case, form: Form, panics: &mut Vec<String>) -> bool {
    let outcome = case.run(form);
    if let Some(Err(error)) = &outcome {
        let text = error.to_string();
        if text.contains(INTERNAL_ERROR) {
            panics.push(format!("{text}\n    {form:?} {case:?}"));
        }
    }
    matches!(outcome, Some(Ok(())))
}

const FORMS: [Form; 3] = [Form::Declared, Form::Open, Form::Constant];

/// Checks the variants of some lines of the table; the lines are distributed over tests that run in parallel.
fn check_share(share: usize, shares: usize) {
    let (mut run, mut panics) = (0, Vec::new());
    for line in cases::CASES.iter().skip(share).step_by(shares) {
        let case = text::case(line);
        for form in FORMS {
            let runs = check(&case, form, &mut panics);
            assert!(runs, "{form:?}: this line of the table fails: {line}");
        }
        for variant in variants::of(&case) {
            for form in FORMS {
                check(&variant, form, &mut panics);
                run += 1;
            }
        }
    }
    assert!(run > 1000, "{run} variants were run");
    let first = panics.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(panics.is_empty(), "{} of {run} panic:\n{first}", panics.len());
}

#[test]
fn no_extreme_panics_first_half() {
    check_share(0, 2);
}

#[test]
fn no_extreme_panics_second_half() {
    check_share(1, 2);
}
