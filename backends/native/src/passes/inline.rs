//! Writes an If whose condition is known, and a Loop whose rounds are known, as the nodes of their bodies.
//!
//! Exporters write them for code of PyTorch whose branches and lengths follow from shapes. As nodes of the
//! graph they have known shapes, kernels and one plan.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_model::AttributeValue;
use onnx_tensor::{Tensor, ValueType};

use super::infer;
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype};
use crate::ops::call::int64s;
use crate::ops::numbers::bools;
use crate::ops::{Form, Repetition};

/// The number of nodes that branches and rounds may still become: each body of the graph once, and
/// [`Room::MORE`].
pub struct Room(usize);

impl Room {
    const MORE: usize = 2048;

    /// Counts the nodes of all bodies; those of a body that several nodes share are counted once.
    pub fn of(graph: &Graph) -> Room {
        let (mut seen, mut left) = (HashSet::new(), vec![graph]);
        let mut count = Room::MORE;
        while let Some(graph) = left.pop() {
            let bodies = graph.nodes.iter().flat_map(|node| match &node.op {
                Op::If { branches, .. } => &branches[..],
                Op::Repeat { body, .. } => std::slice::from_ref(body),
                Op::Plain(_) | Op::Fused(_) => &[],
            });
            for body in bodies.filter(|body| seen.insert(Arc::as_ptr(body))) {
                count += body.nodes.len();
                left.push(body);
            }
        }
        Room(count)
    }

    /// Takes room for this number of nodes; `None` if there is less.
    fn take(&mut self, nodes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(nodes)?;
        Some(())
    }

    /// Returns the nodes that compute the same as a node with bodies; `None` if they are not known, or too
    /// many.
    pub fn inlined(&mut self, graph: &mut Graph, node: &Node) -> Option<Vec<Node>> {
        match &node.op {
            Op::If { branches, .. } => {
                let branch = &branches[usize::from(!truth(graph, node.input(0)?)?)];
                let captured = all(&node.inputs[1..])?;
                self.take(branch.nodes.len())?;
                let mut nodes = Vec::new();
                let results = Copied::new(graph, branch, &captured)?.nodes(&mut nodes)?;
                pass_on(graph, &mut nodes, node, &results)?;
                Some(nodes)
            }
            Op::Repeat {
                operator,
                own_inputs,
                body,
            } if matches!(operator.row.form, Form::Repeat(Repetition::While)) => {
                let rounds = Rounds::of(graph, node, *own_inputs, body)?;
                self.take(rounds.count.checked_mul(body.nodes.len() + 1)?)?;
                rounds.nodes(graph, node, body)
            }
            _ => None,
        }
    }
}

/// The rounds of a Loop.
struct Rounds {
    count: usize,
    condition: Option<ValueId>,
    carried: Vec<ValueId>,
    captured: Vec<ValueId>,
}

impl Rounds {
    /// Returns the rounds, if their number is known before the Loop runs.
    fn of(graph: &Graph, node: &Node, own_inputs: usize, body: &Graph) -> Option<Rounds> {
        let limit = match node.input(0) {
            Some(id) => match int64s(graph.constant(id)?).ok()?[..] {
                [limit] => Some(usize::try_from(limit.max(0)).ok()?),
                _ => return None,
            },
            None => None,
        };
        // Without a condition input, the condition output of the body does not end the Loop.
        let count = match node.input(1) {
            None => limit,
            Some(id) if !truth(graph, id)? => Some(0),
            Some(_) => {
                if goes_on(graph, node, own_inputs, body)? {
                    limit
                } else {
                    Some(limit.unwrap_or(1).min(1))
                }
            }
        }?;
        let carried = all(node.inputs.get(2..own_inputs).unwrap_or_default())?;
        let stacked = body.outputs.len().checked_sub(1 + carried.len())?;
        // The declared types say what shape a stack without elements has.
        (count > 0 || stacked == 0).then_some(Rounds {
            count,
            condition: node.input(1),
            carried,
            captured: all(&node.inputs[own_inputs..])?,
        })
    }

    /// Returns the nodes of all rounds, and those that pass on their results.
    fn nodes(self, graph: &mut Graph, node: &Node, body: &Graph) -> Option<Vec<Node>> {
        let yes = || Tensor::scalar(true);
        let given = self.condition;
        let mut condition = given.unwrap_or_else(|| graph.add_constant("condition", yes()));
        let mut carried = self.carried;
        let mut stacks = vec![Vec::new(); body.outputs.len() - 1 - carried.len()];
        let mut nodes = Vec::new();
        for round in 0..i64::try_from(self.count).ok()? {
            let number = graph.add_constant("round", Tensor::scalar(round));
            let inputs = [&[number, condition][..], &carried, &self.captured].concat();
            let results = Copied::new(graph, body, &inputs)?.nodes(&mut nodes)?;
            condition = results[0];
            let (next, scanned) = results[1..].split_at(carried.len());
            carried = next.to_vec();
            for (stack, &element) in stacks.iter_mut().zip(scanned) {
                stack.push(element);
            }
        }
        let first = graph.add_constant("axis", Tensor::vector(vec![0_i64]));
        let outputs = carried.len();
        pass_on(graph, &mut nodes, node, &carried)?;
        for (at, stack) in stacks.into_iter().enumerate() {
            let Some(result) = node.output(outputs + at) else {
                continue;
            };
            let mut rows = Vec::with_capacity(stack.len());
            for element in stack {
                let row = like(graph, "row", element)?;
                nodes.push(made(graph, "Unsqueeze", &[], node, &[element, first], row)?);
                rows.push(row);
            }
            let along = [("axis", AttributeValue::Int(0))];
            nodes.push(made(graph, "Concat", &along, node, &rows, result)?);
        }
        Some(nodes)
    }
}

/// Whether a Loop goes on after a round whose condition holds; `None` if it depends on the round.
fn goes_on(graph: &Graph, node: &Node, own_inputs: usize, body: &Graph) -> Option<bool> {
    let next = *body.outputs.first()?;
    match body.inputs.iter().position(|&id| id == next) {
        Some(1) => Some(true),
        Some(at) if at >= own_inputs => truth(graph, node.input(at)?),
        Some(_) => None,
        None => truth(body, next),
    }
}

/// Appends nodes that give the results of a body to the outputs of its node.
fn pass_on(graph: &Graph, nodes: &mut Vec<Node>, node: &Node, results: &[ValueId]) -> Option<()> {
    for (output, &result) in node.outputs.iter().zip(results) {
        if let Some(output) = *output {
            nodes.push(made(graph, "Identity", &[], node, &[result], output)?);
        }
    }
    Some(())
}

/// Makes a node of the newest version of an operator of `ai.onnx`, with the name of another node; `None` if
/// it does not support the types of these inputs.
pub fn made(
    graph: &Graph,
    operator: &str,
    attributes: &[(&str, AttributeValue)],
    named: &Node,
    inputs: &[ValueId],
    output: ValueId,
) -> Option<Node> {
    let newest = onnx_schema::versions("", operator).last()?.since;
    let node = Node {
        name: named.name.clone(),
        op: Op::Plain(Operator::make(operator, newest, attributes.iter().cloned())?),
        inputs: inputs.iter().copied().map(Some).collect(),
        outputs: vec![Some(output)],
    };
    infer::check_types(graph, &node).ok().map(|()| node)
}

/// Adds a value with the element type of another one; `None` if that is unknown.
pub fn like(graph: &mut Graph, name: &str, id: ValueId) -> Option<ValueId> {
    let known = ValueType::tensor(dtype(graph.known(id))?);
    Some(graph.add(name, Some(known), None))
}

/// Returns the values, if all of them are given.
fn all(ids: &[Option<ValueId>]) -> Option<Vec<ValueId>> {
    ids.iter().copied().collect()
}

/// Returns the only element of a constant condition.
fn truth(graph: &Graph, id: ValueId) -> Option<bool> {
    match bools(graph.constant(id)?).ok()?[..] {
        [value] => Some(value),
        _ => None,
    }
}

/// A copy of a body in the graph that has its node.
struct Copied<'a> {
    graph: &'a mut Graph,
    body: &'a Graph,
    /// The value of the graph for each value of the body that has one.
    ids: HashMap<ValueId, ValueId>,
}

impl<'a> Copied<'a> {
    /// Prepares a copy that reads `inputs`; `None` if the body has another number of inputs.
    fn new(graph: &'a mut Graph, body: &'a Graph, inputs: &[ValueId]) -> Option<Copied<'a>> {
        let ids = body.inputs.iter().copied().zip(inputs.iter().copied()).collect();
        (body.inputs.len() == inputs.len()).then_some(Copied { graph, body, ids })
    }

    /// Appends the nodes of the body; returns its results. `None` if their types do not fit: the run reports
    /// it.
    fn nodes(mut self, nodes: &mut Vec<Node>) -> Option<Vec<ValueId>> {
        for node in &self.body.nodes {
            let mut copy = node.clone();
            for id in copy.inputs.iter_mut().chain(&mut copy.outputs).flatten() {
                *id = self.value(*id);
            }
            infer::node(self.graph, &copy).ok()?;
            nodes.push(copy);
        }
        let body = self.body;
        Some(body.outputs.iter().map(|&id| self.value(id)).collect())
    }

    /// Returns the value of the graph. Shapes are inferred again: those of a body hold for all rounds.
    fn value(&mut self, id: ValueId) -> ValueId {
        if let Some(&known) = self.ids.get(&id) {
            return known;
        }
        let value = self.body.value(id);
        let known = match (&value.constant, dtype(value.known.as_ref())) {
            (None, Some(dtype)) => Some(ValueType::tensor(dtype)),
            _ => value.known.clone(),
        };
        let new = self.graph.add(value.name.clone(), known, value.constant.clone());
        self.ids.insert(id, new);
        new
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node};
    use onnx_tensor::Tensor;

    use super::super::{constants, dead, identity};
    use crate::fixture::{Fixture, body, device, node};

    /// Checks the nodes that constant folding leaves.
    #[track_caller]
    fn check(nodes: Vec<Node>, expected: &[&str]) {
        Fixture::new(&[2, 3], nodes)
            .constant("yes", Tensor::scalar(true))
            .constant("no", Tensor::scalar(false))
            .constant("three", Tensor::scalar(3_i64))
            .constant("many", Tensor::scalar(4000_i64))
            .constant("two", Tensor::scalar(2.0_f32))
            .check(
                &[
                    |graph| constants::run(graph, &device(1)),
                    identity::run,
                    dead::run,
                ],
                expected,
            );
    }

    fn repeated(inputs: &str, nodes: Vec<Node>, outputs: &str) -> Vec<Node> {
        let body = body("round go carried", nodes, outputs);
        vec![node("Loop", inputs, "y", &[("body", body)])]
    }

    fn raised() -> Vec<Node> {
        vec![node("Add", "carried two", "next", &[])]
    }

    #[test]
    fn the_branch_that_a_known_condition_takes_remains() {
        for (condition, expected) in [("yes", "Exp-13"), ("no", "Neg-13")] {
            let branches = [
                ("then_branch", body("", vec![node("Exp", "x", "out", &[])], "out")),
                ("else_branch", body("", vec![node("Neg", "x", "out", &[])], "out")),
            ];
            check(vec![node("If", condition, "y", &branches)], &[expected]);
        }
    }

    #[test]
    fn known_rounds_are_nodes() {
        check(repeated("three yes x", raised(), "go next"), &["Add-14"; 3]);
        check(repeated("three yes x", raised(), "yes next"), &["Add-14"; 3]);
        check(repeated("three yes x", raised(), "no next"), &["Add-14"]);
        // The condition of a Loop in a file is often a node.
        let is = |value: i64| ("value_ints", AttributeValue::Ints(vec![value]));
        for (value, rounds) in [(1, 3), (0, 1)] {
            let mut nodes = vec![
                node("Constant", "", "number", &[is(value)]),
                node("Cast", "number", "flag", &[("to", AttributeValue::Int(9))]),
            ];
            nodes.extend(repeated("three yes x", raised(), "flag next"));
            check(nodes, &vec!["Add-14"; rounds]);
        }
        check(repeated("three no x", raised(), "go next"), &[]);
        check(repeated("many yes x", raised(), "go next"), &["Loop-19"]);
        let ends = || {
            vec![
                node("Mul", "carried two", "next", &[]),
                node(
                    "ReduceMax",
                    "next",
                    "most",
                    &[("keepdims", AttributeValue::Int(0))],
                ),
                node("Less", "most two", "small", &[]),
            ]
        };
        check(repeated("three yes x", ends(), "small next"), &["Loop-19"]);
    }

    #[test]
    fn results_of_each_round_are_stacked() {
        let nodes = vec![
            node("Cast", "round", "number", &[("to", AttributeValue::Int(1))]),
            node("Add", "carried number", "next", &[]),
        ];
        let mut all = repeated("three yes x", nodes, "go next next");
        all[0].outputs = vec![String::new(), "rows".to_owned()];
        all.push(node("Neg", "rows", "y", &[]));
        let stack = ["Unsqueeze-25"; 3];
        let expected = [&["Add-14"; 3][..], &stack, &["Concat-13", "Neg-13"]].concat();
        check(all, &expected);
    }

    #[test]
    fn loops_of_loops_are_nodes() {
        let inner = body("round go carried", raised(), "go next");
        let nodes = vec![node("Loop", "three yes carried", "out", &[("body", inner)])];
        check(repeated("three yes x", nodes, "go out"), &["Add-14"; 9]);
    }

    /// A branch in a loop would become as many nodes as the product of both.
    #[test]
    fn the_number_of_nodes_is_bounded() {
        let name = |at: usize| match at {
            0 => "carried".to_owned(),
            20 => "out".to_owned(),
            at => format!("v{at}"),
        };
        let chain = || {
            let links = (0..20).map(|at| node("Neg", &name(at), &name(at + 1), &[]));
            body("", links.collect(), "out")
        };
        let branches = [("then_branch", chain()), ("else_branch", chain())];
        let nodes = vec![node("If", "yes", "next", &branches)];
        let fixture = Fixture::new(&[2, 3], repeated("thousand yes x", nodes, "go next"))
            .constant("yes", Tensor::scalar(true))
            .constant("thousand", Tensor::scalar(1000_i64));
        let mut graph = fixture.graph();
        constants::run(&mut graph, &device(1)).expect("types fit");
        let count = graph.nodes.len();
        assert!((1000..2200).contains(&count), "{count} nodes");
    }
}
