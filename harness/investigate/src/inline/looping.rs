//! The iterations of a Loop.

use std::collections::BTreeMap;

use onnx_model::Node;
use onnx_tensor::{Tensor, Value};

use super::repeat::{ITERATIONS, Repeated};
use super::{body, value, values};
use crate::cut::Part;

/// The iterations of a Loop; `None` if its count or a state is unknown.
pub(super) fn looping(part: &Part, node: &Node) -> Option<Repeated> {
    let count = match node.inputs.first().filter(|name| !name.is_empty()) {
        None => ITERATIONS,
        Some(name) => match value(part, name)?.as_tensor()? {
            Tensor::Int64(count) => usize::try_from(*count.iter().next()?).ok()?,
            _ => return None,
        },
    };
    let states = values(part, node.inputs.iter().skip(2))?;
    let number = |index: usize| Tensor::scalar(i64::try_from(index).unwrap_or(i64::MAX));
    let carried = (0..states.len()).map(|state| (state + 1, state + 2)).collect();
    let start = [number(0).into(), Tensor::scalar(true).into()];
    Some(Repeated {
        place: String::new(),
        body: body(node)?,
        first: start.into_iter().chain(states).enumerate().collect(),
        each: (0..count.min(ITERATIONS))
            .map(|index| BTreeMap::from([(0, Value::from(number(index)))]))
            .collect(),
        carried,
        goes_on: Some(0),
    })
}
