//! A loaded model.

use backend_api::{BackendError, Named, Placement, Profile, Session, Switch};
use tract_linalg::multithread::Executor;
use tract_onnx::prelude::{
    DatumType, InferenceFact, InferenceModel, InferenceModelExt, IntoTValue, RunOptions, Tensor, TractResult,
    TypedNode,
};

use crate::DEVICE;
use crate::interface::Interface;
use crate::parse::{Parsed, load_error};
use crate::profile::{Plan, profile};

/// The element type and shape of an input.
type InputFact = (DatumType, Vec<usize>);

/// The settings for compiling plans.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Whether the graph is optimized.
    pub optimize: Switch,
    /// The threads that the plan runs on.
    pub executor: Executor,
}

impl Compiler {
    fn compile(&self, graph: InferenceModel) -> TractResult<Plan> {
        let typed = graph.into_typed()?;
        let typed = match self.optimize {
            Switch::On => typed.into_optimized()?,
            Switch::Off => typed.into_decluttered()?,
        };
        typed.into_runnable_with_options(&RunOptions {
            executor: Some(self.executor.clone()),
            ..RunOptions::default()
        })
    }
}

/// A model with the plan that runs it.
pub struct TractSession {
    interface: Interface,
    plan: Planned,
}

/// When a plan is compiled.
enum Planned {
    /// At load: every extent is known.
    Once(Plan),
    /// At a run whose inputs differ in shape from those of the run before. The file leaves some extents open,
    /// and operators of tract differ in their support for unknown extents; at a run, all are known.
    ForShapes {
        graph: Box<InferenceModel>,
        compiler: Compiler,
        latest: Option<(Vec<InputFact>, Plan)>,
    },
}

impl TractSession {
    /// Compiles the model at load, unless an extent is open.
    pub fn new(parsed: Parsed, compiler: &Compiler) -> Result<TractSession, BackendError> {
        let plan = if parsed.has_fixed_shapes() {
            Planned::Once(compiler.compile(parsed.graph).map_err(load_error)?)
        } else {
            let (graph, compiler) = (Box::new(parsed.graph), compiler.clone());
            Planned::ForShapes {
                graph,
                compiler,
                latest: None,
            }
        };
        Ok(TractSession {
            interface: parsed.interface,
            plan,
        })
    }

    /// Whether a plan is compiled.
    pub fn is_compiled(&self) -> bool {
        matches!(self.plan, Planned::Once(_))
    }
}

/// The placement of a node: the processor, the only device here.
fn placement(node: &TypedNode) -> Placement {
    Placement {
        node: node.name.clone(),
        operator: Some(node.op.name().into_owned()),
        provider: DEVICE.to_owned(),
    }
}

impl Planned {
    /// Returns the plan of the last run, or the only plan.
    fn latest(&self) -> Option<&Plan> {
        match self {
            Planned::Once(plan) => Some(plan),
            Planned::ForShapes { latest, .. } => latest.as_ref().map(|(_, plan)| plan),
        }
    }

    /// Returns the plan for these inputs.
    fn for_inputs(&mut self, inputs: &[Tensor]) -> TractResult<&Plan> {
        let (graph, compiler, latest) = match self {
            Planned::Once(plan) => return Ok(plan),
            Planned::ForShapes {
                graph,
                compiler,
                latest,
            } => (graph, compiler, latest),
        };
        let facts = inputs
            .iter()
            .map(|input| (input.datum_type(), input.shape().to_vec()));
        let facts: Vec<InputFact> = facts.collect();
        let latest = match latest.take() {
            Some((known, plan)) if known == facts => latest.insert((known, plan)),
            _ => {
                let plan = compiler.compile(with_inputs(graph, &facts)?)?;
                latest.insert((facts, plan))
            }
        };
        Ok(&latest.1)
    }
}

/// Returns the graph for inputs of these element types and shapes.
fn with_inputs(graph: &InferenceModel, facts: &[InputFact]) -> TractResult<InferenceModel> {
    let mut fixed = graph.clone();
    for (&outlet, (datum_type, shape)) in graph.inputs.iter().zip(facts) {
        fixed.set_outlet_fact(outlet, InferenceFact::dt_shape(*datum_type, shape))?;
    }
    Ok(fixed)
}

impl Session for TractSession {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let run_error = |error| BackendError::run(format!("{error:#}"));
        let tensors = self.interface.feed(inputs)?;
        let plan = self.plan.for_inputs(&tensors).map_err(run_error)?;
        let values = tensors.into_iter().map(IntoTValue::into_tvalue).collect();
        let outputs = plan.run(values).map_err(run_error)?;
        self.interface.fetch(&outputs)
    }

    fn profile(&mut self, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        let tensors = self.interface.feed(inputs)?;
        let plan = self.plan.for_inputs(&tensors);
        plan.and_then(|plan| profile(plan, &tensors, runs))
            .map_err(|error| BackendError::run(format!("{error:#}")))
    }

    fn placement(&self) -> Vec<Placement> {
        let placed = |plan: &Plan| {
            let nodes = plan.model().nodes().iter();
            // A node without inputs is a source or a constant.
            nodes
                .filter(|node| !node.inputs.is_empty())
                .map(placement)
                .collect()
        };
        self.plan.latest().map(placed).unwrap_or_default()
    }
}
