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
            None => program.graph = Some(Arc::new(graph)),
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
        let settled = specialize(graph, &signature, &self.device)?;
        let plan = Plan::new(settled, &self.device)?;
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
