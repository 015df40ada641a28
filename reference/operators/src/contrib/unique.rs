//! Unique (`com.microsoft`) — the distinct elements of a vector in the order in which they first occur, the
//! index of each element among them and their counts: Unique-11 with `sorted` 0.

use onnx_model::AttributeValue;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib("Unique", &[v(1, First, unique)]);

fn unique(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.tensor(0)?.rank() != 1 {
        return Err(OpError::invalid("the input must have rank 1"));
    }
    let sorted = standard::attribute("sorted", AttributeValue::Int(0));
    let x = Some(call.value(0)?.clone());
    let mut outputs = standard::evaluate(call, ("Unique", 11), &[x], &[sorted], 4)?;
    // The first positions are no output here.
    outputs.remove(1);
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// The example of the text.
    #[test]
    fn in_the_order_of_the_input() {
        exact(
            ("com.microsoft", "Unique", 1),
            &[Tensor::vector(vec![2.0_f32, 1.0, 1.0, 3.0, 4.0, 3.0])],
            &[],
            &[
                Tensor::vector(vec![2.0_f32, 1.0, 3.0, 4.0]),
                Tensor::vector(vec![0_i64, 1, 1, 2, 3, 2]),
                Tensor::vector(vec![1_i64, 2, 2, 1]),
            ],
        );
    }
}
