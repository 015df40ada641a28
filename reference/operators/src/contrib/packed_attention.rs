//! PackedAttention — Attention over sequences of different lengths whose tokens are packed without padding.
//!
//! In f64, rounded once. Interpretation: a token sees the tokens of its own sequence, which
//! `cumulative_sequence_length` delimits; `token_offset` says where tokens would be with padding, which no
//! result depends on.

use ndarray::{Array2, Array4, Ix2, s};

use super::attended::Heads;
use super::attention::{project, sizes, split};
use super::packing::sequences;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::heads;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("PackedAttention", &[v(1, First, packed_attention)]);

fn packed_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    let matrix = |index| {
        let rank = |_| OpError::invalid(format!("input {index} must have rank 2"));
        widen(call.tensor(index)?)?
            .into_dimensionality::<Ix2>()
            .map_err(rank)
    };
    let (tokens, weights): (Array2<f64>, Array2<f64>) = (matrix(0)?, matrix(1)?);
    let projected = project(call, &tokens, &weights, 2)?;
    let sizes = sizes(call, weights.ncols())?;
    let bias = call
        .optional_tensor(5)?
        .map(|bias| heads::of_rank_4(bias, "attention_bias"))
        .transpose()?;
    let mut sums = heads::Sums::new(call, dtype);
    let mut y = Array2::zeros((tokens.nrows(), sizes[2]));
    for (image, (from, to)) in sequences(call, 4, tokens.nrows())?.into_iter().enumerate() {
        let part = projected.slice(s![from..to, ..]).to_owned();
        let heads = split(call, &part, (1, to - from), sizes, dtype)?;
        let mut scores = heads.scores(call)?;
        if let Some(bias) = &bias {
            add(&mut sums, &mut scores, bias, image)?;
        }
        heads::softmax(&mut scores);
        let output = weighted(call, &heads, &scores)?;
        y.slice_mut(s![from..to, ..]).assign(&output);
    }
    one(narrow(y.into_dyn(), dtype)?)
}

/// Adds the bias of a sequence to its scores.
fn add(
    sums: &mut heads::Sums,
    scores: &mut Array4<f64>,
    bias: &Array4<f64>,
    image: usize,
) -> Result<(), OpError> {
    let (_, count, length, _) = scores.dim();
    let (batch, heads, rows, columns) = bias.dim();
    if batch == 0 || image >= batch && batch != 1 || length > rows || length > columns {
        return Err(OpError::invalid(format!(
            "`attention_bias` of shape {:?} does not fit sequence {image} of {length} tokens",
            bias.shape()
        )));
    }
    let of_image = bias.slice(s![
        image.min(batch - 1)..=image.min(batch - 1),
        ..,
        ..length,
        ..length
    ]);
    let stretched = of_image.broadcast(scores.dim()).ok_or_else(|| {
        OpError::invalid(format!(
            "`attention_bias` has {heads} heads, expected 1 or {count}"
        ))
    })?;
    sums.add(scores, stretched);
    Ok(())
}

/// The weighted values of one sequence, a row for each token.
fn weighted(call: &Call<'_>, heads: &Heads, weights: &Array4<f64>) -> Result<Array2<f64>, OpError> {
    let output = heads::weighted(call, weights, &heads.value, heads.dtype)?;
    let packed = heads::pack(output)?;
    let (rows, width) = (packed.shape()[1], packed.shape()[2]);
    Ok(packed.into_shape_with_order((rows, width))?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, rows};

    /// Weights that copy the input as the value: the means of the sequences (1, 3) and (5).
    #[test]
    fn sequences_do_not_see_each_other() {
        let inputs: [Value; 5] = [
            rows(&[[1.0_f32], [3.0], [5.0]]).into(),
            rows(&[[0.0_f32, 0.0, 1.0]]).into(),
            Tensor::vector(vec![0.0_f32; 3]).into(),
            Tensor::new(&[2, 2], vec![0_i32, 1, 2, 3])
                .expect("offsets")
                .into(),
            Tensor::vector(vec![0_i32, 2, 3]).into(),
        ];
        check(
            ("com.microsoft", "PackedAttention", 1),
            &inputs,
            &[attribute("num_heads", 1)],
            &[rows(&[[2.0_f32], [2.0], [5.0]]).into()],
        );
    }
}
