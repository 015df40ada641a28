//! Casts of integers of at most 32 bits to f32.

use super::movement::each_part;
use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::invalid;
use crate::ops::fast::Fast;

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// Returns the kernel of such a Cast; `None` for any other node.
pub fn lower(used: &Use, device: &Device) -> Option<Attempt> {
    use onnx_tensor::DType::{Int8, Int32, Uint8};
    matches!(used.kernel(), Some(Fast::Cast)).then_some(())?;
    let from = used.inputs.first()?.as_ref()?.dtype;
    if !matches!(from, Int32 | Int8 | Uint8) || !used.has_float_outputs() || !used.is_plain() {
        return None;
    }
    let kernel = |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let y = outputs[0].floats()?;
        match inputs[0] {
            Elements::I32(x) => convert(device, x, y, |x| x as f32),
            Elements::I8(x) => convert(device, x, y, f32::from),
            Elements::U8(x) => convert(device, x, y, f32::from),
            _ => return invalid("the operand of this cast is not an integer of 8 or 32 bits"),
        }
        Ok(())
    };
    Some(Lowered::of(used, device, vec![0], Box::new(kernel)))
}

fn convert<T: Copy + Sync>(device: &Device, x: &[T], y: &mut [f32], float: impl Fn(T) -> f32 + Sync) {
    each_part(device, y, GRAIN, |start, part| {
        for (y, x) in part.iter_mut().zip(&x[start..]) {
            *y = float(*x);
        }
    });
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    #[test]
    fn integers_become_floats() {
        let to = [("to", AttributeValue::Int(1))];
        // Sums above 2²⁴ are rounded.
        let bias: Vec<i32> = (0..8).map(|at| (1 << 25) + at).collect();
        let weights: Vec<i8> = (0..64_i16).map(|at| (at * 4 - 128) as i8).collect();
        let nodes = vec![
            node("QuantizeLinear", "x s z", "q", &[]),
            node("Cast", "q", "first", &to),
            node("QuantizeLinear", "x s n", "p", &[]),
            node("Cast", "p", "second", &to),
            node("MatMulInteger", "q w", "m", &[]),
            node("Add", "m b", "sum", &[]),
            node("Cast", "sum", "third", &to),
            node("Add", "first second", "both", &[]),
            node("Add", "both third", "y", &[]),
        ];
        Fixture::new(&[3, 8], nodes)
            .constant("s", Tensor::scalar(0.011_f32))
            .constant("z", Tensor::scalar(7_u8))
            .constant("n", Tensor::scalar(-7_i8))
            .constant("w", Tensor::new(&[8, 8], weights).unwrap())
            .constant("b", Tensor::vector(bias))
            .check_kernels(&["Add"], 0.0);
    }
}
