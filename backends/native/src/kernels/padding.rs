//! Pad with constant pads.

use onnx_tensor::Value;

use super::movement::each_part;
use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::movement::strides;
use crate::ops::{Call, Padded, padded, pads_of};

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    // What the specification refuses fails when the node runs.
    let Some((pads, fill)) = constants(used, operator, x.shape.len()).ok().flatten() else {
        return Ok(None);
    };
    let Ok(Padded { shape, mut sources }) = padded(operator.attributes.text("mode")?, &x.shape, &pads) else {
        return Ok(None);
    };
    if used.outputs != [shape] {
        return Ok(None);
    }
    let Some(last) = sources.pop() else {
        return Ok(None);
    };
    let row = Row::new(last);
    let steps = strides(&x.shape);
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let length = row.sources.len();
        each_part(device, outputs[0], length, |start, part| {
            for (number, target) in part.chunks_exact_mut(length).enumerate() {
                match place(&sources, &steps, start / length + number) {
                    Some(first) => row.copy(&inputs[0][first..], fill, target),
                    None => target.fill(fill),
                }
            }
        });
        Ok(())
    })
}

/// Returns two pads for each axis and the constant; `None` if they are not constant.
fn constants(used: &Use, operator: &Operator, rank: usize) -> Result<Option<(Vec<i64>, f32)>, Problem> {
    let attributes = &operator.attributes;
    if operator.schema.since < 11 {
        let pads = attributes.ints("pads")?.unwrap_or_default().to_vec();
        return Ok(Some((pads, attributes.float("value")?)));
    }
    let constant = |position: usize| used.constant(position).cloned().map(Value::Tensor);
    let values: Vec<Option<Value>> = (0..used.inputs.len())
        .map(|position| constant(position).filter(|_| position > 0))
        .collect();
    if (1..used.inputs.len()).any(|position| used.has(position) && values[position].is_none()) {
        return Ok(None);
    }
    let fill = if used.has(2) {
        used.floats(2).and_then(|values| values.first()).copied()
    } else {
        Some(0.0)
    };
    let inputs: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
    let call = Call {
        since: operator.schema.since,
        attributes,
        inputs: &inputs,
        outputs: 1,
    };
    Ok(Some(pads_of(&call, rank)?).zip(fill))
}

/// Returns the first element of the source of a row of the result; `None` if the row is constant.
fn place(sources: &[Vec<Option<usize>>], steps: &[usize], mut row: usize) -> Option<usize> {
    let mut position = 0;
    for (axis, &step) in sources.iter().zip(steps).rev() {
        position += axis[row % axis.len()]? * step;
        row /= axis.len();
    }
    Some(position)
}

/// The sources of the last axis, and a part of it that is copied in one piece.
struct Row {
    sources: Vec<Option<usize>>,
    piece: std::ops::Range<usize>,
}

impl Row {
    fn new(sources: Vec<Option<usize>>) -> Row {
        let follows = |at: usize| matches!((sources[at - 1], sources[at]), (Some(a), Some(b)) if b == a + 1);
        let mut piece = 0..0;
        let mut start = 0;
        for (at, source) in sources.iter().enumerate() {
            if at == 0 || !follows(at) {
                start = at;
            }
            if source.is_some() && at + 1 - start > piece.len() {
                piece = start..at + 1;
            }
        }
        Row { sources, piece }
    }

    fn copy(&self, from: &[f32], fill: f32, target: &mut [f32]) {
        let each = |range: std::ops::Range<usize>, target: &mut [f32]| {
            for (y, source) in target[range.clone()].iter_mut().zip(&self.sources[range]) {
                *y = source.map_or(fill, |at| from[at]);
            }
        };
        each(0..self.piece.start, target);
        if let Some(first) = self.sources.get(self.piece.start).copied().flatten() {
            let length = self.piece.len();
            target[self.piece.clone()].copy_from_slice(&from[first..first + length]);
        }
        each(self.piece.end..target.len(), target);
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::String;
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    #[test]
    fn pads_are_those_of_the_general_code() {
        for mode in ["constant", "edge", "reflect", "wrap"] {
            for pads in [
                [1, 2, 3, 0, 1, 2],
                [0, 0, 1, 0, 0, 0],
                [0, -1, 0, 1, 1, -2],
                [0, 0, -1, 0, 0, 2],
                [2, 0, 0, 0, 0, 0],
                [-1, 0, 2, 0, -1, -1],
            ] {
                let pad = node("Pad", "x p v", "y", &[("mode", String(mode.as_bytes().to_vec()))]);
                Fixture::new(&[3, 3, 4], vec![pad])
                    .constant("p", Tensor::vector::<i64>(pads.to_vec()))
                    .constant("v", Tensor::scalar(-7.5_f32))
                    .check_kernels(&[], 0.0);
            }
        }
        let listed = node("Pad", "x p v a", "y", &[]);
        Fixture::new(&[3, 4], vec![listed])
            .constant("p", Tensor::vector(vec![2_i64, 1]))
            .constant("v", Tensor::scalar(0.5_f32))
            .constant("a", Tensor::vector(vec![-1_i64]))
            .check_kernels(&[], 0.0);
    }
}
