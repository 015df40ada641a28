//! A graph with its plans.

use std::sync::Arc;

use onnx_tensor::Value;

use super::plan::Plan;
use super::run::Memory;
use super::specialize::{Signature, declared, signature, specialize};
use crate::error::{NodeError, Problem};
use crate::ir::{Graph, TypeText};
use crate::kernels::Device;

/// The maximum number of plans; a plan for further shapes replaces the oldest.
const MAX_PLANS: usize = 8;

/// A compiled graph, which can run any number of times.
pub struct Program {
    /// The graph for further plans; `None` if no input is open and the only plan is made.
    graph: Option<Arc<Graph>>,
    device: Arc<Device>,
    plans: Vec<(Signature, Plan)>,
    memory: Memory,
}

impl Program {
    /// Compiles a graph. If its inputs are completely known, the plan is made now and the graph is dropped.
    pub fn new(graph: Graph, device: Arc<Device>) -> Result<Program, NodeError> {
        let mut program = Program::empty(device);
        match declared(&graph) {
            Some(signature) => program.add(graph, signature)?,
            None => {
                program.device.packs.enter(&graph);
                program.graph = Some(Arc::new(graph));
            }
        }
        Ok(program)
    }

    /// Compiles a body. The inputs of a run may differ from the declared ones.
    pub fn of_body(graph: Arc<Graph>, device: Arc<Device>) -> Result<Program, NodeError> {
        let mut program = Program::empty(device);
        program.graph = Some(graph);
        Ok(program)
    }

    fn empty(device: Arc<Device>) -> Program {
        Program {
            graph: None,
            device,
            plans: Vec::new(),
            memory: Memory::default(),
        }
    }

    fn add(&mut self, graph: Graph, signature: Signature) -> Result<(), NodeError> {
        let special = specialize(graph, &signature, &self.device)?;
        let plan = (self.device.packs).share(special, |special| Plan::new(special, &self.device))?;
        if self.plans.len() >= MAX_PLANS {
            self.plans.remove(0);
        }
        self.plans.push((signature, plan));
        Ok(())
    }

    /// Runs a whole model, with the step limit of one run.
    pub fn run_model(&mut self, inputs: Vec<Option<Value>>) -> Result<Vec<Value>, NodeError> {
        self.device.steps.reset();
        self.run(inputs)
    }

    /// Charges a round of a loop that passes on these values.
    pub fn charge(&self, values: &[Option<Value>]) -> Result<(), Problem> {
        let elements = |value: &Value| match value {
            Value::Sequence(list) => list.values.len(),
            _ => 0,
        };
        let elements: usize = values.iter().flatten().map(elements).sum();
        self.device.steps.charge(1 + elements)
    }

    /// Runs a model or a body; an input that is not fed is `None`.
    pub fn run(&mut self, inputs: Vec<Option<Value>>) -> Result<Vec<Value>, NodeError> {
        let wanted = signature(&inputs);
        let found = self.plans.iter().position(|(signature, _)| *signature == wanted);
        let at = match (found, &self.graph) {
            (Some(at), _) => at,
            (None, Some(graph)) => {
                let graph = Graph::clone(graph);
                self.add(graph, wanted)?;
                self.plans.len() - 1
            }
            (None, None) => return Err(self.other_types(&wanted)),
        };
        let (_, plan) = &mut self.plans[at];
        plan.run(inputs, &mut self.memory, &self.device)
    }

    /// Makes the error for inputs that differ from the declared ones.
    fn other_types(&self, given: &Signature) -> NodeError {
        let declared = self
            .plans
            .first()
            .map(|(signature, _)| signature.as_slice())
            .unwrap_or_default();
        let differs = (0..declared.len())
            .find(|&at| given.get(at) != declared.get(at))
            .unwrap_or(0);
        let text = |list: &[Option<onnx_tensor::ValueType>]| match list.get(differs) {
            Some(found) => TypeText(found.as_ref()).to_string(),
            None => "nothing".to_owned(),
        };
        NodeError {
            node: format!("input {differs}"),
            operator: "input".to_owned(),
            problem: Problem::Invalid(format!("expected {}, got {}", text(declared), text(given))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use onnx_model::AttributeValue::{Int, Ints};
    use onnx_tensor::{Dim, Tensor, Value, ValueType};

    use super::{Plan, Program, declared, specialize};
    use crate::fixture::{Fixture, device, node};
    use crate::passes;

    fn input(shape: &[usize]) -> Vec<Option<Value>> {
        let elements = (0..shape.iter().product())
            .map(|at: usize| (at as f32 * 0.61).sin())
            .collect();
        vec![Some(Value::Tensor(
            Tensor::new::<f32>(shape, elements).expect("as many as the shape has"),
        ))]
    }

    fn floats(values: &[Value]) -> Vec<f32> {
        match values {
            [Value::Tensor(tensor)] => tensor.to_vec().expect("floats"),
            other => panic!("expected one tensor, got {other:?}"),
        }
    }

    /// Runs a model with open extents for several shapes of its input. Further shapes pack nothing,
    /// and the results are those of a program for one shape.
    #[track_caller]
    fn check(fixture: impl Fn(&[usize]) -> Fixture, shapes: [&[usize]; 3], packed: usize) {
        let mut graph = fixture(shapes[0]).graph();
        let x = graph.inputs[0].index();
        if let Some(ValueType::Tensor {
            shape: Some(dims), ..
        }) = &mut graph.values[x].known
        {
            dims.fill(Dim::Unknown);
        }
        let device = Arc::new(device(1));
        passes::run(&mut graph, &device).expect("the passes run");
        let mut program = Program::new(graph, Arc::clone(&device)).expect("it compiles");
        for shape in shapes {
            let found = floats(&program.run(input(shape)).expect("it runs"));
            assert_eq!(device.packs.counts().1, packed, "packed weights after {shape:?}");
            let single = Arc::new(crate::fixture::device(1));
            let mut graph = fixture(shape).graph();
            passes::run(&mut graph, &single).expect("the passes run");
            let mut alone = Program::new(graph, Arc::clone(&single)).expect("it compiles");
            assert_eq!(
                found,
                floats(&alone.run(input(shape)).expect("it runs")),
                "{shape:?}"
            );
            assert_eq!(
                single.packs.counts(),
                (0, 0),
                "a plan for one shape keeps no weights for others"
            );
        }
    }

    #[test]
    fn nodes_of_one_plan_share_packed_weights() {
        let nodes = vec![
            node("MatMul", "x w", "a", &[]),
            node("Relu", "a", "b", &[]),
            node("MatMul", "b w", "y", &[]),
        ];
        let fixture = |shape: &[usize]| Fixture::new(shape, nodes.clone()).varied("w", &[8, 8]);
        check(fixture, [&[2, 8], &[3, 8], &[5, 8]], 1);
        let device = Arc::new(device(1));
        let mut graph = fixture(&[2, 8]).graph();
        passes::run(&mut graph, &device).expect("the passes run");
        let signature = declared(&graph).expect("the shapes are known");
        let special = specialize(graph, &signature, &device).expect("it is specialized");
        let packed = device.packs.share(special, |graph| {
            Plan::new(graph, &device).expect("it compiles");
            device.packs.counts()
        });
        assert_eq!(packed, (1, 1), "the weights of both products are packed once");
        assert_eq!(device.packs.counts(), (0, 0));
    }

    #[test]
    fn plans_for_further_shapes_share_packed_weights() {
        let images = |shape: &[usize]| {
            let nodes = vec![
                node("Conv", "x w b", "a", &[]),
                node("Relu", "a", "c", &[]),
                node("Conv", "c d", "e", &[("group", Int(24))]),
                node("Conv", "e g", "f", &[("group", Int(4))]),
                node("GlobalAveragePool", "f", "h", &[]),
                node("Flatten", "h", "i", &[]),
                node("MatMul", "i m", "y", &[]),
            ];
            Fixture::new(shape, nodes)
                .varied("w", &[24, 19, 3, 3])
                .varied("b", &[24])
                .varied("d", &[24, 1, 3, 3])
                .varied("g", &[24, 6, 1, 1])
                .varied("m", &[24, 5])
        };
        check(images, [&[2, 19, 8, 7], &[3, 19, 9, 9], &[2, 19, 20, 6]], 4);
        let volumes = |shape: &[usize]| {
            let three = |values: [i64; 3]| Ints(values.to_vec());
            let nodes = vec![
                node("Conv", "x w", "a", &[("pads", Ints(vec![1; 6]))]),
                node("ConvTranspose", "a t", "y", &[("strides", three([1, 2, 2]))]),
            ];
            Fixture::new(shape, nodes)
                .varied("w", &[5, 3, 3, 3, 3])
                .varied("t", &[5, 4, 1, 2, 3])
        };
        check(volumes, [&[1, 3, 4, 5, 6], &[2, 3, 5, 4, 7], &[1, 3, 1, 1, 2]], 2);
        let sequences = |shape: &[usize]| {
            let nodes = vec![
                node("LSTM", "x w r", "a", &[("hidden_size", Int(3))]),
                node("MatMul", "a m", "y", &[]),
            ];
            Fixture::new(shape, nodes)
                .varied("w", &[1, 12, 4])
                .varied("r", &[1, 12, 3])
                .varied("m", &[3, 5])
        };
        check(sequences, [&[5, 2, 4], &[1, 3, 4], &[7, 2, 4]], 2);
    }
}
