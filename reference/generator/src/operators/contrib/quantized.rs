//! Operators on tensors of 8 bits: scales are powers of two, so that ties are ties in every arithmetic.

use onnx_tensor::{DType, ValueType};

use super::super::matrices::scale;
use super::{Declaration, contrib, flag};
use crate::families::{broadcast_shapes, full, window};
use crate::{Domain, Draft, Made};

const ZERO: Domain = Domain::from(-8.0, 8.0);

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("DequantizeLinear", |d| {
        let zero = if d.dtype("T1")? == DType::Int32 {
            Domain::whole(0.0, 0.0)
        } else {
            ZERO
        };
        linear(d, Domain::ANY, zero)
    }),
    // NaN has no quantized value.
    contrib("QuantizeLinear", |d| linear(d, Domain::from(-400.0, 400.0), ZERO)),
    contrib("QLinearAdd", binary),
    contrib("QLinearMul", binary),
    contrib("QLinearSigmoid", unary),
    contrib("QLinearLeakyRelu", |d| {
        d.scalar("alpha", &[0.25]);
        unary(d)
    }),
    contrib("QLinearConcat", |d| {
        let shape = full(d, 1, 3);
        d.int("axis", 0);
        let (to, float) = (d.dtype("T8")?, d.dtype("TV")? == DType::Float);
        d.require(!float && to == d.dtype("TV")?, "parts of the type of the result")?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        for _ in 0..1 + d.draws.below(3) {
            let dtype = d.dtype("TV")?;
            let part = d.tensor(dtype, &shape, Domain::ANY)?;
            d.give(part);
            let exponent = d.draws.below(3);
            d.give(onnx_tensor::Tensor::scalar((1_u32 << exponent) as f32));
            let zero = d.tensor(dtype, &[], ZERO)?;
            d.give(zero);
        }
        Ok(())
    }),
    contrib("QLinearWhere", |d| {
        let (a, b) = broadcast_shapes(d);
        d.input(&[], Domain::ANY)?;
        for shape in [&a, &b] {
            d.input(shape, Domain::ANY)?;
            scale(d, &[])?;
            d.input(&[], ZERO)?;
        }
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        Ok(())
    }),
    contrib("QLinearReduceMean", |d| {
        let shape = full(d, 1, 4);
        match d.pick("axes", &["first", "last", "both"]) {
            "first" => d.ints("axes", &[0]),
            "last" => d.ints("axes", &[-1]),
            _ if shape.len() > 1 => d.ints("axes", &[0, -1]),
            _ => d.ints("axes", &[0]),
        }
        let kept = d.pick("keepdims", &["0", "1"]) == "1";
        d.int("keepdims", i64::from(kept));
        in_and_out(d, &shape)
    }),
    contrib("QLinearSoftmax", |d| {
        let shape = full(d, 1, 3);
        let new = d.pick("opset", &["13", "11"]) == "13";
        d.int("opset", if new { 13 } else { 11 });
        d.int("axis", 0);
        d.input(&shape, Domain::ANY)?;
        d.give(onnx_tensor::Tensor::scalar(0.0625_f32));
        d.optional("zero point", &[], ZERO)?;
        d.give(onnx_tensor::Tensor::scalar(1.0_f32 / 256.0));
        d.input(&[], ZERO)?;
        Ok(())
    }),
    contrib("QLinearAveragePool", |d| {
        let window = window(d, true)?;
        let channels = 1 + d.draws.below(3);
        let kernel: Vec<i64> = window.kernel.iter().map(|&extent| extent as i64).collect();
        d.ints("kernel_shape", &kernel);
        flag(d, "count_include_pad");
        let shape = layout(d, channels, &window.input);
        in_and_out(d, &shape)
    }),
    contrib("QLinearGlobalAveragePool", |d| {
        let spatial = full(d, 1, 3);
        let channels = 1 + d.draws.below(3);
        let shape = layout(d, channels, &spatial);
        d.input(&shape, Domain::ANY)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        Ok(())
    }),
    contrib("NhwcMaxPool", |d| {
        let window = window(d, true)?;
        let kernel: Vec<i64> = window.kernel.iter().map(|&extent| extent as i64).collect();
        d.ints("kernel_shape", &kernel);
        let channels = 1 + d.draws.below(3);
        d.input(&[&[1], &window.input[..], &[channels]].concat(), Domain::ANY)?;
        Ok(())
    }),
    contrib("QLinearConv", |d| {
        let window = window(d, true)?;
        let (channels, maps) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        d.require(
            d.dtype("T1")? == d.dtype("T3")?,
            "the types of input and result are equal",
        )?;
        let shape = layout(d, channels, &window.input);
        d.input(&shape, Domain::ANY)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        d.input(&[&[maps, channels], &window.kernel[..]].concat(), ZERO)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
        d.optional("bias", &[maps], Domain::from(-100.0, 100.0))?;
        Ok(())
    }),
    contrib("QGemm", gemm),
    contrib("QAttention", |d| {
        let (batch, tokens, heads, size) = (
            2,
            1 + d.draws.below(3),
            1 + d.draws.below(2),
            1 + d.draws.below(4),
        );
        let (width, hidden) = (1 + d.draws.below(4), 3 * heads * size);
        d.int("num_heads", heads as i64);
        flag(d, "unidirectional");
        d.input(&[batch, tokens, width], ZERO)?;
        d.input(&[width, hidden], ZERO)?;
        d.input(&[hidden], Domain::UNIT)?;
        let of_input = d.tensor(d.dtype("T3")?, &[], Domain::from(0.0625, 0.125).without_zero())?;
        d.give(of_input);
        let of_weight = d.tensor(d.dtype("T3")?, &[], Domain::from(0.0625, 0.125).without_zero())?;
        d.give(of_weight);
        d.results(vec![ValueType::tensor(d.output_dtype(0)?)]);
        Ok(())
    }),
];

/// A tensor with channels first or last.
fn layout(d: &mut Draft, channels: usize, spatial: &[usize]) -> Vec<usize> {
    if flag(d, "channels_last") {
        [&[1], spatial, &[channels]].concat()
    } else {
        [&[1, channels], spatial].concat()
    }
}

/// One tensor with its scale and zero point, and those of the result.
fn in_and_out(d: &mut Draft, shape: &[usize]) -> Made {
    d.input(shape, Domain::ANY)?;
    scale(d, &[])?;
    d.input(&[], ZERO)?;
    scale(d, &[])?;
    d.optional("zero point", &[], ZERO)?;
    Ok(())
}

fn unary(d: &mut Draft) -> Made {
    let shape = full(d, 0, 3);
    in_and_out(d, &shape)
}

fn binary(d: &mut Draft) -> Made {
    let (a, b) = broadcast_shapes(d);
    for shape in [&a, &b] {
        d.input(shape, Domain::ANY)?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
    }
    scale(d, &[])?;
    d.optional("zero point", &[], ZERO)?;
    Ok(())
}

/// One scale, or one for each index of an axis.
fn linear(d: &mut Draft, values: Domain, zero: Domain) -> Made {
    let shape = full(d, 2, 3);
    let of_axis = d.pick("axis", &["absent", "0"]) == "0";
    let parameters: &[usize] = if of_axis { &shape[..1] } else { &[] };
    if of_axis {
        d.int("axis", 0);
    }
    d.input(&shape, values)?;
    scale(d, parameters)?;
    // Without a zero point the result is uint8.
    d.input(parameters, zero)?;
    Ok(())
}

fn gemm(d: &mut Draft) -> Made {
    let (m, k, n) = (1 + d.draws.below(4), 1 + d.draws.below(9), 1 + d.draws.below(4));
    let a = if flag(d, "transA") { [k, m] } else { [m, k] };
    let b = if flag(d, "transB") { [n, k] } else { [k, n] };
    d.scalar("alpha", &[0.5, 2.0]);
    let each = d.pick("scales", &["one", "columns"]) == "columns";
    let of_columns: &[usize] = if each { &[n] } else { &[] };
    d.input(&a, Domain::ANY)?;
    scale(d, &[])?;
    d.input(&[], ZERO)?;
    d.input(&b, Domain::ANY)?;
    scale(d, of_columns)?;
    d.input(of_columns, ZERO)?;
    d.optional("addend", &[n], Domain::from(-100.0, 100.0))?;
    let quantized = d.pick("result", &["float", "quantized"]) == "quantized";
    if quantized {
        d.require(
            d.dtype("TYZ")? == d.dtype("TY")? && d.dtype("TY")? == d.dtype("TA")?,
            "the zero point has the type of the result",
        )?;
        scale(d, &[])?;
        d.input(&[], ZERO)?;
    } else {
        d.require(
            d.dtype("TY")? == DType::Float,
            "without a scale the result is float",
        )?;
    }
    Ok(())
}
