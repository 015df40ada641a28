//! The product of a row and a matrix of halves, which is read as it is stored: each weight is used once, so
//! the time is that of reading them.

use half::{bf16, f16};
use native_kernels::Buffer;
use native_kernels::gemm::{Rhs, gemm};
use native_kernels::{Bias, Epilogue};

use super::halves::{narrow, widen};
use super::product::{Added, Sides, added, matrix, sides};
use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::Operator;

/// Lowers a product whose left side is a row. `wide` is the node with f32 in place of halves.
pub fn lower(used: &Use, wide: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(Sides {
        extents: [1, n, k],
        pairs,
        turned: [_, turned],
    }) = sides(wide, operator)
    else {
        return Ok(None);
    };
    let scale = |name: &str| Ok::<_, Problem>(operator.attributes.find_float(name)?.unwrap_or(1.0));
    let bias = match added(wide, [1, n], scale("beta")?) {
        Some(Added::Nothing) => None,
        Some(Added::Columns(bias)) => Some(bias),
        _ => return Ok(None),
    };
    if pairs.len() != 1 || scale("alpha")? != 1.0 || !used.is_plain() || [n, k].contains(&0) {
        return Ok(None);
    }
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let ([x, weights], [y]) = (inputs, outputs) else {
            return invalid("a product has two operands and one result");
        };
        let mut row = Buffer::try_zeroed(k)?;
        widen(&device.pool, *x, &mut row)?;
        let weights = match *weights {
            Elements::F16(weights) => Rhs::F16(matrix::<f16>(weights, k, n, turned)?),
            Elements::Bf16(weights) => Rhs::Bf16(matrix::<bf16>(weights, k, n, turned)?),
            _ => return invalid("the weights are not halves"),
        };
        let bias = bias.as_deref().map_or(Bias::None, Bias::Column);
        let epilogue = Epilogue {
            bias,
            ..Epilogue::default()
        };
        let mut sums = Buffer::try_zeroed(n)?;
        gemm(
            &device.pool,
            matrix(&row, 1, k, false)?,
            weights,
            &epilogue,
            &mut sums,
        )?;
        narrow(&device.pool, &sums, y)
    };
    Lowered::of(used, device, vec![0, 1], Box::new(kernel))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::{Tensor, bf16, f16};

    use crate::fixture::{Fixture, node};

    /// Multiplies a row by plain and by transposed weights, and compares with the general code.
    fn check(dtype: i64, halves: impl Fn(&[usize]) -> Tensor, digit: f32) {
        let int = |name: &'static str, value: i64| (name, AttributeValue::Int(value));
        let nodes = vec![
            node("Cast", "x", "h", &[int("to", dtype)]),
            node("MatMul", "h first", "a", &[]),
            node("Gemm", "a second bias", "b", &[int("transB", 1)]),
            node("Gemm", "b third", "c", &[]),
            node("Cast", "c", "y", &[int("to", 1)]),
        ];
        Fixture::new(&[1, 37], nodes)
            .constant("first", halves(&[37, 51]))
            .constant("second", halves(&[21, 51]))
            .constant("bias", halves(&[21]))
            .constant("third", halves(&[21, 1]))
            .check_kernels(&[], 4.0 * digit);
    }

    #[test]
    fn a_row_is_multiplied_by_halves() {
        let value = |at: usize| (at * 7919 % 251) as f32 / 125.0 - 0.7;
        let values = |shape: &[usize]| (0..shape.iter().product::<usize>()).map(value);
        let f16s = |shape: &[usize]| Tensor::new(shape, values(shape).map(f16::from_f32).collect::<Vec<_>>());
        let bf16s =
            |shape: &[usize]| Tensor::new(shape, values(shape).map(bf16::from_f32).collect::<Vec<_>>());
        check(10, |shape| f16s(shape).unwrap(), 1.0 / 1024.0);
        check(16, |shape| bf16s(shape).unwrap(), 1.0 / 128.0);
    }
}
