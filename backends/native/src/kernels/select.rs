//! Where.

use native_kernels::Zeroable;

use super::moving::{self, Move};
use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::Problem;
use crate::ops::broadcast::{broadcast_shape, broadcast_strides};
use crate::ops::walk::Walk;

/// Lowers a Where whose operands are in the plain layout.
pub fn lower(used: &Use, device: &Device) -> Attempt {
    let (Some(Some(condition)), Some(a), Some(b)) = (used.inputs.first(), used.float(1), used.float(2))
    else {
        return Ok(None);
    };
    let shape = &used.outputs[0];
    let fits = broadcast_shape([&condition.shape[..], &a.shape, &b.shape]).is_ok_and(|found| found == *shape);
    if !used.is_plain() || !fits {
        return Ok(None);
    }
    let strides = [condition, a, b].map(|operand| broadcast_strides(&operand.shape, shape));
    let walk = Walk::new(shape, [&strides[0], &strides[1], &strides[2]]);
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let mut chosen = Chosen {
            condition: inputs[0].conditions()?,
            walk: &walk,
        };
        moving::run(&mut chosen, device, &inputs[1..], outputs)
    };
    Lowered::of(used, device, vec![0, 1, 2], Box::new(kernel))
}

/// Elements of one of two operands, by a condition.
struct Chosen<'a> {
    condition: &'a [bool],
    walk: &'a Walk<3>,
}

impl Move for Chosen<'_> {
    fn run<T: Zeroable>(
        &mut self,
        _: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let Chosen { condition, walk } = self;
        let mut rows = outputs[0].chunks_exact_mut(walk.length.max(1));
        walk.rows(|[at, p, q]| {
            if let Some(row) = rows.next() {
                choose(
                    walk.steps,
                    &condition[at..],
                    &inputs[0][p..],
                    &inputs[1][q..],
                    row,
                );
            }
        });
        Ok(())
    }
}

/// Writes a row, whose operands are read with these steps.
fn choose<T: Copy>(steps: [usize; 3], condition: &[bool], a: &[T], b: &[T], y: &mut [T]) {
    match steps {
        [1, 1, 1] => adjacent::<1, 1, T>(condition, a, b, y),
        [1, 1, 0] => adjacent::<1, 0, T>(condition, a, b, y),
        [1, 0, 1] => adjacent::<0, 1, T>(condition, a, b, y),
        [1, 0, 0] => adjacent::<0, 0, T>(condition, a, b, y),
        [0, 1, 1] => y.copy_from_slice(&(if condition[0] { a } else { b })[..y.len()]),
        [c, p, q] => {
            for (at, y) in y.iter_mut().enumerate() {
                *y = if condition[at * c] { a[at * p] } else { b[at * q] };
            }
        }
    }
}

/// Writes a row with adjacent conditions; an operand has a step of 0 or 1.
fn adjacent<const A: usize, const B: usize, T: Copy>(condition: &[bool], a: &[T], b: &[T], y: &mut [T]) {
    let length = y.len();
    let (condition, a, b) = (
        &condition[..length],
        &a[..1 + A * (length - 1)],
        &b[..1 + B * (length - 1)],
    );
    for at in 0..length {
        // Both are read, so that there is no branch, which a condition without order would mispredict.
        let (yes, no) = (a[A * at], b[B * at]);
        y[at] = if condition[at] { yes } else { no };
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    #[test]
    fn operands_of_every_shape_are_chosen() {
        let shapes: [&[usize]; 8] = [
            &[2, 3, 5],
            &[3, 5],
            &[5],
            &[3, 1],
            &[2, 1, 5],
            &[2, 1, 1],
            &[1],
            &[],
        ];
        for shape in shapes {
            for other in shapes {
                for (inputs, condition) in [("c x k", shape), ("c k x", shape), ("c k x", &[2, 3, 5])] {
                    let bits: Vec<bool> = (0..condition.iter().product()).map(|at| at % 3 == 1).collect();
                    Fixture::new(&[2, 3, 5], vec![node("Where", inputs, "y", &[])])
                        .constant(
                            "c",
                            Tensor::new(condition, bits).expect("as many as the shape has"),
                        )
                        .varied("k", other)
                        .check_kernels(&[], 0.0);
                }
            }
        }
    }
}
