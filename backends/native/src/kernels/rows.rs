//! Work on rows: softmax; and the dividing of a result between threads.

use std::sync::Mutex;

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::call::axis;
use crate::ops::movement::split_at;

/// Calls `body` with parts of `y` and where they start, on all threads; cuts lie at multiples of `grain`.
pub fn each_part(device: &Device, y: &mut [f32], grain: usize, body: impl Fn(usize, &mut [f32]) + Sync) {
    let threads = device.pool.threads();
    let grain = grain.max(1);
    let grains = y.len().div_ceil(grain);
    if threads == 1 || grains <= 1 {
        return body(0, y);
    }
    let each = grains.div_ceil(threads) * grain;
    let parts: Vec<Mutex<(usize, &mut [f32])>> = y
        .chunks_mut(each)
        .enumerate()
        .map(|(number, part)| Mutex::new((number * each, part)))
        .collect();
    device.pool.run(&|thread| {
        // Each part is one thread's: the lock is never waited for.
        if let Some(Ok(mut part)) = parts.get(thread).map(Mutex::lock) {
            let (start, part) = &mut *part;
            body(*start, part);
        }
    });
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(operand) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    let rank = operand.shape.len();
    if rank == 0 || operand.shape.contains(&0) {
        return Ok(None);
    }
    let at = axis(operator.attributes.int("axis")?, rank)?;
    let (_, mut length, inner) = split_at(&operand.shape, at);
    if operator.schema.since < 13 {
        length *= inner;
    } else if inner != 1 {
        return Ok(None);
    }
    let logarithm = operator.schema.name == "LogSoftmax";
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        let rows = super::activation::GRAIN.div_ceil(length) * length;
        each_part(device, outputs[0], rows, |start, part| {
            for (number, line) in part.chunks_exact_mut(length).enumerate() {
                let from = &x[start + number * length..][..length];
                if logarithm {
                    log_softmax(from, line)
                } else {
                    softmax(from, line)
                }
            }
        });
        Ok(())
    })
}

fn greatest(x: &[f32]) -> f32 {
    x.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// The softmax of a row.
pub fn softmax(x: &[f32], y: &mut [f32]) {
    let most = greatest(x);
    let mut sum = 0.0;
    for (&x, y) in x.iter().zip(y.iter_mut()) {
        *y = (x - most).exp();
        sum += *y;
    }
    let factor = 1.0 / sum;
    y.iter_mut().for_each(|y| *y *= factor);
}

fn log_softmax(x: &[f32], y: &mut [f32]) {
    let most = greatest(x);
    let sum: f32 = x.iter().map(|x| (x - most).exp()).sum();
    let shift = most + sum.ln();
    x.iter().zip(y).for_each(|(x, y)| *y = x - shift);
}
