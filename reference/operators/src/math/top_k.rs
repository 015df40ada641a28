//! TopK — the k greatest or least elements along an axis, and their indices; exact.
//!
//! Of equal elements the one with the lower index comes first. Versions 1 and 10 select only the greatest;
//! in 1, k is an attribute.
//!
//! Interpretation: NaN is greater than every number; with `sorted` = 0, which leaves the order open, the
//! result is sorted as well; k = 0 returns empty results, although the text says "positive" (exported
//! detectors have it).

use std::cmp::Ordering;

use onnx_tensor::{DType, Real, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::{axes, lanes};

pub const OP: OpDef = op(
    "TopK",
    &[
        v(1, First, |call| top_k(call, call.int("k")?, true)),
        v(10, Semantics, |call| top_k(call, call.scalar::<i64>(1)?, true)),
        v(11, Semantics, either_end),
        v(24, TypesOnly, either_end),
    ],
);

fn either_end(call: &Call<'_>) -> Result<Outputs, OpError> {
    call.flag("sorted")?;
    top_k(call, call.scalar::<i64>(1)?, call.flag("largest")?)
}

fn top_k(call: &Call<'_>, k: i64, largest: bool) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    let extent = x.shape()[axis];
    let count = usize::try_from(k).ok().filter(|&k| k <= extent).ok_or_else(|| {
        OpError::invalid(format!(
            "k is {k}, expected a value in [0, {extent}], the extent of axis {axis}"
        ))
    })?;
    let shape = [&x.shape()[..axis], &[count], &x.shape()[axis + 1..]].concat();
    // A value with its index takes as much memory as a complex number.
    call.reserve(&shape, DType::Complex128)?;
    call.reserve(&[extent], DType::Complex128)?;
    call.work(&[
        x.len(),
        extent.checked_ilog2().map_or(1, |steps| steps as usize + 1),
    ])?;
    dispatch!(real, x.dtype(), T => {
        let chosen = lanes::along(x.array::<T>()?, axis, count, |lane: &[T], result| choose(lane, largest, result));
        let values = Tensor::from(chosen.map(|&(value, _)| value));
        let indices = Tensor::from(chosen.map(|&(_, index)| index));
        Ok(vec![Some(values.into()), Some(indices.into())])
    })
}

fn choose<T: Real>(lane: &[T], largest: bool, result: &mut [(T, i64)]) {
    let mut ranked: Vec<(T, i64)> = lane.iter().copied().zip(0..).collect();
    ranked.sort_by(|a, b| if largest { order(b.0, a.0) } else { order(a.0, b.0) });
    for (slot, entry) in result.iter_mut().zip(ranked) {
        *slot = entry;
    }
}

fn order<T: Real>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn order_of_equals_and_nan() {
        let x = Tensor::vector(vec![1.0_f32, f32::NAN, 2.0, 2.0]);
        let top = [
            Tensor::vector(vec![f32::NAN, 2.0, 2.0]),
            Tensor::vector(vec![1_i64, 2, 3]),
        ];
        exact(
            ("", "TopK", 1),
            std::slice::from_ref(&x),
            &[attribute("k", 3)],
            &top,
        );
        let inputs = [x.clone(), Tensor::vector(vec![3_i64])];
        let bottom = [
            Tensor::vector(vec![1.0_f32, 2.0, 2.0]),
            Tensor::vector(vec![0_i64, 2, 3]),
        ];
        exact(("", "TopK", 11), &inputs, &[attribute("largest", 0)], &bottom);
        for k in [5_i64, -1] {
            refused(
                ("", "TopK", 10),
                &values(&[x.clone(), Tensor::vector(vec![k])]),
                &[],
                "a value in [0, 4]",
            );
        }
    }
}
