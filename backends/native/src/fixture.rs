//! Small models for the tests of passes.

use std::sync::Arc;

use native_kernels::Pool;
use onnx_model::{Attribute, AttributeValue, Graph as FileGraph, Model, Node as FileNode, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use crate::error::NodeError;
use crate::exec::{Program, evaluate, fold};
use crate::import::import;
use crate::ir::Graph;
use crate::kernels::{Device, Use, lower};
use crate::passes::{Rewrite, infer, names};
use crate::rewrites::Rewrites;

/// Makes a node `name(inputs) -> output` with space-separated names.
pub fn node(operator: &str, inputs: &str, output: &str, attributes: &[(&str, AttributeValue)]) -> FileNode {
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    FileNode {
        operator: operator.to_owned(),
        inputs: inputs.split_whitespace().map(str::to_owned).collect(),
        outputs: vec![output.to_owned()],
        attributes: attributes.iter().map(attribute).collect(),
        ..FileNode::default()
    }
}

/// Makes a body with these inputs and outputs, whose names are separated by spaces and whose types are left
/// open.
pub fn body(inputs: &str, nodes: Vec<FileNode>, outputs: &str) -> AttributeValue {
    let open = |names: &str| {
        let open = |name: &str| ValueInfo {
            name: name.to_owned(),
            value_type: None,
        };
        names.split_whitespace().map(open).collect()
    };
    AttributeValue::Graph(Arc::new(FileGraph {
        inputs: open(inputs),
        outputs: open(outputs),
        nodes,
        ..FileGraph::default()
    }))
}

/// A device with the default settings and this number of threads, without Winograd's filtering.
pub fn device(threads: usize) -> Device {
    Device {
        pool: Pool::new(threads),
        ..Device::single(fold)
    }
}

/// A device with one thread that runs no pass.
fn untouched() -> Device {
    Device {
        rewrites: Rewrites::without(names().collect()),
        ..device(1)
    }
}

/// A model with input `x` of this shape and output `y`.
pub struct Fixture {
    opset: i64,
    shape: Vec<usize>,
    constants: Vec<(String, Value)>,
    nodes: Vec<FileNode>,
}

impl Fixture {
    /// Makes a model of opset 20 without constants.
    pub fn new(shape: &[usize], nodes: Vec<FileNode>) -> Fixture {
        Fixture {
            opset: 20,
            shape: shape.to_vec(),
            constants: Vec::new(),
            nodes,
        }
    }

    /// Sets the opset.
    pub fn opset(self, opset: i64) -> Fixture {
        Fixture { opset, ..self }
    }

    /// Adds a constant with varied values.
    pub fn varied(self, name: &str, shape: &[usize]) -> Fixture {
        self.constant(name, varied(shape, 0.37))
    }

    /// Adds a constant.
    pub fn constant(self, name: &str, tensor: Tensor) -> Fixture {
        self.initializer(name, Value::Tensor(tensor))
    }

    /// Adds an initializer.
    pub fn initializer(mut self, name: &str, value: Value) -> Fixture {
        self.constants.push((name.to_owned(), value));
        self
    }

    /// Returns the graph after these passes as text.
    pub fn text(&self, passes: &[Rewrite]) -> Result<String, NodeError> {
        let mut graph = self.graph();
        for pass in passes {
            pass(&mut graph)?;
        }
        Ok(graph.to_string())
    }

    /// Returns the graph before any pass.
    pub fn graph(&self) -> Graph {
        let info = |name: &str, shape: Option<Vec<Dim>>| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape,
            }),
        };
        let shape = self.shape.iter().map(|&extent| Dim::Fixed(extent)).collect();
        let graph = FileGraph {
            inputs: vec![info("x", Some(shape))],
            outputs: vec![info("y", None)],
            initializers: self.constants.clone(),
            nodes: self.nodes.clone(),
            ..FileGraph::default()
        };
        let mut model = Model::new(self.opset, graph);
        let contrib = onnx_schema::CONTRIB_DOMAIN.to_owned();
        model.opset_imports.insert(contrib, 1);
        import(&model).expect("the model is valid").graph
    }

    /// Checks the nodes after inference and these passes, in order, and that the result is that of the graph
    /// before any pass.
    #[track_caller]
    pub fn check(&self, passes: &[Rewrite], expected: &[&str]) {
        let mut graph = self.graph();
        let before = run(&graph, &self.shape, untouched());
        infer::run(&mut graph).expect("types fit");
        for pass in passes {
            pass(&mut graph).expect("the pass succeeds");
        }
        let found: Vec<String> = graph
            .nodes
            .iter()
            .map(|node| short(&node.op.to_string()))
            .collect();
        assert_eq!(found, expected, "{graph}");
        let after = run(&graph, &self.shape, device(1));
        let near = before
            .iter()
            .zip(&after)
            .all(|(a, b)| (a - b).abs() <= 1e-4 * a.abs().max(1.0));
        assert!(near && before.len() == after.len(), "{before:?} became {after:?}");
    }

    /// Checks that every node, except those of the operators in `without`, has a kernel, that the result
    /// equals that of the operators over whole values up to `share` of its largest element, and that two
    /// threads compute the same bits as one.
    #[track_caller]
    pub fn check_kernels(&self, without: &[&str], share: f32) {
        let mut graph = self.graph();
        infer::run(&mut graph).expect("types fit");
        let single = device(1);
        let x = Value::Tensor(varied(&self.shape, 0.61));
        let mut values: Vec<Option<Value>> =
            graph.values.iter().map(|value| value.constant.clone()).collect();
        values[graph.inputs[0].index()] = Some(x);
        for node in &graph.nodes {
            let used = Use::of(&graph, node).expect("shapes are known");
            let lowered = lower(&used, &single).expect("it is lowered");
            let excused = without.iter().any(|name| node.op.plain(name).is_some());
            assert!(
                lowered.is_some() || excused,
                "no kernel for {}: {}",
                node.op,
                node.name
            );
            let inputs = node.inputs.iter().map(|id| values[id.as_ref()?.index()].as_ref());
            let outputs = evaluate(node, &inputs.collect::<Vec<_>>()).expect("it is computed");
            for (output, value) in node.outputs.iter().zip(outputs) {
                if let Some(id) = output {
                    values[id.index()] = Some(value);
                }
            }
        }
        let expected = match &values[graph.outputs[0].index()] {
            Some(Value::Tensor(tensor)) => tensor.to_vec::<f32>().expect("floats"),
            other => panic!("expected one tensor, got {other:?}"),
        };
        let [one, two] = [1, 2].map(|threads| run(&graph, &self.shape, device(threads)));
        assert_eq!(one, two, "the result depends on the number of threads");
        let most = expected
            .iter()
            .fold(0.0, |most: f32, value| most.max(value.abs()));
        let near = one
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() <= share * most);
        assert!(
            near && one.len() == expected.len(),
            "expected {expected:?}, got {one:?}"
        );
    }
}

/// Removes the attributes of an operator from its text, and keeps its activation.
fn short(text: &str) -> String {
    let (name, rest) = text.split_once('{').unwrap_or((text, ""));
    match rest.split_once(" then ") {
        Some((_, after)) => format!("{name} then {after}"),
        None => name.to_owned(),
    }
}

fn varied(shape: &[usize], step: f32) -> Tensor {
    let count: usize = shape.iter().product();
    let elements = (0..count)
        .map(|at| (at as f32 * step).sin() + 1.25)
        .collect::<Vec<f32>>();
    Tensor::new(shape, elements).expect("as many as the shape has")
}

fn run(graph: &Graph, shape: &[usize], device: Device) -> Vec<f32> {
    let mut program = Program::new(graph.clone(), Arc::new(device)).expect("it compiles");
    let x = Value::Tensor(varied(shape, 0.61));
    match &program.run(vec![Some(x)]).expect("it runs")[..] {
        [Value::Tensor(tensor)] => tensor.to_vec::<f32>().expect("floats"),
        other => panic!("expected one tensor, got {other:?}"),
    }
}
