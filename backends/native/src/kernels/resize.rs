//! Resize and Upsample: nearest or linear of the last two axes in one pass, all others axis by axis.

use native_kernels::Buffer;
use native_kernels::resize::{ResizeAxis, Weights, resize, resize_along};
use onnx_tensor::Value;

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::{Call, Neighbours, between, neighbours};

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    // The tables are made once, so the other inputs must be constant.
    let constant = |position: usize| {
        let operand = used.inputs.get(position)?.as_ref()?;
        operand.constant.cloned().map(Value::Tensor)
    };
    let constants: Vec<Option<Value>> = (0..used.inputs.len())
        .map(|position| constant(position).filter(|_| position > 0))
        .collect();
    if (1..used.inputs.len()).any(|position| used.has(position) && constants[position].is_none()) {
        return Ok(None);
    }
    let inputs: Vec<Option<&Value>> = constants.iter().map(Option::as_ref).collect();
    let call = Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &inputs,
        outputs: 1,
    };
    let Some([rows, columns]) = between(&call, &x.shape)? else {
        return match neighbours(&call, &x.shape)? {
            Some(axes) => by_axes(used, device, &x.shape, axes),
            None => Ok(None),
        };
    };
    let Some((planes, &size)) = x.shape.split_last_chunk::<2>() else {
        return Ok(None);
    };
    let [rows, columns] = [rows, columns].map(ResizeAxis::linear);
    let planes = planes.iter().product();
    if used.outputs[0].iter().product::<usize>() != planes * rows.len() * columns.len() {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(resize(&device.pool, [planes, 1], size, [&rows, &columns], x, y)?)
    })
}

/// The resize of one axis of what the step before it made: the product of the extents before the axis, its
/// extent, and the product of those after it.
struct Step {
    around: [usize; 3],
    weights: Weights,
}

impl Step {
    /// The number of elements of the result.
    fn len(&self) -> usize {
        self.around[0] * self.weights.len() * self.around[2]
    }
}

/// Lowers a resize axis by axis: axes that shrink first, so that the others are resized for fewer elements,
/// and of those that grow the last ones first, because only they have no adjacent elements for vectors.
fn by_axes(used: &Use, device: &Device, shape: &[usize], mut axes: Vec<(usize, Neighbours)>) -> Attempt {
    axes.sort_by_key(|(at, taps)| {
        if taps.len() < shape[*at] {
            (0, *at)
        } else {
            (1, usize::MAX - at)
        }
    });
    let mut shape = shape.to_vec();
    let mut steps = Vec::with_capacity(axes.len());
    for (at, taps) in axes {
        let around = [
            shape[..at].iter().product(),
            shape[at],
            shape[at + 1..].iter().product(),
        ];
        shape[at] = taps.len();
        let pixel = |taps: &[(i64, f64)]| {
            taps.iter()
                .map(|&(place, weight)| (place as u32, weight as f32))
                .collect()
        };
        let weights = Weights::new(taps.iter().map(|taps| pixel(taps)));
        steps.push(Step { around, weights });
    }
    if steps.is_empty() || used.outputs[0] != shape {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let mut between: Option<Buffer<f32>> = None;
        for (number, step) in steps.iter().enumerate() {
            let x = between.as_deref().unwrap_or(inputs[0]);
            if number + 1 == steps.len() {
                resize_along(&device.pool, step.around, &step.weights, x, &mut *outputs[0])?;
            } else {
                let mut y = Buffer::try_zeroed(step.len())?;
                resize_along(&device.pool, step.around, &step.weights, x, &mut y)?;
                between = Some(y);
            }
        }
        Ok::<(), Problem>(())
    })
}
