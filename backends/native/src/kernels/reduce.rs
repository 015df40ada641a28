//! Reductions over adjacent axes.

use native_kernels::reduce::{Reduction, reduce};

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::call::axes;

pub fn lower(used: &Use, device: &Device, operator: &Operator, reduction: Reduction) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    let listed = match used.has(1) {
        true => used.ints(1),
        false => Some(operator.attributes.ints("axes")?.unwrap_or_default().to_vec()),
    };
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else {
        return Ok(None);
    };
    let listed = axes(&listed, x.shape.len())?;
    let (first, end) = (listed[0], listed[0] + listed.len());
    if !listed.iter().copied().eq(first..end) || x.shape.contains(&0) {
        return Ok(None);
    }
    let product = |extents: &[usize]| extents.iter().product::<usize>();
    let cut = [
        product(&x.shape[..first]),
        product(&x.shape[first..end]),
        product(&x.shape[end..]),
    ];
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        reduce(&device.pool, reduction, cut, inputs[0], outputs[0])?;
        if reduction == Reduction::L2 {
            recompute_inexact(cut, inputs[0], outputs[0]);
        }
        Ok(())
    })
}

/// Recomputes norms whose sums of squares are outside of the range of f32 or lost precision below it.
fn recompute_inexact([_, length, inner]: [usize; 3], x: &[f32], y: &mut [f32]) {
    for (at, norm) in y.iter_mut().enumerate() {
        if norm.is_infinite() || *norm < 1e-15 {
            let line = x[at / inner * length * inner + at % inner..].iter();
            let squares = line.step_by(inner).take(length).map(|&x| f64::from(x).powi(2));
            *norm = squares.sum::<f64>().sqrt() as f32;
        }
    }
}
