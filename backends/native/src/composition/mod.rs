//! Operators that are compositions of others.
//!
//! The row of such an operator names a function that writes its nodes, from the types of the operands and,
//! where it needs them, their shapes or elements. A pass replaces the node once they are known, so that all
//! later passes and kernels serve the result. Inference reads the types of the results from the same nodes.
//! Where shapes are known only when the node runs, the nodes are computed as they are written, over whole
//! values.

mod nodes;

use std::collections::BTreeMap;

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor, TensorError, Value, ValueType};

use crate::attributes::Attributes;
use crate::error::{NodeError, Problem};
use crate::exec::evaluate;
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype, fixed_shape, shape};
use crate::ops::shapes::Shapes;
use crate::ops::{Call, Form};
use crate::passes::infer_node;

/// Writes the nodes of an operator.
pub type Compose = fn(&mut Composition<'_>) -> Composed;

/// Whether the nodes are written.
pub type Composed<T = ()> = Result<T, Halt>;

/// The attributes of a node.
pub type Given<'a> = &'a [(&'a str, AttributeValue)];

/// Why nodes are not written.
#[derive(Debug)]
pub enum Halt {
    /// A shape or an element is not known yet.
    Unknown,
    /// The node is invalid or not implemented.
    Problem(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Halt {
        Halt::Problem(problem)
    }
}

impl From<TensorError> for Halt {
    fn from(error: TensorError) -> Halt {
        Halt::Problem(error.into())
    }
}

/// The nodes of an operator while they are written.
pub struct Composition<'g> {
    graph: &'g mut Graph,
    name: &'g str,
    attributes: &'g Attributes,
    inputs: Vec<Option<ValueId>>,
    wanted: Vec<bool>,
    /// Whether each node is computed as soon as it is written.
    now: bool,
    made: Vec<Node>,
    results: Vec<Option<ValueId>>,
}

impl<'g> Composition<'g> {
    fn new(
        graph: &'g mut Graph,
        name: &'g str,
        attributes: &'g Attributes,
        inputs: Vec<Option<ValueId>>,
        wanted: Vec<bool>,
    ) -> Composition<'g> {
        let results = vec![None; wanted.len()];
        Composition {
            graph,
            name,
            attributes,
            inputs,
            wanted,
            now: false,
            made: Vec::new(),
            results,
        }
    }

    /// Returns the attributes with defaults.
    pub fn attributes(&self) -> &'g Attributes {
        self.attributes
    }

    /// Returns an input, if it is given.
    pub fn find(&self, position: usize) -> Option<ValueId> {
        self.inputs.get(position).copied().flatten()
    }

    /// Returns a required input.
    pub fn input(&self, position: usize) -> Composed<ValueId> {
        let missing = || Problem::Invalid(format!("input {position} is missing"));
        Ok(self.find(position).ok_or_else(missing)?)
    }

    /// The number of inputs, including omitted ones.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Whether an output is used.
    pub fn wants(&self, position: usize) -> bool {
        self.wanted.get(position) == Some(&true)
    }

    /// Returns the element type of a value.
    pub fn dtype(&self, id: ValueId) -> Composed<DType> {
        dtype(self.graph.known(id)).ok_or(Halt::Unknown)
    }

    /// Returns the number of axes of a value.
    pub fn rank(&self, id: ValueId) -> Composed<usize> {
        shape(self.graph.known(id)).map(<[_]>::len).ok_or(Halt::Unknown)
    }

    /// Returns the extents of a value.
    pub fn shape(&self, id: ValueId) -> Composed<Vec<usize>> {
        fixed_shape(self.graph.known(id)).ok_or(Halt::Unknown)
    }

    /// Returns the elements of a constant.
    pub fn elements(&self, id: ValueId) -> Composed<Tensor> {
        self.graph.constant(id).cloned().ok_or(Halt::Unknown)
    }

    /// Whether the elements of a value are known.
    pub fn is_constant(&self, id: ValueId) -> bool {
        self.graph.constant(id).is_some()
    }

    /// Adds a constant.
    pub fn constant(&mut self, tensor: Tensor) -> ValueId {
        self.graph.add_constant(format!("{}.constant", self.name), tensor)
    }

    /// States the result at a position.
    pub fn give(&mut self, position: usize, result: ValueId) {
        if let Some(slot) = self.results.get_mut(position) {
            *slot = Some(result);
        }
    }

    /// Adds a node of `ai.onnx`, of the version that an opset has; returns its results.
    pub fn apply_each(
        &mut self,
        (operator, opset): (&str, u32),
        inputs: &[Option<ValueId>],
        attributes: Given<'_>,
        results: usize,
    ) -> Composed<Vec<ValueId>> {
        let made = Operator::make(operator, opset, attributes.iter().cloned());
        let made = made.ok_or_else(|| Problem::Unsupported(format!("{operator} is not implemented")))?;
        let outputs: Vec<ValueId> = (0..results)
            .map(|_| self.graph.add(format!("{}.{operator}", self.name), None, None))
            .collect();
        let node = Node {
            name: self.name.to_owned(),
            op: Op::Plain(made),
            inputs: inputs.to_vec(),
            outputs: outputs.iter().copied().map(Some).collect(),
        };
        let problem = |error: NodeError| error.problem;
        infer_node(self.graph, &node).map_err(problem)?;
        if self.now {
            let constant = |id| self.graph.value(id).constant.as_ref();
            let given: Vec<Option<&Value>> = inputs.iter().map(|input| input.and_then(constant)).collect();
            let values = evaluate(&node, &given).map_err(problem)?;
            for (&id, value) in outputs.iter().zip(values) {
                self.graph.set_constant(id, value);
            }
        } else {
            self.made.push(node);
        }
        Ok(outputs)
    }

    /// Returns the value of each output that is used.
    fn finished(&self) -> Result<Vec<Option<ValueId>>, Problem> {
        let found = |(position, wanted): (usize, &bool)| match (wanted, self.results[position]) {
            (true, None) => Err(Problem::Unsupported(format!(
                "output {position} is not implemented"
            ))),
            (true, found) => Ok(found),
            (false, _) => Ok(None),
        };
        self.wanted.iter().enumerate().map(found).collect()
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

/// Returns the nodes that replace a node; `None` if its operator is no composition, or if a shape is not
/// known yet.
///
/// # Errors
/// Those of the operator.
pub fn nodes(graph: &mut Graph, node: &Node) -> Result<Option<Vec<Node>>, NodeError> {
    let Some((operator, compose)) = of(node) else {
        return Ok(None);
    };
    let before = graph.values.len();
    let mut all = Composition::new(
        graph,
        &node.name,
        &operator.attributes,
        node.inputs.clone(),
        wanted(node),
    );
    let written = compose(&mut all).and_then(|()| Ok(all.finished()?));
    let made = std::mem::take(&mut all.made);
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
fn named(graph: &mut Graph, node: &Node, mut made: Vec<Node>, results: &[Option<ValueId>]) -> Vec<Node> {
    let mut renamed: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (output, result) in node.outputs.iter().zip(results) {
        let (&Some(output), &Some(result)) = (output, result) else {
            continue;
        };
        let makes = |node: &Node| node.outputs.contains(&Some(result));
        if made.iter().any(makes) {
            renamed.insert(result, output);
            let slots = made
                .iter_mut()
                .flat_map(|node| node.inputs.iter_mut().chain(&mut node.outputs));
            slots
                .filter(|slot| **slot == Some(result))
                .for_each(|slot| *slot = Some(output));
            let known = graph.known(result).cloned();
            graph.values[output.index()].known = known;
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
    let (operator, compose) =
        of(node).filter(|(operator, _)| matches!(operator.row.shapes, Shapes::Composed))?;
    let mut alone = Graph::default();
    let input = |id: &Option<ValueId>| {
        let value = graph.value((*id)?);
        Some(alone.add("", value.known.clone(), value.constant.clone()))
    };
    let inputs = node.inputs.iter().map(input).collect();
    let mut all = Composition::new(&mut alone, "", &operator.attributes, inputs, wanted(node));
    compose(&mut all).ok()?;
    let results = std::mem::take(&mut all.results);
    let known = |id: &Option<ValueId>| alone.known((*id)?).cloned();
    Some(results.iter().map(known).collect())
}

/// Computes a composed operator over whole values.
///
/// # Errors
/// Those of the operator.
pub fn run(compose: Compose, call: &Call) -> Result<Vec<Value>, Problem> {
    let mut graph = Graph::default();
    let input = |value: &Option<&Value>| {
        let value = (*value)?;
        Some(graph.add("", Some(value.value_type()), Some(value.clone())))
    };
    let inputs = call.inputs.iter().map(input).collect();
    let mut all = Composition::new(&mut graph, "", call.attributes, inputs, vec![true; call.outputs]);
    all.now = true;
    match compose(&mut all) {
        Ok(()) => {}
        Err(Halt::Problem(problem)) => return Err(problem),
        Err(Halt::Unknown) => {
            return Err(Problem::Unsupported("an operand is not a tensor".to_owned()));
        }
    }
    let results = std::mem::take(&mut all.results);
    let value = |id: Option<ValueId>| graph.value(id?).constant.clone();
    let values: Vec<Value> = results.into_iter().map_while(value).collect();
    Ok(values)
}
