//! RotaryEmbedding — rotates pairs of elements by the angles of their position.
//!
//! Each output is a sum or difference of two products in f64 (the products are exact), rounded once.
//!
//! Interpretation: caches have rank 3 without `position_ids` and rank 2 with them, as their description
//! says; they have rotary_embedding_dim / 2 columns (question `rotary-caches`).

use ndarray::{Array3, Array4, ArrayD, Axis, Ix2, Ix3, Slice, Zip, s};
use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::heads;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op("RotaryEmbedding", &[v(23, First, rotary_embedding)]);

fn rotary_embedding(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x: &Tensor = call.tensor(0)?;
    let mut embedded = match x.rank() {
        3 => heads::unpack(call, x, heads_of(call)?, "X")?,
        _ => heads::of_rank_4(x, "X")?,
    };
    let (batch, _, sequence, size) = embedded.dim();
    let rotated = match call.int("rotary_embedding_dim")? {
        0 => size,
        rotated => usize::try_from(rotated).unwrap_or(usize::MAX),
    };
    if rotated > size || rotated % 2 != 0 {
        return Err(OpError::invalid(format!(
            "cannot rotate {rotated} of {size} elements in pairs"
        )));
    }
    let shape = (batch, sequence, rotated / 2);
    let (cos, sin) = (cache(call, 1, shape)?, cache(call, 2, shape)?);
    rotate(&mut embedded, &cos, &sin, call.int("interleaved")? != 0);
    let result: ArrayD<f64> = if x.rank() == 3 {
        heads::pack(embedded)?
    } else {
        embedded.into_dyn()
    };
    one(narrow(result, x.dtype())?)
}

fn heads_of(call: &Call<'_>) -> Result<usize, OpError> {
    match call.optional_int("num_heads")? {
        Some(_) => super::kernels::positive(call, "num_heads"),
        None => Err(OpError::invalid("`X` has rank 3, so `num_heads` is required")),
    }
}

/// The cosines or sines for each position: the cache itself, or its rows selected by `position_ids`.
fn cache(call: &Call<'_>, index: usize, shape: (usize, usize, usize)) -> Result<Array3<f64>, OpError> {
    let mut values = widen(call.tensor(index)?)?;
    let last = Axis(values.ndim().saturating_sub(1));
    if call.takes(Reading::RotaryCachesCut) && values.shape().last().is_some_and(|&columns| columns > shape.2)
    {
        values.slice_axis_inplace(last, Slice::from(0..shape.2));
        values = values.as_standard_layout().into_owned();
    }
    let problem = |values: &ArrayD<f64>| {
        OpError::invalid(format!(
            "input {index} has shape {:?}, expected angles of shape {shape:?}",
            values.shape()
        ))
    };
    let Some(positions) = call.optional_integers(3)? else {
        let fits = values.shape() == [shape.0, shape.1, shape.2];
        let error = problem(&values);
        return if fits {
            Ok(values.into_dimensionality::<Ix3>()?)
        } else {
            Err(error)
        };
    };
    let error = problem(&values);
    let table = values
        .into_dimensionality::<Ix2>()
        .ok()
        .filter(|table| table.ncols() == shape.2)
        .ok_or(error)?;
    if call.tensor(3)?.shape() != [shape.0, shape.1] {
        return Err(OpError::invalid(format!(
            "`position_ids` must have shape [{}, {}]",
            shape.0, shape.1
        )));
    }
    let rows = positions
        .iter()
        .map(|&position| {
            usize::try_from(position)
                .ok()
                .filter(|&row| row < table.nrows())
                .ok_or_else(|| {
                    OpError::invalid(format!(
                        "position {position} is outside a cache of {} rows",
                        table.nrows()
                    ))
                })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(table.select(Axis(0), &rows).into_shape_with_order(shape)?)
}

/// Rotates the first elements of each head in pairs, by the angles of each token (batch × sequence × half).
pub fn rotate(x: &mut Array4<f64>, cos: &Array3<f64>, sin: &Array3<f64>, interleaved: bool) {
    let half = cos.dim().2;
    let (first, second) = if interleaved {
        (s![.., ..;2], s![.., 1..;2])
    } else {
        (s![.., ..half;1], s![.., half..;1])
    };
    for (image, mut heads) in x.axis_iter_mut(Axis(0)).enumerate() {
        let (cos, sin) = (cos.index_axis(Axis(0), image), sin.index_axis(Axis(0), image));
        for mut head in heads.axis_iter_mut(Axis(0)) {
            let mut rotated = head.slice_mut(s![.., ..2 * half]);
            let (mut a, mut b) = rotated.multi_slice_mut((first, second));
            Zip::from(&mut a)
                .and(&mut b)
                .and(&cos)
                .and(&sin)
                .for_each(|a, b, &cos, &sin| {
                    (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
                });
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{refused, values};

    #[test]
    fn a_position_outside_the_cache_is_rejected() {
        let tensor = |shape: &[usize]| Tensor::new(shape, vec![0.0_f32; 2]).expect("two elements");
        let cache = tensor(&[2, 1]);
        for position in [-1_i64, 2] {
            let ids = Tensor::new(&[1, 1], vec![position]).expect("one element");
            let inputs = values(&[tensor(&[1, 1, 1, 2]), cache.clone(), cache.clone(), ids]);
            refused(
                ("", "RotaryEmbedding", 23),
                &inputs,
                &[],
                "outside a cache of 2 rows",
            );
        }
    }
}
