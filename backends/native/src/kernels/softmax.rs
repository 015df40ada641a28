//! Softmax and LogSoftmax.

use native_kernels::norm::{Softmax, softmax};

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::call::axis;
use crate::ops::movement::split_at;

/// Before since 13 the tensor is a matrix, split at the axis.
pub fn lower(used: &Use, device: &Device, operator: &Operator, kind: Softmax) -> Attempt {
    let Some(operand) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    let rank = operand.shape.len();
    if rank == 0 || operand.shape.contains(&0) {
        return Ok(None);
    }
    let at = axis(operator.attributes.int("axis")?, rank)?;
    let (outer, mut length, mut inner) = split_at(&operand.shape, at);
    if operator.schema.since < 13 {
        (length, inner) = (length * inner, 1);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(softmax(
            &device.pool,
            kind,
            [outer, length, inner],
            inputs[0],
            outputs[0],
        )?)
    })
}
