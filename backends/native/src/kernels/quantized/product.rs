//! QLinearMatMul and MatMulInteger with one constant matrix on the right.

use native_kernels::int8::{Int8Weights, gemm_int8};

use super::super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use super::{MAX_PRODUCTS, Requantized, Zero, is_byte, target, zeros};
use crate::ops::MatMulShape;

pub fn qlinear(used: &Use, device: &Device) -> Attempt {
    let columns = used.inputs.get(3).and_then(|b| columns(&b.as_ref()?.shape));
    let requantized = columns.and_then(|columns| Requantized::of(used, [1, 4, 6], 7, columns));
    match requantized.filter(|_| is_byte(used.dtypes[0])) {
        Some(requantized) => bind(used, device, [3, 2, 5], Some(requantized)),
        None => Ok(None),
    }
}

pub fn integer(used: &Use, device: &Device) -> Attempt {
    bind(used, device, [1, 2, 3], None)
}

fn columns(right: &[usize]) -> Option<usize> {
    match right {
        [_] => Some(1),
        [.., columns] => Some(*columns),
        [] => None,
    }
}

/// Lowers with the positions of the right operand and of both zero points.
fn bind(
    used: &Use,
    device: &Device,
    [right, a_zero, b_zero]: [usize; 3],
    requantized: Option<Requantized>,
) -> Attempt {
    let (Some(Some(a)), Some(b)) = (used.inputs.first(), used.constant(right)) else {
        return Ok(None);
    };
    let reads_at = a_zero;
    let zero_points = (Zero::of(used, a_zero), zeros(used, b_zero));
    let (Some(a_zero), Some(b_zero)) = zero_points else {
        return Ok(None);
    };
    // Operands that do not fit fail when the node runs.
    let Ok(shape) = MatMulShape::new(&a.shape, b.shape()) else {
        return Ok(None);
    };
    let [m, n, k] = shape.extents;
    // If one matrix on the right multiplies all on the left, their rows are those of one product.
    let stacked = shape.pairs.iter().enumerate().all(|(at, &pair)| pair == (at, 0));
    let fits = b_zero.len() == 1 || b_zero.len() == n;
    let bytes = is_byte(a.dtype) && is_byte(b.dtype()) && b.len() == k * n;
    if !(stacked && fits && bytes && (1..=MAX_PRODUCTS).contains(&k)) {
        return Ok(None);
    }
    let rows = m * shape.pairs.len();
    let weights = device.packs.get(&[b], (k, n), || {
        Ok(Int8Weights::new(
            &device.pool,
            Elements::of_tensor(b)?.bytes()?,
            k,
            n,
        )?)
    })?;
    let reads = a_zero.reads(0, reads_at);
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let zero = [a_zero.value(inputs)?];
        let y = target(requantized.as_ref(), &mut outputs[0])?;
        Ok(gemm_int8(
            &device.pool,
            rows,
            inputs[0].bytes()?,
            &zero,
            &weights,
            &b_zero,
            y,
        )?)
    };
    Lowered::of(used, device, reads, Box::new(kernel))
}
