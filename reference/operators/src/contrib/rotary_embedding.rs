//! RotaryEmbedding (`com.microsoft`) — RotaryEmbedding-23 with positions that count from one number.
//!
//! Interpretation: without `rotary_embedding_dim` the caches have half of a head, which gives the number of
//! heads; `position_ids` with one element is the position of the first token. `scale` has no meaning in the
//! text, and packed batches none for a dense tensor: both are refused.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("RotaryEmbedding", &[v(1, First, rotary_embedding)]);

fn rotary_embedding(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.optional_float("scale")?.is_some_and(|scale| scale != 1.0)
        || call.optional_int("is_packed_batching")?.unwrap_or(0) != 0
    {
        return Err(OpError::undefined("`scale` other than 1 and packed batches"));
    }
    let (x, cos) = (call.tensor(0)?, call.tensor(2)?);
    let (batch, length) = match *x.shape() {
        [batch, length, _] | [batch, _, length, _] => (batch, length),
        _ => return Err(OpError::invalid("the input must have rank 3 or 4")),
    };
    let rotated = call.optional_int("rotary_embedding_dim")?.unwrap_or(0);
    let heads = match (x.shape(), rotated) {
        (&[_, _, width], 0) => {
            let size = cos.shape().last().map_or(0, |half| half.saturating_mul(2));
            if size == 0 || !width.is_multiple_of(size) {
                return Err(OpError::invalid(format!(
                    "a width of {width} is not divisible into heads of {size}"
                )));
            }
            (width / size) as i64
        }
        _ => call.optional_int("num_heads")?.unwrap_or(0),
    };
    let positions = positions(call, batch, length)?;
    let int = |name, value| standard::attribute(name, AttributeValue::Int(value));
    let mut attributes = vec![
        int("interleaved", call.optional_int("interleaved")?.unwrap_or(0)),
        int("rotary_embedding_dim", rotated),
    ];
    if x.rank() == 3 {
        attributes.push(int("num_heads", heads));
    }
    let inputs = [Some(x), Some(cos), Some(call.tensor(3)?), Some(&positions)];
    one(standard::tensor(
        call,
        ("RotaryEmbedding", 23),
        &inputs,
        &attributes,
    )?)
}

/// The position of each token.
fn positions(call: &Call<'_>, batch: usize, length: usize) -> Result<Tensor, OpError> {
    call.reserve(&[batch, length], onnx_tensor::DType::Int64)?;
    let given = call.integers(1)?;
    let all = match given[..] {
        [first] if call.tensor(1)?.rank() < 2 => {
            let row = (0..length as i64).map(|at| first.saturating_add(at));
            std::iter::repeat_n(row.collect::<Vec<_>>(), batch)
                .flatten()
                .collect()
        }
        _ => given,
    };
    Tensor::new(&[batch, length], all).map_err(|_| {
        OpError::invalid(format!(
            "`position_ids` must have one element or shape [{batch}, {length}]"
        ))
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, rows, values};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "RotaryEmbedding", 1);

    fn tokens(shape: [usize; 3], elements: &[f32]) -> Tensor {
        Tensor::new(&shape, elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: position 0 keeps (1, 2); position 1 is a quarter turn: (−2, 1).
    #[test]
    fn heads_follow_from_the_caches() {
        let inputs = |positions: Tensor| {
            [
                tokens([1, 2, 2], &[1.0, 2.0, 1.0, 2.0]),
                positions,
                rows(&[[1.0_f32], [0.0]]),
                rows(&[[0.0_f32], [1.0]]),
            ]
        };
        let y = tokens([1, 2, 2], &[1.0, 2.0, -2.0, 1.0]);
        exact(
            UNDER,
            &inputs(Tensor::vector(vec![0_i64])),
            &[],
            std::slice::from_ref(&y),
        );
        let both = Tensor::new(&[1, 2], vec![1_i64, 0]).expect("two positions");
        let turned = tokens([1, 2, 2], &[-2.0, 1.0, 1.0, 2.0]);
        exact(UNDER, &inputs(both), &[], &[turned]);
        let behind = values(&inputs(Tensor::vector(vec![1_i64])));
        refused(UNDER, &behind, &[], "outside a cache of 2 rows");
        let scaled = values(&inputs(Tensor::vector(vec![0_i64])));
        refused(UNDER, &scaled, &[attribute("scale", 2.0_f32)], "`scale`");
    }
}
