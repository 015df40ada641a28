//! Weights in bytes: DynamicQuantizeLSTM.

use std::sync::Arc;

use native_kernels::recurrent::{ByteParameters, Direction, ScaledBytes};
use onnx_tensor::{DType, Tensor};

use super::{BIAS, LENGTHS, PEEPHOLES, Plan, R, W};
use crate::error::{Problem, invalid};
use crate::kernels::{Device, Elements, Use};
use crate::ops::numbers::ints;

/// The positions of the scales of both weights; each zero point follows its scale.
const SCALES: [usize; 2] = [8, 10];

/// Returns the shape of weights in the order of LSTM: directions, columns of all gates, rows.
pub fn shape(used: &Use, position: usize) -> Option<[usize; 3]> {
    let operand = used.inputs.get(position)?.as_ref()?;
    match operand.shape[..] {
        [directions, rows, columns] if is_byte(operand.dtype) => Some([directions, columns, rows]),
        _ => None,
    }
}

fn is_byte(dtype: DType) -> bool {
    matches!(dtype, DType::Int8 | DType::Uint8)
}

/// Whether all weights are constant, have scales for these directions and columns, and all sequences have
/// this length.
pub fn fits(used: &Use, [directions, columns]: [usize; 2], steps: usize) -> bool {
    let constant = [W, R, BIAS, PEEPHOLES].iter().all(|&position| {
        let is_weight = position == W || position == R;
        (!is_weight && !used.has(position)) || used.constant(position).is_some()
    });
    let scaled = SCALES.iter().all(|&position| {
        let each =
            |tensor: &Tensor| tensor.shape() == [directions] || tensor.shape() == [directions, columns];
        let (scales, zeros) = (used.constant(position), used.constant(position + 1));
        scales.is_some_and(|scales| scales.dtype() == DType::Float && each(scales))
            && zeros.is_some_and(|zeros| is_byte(zeros.dtype()) && each(zeros))
    });
    let whole = |length: &i64| usize::try_from(*length) == Ok(steps);
    let lengths = !used.has(LENGTHS)
        || used
            .ints(LENGTHS)
            .is_some_and(|lengths| lengths.iter().all(whole));
    let names = match used.op {
        crate::ir::Op::Plain(operator) => operator.attributes.texts("activations"),
        _ => return false,
    };
    let named = names.is_ok_and(|names| names.is_none_or(|names| !names.is_empty()));
    constant && scaled && lengths && named
}

/// Returns the packed weights of all directions.
pub fn packed(used: &Use, device: &Device, plan: &Plan) -> Result<Arc<Vec<Direction>>, Problem> {
    let positions = [
        W,
        R,
        BIAS,
        PEEPHOLES,
        SCALES[0],
        SCALES[0] + 1,
        SCALES[1],
        SCALES[1] + 1,
    ];
    let constants: Vec<&Tensor> = positions
        .iter()
        .filter_map(|&position| used.constant(position))
        .collect();
    let given = positions.map(|position| used.has(position));
    let sizes = (plan.input, plan.hidden, plan.clip.map(f32::to_bits));
    device
        .packs
        .get(&constants, (sizes, &plan.directions, given), || {
            (0..plan.directions.len())
                .map(|which| direction(used, device, plan, which))
                .collect()
        })
}

fn direction(used: &Use, device: &Device, plan: &Plan, which: usize) -> Result<Direction, Problem> {
    let (cell, reverse) = plan.directions[which];
    let count = plan.directions.len();
    let zeros = [zeros(used, SCALES[0] + 1)?, zeros(used, SCALES[1] + 1)?];
    let matrix = |position: usize, number: usize| {
        let Some(weights) = used.constant(position) else {
            return invalid("the weights are missing");
        };
        let Some(scales) = used.floats(SCALES[number]) else {
            return invalid("the scales are missing");
        };
        Ok(ScaledBytes {
            bytes: Elements::of_tensor(weights)?.bytes()?.part(which, count),
            scales: part(scales, which, count),
            zeros: part(&zeros[number], which, count),
        })
    };
    let floats = |position: usize| used.floats(position).map(|all| part(all, which, count));
    let parameters = ByteParameters {
        w: matrix(W, 0)?,
        r: matrix(R, 1)?,
        bias: floats(BIAS),
        peepholes: floats(PEEPHOLES),
    };
    Ok(Direction::of_bytes(
        &device.pool,
        cell,
        plan.clip,
        reverse,
        [plan.input, plan.hidden],
        &parameters,
    )?)
}

fn zeros(used: &Use, position: usize) -> Result<Vec<i32>, Problem> {
    match used.constant(position) {
        Some(zeros) => Ok(ints(zeros)?.into_iter().map(|zero| zero as i32).collect()),
        None => invalid("the zero points are missing"),
    }
}

/// Returns the part of one of several directions.
fn part<T>(all: &[T], which: usize, count: usize) -> &[T] {
    let length = all.len() / count;
    &all[which * length..(which + 1) * length]
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Float, Int, String};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    fn floats(shape: &[usize], step: f32) -> Tensor {
        let count: usize = shape.iter().product();
        let elements = (0..count).map(|at| (at as f32 * step).sin() / 4.0);
        Tensor::new(shape, elements.collect::<Vec<f32>>()).expect("as many as the shape has")
    }

    fn bytes(shape: &[usize], step: usize) -> Vec<u8> {
        (0..shape.iter().product())
            .map(|at| (at * step % 251) as u8)
            .collect()
    }

    /// Compares the kernel with the composition for both kinds of weights and of scales, each output alone;
    /// 4 steps of 3 sequences of 5 elements, 6 units.
    #[track_caller]
    fn check(inputs: &str, attributes: &[(&str, AttributeValue)]) {
        let both = [
            ("direction", String(b"bidirectional".to_vec())),
            ("hidden_size", Int(6)),
        ];
        let attributes: Vec<_> = attributes.iter().cloned().chain(both).collect();
        let name = |name: &str| if name == "-" { "" } else { name }.to_owned();
        let wide = |tensor: Vec<u8>, shape: &[usize], signed: bool| {
            if signed {
                let elements: Vec<i8> = tensor.into_iter().map(u8::cast_signed).collect();
                Tensor::new(shape, elements).expect("it fits")
            } else {
                Tensor::new(shape, tensor).expect("it fits")
            }
        };
        for (signed, output) in [(true, 0), (false, 1), (true, 2)] {
            let scales: &[usize] = if signed { &[2] } else { &[2, 24] };
            let mut one = node("DynamicQuantizeLSTM", "x w r", "y", &attributes);
            one.domain = onnx_schema::CONTRIB_DOMAIN.to_owned();
            one.inputs.extend(inputs.split_whitespace().map(name));
            one.inputs.extend(["ws", "wz", "rs", "rz"].map(str::to_owned));
            one.outputs = vec![name("-"); output];
            one.outputs.push(name("y"));
            let small = |step: f32| {
                let count = scales.iter().product();
                let elements = (0..count).map(|at: usize| 0.004 + 0.003 * (at as f32 * step).sin());
                Tensor::new(scales, elements.collect::<Vec<f32>>()).expect("it fits")
            };
            Fixture::new(&[4, 3, 5], vec![one])
                .constant("w", wide(bytes(&[2, 5, 24], 7919), &[2, 5, 24], signed))
                .constant("r", wide(bytes(&[2, 6, 24], 104_729), &[2, 6, 24], signed))
                .constant("ws", small(0.7))
                .constant("wz", wide(bytes(scales, 31), scales, signed))
                .constant("rs", small(1.1))
                .constant("rz", wide(bytes(scales, 17), scales, signed))
                .constant("b", floats(&[2, 48], 1.3))
                .constant("n", Tensor::vector(vec![4_i32; 3]))
                .constant("h", floats(&[2, 3, 6], 1.1))
                .constant("c", floats(&[2, 3, 6], 1.7))
                .constant("p", floats(&[2, 18], 0.3))
                .check_kernels(&[], 1e-5);
        }
    }

    #[test]
    fn the_kernel_answers_as_the_composition() {
        check("- - - - -", &[]);
        check("b n h c -", &[]);
        check("b - h c p", &[("clip", Float(0.4)), ("input_forget", Int(1))]);
    }
}
