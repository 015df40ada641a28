//! Replaces operators that are compositions by their nodes, once their operands are known well enough, so
//! that all later passes and kernels serve the result. Inference reads the types of their results from the
//! same nodes.

use std::collections::BTreeMap;

use onnx_tensor::{DType, Dim, Tensor, ValueType};

use super::{Report, infer};
use crate::error::{NodeError, Problem};
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype, shape};
use crate::kernels::serves;
use crate::ops::Form;
use crate::ops::compose::{Compose, Composition, Given, Halt, Id, Writer};
use crate::ops::shapes::Shapes;

/// Replaces each composed operator whose operands are known well enough. A node that is invalid here is so at
/// run time and reports it there: a branch that is not taken must not fail the load.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for node in std::mem::take(&mut graph.nodes) {
        infer::node(graph, &node)?;
        match nodes(graph, &node) {
            Err(error) if error.is_fault_of_model() => graph.nodes.push(node),
            Err(error) => return Err(error),
            Ok(Some(nodes)) => {
                let (name, label) = (&node.name, node.op.label());
                report.push(format!("`{name}` ({label}) is {} nodes", nodes.len()));
                for made in &nodes {
                    infer::node(graph, made)?;
                }
                graph.nodes.extend(nodes);
            }
            Ok(None) => graph.nodes.push(node),
        }
    }
    Ok(report)
}

/// Writes nodes whose values are in a graph.
struct Nodes<'g> {
    graph: &'g mut Graph,
    name: &'g str,
    made: Vec<Node>,
}

impl Writer for Nodes<'_> {
    fn dtype(&self, id: Id) -> Option<DType> {
        dtype(self.graph.known(ValueId(id.0)))
    }

    fn dims(&self, id: Id) -> Option<Vec<Dim>> {
        shape(self.graph.known(ValueId(id.0))).map(<[Dim]>::to_vec)
    }

    fn elements(&self, id: Id) -> Option<&Tensor> {
        self.graph.constant(ValueId(id.0))
    }

    fn constant(&mut self, tensor: Tensor) -> Id {
        Id(self
            .graph
            .add_constant(format!("{}.constant", self.name), tensor)
            .0)
    }

    fn node(
        &mut self,
        (operator, opset): (&str, u32),
        inputs: &[Option<Id>],
        attributes: Given<'_>,
        results: usize,
    ) -> Result<Vec<Id>, Problem> {
        let made = Operator::make(operator, opset, attributes.iter().cloned());
        let made = made.ok_or_else(|| Problem::Unsupported(format!("{operator} is not implemented")))?;
        let outputs: Vec<ValueId> = (0..results)
            .map(|_| self.graph.add(format!("{}.{operator}", self.name), None, None))
            .collect();
        let node = Node {
            name: self.name.to_owned(),
            op: Op::Plain(made),
            inputs: inputs.iter().map(|id| id.map(|id| ValueId(id.0))).collect(),
            outputs: outputs.iter().copied().map(Some).collect(),
        };
        infer::node(self.graph, &node).map_err(|error| error.problem)?;
        self.made.push(node);
        Ok(outputs.into_iter().map(|id| Id(id.0)).collect())
    }
}

/// Returns the composition of a node's operator, if it is one.
fn of(node: &Node) -> Option<(&Operator, Compose)> {
    match &node.op {
        Op::Plain(operator) => match operator.row.form {
            Form::Composed(compose) => Some((operator, compose)),
            _ => None,
        },
        _ => None,
    }
}

fn wanted(node: &Node) -> Vec<bool> {
    node.outputs.iter().map(Option::is_some).collect()
}

/// Returns the nodes that replace a node; `None` if its operator is no composition, or has a kernel for the
/// node, or if a shape is not known yet.
fn nodes(graph: &mut Graph, node: &Node) -> Result<Option<Vec<Node>>, NodeError> {
    let Some((operator, compose)) = of(node) else {
        return Ok(None);
    };
    if serves(graph, node) {
        return Ok(None);
    }
    let before = graph.values.len();
    let mut writer = Nodes {
        graph,
        name: &node.name,
        made: Vec::new(),
    };
    let inputs = node.inputs.iter().map(|id| id.map(|id| Id(id.0))).collect();
    let written = Composition::new(&mut writer, &operator.attributes, inputs, wanted(node)).written(compose);
    let Nodes { graph, made, .. } = writer;
    match written {
        Ok(results) => Ok(Some(named(graph, node, made, &results))),
        Err(Halt::Unknown) => {
            graph.values.truncate(before);
            Ok(None)
        }
        Err(Halt::Problem(problem)) => Err(NodeError {
            node: node.name.clone(),
            operator: node.op.label(),
            problem,
        }),
    }
}

/// Returns the nodes with the outputs of the replaced node. A value that no node makes, or that two outputs
/// have, is copied.
fn named(graph: &mut Graph, node: &Node, mut made: Vec<Node>, results: &[Option<Id>]) -> Vec<Node> {
    let mut renamed: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (output, result) in node.outputs.iter().zip(results) {
        let (&Some(output), &Some(Id(result))) = (output, result) else {
            continue;
        };
        let result = ValueId(result);
        if made.iter().any(|node| node.outputs.contains(&Some(result))) {
            renamed.insert(result, output);
            let slots = made
                .iter_mut()
                .flat_map(|node| node.inputs.iter_mut().chain(&mut node.outputs));
            slots
                .filter(|slot| **slot == Some(result))
                .for_each(|slot| *slot = Some(output));
            graph.values[output.index()].known = graph.known(result).cloned();
        } else if let Some(copy) = Operator::make("Identity", 14, None) {
            made.push(Node {
                name: node.name.clone(),
                op: Op::Plain(copy),
                inputs: vec![Some(renamed.get(&result).copied().unwrap_or(result))],
                outputs: vec![Some(output)],
            });
        }
    }
    made
}

/// Returns the types of the outputs of a composed operator, as far as they are known; `None` for another
/// operator, or if shapes are missing.
pub fn types(graph: &Graph, node: &Node) -> Option<Vec<Option<ValueType>>> {
    let has_rule = |operator: &Operator| !matches!(operator.row.shapes, Shapes::Composed);
    let (operator, compose) = of(node).filter(|(operator, _)| !has_rule(operator))?;
    let mut alone = Graph::default();
    let input = |id: &Option<ValueId>| {
        let value = graph.value((*id)?);
        Some(Id(alone.add("", value.known.clone(), value.constant.clone()).0))
    };
    let inputs = node.inputs.iter().map(input).collect();
    let mut writer = Nodes {
        graph: &mut alone,
        name: "",
        made: Vec::new(),
    };
    let all = Composition::new(&mut writer, &operator.attributes, inputs, wanted(node));
    let results = all.written(compose).ok()?;
    let known = |id: &Option<Id>| alone.known(ValueId((*id)?.0)).cloned();
    Some(results.iter().map(known).collect())
}
