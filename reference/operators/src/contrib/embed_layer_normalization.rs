//! EmbedLayerNormalization — layer normalization of the sum of the embeddings of words, positions and
//! segments.
//!
//! The sum and the rest in f64, rounded once. Interpretation: "position of first 0 in mask, or number of
//! words" is the number of ones of a row of the mask, as in ONNX Runtime, and 0 without a mask; without
//! `position_ids` the positions count from 0.

use ndarray::{Array3, ArrayD, ArrayView1, Ix2, s};
use onnx_tensor::{DType, Tensor, Value};

use super::normalized::{Centre, Layer};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::shared::reals::widen;

pub const OP: OpDef = contrib(
    "EmbedLayerNormalization",
    &[v(1, First, embed_layer_normalization)],
);

fn embed_layer_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let &[batch, length] = call.tensor(0)?.shape() else {
        return Err(OpError::invalid("`input_ids` must have rank 2"));
    };
    let words = Embedding::read(call, 2)?;
    let width = words.rows.ncols();
    call.reserve(&[batch, length, width], DType::Double)?;
    let mut sum = Array3::zeros((batch, length, width));
    let ids = call.integers(0)?;
    let positions = match call.optional_integers(8)? {
        None => (0..length as i64).collect(),
        Some(positions) => positions,
    };
    words.add(&ids, &mut sum)?;
    Embedding::read(call, 3)?.add(&positions, &mut sum)?;
    match (call.optional_integers(1)?, call.optional(4)) {
        (Some(segments), Some(_)) => Embedding::read(call, 4)?.add(&segments, &mut sum)?,
        (None, None) => {}
        _ => {
            return Err(OpError::invalid(
                "`segment_ids` and `segment_embedding` belong together",
            ));
        }
    }
    let counts = mask_index(call, batch, length)?;
    let layer = Layer {
        sum: sum.into_dyn(),
        centre: Centre::Mean,
        gamma: call.tensor(5)?,
        beta: Some(call.tensor(6)?),
        dtype: call.dtype(2)?,
    };
    let mut outputs = layer.outputs(call)?.into_iter();
    let (normalised, sum) = (outputs.next().flatten(), outputs.nth(2).flatten());
    Ok(vec![normalised, Some(Value::from(Tensor::vector(counts))), sum])
}

/// The number of ones in each row of the mask.
fn mask_index(call: &Call<'_>, batch: usize, length: usize) -> Result<Vec<i32>, OpError> {
    let Some(mask) = call.optional_integers(7)? else {
        return Ok(vec![0; batch]);
    };
    if call.tensor(7)?.shape() != [batch, length] {
        return Err(OpError::invalid(format!(
            "`mask` of shape {:?} must have the shape of `input_ids`, [{batch}, {length}]",
            call.tensor(7)?.shape()
        )));
    }
    let row = |row: usize| &mask[row * length..(row + 1) * length];
    let count = |at| row(at).iter().filter(|&&word| word == 1).count() as i32;
    Ok((0..batch).map(count).collect())
}

/// A table of vectors.
struct Embedding {
    name: &'static str,
    rows: ndarray::Array2<f64>,
}

impl Embedding {
    fn read(call: &Call<'_>, index: usize) -> Result<Embedding, OpError> {
        let name = call.schema().input(index).map_or("", |formal| formal.name);
        let table: ArrayD<f64> = widen(call.tensor(index)?)?;
        let rows = table
            .into_dimensionality::<Ix2>()
            .map_err(|_| OpError::invalid(format!("`{name}` must have rank 2")))?;
        Ok(Embedding { name, rows })
    }

    /// Adds the rows with these numbers, in the order of batch and sequence; one sequence serves all.
    fn add(&self, numbers: &[i64], sum: &mut Array3<f64>) -> Result<(), OpError> {
        let (batch, length, width) = sum.dim();
        let (count, name) = (self.rows.nrows(), self.name);
        if self.rows.ncols() != width || numbers.len() != length && numbers.len() != batch * length {
            return Err(OpError::invalid(format!(
                "`{name}` of shape {:?} and {} numbers do not fit {batch} sequences of {length} vectors of {width}",
                self.rows.shape(),
                numbers.len()
            )));
        }
        let row = |number: i64| -> Result<ArrayView1<'_, f64>, OpError> {
            let found = usize::try_from(number).ok().filter(|&number| number < count);
            let outside =
                || OpError::invalid(format!("{number} is not a row of `{name}`, which has {count}"));
            Ok(self.rows.row(found.ok_or_else(outside)?))
        };
        for (image, at) in ndarray::indices((batch, length)) {
            let place = if numbers.len() == length {
                at
            } else {
                image * length + at
            };
            let mut sum = sum.slice_mut(s![image, at, ..]);
            sum += &row(numbers[place])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, rows};

    /// By hand: words 1 and 0 at positions 0 and 1 in segments 0 and 0 are [1, 5] and [−4, 4]; with epsilon
    /// 0 they become −1 and 1.
    #[test]
    fn two_words() {
        let ints = |values: &[i32]| -> Value {
            Tensor::new(&[1, values.len()], values.to_vec())
                .expect("a row")
                .into()
        };
        let inputs = [
            ints(&[1, 0]),
            ints(&[0, 0]),
            rows(&[[-5.0_f32, 1.0], [0.0, 3.0]]).into(),
            rows(&[[1.0_f32, 1.0], [1.0, 2.0]]).into(),
            rows(&[[0.0_f32, 1.0]]).into(),
            Tensor::vector(vec![2.0_f32, 3.0]).into(),
            Tensor::vector(vec![1.0_f32, 0.0]).into(),
            ints(&[1, 0]),
        ];
        let pair = |values: [f32; 4]| -> Value {
            Tensor::new(&[1, 2, 2], values.to_vec())
                .expect("four elements")
                .into()
        };
        check(
            ("com.microsoft", "EmbedLayerNormalization", 1),
            &inputs,
            &[attribute("epsilon", 0.0_f32)],
            &[
                pair([-1.0, 3.0, -1.0, 3.0]),
                Tensor::vector(vec![1_i32]).into(),
                pair([1.0, 5.0, -4.0, 4.0]),
            ],
        );
    }
}
