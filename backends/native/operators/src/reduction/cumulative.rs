//! CumSum and CumProd.

use onnx_tensor::{DType, Tensor, dispatch};

use super::super::call::{axis, one};
use super::super::movement::split_at;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_whole_bytes, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::Problem;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("CumSum", 11, SAME, |call| {
        running(call, 0.0, 0, |a, b| a + b, |a, b| a + b)
    }),
    row("CumProd", 26, SAME, |call| {
        running(call, 1.0, 1, |a, b| a * b, i128::wrapping_mul)
    }),
];

fn running(
    call: &Call,
    float_start: f64,
    int_start: i128,
    of_floats: impl Fn(f64, f64) -> f64,
    of_ints: impl Fn(i128, i128) -> i128,
) -> Outcome {
    let tensor = call.tensor(0)?;
    let scan = Scan {
        cut: split_at(tensor.shape(), axis(call.int(1)?, tensor.rank())?),
        exclusive: call.attributes.flag("exclusive")?,
        reverse: call.attributes.flag("reverse")?,
    };
    let shape = tensor.shape();
    one(match tensor.dtype() {
        DType::Float => {
            let next = |sum: f64, x: f32| of_floats(sum, f64::from(x));
            let values = scan.run(slice::<f32>(tensor)?, float_start, next, |sum| sum as f32);
            Tensor::new(shape, values)?
        }
        dtype if is_whole_bytes(dtype) => dispatch!(int, dtype, T => {
            // The low bits of a state decide those of all later ones.
            let next = |state: T, x: T| of_ints(i128::from(state), i128::from(x)) as T;
            let values = scan.run(slice::<T>(tensor)?, int_start as T, next, |state| state);
            Ok::<Tensor, Problem>(Tensor::new(shape, values)?)
        })?,
        dtype if dtype.is_integer() => {
            let values = scan.run(&ints(tensor)?, int_start, of_ints, |state| state);
            from_ints(dtype, shape, values)?
        }
        dtype => {
            let values = scan.run(&floats(tensor)?, float_start, of_floats, |state| state);
            from_floats(dtype, shape, values)?
        }
    })
}

struct Scan {
    /// The number of elements before the axis, along it, and after it.
    cut: (usize, usize, usize),
    exclusive: bool,
    reverse: bool,
}

impl Scan {
    /// Combines each element with those before it along the axis.
    fn run<T: Copy, S: Copy>(
        &self,
        values: &[T],
        start: S,
        next: impl Fn(S, T) -> S,
        result: impl Fn(S) -> T,
    ) -> Vec<T> {
        let (_, length, inner) = self.cut;
        let mut results = values.to_vec();
        if results.is_empty() {
            return results;
        }
        let mut states = vec![start; inner];
        for block in results.chunks_exact_mut((length * inner).max(1)) {
            states.fill(start);
            for step in 0..length {
                let along = if self.reverse { length - 1 - step } else { step };
                let line = &mut block[along * inner..][..inner];
                for (state, element) in states.iter_mut().zip(line) {
                    let before = *state;
                    *state = next(before, *element);
                    *element = result(if self.exclusive { before } else { *state });
                }
            }
        }
        results
    }
}
