//! Arithmetic on pairs of float, row by row.

use std::borrow::Cow;

use onnx_arithmetic::pairs::{Operand, Pair, evaluate};
use onnx_tensor::{Array, DType, Tensor, row_major};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::broadcast;
use crate::shared::elementwise::Broadcasting;

/// Rows that are shorter cost more than the stretched copy of an operand.
const SHORTEST: usize = 16;

/// The results for inputs 0 and 1 of type float. `None` for other types, and for operands whose rows are
/// short or not dense.
pub fn floats(call: &Call<'_>, broadcasting: Broadcasting, pair: Pair) -> Result<Option<Outputs>, OpError> {
    if call.dtype(0)? != DType::Float || call.dtype(1)? != DType::Float {
        return Ok(None);
    }
    let (a, second) = (call.array::<f32>(0)?, call.array::<f32>(1)?);
    let aligned: Array<f32>;
    let b = match broadcasting {
        Broadcasting::Multidirectional => second,
        Broadcasting::Legacy => {
            aligned = broadcast::legacy_operand(call, a.shape(), second)?;
            &aligned
        }
    };
    let shape = broadcast::shape(&[a.shape(), b.shape()])?;
    let Some(rows) = ByRows::new([a, b], &shape) else {
        return Ok(None);
    };
    call.reserve(&shape, DType::Float)?;
    let mut result = vec![0.0; shape.iter().product()];
    rows.part(0, &mut result, |_, [x, y], result| evaluate(pair, x, y, result));
    one(Tensor::new(&shape, result)?).map(Some)
}

/// Two dense operands and the rows of their result.
#[derive(Debug)]
pub struct ByRows<'a> {
    operands: [Cow<'a, [f32]>; 2],
    rows: Rows,
}

impl<'a> ByRows<'a> {
    /// The rows of operands that broadcast to `shape`. `None` if they are short.
    pub fn new(operands: [&'a Array<f32>; 2], shape: &[usize]) -> Option<ByRows<'a>> {
        let rows = Rows::new(shape, operands.map(|operand| operand.shape()));
        // An empty shape has no rows; the product of its extents might overflow.
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &extent| count.checked_mul(extent))?;
        (count > 0 && rows.length >= SHORTEST.min(count)).then(|| ByRows {
            operands: operands.map(row_major),
            rows,
        })
    }

    /// Calls `f` for each row, or part of one, of the elements `result` of the result from position `from`
    /// on: where it starts in `result`, the operands, and its elements.
    pub fn part<T>(
        &self,
        from: usize,
        result: &mut [T],
        mut f: impl FnMut(usize, [Operand<'_>; 2], &mut [T]),
    ) {
        let (length, mut at) = (self.rows.length, 0);
        while at < result.len() {
            let (index, inside) = ((from + at) / length, (from + at) % length);
            let count = (length - inside).min(result.len() - at);
            let starts = self.rows.starts(index);
            let operand = |of: usize| {
                if self.rows.dense[of] {
                    Operand::Row(&self.operands[of][starts[of] + inside..][..count])
                } else {
                    Operand::One(self.operands[of][starts[of]])
                }
            };
            f(at, [operand(0), operand(1)], &mut result[at..at + count]);
            at += count;
        }
    }
}

/// The rows of a result in which each operand has an element for each result, or one for all.
#[derive(Debug)]
struct Rows {
    length: usize,
    /// Whether each operand has an element for each result of a row.
    dense: [bool; 2],
    /// The axes before those of a row: the extent, and how far each operand moves.
    outer: Vec<(usize, [usize; 2])>,
}

impl Rows {
    /// The longest rows of operands of these shapes, which broadcast to `shape`.
    fn new(shape: &[usize], operands: [&[usize]; 2]) -> Rows {
        let extents = |axis: usize| {
            operands.map(|operand| {
                let missing = shape.len() - operand.len();
                axis.checked_sub(missing).map_or(1, |axis| operand[axis])
            })
        };
        let (mut length, mut sizes, mut axis) = (1, [1, 1], shape.len());
        let mut dense = [None, None];
        while let Some(next) = axis.checked_sub(1) {
            let here = extents(next);
            let fits = |operand: usize| {
                let whole = here[operand] == shape[next];
                shape[next] == 1 || dense[operand].is_none_or(|dense| dense == whole)
            };
            if !(fits(0) && fits(1)) {
                break;
            }
            for operand in 0..2 {
                if shape[next] != 1 {
                    dense[operand] = Some(here[operand] == shape[next]);
                }
                sizes[operand] *= here[operand];
            }
            length *= shape[next];
            axis = next;
        }
        let mut outer: Vec<(usize, [usize; 2])> = Vec::new();
        for axis in (0..axis).rev() {
            let here = extents(axis);
            outer.push((
                shape[axis],
                [0, 1].map(|operand| if here[operand] == 1 { 0 } else { sizes[operand] }),
            ));
            (0..2).for_each(|operand| sizes[operand] *= here[operand]);
        }
        outer.reverse();
        Rows {
            length,
            dense: dense.map(|dense| dense.unwrap_or(true)),
            outer,
        }
    }

    /// Where the row with this index starts in each operand.
    fn starts(&self, index: usize) -> [usize; 2] {
        let (mut rest, mut starts) = (index, [0, 0]);
        for (extent, steps) in self.outer.iter().rev() {
            (0..2).for_each(|operand| starts[operand] += rest % extent * steps[operand]);
            rest /= extent;
        }
        starts
    }
}
