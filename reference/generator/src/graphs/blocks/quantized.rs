//! Quantized values: QuantizeLinear and DequantizeLinear around operators, 8-bit weights, integer
//! products.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::ints;

/// Scale and zero point of a value: the scale is a power of two, or any number.
struct Grid {
    scale: Wire,
    zero: Wire,
    signed: bool,
    step: f64,
}

fn grid(g: &mut GraphDraft, most: f64) -> Option<Grid> {
    let power = (most.max(0.25) / 100.0).log2().ceil().exp2();
    let any = g.draws.one_in(2);
    let step = if any {
        power * (0.7 + 0.3 * g.draws.unit())
    } else {
        power
    };
    // Half of the scales are not exact in binary, like those of exporters.
    let scale = g.constant(Tensor::scalar(step as f32), Range::rounded(step));
    let signed = g.draws.one_in(2);
    let zero = if signed {
        let zero = g.draws.one_of(&[0, 0, -3, 17]).copied()? as i8;
        g.constant(Tensor::scalar(zero), Range::multiples(128.0, 1.0))
    } else {
        let zero = g.draws.one_of(&[0, 128, 128, 120]).copied()? as u8;
        g.constant(Tensor::scalar(zero), Range::multiples(255.0, 1.0))
    };
    Some(Grid {
        scale,
        zero,
        signed,
        step: if any { 0.0 } else { step },
    })
}

/// The value quantized and dequantized.
fn through(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let grid = grid(g, x.range.most)?;
    let name = g
        .node(
            "QuantizeLinear",
            &[&x.name, &grid.scale.name, &grid.zero.name],
            &[],
            1,
        )
        .pop()?;
    let dtype = if grid.signed { DType::Int8 } else { DType::Uint8 };
    let bytes = Wire {
        name,
        dtype,
        shape: x.shape.clone(),
        range: Range::multiples(255.0, 1.0),
    };
    let name = g
        .node(
            "DequantizeLinear",
            &[&bytes.name, &grid.scale.name, &grid.zero.name],
            &[],
            1,
        )
        .pop()?;
    let range = Range {
        most: 256.0 * grid.scale.range.most,
        step: grid.step,
    };
    Some(Wire {
        name,
        dtype: DType::Float,
        shape: x.shape.clone(),
        range: range.held_by(DType::Float),
    })
}

/// 8-bit weights, with one scale or one for each output channel.
fn weights(g: &mut GraphDraft, shape: &[usize], axis: usize, terms: usize) -> Option<Wire> {
    let count = shape.iter().product();
    let elements: Vec<i8> = (0..count).map(|_| g.draws.between(-127, 127) as i8).collect();
    let bytes = g.constant(Tensor::new(shape, elements).ok()?, Range::multiples(127.0, 1.0));
    let power = (1.0 / 128.0) * (-(terms.max(1) as f64).log2() / 2.0).floor().exp2();
    let per_channel = g.draws.one_in(2);
    let channels = if per_channel { shape[axis] } else { 1 };
    let scales: Vec<f32> = (0..channels)
        .map(|_| (power * (1.0 + g.draws.below(3) as f64 / 4.0)) as f32)
        .collect();
    let zeros = vec![0_i8; channels];
    let (scales, zeros) = if per_channel {
        (Tensor::vector(scales), Tensor::vector(zeros))
    } else {
        (Tensor::scalar(*scales.first()?), Tensor::scalar(0_i8))
    };
    let (scales, zeros) = (
        g.constant(scales, Range::multiples(power * 1.5, power / 4.0)),
        g.constant(zeros, Range::multiples(0.0, 1.0)),
    );
    let name = g
        .node(
            "DequantizeLinear",
            &[&bytes.name, &scales.name, &zeros.name],
            &[("axis", Int(axis as i64))],
            1,
        )
        .pop()?;
    let range = Range::multiples(127.0 * power * 1.5, power / 4.0);
    Some(Wire {
        name,
        dtype: DType::Float,
        shape: shape.to_vec(),
        range,
    })
}

fn is_float(g: &GraphDraft) -> Option<()> {
    (g.float == DType::Float && !g.undefined).then_some(())
}

/// A quantized convolution in the form of static quantization, optionally with an activation and a
/// residual.
pub fn convolution(g: &mut GraphDraft) -> Option<()> {
    is_float(g)?;
    let x = g.float(&[1, 8, 5, 5], |wire| wire.rank() == 4 && wire.len() > 0)?;
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let x = through(g, &x)?;
    let kernel = g.one_of(&[1, 3]);
    let groups = if g.draws.one_in(4) { c } else { 1 };
    let maps = if groups == 1 { g.one_of(&[1, 4, 8, 16]) } else { c };
    let terms = c / groups * kernel * kernel;
    let weights = weights(g, &[maps, c / groups, kernel, kernel], 0, terms)?;
    let attributes = [
        ("pads", ints(&[kernel / 2; 4])),
        ("group", Int(groups as i64)),
        ("kernel_shape", ints(&[kernel, kernel])),
    ];
    let range = x.range.dot(weights.range, terms);
    let mut y = if g.draws.one_in(2) {
        let bias = g.weights(&[maps], 1)?;
        let range = range.plus(bias.range);
        g.emit(
            "Conv",
            &[&x, &weights, &bias],
            &attributes,
            vec![n, maps, h, w],
            range,
        )
    } else {
        g.emit("Conv", &[&x, &weights], &attributes, vec![n, maps, h, w], range)
    };
    if g.draws.one_in(2) {
        y = g.emit("Relu", &[&y], &[], y.shape.clone(), y.range);
    }
    y = through(g, &y)?;
    if g.draws.one_in(3) && y.shape == x.shape {
        y = g.combine("Add", &x, &y)?;
        y = through(g, &y)?;
    }
    g.keep(y);
    Some(())
}

/// A quantized product.
pub fn product(g: &mut GraphDraft) -> Option<()> {
    is_float(g)?;
    let x = g.float(&[3, 8], |wire| {
        wire.rank() >= 2 && wire.len() > 0 && wire.last() <= 64
    })?;
    let x = through(g, &x)?;
    let columns = g.one_of(&[1, 4, 16]);
    let weights = weights(g, &[x.last(), columns], 1, x.last())?;
    let mut shape = x.shape.clone();
    *shape.last_mut()? = columns;
    let y = g.emit(
        "MatMul",
        &[&x, &weights],
        &[],
        shape,
        x.range.dot(weights.range, x.last()),
    );
    let y = if g.draws.one_in(2) {
        let bias = g.weights(&[columns], 1)?;
        g.combine("Add", &y, &bias)?
    } else {
        y
    };
    let y = if g.draws.one_in(2) { through(g, &y)? } else { y };
    g.keep(y);
    Some(())
}

/// A quantized value, moved or pooled.
pub fn moved(g: &mut GraphDraft) -> Option<()> {
    is_float(g)?;
    let x = g.float(&[1, 8, 4, 4], |wire| wire.rank() == 4 && wire.len() > 0)?;
    let x = through(g, &x)?;
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let y = match g.draws.below(4) {
        0 => g.emit(
            "MaxPool",
            &[&x],
            &[("kernel_shape", ints(&[2, 2])), ("pads", ints(&[0, 0, 1, 1]))],
            vec![n, c, h, w],
            x.range,
        ),
        1 => g.emit(
            "GlobalAveragePool",
            &[&x],
            &[],
            vec![n, c, 1, 1],
            Range::rounded(x.range.most),
        ),
        2 => g.emit("Relu", &[&x], &[], x.shape.clone(), x.range),
        _ => super::movement::reshaped(g, &x, vec![n, c * h, w])?,
    };
    let y = through(g, &y)?;
    g.keep(y);
    Some(())
}

/// Dynamic quantization, and a product of integers.
pub fn dynamic(g: &mut GraphDraft) -> Option<()> {
    is_float(g)?;
    let x = g.feed(&[3, 8])?;
    let names = g.node("DynamicQuantizeLinear", &[&x.name], &[], 3);
    let [bytes, scale, zero] = <[String; 3]>::try_from(names).ok()?;
    let elements: Vec<i8> = (0..8 * 5).map(|_| g.draws.between(-127, 127) as i8).collect();
    let table = g.constant(Tensor::new(&[8, 5], elements).ok()?, Range::multiples(127.0, 1.0));
    let zeros = g.constant(Tensor::scalar(0_i8), Range::multiples(0.0, 1.0));
    let sums = g
        .node(
            "MatMulInteger",
            &[&bytes, &table.name, &zero, &zeros.name],
            &[],
            1,
        )
        .pop()?;
    let to = [("to", Int(i64::from(DType::Float.to_onnx())))];
    let sums = g.node("Cast", &[&sums], &to, 1).pop()?;
    let share = g.number(1.0 / 128.0)?;
    let factor = g.node("Mul", &[&scale, &share.name], &[], 1).pop()?;
    let name = g.node("Mul", &[&sums, &factor], &[], 1).pop()?;
    g.keep(Wire {
        name,
        dtype: DType::Float,
        shape: vec![3, 5],
        range: Range::rounded(24.0),
    });
    Some(())
}
