//! From a graph with settled shapes to steps, each bound to its kernel and to where its values lie.

use std::ops::Range;
use std::sync::Arc;

use onnx_tensor::{DType, Value};

use super::Program;
use super::arena::{Allocation, keep_until, place};
use super::join::join;
use super::profile::Profile;
use crate::error::{NodeError, Problem, invalid};
use crate::ir::{Graph, Layout, Node, Op, ValueId, dtype};
use crate::kernels::{Device, Kernel, Lowered, Use, copy_each, lower, words};

/// A graph bound to shapes, kernels and places.
pub struct Plan {
    pub steps: Vec<Step>,
    pub inputs: Vec<ValueId>,
    pub outputs: Vec<(String, Source)>,
    /// How many values there are.
    pub values: usize,
    /// Words of the arena.
    pub arena: usize,
    /// What each step took, if that is asked for.
    pub profile: Option<Profile>,
}

/// What happens at once.
pub struct Step {
    /// The node, for messages.
    pub node: Node,
    pub action: Action,
    /// Values that nothing reads after it.
    pub spent: Vec<ValueId>,
}

/// What a step does.
pub enum Action {
    /// A kernel, from and to places that are known.
    Kernel {
        kernel: Box<dyn Kernel>,
        reads: Vec<Source>,
        writes: Vec<Place>,
    },
    /// The node over whole values; with the programs of its bodies.
    General {
        reads: Vec<Option<Source>>,
        bodies: Vec<Program>,
    },
    /// A fused node whose shapes are known only when it runs.
    Deferred { reads: Vec<Option<Source>> },
}

/// Where in the arena a value lies.
#[derive(Clone, Debug)]
pub struct Place {
    /// The words.
    pub words: Range<usize>,
    /// What they hold.
    pub dtype: DType,
    /// How many elements of it.
    pub length: usize,
}

impl Place {
    /// A part of a value whose elements are words.
    fn part(&self, range: &Range<usize>) -> Place {
        Place {
            words: self.words.start + range.start..self.words.start + range.end,
            dtype: self.dtype,
            length: range.len(),
        }
    }
}

/// Where a value is read from.
#[derive(Clone, Debug)]
pub enum Source {
    /// From the arena, as a tensor of this shape.
    Arena(Place, Vec<usize>),
    /// What an earlier step gave, or an input of the graph.
    Value(ValueId),
    /// A constant.
    Constant(Value),
}

/// Operators whose result is their first input under another shape.
const VIEWS: [&str; 6] = [
    "Reshape",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Identity",
    "Dropout",
];

struct Planner<'a> {
    graph: Graph,
    device: &'a Arc<Device>,
    tenants: Vec<Allocation>,
    /// Elements of each tenant.
    lengths: Vec<usize>,
    /// For each value the tenant of the arena that it is, if it is one.
    homes: Vec<Option<usize>>,
    last_use: Vec<usize>,
    /// Constants that a step reads when it runs.
    needed: Vec<bool>,
}

/// A step before places are known.
enum Draft {
    Kernel(Box<dyn Kernel>, Vec<usize>),
    /// Copies these inputs to these places of the only output.
    Copies(Vec<usize>, Vec<Range<usize>>),
    View,
    General(Vec<Program>),
    Deferred,
}

impl Plan {
    /// Of a graph whose shapes are settled as far as they can be.
    pub fn new(graph: Graph, device: &Arc<Device>) -> Result<Plan, NodeError> {
        let mut planner = Planner {
            homes: vec![None; graph.values.len()],
            needed: vec![false; graph.values.len()],
            last_use: last_uses(&graph),
            graph,
            device,
            tenants: Vec::new(),
            lengths: Vec::new(),
        };
        let nodes = std::mem::take(&mut planner.graph.nodes);
        let mut drafts = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let draft = planner.draft(at, node).map_err(|problem| NodeError {
                node: node.name.clone(),
                operator: node.op.label(),
                problem,
            })?;
            planner.release(at, node, &draft);
            drafts.push(draft);
        }
        let (offsets, arena) = place(&planner.tenants);
        let Planner {
            graph,
            tenants,
            lengths,
            homes,
            last_use,
            ..
        } = planner;
        let place_of = |id: ValueId| {
            let home = homes[id.index()]?;
            Some(Place {
                words: offsets[home]..offsets[home] + tenants[home].length,
                dtype: dtype(graph.known(id))?,
                length: lengths[home],
            })
        };
        let source = |id: ValueId| {
            if let Some(constant) = &graph.value(id).constant {
                return Source::Constant(constant.clone());
            }
            match (place_of(id), graph.shape_of(id)) {
                (Some(place), Some(shape)) => Source::Arena(place, shape),
                _ => Source::Value(id),
            }
        };
        let outputs = graph
            .outputs
            .iter()
            .map(|&id| (graph.value(id).name.clone(), source(id)))
            .collect();
        let mut steps = Vec::with_capacity(drafts.len());
        for (at, (node, draft)) in nodes.into_iter().zip(drafts).enumerate() {
            let all = || node.inputs.iter().map(|id| id.map(source)).collect::<Vec<_>>();
            let action = match draft {
                Draft::View => continue,
                Draft::General(bodies) => Action::General { reads: all(), bodies },
                Draft::Deferred => Action::Deferred { reads: all() },
                // Only these places are written: what stands in the others may be read by the same step.
                Draft::Copies(reads, places) => Action::Kernel {
                    kernel: copy_each(),
                    reads: reads
                        .into_iter()
                        .filter_map(|position| node.input(position))
                        .map(source)
                        .collect(),
                    writes: node
                        .only_output()
                        .and_then(place_of)
                        .map_or_else(Vec::new, |whole| {
                            places.iter().map(|part| whole.part(part)).collect()
                        }),
                },
                Draft::Kernel(kernel, reads) => Action::Kernel {
                    kernel,
                    reads: reads
                        .into_iter()
                        .filter_map(|position| node.input(position))
                        .map(source)
                        .collect(),
                    writes: node
                        .outputs
                        .iter()
                        .flatten()
                        .filter_map(|&id| place_of(id))
                        .collect(),
                },
            };
            let touched = node.inputs.iter().chain(&node.outputs).flatten();
            let spent = touched
                .copied()
                .filter(|id| homes[id.index()].is_none() && last_use[id.index()] <= at);
            let spent = spent.collect();
            steps.push(Step { node, action, spent });
        }
        Ok(Plan {
            steps,
            inputs: graph.inputs.clone(),
            outputs,
            values: graph.values.len(),
            arena,
            profile: device.profile.clone().map(Profile::new),
        })
    }
}

impl Planner<'_> {
    fn draft(&mut self, at: usize, node: &Node) -> Result<Draft, Problem> {
        if self.is_view(node) {
            return Ok(Draft::View);
        }
        if let Some(used) = Use::of(&self.graph, node)
            && let Some(lowered) = lower(&used, self.device)?
        {
            for (output, length) in node.outputs.iter().zip(&lowered.lengths) {
                let Some(id) = *output else { continue };
                self.homes[id.index()] = Some(self.tenants.len());
                let last = self.last_use[id.index()].max(at);
                let taken = dtype(self.graph.known(id)).and_then(|dtype| words(dtype, *length));
                let Some(taken) = taken else {
                    return invalid("a kernel gives what the arena does not hold");
                };
                self.tenants.push(Allocation::new(taken, at, last));
                self.lengths.push(*length);
            }
            return Ok(self.joined(node, lowered));
        }
        let blocked = |id: &ValueId| self.graph.value(*id).layout != Layout::Plain;
        if node.inputs.iter().chain(&node.outputs).flatten().any(blocked) {
            return invalid("a blocked image is given to a node that has no kernel for it");
        }
        let program = |body: &Arc<Graph>| {
            Program::of_body(Arc::clone(body), Arc::clone(self.device)).map_err(|error| error.problem)
        };
        Ok(match &node.op {
            Op::Fused(_) => Draft::Deferred,
            Op::Plain(_) => Draft::General(Vec::new()),
            Op::If { branches, .. } => {
                Draft::General(branches.iter().map(program).collect::<Result<_, _>>()?)
            }
            Op::Repeat { body, .. } => Draft::General(vec![program(body)?]),
        })
    }

    /// Gives back the memory of constants that went into kernels and that nothing reads any more.
    fn release(&mut self, at: usize, node: &Node, draft: &Draft) {
        let mut kept = vec![matches!(draft, Draft::General(_) | Draft::Deferred); node.inputs.len()];
        if let Draft::Kernel(_, reads) | Draft::Copies(reads, _) = draft {
            reads.iter().for_each(|&position| kept[position] = true);
        }
        for (input, kept) in node.inputs.iter().zip(kept) {
            let Some(id) = *input else { continue };
            self.needed[id.index()] |= kept;
            if !self.needed[id.index()] && self.last_use[id.index()] == at {
                self.graph.values[id.index()].constant = None;
            }
        }
    }

    /// Whether the node's result is its input in the arena under another shape; then it lives as long as both.
    fn is_view(&mut self, node: &Node) -> bool {
        let (Some(input), Some(output), Op::Plain(operator)) = (node.input(0), node.only_output(), &node.op)
        else {
            return false;
        };
        let name = operator.schema.name;
        let (Some(home), true) = (self.homes[input.index()], VIEWS.contains(&name)) else {
            return false;
        };
        let same_count = match (self.graph.shape_of(input), self.graph.shape_of(output)) {
            (Some(from), Some(to)) => from.iter().product::<usize>() == to.iter().product::<usize>(),
            _ => false,
        };
        let plain = self.graph.value(input).layout == self.graph.value(output).layout;
        let kept = dtype(self.graph.known(output)) == dtype(self.graph.known(input));
        let draws = name == "Dropout" && (operator.schema.since < 7 || node.input(2).is_some());
        if !(same_count && plain && kept) || draws {
            return false;
        }
        self.homes[output.index()] = Some(home);
        keep_until(&mut self.tenants, home, self.last_use[output.index()]);
        true
    }

    /// The kernel, of a concatenation as much of it as is left to do.
    fn joined(&mut self, node: &Node, lowered: Lowered) -> Draft {
        let Some(places) = lowered.places else {
            return Draft::Kernel(lowered.kernel, lowered.reads);
        };
        let operands = lowered
            .reads
            .iter()
            .map(|&at| self.homes[node.input(at)?.index()]);
        let operands: Vec<Option<usize>> = operands.collect();
        let whole = self.tenants.len() - 1;
        let copied = join(&mut self.tenants, whole, &operands, &places);
        match copied.is_empty() {
            true => Draft::View,
            false => Draft::Copies(
                copied.iter().map(|&at| lowered.reads[at]).collect(),
                copied.iter().map(|&at| places[at].clone()).collect(),
            ),
        }
    }
}

/// For each value the last node that reads or defines it; outputs of the graph live to the end.
fn last_uses(graph: &Graph) -> Vec<usize> {
    let mut last = vec![0; graph.values.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        node.inputs
            .iter()
            .chain(&node.outputs)
            .flatten()
            .for_each(|id| last[id.index()] = at);
    }
    graph.outputs.iter().for_each(|id| last[id.index()] = usize::MAX);
    last
}
