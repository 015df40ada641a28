//! Two operands, element by element, with broadcasting.

use super::rows::each_part;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::{Layout, Operator};
use crate::ops::broadcast::broadcast_strides;

type Function = fn(f32, f32) -> f32;

/// How the operands of a run of neighbouring results move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    Both,
    Left,
    Right,
    Neither,
}

/// A walk over the results in runs of neighbours: outer axes with their steps in both operands.
struct Walk {
    length: usize,
    inner: Inner,
    outer: Vec<(usize, usize, usize)>,
}

impl Walk {
    fn new(target: &[usize], a: &[usize], b: &[usize]) -> Walk {
        let (a, b) = (broadcast_strides(a, target), broadcast_strides(b, target));
        // Axes of extent 1 say nothing; neighbours that move alike are one.
        let mut axes: Vec<(usize, usize, usize)> = Vec::new();
        for at in 0..target.len() {
            let (extent, a, b) = (target[at], a[at], b[at]);
            match axes.last_mut() {
                _ if extent == 1 => {}
                Some(last) if last.1 == a * extent && last.2 == b * extent => *last = (last.0 * extent, a, b),
                _ => axes.push((extent, a, b)),
            }
        }
        let (length, a, b) = axes.pop().unwrap_or((1, 0, 0));
        let inner = match (a, b) {
            (0, 0) => Inner::Neither,
            (_, 0) => Inner::Left,
            (0, _) => Inner::Right,
            _ => Inner::Both,
        };
        Walk {
            length,
            inner,
            outer: axes,
        }
    }

    /// Where the operands of a run stand.
    fn starts(&self, run: usize) -> (usize, usize) {
        let (mut rest, mut a, mut b) = (run, 0, 0);
        for &(extent, step_a, step_b) in self.outer.iter().rev() {
            let at = rest % extent;
            rest /= extent;
            a += at * step_a;
            b += at * step_b;
        }
        (a, b)
    }
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let function: Function = match operator.schema.name {
        "Add" | "Sum" => |a, b| a + b,
        "Sub" => |a, b| a - b,
        "Mul" => |a, b| a * b,
        "Div" => |a, b| a / b,
        "Max" => |a, b| if a.is_nan() || a > b { a } else { b },
        "Min" => |a, b| if a.is_nan() || a < b { a } else { b },
        "Pow" => f32::powf,
        _ => return Ok(None),
    };
    let (Some(a), Some(b), 2) = (used.float(0), used.float(1), used.inputs.len()) else {
        return Ok(None);
    };
    let target = &used.outputs[0];
    if used.layout == Layout::Blocked {
        let same = a.shape == b.shape && a.layout == Layout::Blocked && b.layout == Layout::Blocked;
        return match same {
            true => flat(used, device, function, operator.schema.name),
            false => Ok(None),
        };
    }
    if !used.is_plain() {
        return Ok(None);
    }
    if a.shape == b.shape {
        return flat(used, device, function, operator.schema.name);
    }
    let walk = Walk::new(target, &a.shape, &b.shape);
    let square = operator.schema.name == "Pow" && used.floats(1).is_some_and(|exponent| exponent == [2.0]);
    let name = if square { "Square" } else { operator.schema.name };
    Lowered::new(used, device, vec![0, 1], move |device, inputs, outputs| {
        let (a, b) = (inputs[0], inputs[1]);
        let length = walk.length;
        each_part(device, outputs[0], length, |start, part| {
            for (number, y) in part.chunks_exact_mut(length).enumerate() {
                let (at_a, at_b) = walk.starts(start / length + number);
                match walk.inner {
                    Inner::Both => both(
                        name,
                        function,
                        &a[at_a..at_a + length],
                        &b[at_b..at_b + length],
                        y,
                    ),
                    Inner::Left => left(name, function, &a[at_a..at_a + length], b[at_b], y),
                    Inner::Right => right(name, function, a[at_a], &b[at_b..at_b + length], y),
                    Inner::Neither => y.fill(function(a[at_a], b[at_b])),
                }
            }
        });
        Ok(())
    })
}

/// Operands of one shape and layout.
fn flat(used: &Use, device: &Device, function: Function, name: &'static str) -> Attempt {
    Lowered::new(used, device, vec![0, 1], move |device, inputs, outputs| {
        let (a, b) = (inputs[0], inputs[1]);
        each_part(device, outputs[0], super::activation::GRAIN, |start, y| {
            both(
                name,
                function,
                &a[start..start + y.len()],
                &b[start..start + y.len()],
                y,
            );
        });
        Ok(())
    })
}

/// The frequent ones are spelled out, so that they become vectors.
fn both(name: &str, function: Function, a: &[f32], b: &[f32], y: &mut [f32]) {
    let pairs = a.iter().zip(b).zip(y);
    match name {
        "Add" | "Sum" => pairs.for_each(|((a, b), y)| *y = a + b),
        "Sub" => pairs.for_each(|((a, b), y)| *y = a - b),
        "Mul" => pairs.for_each(|((a, b), y)| *y = a * b),
        "Div" => pairs.for_each(|((a, b), y)| *y = a / b),
        _ => pairs.for_each(|((&a, &b), y)| *y = function(a, b)),
    }
}

fn left(name: &str, function: Function, a: &[f32], b: f32, y: &mut [f32]) {
    let pairs = a.iter().zip(y);
    match name {
        "Add" | "Sum" => pairs.for_each(|(a, y)| *y = a + b),
        "Sub" => pairs.for_each(|(a, y)| *y = a - b),
        "Mul" => pairs.for_each(|(a, y)| *y = a * b),
        "Div" => pairs.for_each(|(a, y)| *y = a / b),
        "Square" => pairs.for_each(|(a, y)| *y = a * a),
        _ => pairs.for_each(|(&a, y)| *y = function(a, b)),
    }
}

fn right(name: &str, function: Function, a: f32, b: &[f32], y: &mut [f32]) {
    let pairs = b.iter().zip(y);
    match name {
        "Add" | "Sum" => pairs.for_each(|(b, y)| *y = a + b),
        "Sub" => pairs.for_each(|(b, y)| *y = a - b),
        "Mul" => pairs.for_each(|(b, y)| *y = a * b),
        "Div" => pairs.for_each(|(b, y)| *y = a / b),
        _ => pairs.for_each(|(&b, y)| *y = function(a, b)),
    }
}
