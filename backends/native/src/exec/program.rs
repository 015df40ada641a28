//! A graph with the plans made of it so far.

use std::sync::Arc;

use onnx_tensor::Value;

use super::plan::Plan;
use super::run::Memory;
use super::specialize::{Signature, declared, signature, specialize};
use crate::error::{NodeError, Problem};
use crate::ir::Graph;
use crate::kernels::Device;

/// Plans that are kept; with more shapes than this the oldest is made again when it comes back.
const MAX_PLANS: usize = 8;

/// A graph made ready to run, any number of times.
pub struct Program {
    /// What plans are made of; `None` where no input is open and the only plan is made.
    graph: Option<Arc<Graph>>,
    device: Arc<Device>,
    plans: Vec<(Signature, Plan)>,
    memory: Memory,
}

impl Program {
    /// Of a graph. Where its inputs leave nothing open the plan is made now, and the graph is given up.
    pub fn new(graph: Graph, device: Arc<Device>) -> Result<Program, NodeError> {
        let mut program = Program::empty(device);
        match declared(&graph) {
            Some(signature) => program.add(graph, signature)?,
            None => program.graph = Some(Arc::new(graph)),
        }
        Ok(program)
    }

    /// Of a body: what it declares of its inputs need not hold.
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

    /// One run of a whole model, which may make as many steps as any run.
    pub fn run_model(&mut self, inputs: Vec<Option<Value>>) -> Result<Vec<Value>, NodeError> {
        self.device.steps.reset();
        self.run(inputs)
    }

    /// Charges a round of a loop that hands on these values.
    pub fn charge(&self, values: &[Option<Value>]) -> Result<(), Problem> {
        let elements = |value: &Value| match value {
            Value::Sequence(list) => list.values.len(),
            _ => 0,
        };
        let elements: usize = values.iter().flatten().map(elements).sum();
        self.device.steps.charge(1 + elements)
    }

    /// One run, of a model or of a body; an input that is not fed is `None`.
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

    /// The error of inputs that are not what the file declares.
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
            Some(Some(found)) => format!("{found:?}"),
            _ => "nothing".to_owned(),
        };
        NodeError {
            node: format!("input {differs}"),
            operator: "input".to_owned(),
            problem: Problem::Invalid(format!(
                "the model declares {}, it is fed {}",
                text(declared),
                text(given)
            )),
        }
    }
}
