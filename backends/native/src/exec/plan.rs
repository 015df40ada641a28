//! Compiles a graph with known shapes to steps, each with its kernel and the locations of its values.

use std::ops::Range;
use std::sync::Arc;

use onnx_tensor::{DType, Value};

use super::Program;
use super::arena::{Allocation, keep_until, place};
use super::deferred::Deferred;
use super::join::join;
use super::profile::Profile;
use crate::error::{NodeError, Problem, invalid};
use crate::ir::{Graph, Layout, Node, Op, Operator, ValueId, dtype};
use crate::kernels::{Device, Kernel, Lowered, Use, copy_each, lower, words};
use crate::ops::fast::Fast;

/// A graph compiled for the shapes of its inputs.
pub struct Plan {
    pub steps: Vec<Step>,
    pub inputs: Vec<ValueId>,
    pub outputs: Vec<(String, Source)>,
    /// The nodes whose results are their inputs with another shape: no step runs them.
    pub views: Vec<View>,
    /// The number of values.
    pub values: usize,
    /// The size of the arena in words.
    pub arena: usize,
    /// The times of the steps, if they are measured.
    pub profile: Option<Profile>,
}

/// A node that no step runs, for profiles.
pub struct View {
    pub name: String,
    pub operator: String,
    /// Its result.
    pub output: Planned,
}

/// A value as far as it is known before a run.
pub struct Planned {
    pub id: ValueId,
    pub name: String,
    pub dtype: Option<DType>,
    pub shape: Option<Vec<usize>>,
}

/// One step of a plan.
pub struct Step {
    /// The node, for messages.
    pub node: Node,
    pub action: Action,
    /// The outputs for which later steps are planned; `None` for an unused one.
    pub outputs: Vec<Option<Planned>>,
    /// The values that no later step reads.
    pub dead: Vec<ValueId>,
}

/// The action of a step.
pub enum Action {
    /// Runs a kernel; its operands and results have known locations.
    Kernel {
        kernel: Box<dyn Kernel>,
        reads: Vec<Source>,
        writes: Vec<Place>,
    },
    /// Runs the node over whole values, with the programs of its bodies.
    General {
        reads: Vec<Option<Source>>,
        bodies: Vec<Program>,
    },
    /// Runs a node whose shapes are known only when it runs.
    Deferred {
        reads: Vec<Option<Source>>,
        deferred: Deferred,
    },
}

/// The location of a value in the arena.
#[derive(Clone, Debug)]
pub struct Place {
    /// The range of words.
    pub words: Range<usize>,
    /// The element type.
    pub dtype: DType,
    /// The number of elements.
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

/// The location of an operand.
#[derive(Clone, Debug)]
pub enum Source {
    /// In the arena, as a tensor of this shape.
    Arena(Place, Vec<usize>),
    /// A result of an earlier step, or an input of the graph.
    Value(ValueId),
    Constant(Value),
}

struct Planner<'a> {
    graph: Graph,
    device: &'a Arc<Device>,
    allocations: Vec<Allocation>,
    /// The number of elements of each allocation.
    lengths: Vec<usize>,
    /// The allocation of each value, if it is in the arena.
    allocation_of: Vec<Option<usize>>,
    last_use: Vec<usize>,
    /// Whether a step reads the constant at run time.
    needed: Vec<bool>,
}

/// A step before values are placed.
enum Draft {
    Kernel(Box<dyn Kernel>, Vec<usize>),
    /// Copies these inputs to these ranges of the only output.
    Copies(Vec<usize>, Vec<Range<usize>>),
    View,
    General(Vec<Program>),
    Deferred,
}

impl Plan {
    /// Compiles a graph whose shapes are known as far as possible.
    pub fn new(graph: Graph, device: &Arc<Device>) -> Result<Plan, NodeError> {
        let mut planner = Planner {
            allocation_of: vec![None; graph.values.len()],
            needed: vec![false; graph.values.len()],
            last_use: last_uses(&graph),
            graph,
            device,
            allocations: Vec::new(),
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
        let (offsets, arena) = place(&planner.allocations);
        let Planner {
            graph,
            allocations,
            lengths,
            allocation_of,
            last_use,
            ..
        } = planner;
        let place_of = |id: ValueId| {
            let allocation = allocation_of[id.index()]?;
            Some(Place {
                words: offsets[allocation]..offsets[allocation] + allocations[allocation].length,
                dtype: dtype(graph.known(id))?,
                length: lengths[allocation],
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
        let planned = |id: ValueId| Planned {
            id,
            name: graph.value(id).name.clone(),
            dtype: dtype(graph.known(id)),
            shape: graph.shape_of(id),
        };
        let outputs = graph
            .outputs
            .iter()
            .map(|&id| (graph.value(id).name.clone(), source(id)))
            .collect();
        let (mut steps, mut views) = (Vec::with_capacity(drafts.len()), Vec::new());
        for (at, (node, draft)) in nodes.into_iter().zip(drafts).enumerate() {
            let all = || node.inputs.iter().map(|id| id.map(source)).collect::<Vec<_>>();
            let action = match draft {
                Draft::View => {
                    let view = node.only_output().map(|id| View {
                        name: node.name.clone(),
                        operator: node.op.label(),
                        output: planned(id),
                    });
                    views.extend(view);
                    continue;
                }
                Draft::General(bodies) => Action::General { reads: all(), bodies },
                Draft::Deferred => {
                    let reads = all();
                    let constant = |read: &Option<Source>| matches!(read, Some(Source::Constant(_)));
                    let deferred = Deferred::new(reads.iter().map(constant).collect());
                    Action::Deferred { reads, deferred }
                }
                // Only these ranges are borrowed for writing, because the same step may read the others.
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
            let dead = touched
                .copied()
                .filter(|id| allocation_of[id.index()].is_none() && last_use[id.index()] <= at);
            let dead = dead.collect();
            let outputs = node.outputs.iter().map(|id| id.map(planned)).collect();
            steps.push(Step {
                node,
                action,
                outputs,
                dead,
            });
        }
        Ok(Plan {
            steps,
            inputs: graph.inputs.clone(),
            outputs,
            views,
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
        let used = Use::of(&self.graph, node);
        let known = used.is_some();
        if let Some(used) = used
            && let Some(lowered) = lower(&used, self.device)?
        {
            for (&id, length) in node.outputs.iter().flatten().zip(&lowered.lengths) {
                self.allocation_of[id.index()] = Some(self.allocations.len());
                let last = self.last_use[id.index()].max(at);
                let taken = dtype(self.graph.known(id)).and_then(|dtype| words(dtype, *length));
                let Some(taken) = taken else {
                    return invalid("the arena cannot hold the result of a kernel");
                };
                self.allocations.push(Allocation::new(taken, at, last));
                self.lengths.push(*length);
            }
            return Ok(self.joined(node, lowered));
        }
        let blocked = |id: &ValueId| self.graph.value(*id).layout != Layout::Plain;
        if node.inputs.iter().chain(&node.outputs).flatten().any(blocked) {
            return invalid("a node without a kernel reads a blocked image");
        }
        let program = |body: &Arc<Graph>| {
            Program::of_body(Arc::clone(body), Arc::clone(self.device)).map_err(|error| error.problem)
        };
        Ok(match &node.op {
            Op::Fused(_) => Draft::Deferred,
            Op::Plain(operator) if operator.row.fast.is_some() && !known => Draft::Deferred,
            Op::Plain(_) => Draft::General(Vec::new()),
            Op::If { branches, .. } => {
                Draft::General(branches.iter().map(program).collect::<Result<_, _>>()?)
            }
            Op::Repeat { body, .. } => Draft::General(vec![program(body)?]),
        })
    }

    /// Frees constants that are packed into kernels and that no other node reads.
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

    /// Whether the node's result is its input in the arena with another shape. The allocation then lives as
    /// long as both.
    fn is_view(&mut self, node: &Node) -> bool {
        let (Some(input), Some(output), Op::Plain(operator)) = (node.input(0), node.only_output(), &node.op)
        else {
            return false;
        };
        let turns = matches!(operator.row.fast, Some(Fast::Transpose));
        let view = operator.row.view || (turns && self.keeps_order(input, operator));
        let (Some(allocation), true) = (self.allocation_of[input.index()], view) else {
            return false;
        };
        let same_count = match (self.graph.shape_of(input), self.graph.shape_of(output)) {
            (Some(from), Some(to)) => from.iter().product::<usize>() == to.iter().product::<usize>(),
            _ => false,
        };
        let plain = self.graph.value(input).layout == self.graph.value(output).layout;
        let kept = dtype(self.graph.known(output)) == dtype(self.graph.known(input));
        // A third input is the training mode of a Dropout.
        let draws = node.input(2).is_some();
        if !(same_count && plain && kept) || draws {
            return false;
        }
        self.allocation_of[output.index()] = Some(allocation);
        keep_until(&mut self.allocations, allocation, self.last_use[output.index()]);
        true
    }

    /// Whether a Transpose moves only axes of extent 1, so that the elements keep their order.
    fn keeps_order(&self, input: ValueId, operator: &Operator) -> bool {
        let Some(shape) = self.graph.shape_of(input) else {
            return false;
        };
        let order = match operator.attributes.ints("perm") {
            Ok(Some(order)) => order.iter().map(|&axis| usize::try_from(axis).ok()).collect(),
            _ => (0..shape.len()).rev().map(Some).collect::<Option<Vec<_>>>(),
        };
        let moved = order.filter(|order| order.len() == shape.len());
        moved.is_some_and(|order| {
            let long = |axis: &usize| shape.get(*axis).is_some_and(|&extent| extent != 1);
            order.into_iter().filter(long).is_sorted()
        })
    }

    /// Returns the kernel; for a concatenation, only the copies that remain.
    fn joined(&mut self, node: &Node, lowered: Lowered) -> Draft {
        let Some(places) = lowered.places else {
            return Draft::Kernel(lowered.kernel, lowered.reads);
        };
        let operands = lowered
            .reads
            .iter()
            .map(|&at| self.allocation_of[node.input(at)?.index()]);
        let operands: Vec<Option<usize>> = operands.collect();
        let whole = self.allocations.len() - 1;
        let copied = join(&mut self.allocations, whole, &operands, &places);
        if copied.is_empty() {
            Draft::View
        } else {
            Draft::Copies(
                copied.iter().map(|&at| lowered.reads[at]).collect(),
                copied.iter().map(|&at| places[at].clone()).collect(),
            )
        }
    }
}

/// Returns the last node that reads or defines each value; outputs of the graph live to the end.
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
