//! Zeros whose sign is open.
//!
//! The greatest of +0 and -0 is either (IEEE 754-2008, maxNum), and so is the sum of terms that cancel where
//! runtimes add them in another order, or a product that is fused with a sum. An infinity behind a division
//! by such a zero has either sign. Optimizers remove an addition of zero, which changes -0 to +0.

use std::collections::{HashMap, HashSet};

use onnx_bounds::Query;
use onnx_model::{Graph, Node};
use onnx_tensor::{Real, Tensor, TensorError, dispatch};
use rand::RngExt;

use super::{Noise, Surroundings};

/// Operators with booleans or integers as results: their operands say nothing of the signs behind them.
const DECIDING: [&str; 13] = [
    "And",
    "ArgMax",
    "ArgMin",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "IsInf",
    "IsNaN",
    "Less",
    "LessOrEqual",
    "Not",
    "Or",
    "Xor",
];

/// Whether all nodes before a value define the signs of their zeros.
fn has_defined_zeros(graph: &Graph, value: &str) -> bool {
    let mut producers: HashMap<&str, &Node> = HashMap::new();
    for node in &graph.nodes {
        producers.extend(node.outputs.iter().map(|output| (output.as_str(), node)));
    }
    let (mut left, mut seen) = (vec![value], HashSet::new());
    while let Some(name) = left.pop() {
        let Some(node) = producers.get(name).filter(|_| seen.insert(name)) else {
            continue;
        };
        // They read no sign, and give none.
        if DECIDING.contains(&node.operator.as_str()) {
            continue;
        }
        let is_removed = matches!(node.operator.as_str(), "Add" | "Sub");
        if is_removed || !onnx_schema::has_signed_zeros(&node.operator) {
            return false;
        }
        left.extend(node.inputs.iter().map(String::as_str));
    }
    true
}

impl Noise {
    /// The operands of a division, in which each zero of a divisor has a sign at random; `None` if there is
    /// none, or if the specification defines its sign.
    pub(super) fn with_other_signs(
        &self,
        query: &Query<'_>,
        name: &str,
        surroundings: Surroundings<'_>,
    ) -> Option<Vec<Option<Tensor>>> {
        // A power with a negative exponent divides by its base.
        let divisor = usize::from(name == "Div");
        let moved = self.with_signs(query.call.optional(divisor)?.as_tensor()?)?;
        let read = surroundings.node.inputs.get(divisor)?;
        if has_defined_zeros(surroundings.graph?, read) {
            return None;
        }
        let mut operands = vec![None; divisor];
        operands.push(Some(moved));
        Some(operands)
    }

    /// A float tensor whose zeros have signs at random; `None` if it has no zero.
    fn with_signs(&self, tensor: &Tensor) -> Option<Tensor> {
        let of_type = || -> Result<Option<Tensor>, TensorError> {
            dispatch!(float, tensor.dtype(), T => {
                let array = tensor.array::<T>()?;
                if array.iter().all(|x| *x != T::ZERO) {
                    return Ok(None);
                }
                let mut generator = self.generator.borrow_mut();
                let mut sign = || T::from_f64(if generator.random() { 0.0 } else { -0.0 });
                let moved = array.mapv(|x| if x == T::ZERO { sign() } else { x });
                Ok(Some(moved.into_shared().into()))
            })
        };
        of_type().ok().flatten()
    }
}
