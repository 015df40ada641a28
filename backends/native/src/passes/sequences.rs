//! Replaces reads of sequences with known elements by the elements.
//!
//! Exporters write `split`, `unbind` and `stack` of PyTorch as sequences. What reads only one element, the
//! length or a concatenation does not need the sequence.

use std::collections::HashMap;

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor, Value};

use super::inline::{like, made};
use super::pattern::operator;
use crate::ir::{Graph, Node, Operator, ValueId, dtype};
use crate::ops::call::{axis, int64s};
use crate::ops::{lengths_of_parts, position_in_list};

/// The greatest number of elements of a known sequence.
const MAX_ELEMENTS: usize = 256;

/// The greatest extent of an axis that is split: the lengths of the parts are listed.
const MAX_EXTENT: usize = 1 << 16;

/// A sequence with known elements of one type.
#[derive(Clone)]
struct List {
    dtype: DType,
    elements: Vec<ValueId>,
}

impl List {
    fn of(graph: &Graph, dtype: DType, elements: Vec<ValueId>) -> Option<List> {
        let fits = |&id: &ValueId| crate::ir::dtype(graph.known(id)) == Some(dtype);
        (elements.len() <= MAX_ELEMENTS && elements.iter().all(fits)).then_some(List { dtype, elements })
    }
}

/// The sequences with known elements.
#[derive(Default)]
pub struct Lists(HashMap<ValueId, List>);

impl Lists {
    /// Returns the nodes that compute the same as a node without its sequence; `None` if it is kept. A node
    /// that makes a sequence is kept; it is dead if nothing else reads the sequence.
    pub fn replaced(&mut self, graph: &mut Graph, node: &Node) -> Option<Vec<Node>> {
        let operator = operator(node)?.clone();
        match operator.schema.name {
            "SequenceAt" => {
                let elements = self.list(graph, node.input(0)?)?.elements;
                let at = position_in_list(integer(graph, node.input(1)?)?, elements.len(), 0).ok()?;
                Some(vec![made(
                    graph,
                    "Identity",
                    &[],
                    node,
                    &[elements[at]],
                    node.only_output()?,
                )?])
            }
            "SequenceLength" => {
                let length = self.list(graph, node.input(0)?)?.elements.len();
                let length = Tensor::scalar(i64::try_from(length).ok()?);
                graph.set_constant(node.only_output()?, Value::Tensor(length));
                Some(Vec::new())
            }
            "ConcatFromSequence" => self.joined(graph, node, &operator),
            "SplitToSequence" => split(graph, node, &operator),
            _ => {
                let made = self.made(graph, node, &operator)?;
                self.0.insert(node.only_output()?, made);
                None
            }
        }
    }

    /// Returns the elements of a sequence; those of a constant one become constants.
    fn list(&self, graph: &mut Graph, id: ValueId) -> Option<List> {
        if let Some(known) = self.0.get(&id) {
            return Some(known.clone());
        }
        let Some(Value::Sequence(sequence)) = graph.value(id).constant.clone() else {
            return None;
        };
        let dtype = dtype(Some(&sequence.element))?;
        if sequence.values.len() > MAX_ELEMENTS {
            return None;
        }
        let tensors: Option<Vec<Tensor>> = sequence
            .values
            .iter()
            .map(|value| value.as_tensor().cloned())
            .collect();
        let elements = tensors?
            .into_iter()
            .map(|tensor| graph.add_constant("element", tensor));
        Some(List {
            dtype,
            elements: elements.collect(),
        })
    }

    /// Returns the sequence that a node makes.
    fn made(&self, graph: &mut Graph, node: &Node, operator: &Operator) -> Option<List> {
        let position = |graph: &Graph, input: usize, length: usize, beyond: usize, default: i64| {
            let at = match node.input(input) {
                Some(id) => integer(graph, id)?,
                None => default,
            };
            position_in_list(at, length, beyond).ok()
        };
        match operator.schema.name {
            "Identity" => self.0.get(&node.input(0)?).cloned(),
            "SequenceConstruct" => {
                let elements: Vec<ValueId> = node.inputs.iter().copied().flatten().collect();
                let first = dtype(graph.known(*elements.first()?))?;
                List::of(graph, first, elements)
            }
            "SequenceInsert" => {
                let mut list = self.list(graph, node.input(0)?)?;
                let length = i64::try_from(list.elements.len()).ok()?;
                let at = position(graph, 2, list.elements.len(), 1, length)?;
                list.elements.insert(at, node.input(1)?);
                List::of(graph, list.dtype, list.elements)
            }
            "SequenceErase" => {
                let mut list = self.list(graph, node.input(0)?)?;
                let at = position(graph, 1, list.elements.len(), 0, -1)?;
                list.elements.remove(at);
                Some(list)
            }
            _ => None,
        }
    }

    /// Returns the nodes of a ConcatFromSequence.
    fn joined(&self, graph: &mut Graph, node: &Node, operator: &Operator) -> Option<Vec<Node>> {
        let along = operator.attributes.int("axis").ok()?;
        let mut elements = self.list(graph, node.input(0)?)?.elements;
        if elements.is_empty() {
            return None;
        }
        let mut nodes = Vec::new();
        if operator.attributes.flag("new_axis").ok()? {
            let axes = graph.add_constant("axes", Tensor::vector(vec![along]));
            for element in &mut elements {
                let widened = like(graph, "widened", *element)?;
                nodes.push(made(graph, "Unsqueeze", &[], node, &[*element, axes], widened)?);
                *element = widened;
            }
        }
        let along = [("axis", AttributeValue::Int(along))];
        nodes.push(made(
            graph,
            "Concat",
            &along,
            node,
            &elements,
            node.only_output()?,
        )?);
        Some(nodes)
    }
}

/// Returns the nodes of a SplitToSequence: its parts, and the sequence of them.
fn split(graph: &mut Graph, node: &Node, operator: &Operator) -> Option<Vec<Node>> {
    let (x, result) = (node.input(0)?, node.only_output()?);
    let known = graph.known(x).cloned();
    let rank = crate::ir::shape(known.as_ref())?.len();
    let at = axis(operator.attributes.int("axis").ok()?, rank).ok()?;
    let onnx_tensor::Dim::Fixed(total) = crate::ir::shape(known.as_ref())?[at] else {
        return None;
    };
    let given = match node.input(1) {
        Some(id) => Some(graph.constant(id)?),
        None => None,
    };
    if total > MAX_EXTENT {
        return None;
    }
    let lengths = lengths_of_parts(total, given).ok()?;
    let squeezed = given.is_none() && !operator.attributes.flag("keepdims").ok()?;
    if lengths.is_empty() || lengths.len() > MAX_ELEMENTS || lengths.iter().sum::<usize>() != total {
        return None;
    }
    let at = i64::try_from(at).ok()?;
    let sizes = lengths.iter().map(|&length| i64::try_from(length).ok());
    let sizes = Tensor::vector(sizes.collect::<Option<Vec<i64>>>()?);
    let sizes = graph.add_constant("lengths", sizes);
    let parts: Option<Vec<ValueId>> = lengths.iter().map(|_| like(graph, "part", x)).collect();
    let mut parts = parts?;
    let first = *parts.first()?;
    let mut nodes = vec![Node {
        outputs: parts.iter().copied().map(Some).collect(),
        ..made(
            graph,
            "Split",
            &[("axis", AttributeValue::Int(at))],
            node,
            &[x, sizes],
            first,
        )?
    }];
    if squeezed {
        let axes = graph.add_constant("axes", Tensor::vector(vec![at]));
        for part in &mut parts {
            let narrow = like(graph, "part", x)?;
            nodes.push(made(graph, "Squeeze", &[], node, &[*part, axes], narrow)?);
            *part = narrow;
        }
    }
    nodes.push(made(graph, "SequenceConstruct", &[], node, &parts, result)?);
    Some(nodes)
}

/// Returns the only element of a constant integer.
fn integer(graph: &Graph, id: ValueId) -> Option<i64> {
    match int64s(graph.constant(id)?).ok()?[..] {
        [value] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Int;
    use onnx_model::Node;
    use onnx_tensor::Tensor;

    use super::super::{constants, dead, identity};
    use crate::fixture::{Fixture, body, device, node};

    /// Checks the nodes that constant folding leaves.
    #[track_caller]
    fn check(nodes: Vec<Node>, expected: &[&str]) {
        Fixture::new(&[4, 3], nodes)
            .constant("zero", Tensor::scalar(0_i64))
            .constant("one", Tensor::scalar(1_i64))
            .constant("last", Tensor::scalar(-1_i64))
            .constant("yes", Tensor::scalar(true))
            .constant("lengths", Tensor::vector(vec![1_i64, 3]))
            .constant("three", Tensor::scalar(3_i64))
            .check(
                &[
                    |graph| constants::run(graph, &device(1)),
                    identity::run,
                    dead::run,
                ],
                expected,
            );
    }

    #[test]
    fn elements_of_known_sequences_are_read_directly() {
        check(
            vec![
                node("Exp", "x", "a", &[]),
                node("Neg", "x", "b", &[]),
                node("SequenceConstruct", "a b", "s", &[]),
                node("SequenceInsert", "s x zero", "t", &[]),
                node("SequenceErase", "t one", "u", &[]),
                node("SequenceAt", "u last", "c", &[]),
                node("SequenceLength", "t", "n", &[]),
                node("Cast", "n", "m", &[("to", Int(1))]),
                node("Mul", "c m", "y", &[]),
            ],
            &["Neg-13", "Mul-14"],
        );
    }

    #[test]
    fn parts_are_those_of_a_split() {
        let along = |axis: i64| ("axis", Int(axis));
        check(
            vec![
                node("SplitToSequence", "x lengths", "s", &[along(0)]),
                node("SequenceAt", "s one", "y", &[]),
            ],
            &["Split-18"],
        );
        check(
            vec![
                node("SplitToSequence", "x three", "s", &[along(0)]),
                node("ConcatFromSequence", "s", "y", &[along(0)]),
            ],
            &["Split-18", "Concat-13"],
        );
        check(
            vec![
                node("SplitToSequence", "x", "s", &[along(1), ("keepdims", Int(0))]),
                node("ConcatFromSequence", "s", "y", &[along(-1), ("new_axis", Int(1))]),
            ],
            &[
                &["Split-18"][..],
                &["Squeeze-25"; 3],
                &["Unsqueeze-25"; 3],
                &["Concat-13"],
            ]
            .concat(),
        );
    }

    /// What `tensor_split` and `unbind` become in the exporter of TorchScript.
    #[test]
    fn a_loop_that_fills_a_sequence_is_its_elements() {
        let nodes = vec![
            node("Gather", "x round", "row", &[]),
            node("SequenceInsert", "carried row", "next", &[]),
        ];
        let body = body("round go carried", nodes, "go next");
        check(
            vec![
                node("SequenceEmpty", "", "e", &[]),
                node("Loop", "three yes e", "s", &[("body", body)]),
                node("SequenceAt", "s one", "y", &[]),
            ],
            &["Gather-13"],
        );
    }

    #[test]
    fn positions_that_depend_on_data_need_the_sequence() {
        let to = [("to", Int(7))];
        check(
            vec![
                node("ReduceMin", "x", "least", &[("keepdims", Int(0))]),
                node("Cast", "least", "at", &to),
                node("SplitToSequence", "x lengths", "s", &[]),
                node("SequenceAt", "s at", "y", &[]),
            ],
            &[
                "ReduceMin-20",
                "Cast-19",
                "Split-18",
                "SequenceConstruct-11",
                "SequenceAt-11",
            ],
        );
    }
}
