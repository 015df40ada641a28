//! The iterations of a SequenceMap: one for each element of its first input.

use std::collections::BTreeMap;

use onnx_model::Node;
use onnx_tensor::Value;

use super::repeat::{ITERATIONS, Repeated};
use super::{body, values};
use crate::cut::Part;

/// The iterations; `None` if a value is unknown. Sequences have an element for each iteration, other
/// inputs the same value in all.
pub(super) fn mapping(part: &Part, node: &Node) -> Option<Repeated> {
    let inputs = values(part, &node.inputs)?;
    let Value::Sequence(mapped) = inputs.first()? else {
        return None;
    };
    let count = mapped.values.len().min(ITERATIONS);
    let element = |(position, input): (usize, &Value), index: usize| match input {
        Value::Sequence(sequence) => Some((position, sequence.values.get(index)?.clone())),
        _ => None,
    };
    let each = |index: usize| -> BTreeMap<usize, Value> {
        let inputs = inputs.iter().enumerate();
        inputs.filter_map(|input| element(input, index)).collect()
    };
    let constant = |(_, value): &(usize, Value)| !matches!(value, Value::Sequence(_));
    Some(Repeated {
        place: String::new(),
        body: body(node)?,
        each: (0..count).map(each).collect(),
        first: inputs.iter().cloned().enumerate().filter(constant).collect(),
        carried: Vec::new(),
        goes_on: None,
    })
}
