//! Operators on bytes with constant scales, zero points and weights: products, convolutions, and conversions
//! from and to f32.
//!
//! The sums are exact and rounded as in the general code (`ops/quantization`), so the results have the same
//! bits.

mod combined;
mod convolution;
mod linear;
mod pooling;
mod product;

use native_kernels::int8::{ByteLayout, Target, relayout};
use onnx_tensor::DType;

use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::{Fused, Layout, Op};
use crate::ops::fast::{Fast, Pooled, Quantized};
use crate::ops::numbers::{floats, ints};

pub use combined::combines;
pub use convolution::convolves_channels_last;
pub use linear::is_uniform;
pub use pooling::pools_bytes;

/// The pooling that takes bytes.
const MAXIMUM: Pooled = Pooled {
    mean: false,
    global: false,
};

/// Returns the kernel of a node that reads or writes bytes; `None` for any other node.
pub fn lower(used: &Use, device: &Device) -> Option<Attempt> {
    let operator = match used.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Reorder) if has_channels_last(used) => return Some(reorder(used, device)),
        Op::Fused(Fused::Bytes(inner)) => return Some(combined::lower(used, device, inner)),
        _ => return None,
    };
    if used.outputs.iter().flatten().any(|&extent| extent == 0) {
        return None;
    }
    Some(match operator.row.fast? {
        Fast::Quantized(Quantized::Convolution) => convolution::qlinear(used, device, operator),
        Fast::Quantized(Quantized::ConvolutionSums) => convolution::integer(used, device, operator),
        Fast::Quantized(Quantized::Product) => product::qlinear(used, device),
        Fast::Quantized(Quantized::ProductSums) => product::integer(used, device),
        Fast::Quantized(Quantized::Quantize) => linear::quantize(used, device, operator),
        Fast::Quantized(Quantized::Dequantize) => linear::dequantize(used, device, operator),
        Fast::Quantized(Quantized::DynamicQuantize) => linear::dynamic(used, device),
        Fast::Pool(MAXIMUM) if is_byte(used.dtypes[0]) => pooling::lower(used, device, operator),
        _ => return None,
    })
}

/// Converts between the plain layout and channels last.
fn reorder(used: &Use, device: &Device) -> Attempt {
    let Some(&[batch, channels, ref pixels @ ..]) = used.outputs.first().map(Vec::as_slice) else {
        return Ok(None);
    };
    let extents = [batch, channels, pixels.iter().product()];
    let from = match used.layout {
        Layout::Plain => ByteLayout::ChannelsLast,
        _ => ByteLayout::Plain,
    };
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let pool = &device.pool;
        match (inputs, outputs) {
            ([Elements::U8(x)], [ElementsMut::U8(y)]) => Ok(relayout(pool, extents, from, x, y)?),
            ([Elements::I8(x)], [ElementsMut::I8(y)]) => Ok(relayout(pool, extents, from, x, y)?),
            ([Elements::F32(x)], [ElementsMut::F32(y)]) => Ok(relayout(pool, extents, from, x, y)?),
            _ => invalid("a change of layout must not change the type"),
        }
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}

/// Whether an operand or the result has its channels last.
fn has_channels_last(used: &Use) -> bool {
    let layouts = used.inputs.iter().flatten().map(|operand| operand.layout);
    layouts
        .chain([used.layout])
        .any(|layout| layout == Layout::ChannelsLast)
}

/// The maximum number of products in a sum. Together with a summand below [`MAX_SUMMAND`], no sum overflows
/// 32 bits.
pub const MAX_PRODUCTS: usize = 1 << 14;
/// See [`MAX_PRODUCTS`].
pub const MAX_SUMMAND: u32 = 1 << 30;

fn is_byte(dtype: DType) -> bool {
    matches!(dtype, DType::Int8 | DType::Uint8)
}

/// Returns the elements of a constant with scales.
fn scales(used: &Use, position: usize) -> Option<Vec<f64>> {
    floats(used.constant(position)?).ok()
}

/// Returns the only element of a constant with scales.
fn scale(used: &Use, position: usize) -> Option<f64> {
    match scales(used, position)?[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Returns the elements of a constant with zero points, of rank at most 1; 0 if it is omitted.
fn zeros(used: &Use, position: usize) -> Option<Vec<i32>> {
    if !used.has(position) {
        return Some(vec![0]);
    }
    let tensor = used.constant(position).filter(|tensor| tensor.rank() <= 1)?;
    let values = ints(tensor).ok()?;
    values
        .into_iter()
        .map(|value| i32::try_from(value).ok())
        .collect()
}

/// A scalar zero point.
enum Zero {
    Known(i32),
    /// Read at run time, after the operand that it belongs to.
    Read,
}

impl Zero {
    fn of(used: &Use, position: usize) -> Option<Zero> {
        match zeros(used, position).as_deref() {
            Some(&[zero]) => Some(Zero::Known(zero)),
            Some(_) => None,
            None => {
                let operand = used.inputs.get(position)?.as_ref()?;
                let one = is_byte(operand.dtype) && operand.shape.iter().product::<usize>() == 1;
                (one && operand.constant.is_none()).then_some(Zero::Read)
            }
        }
    }

    /// The inputs that a kernel reads: the operand, and its zero point if that is read at run time.
    fn reads(&self, operand: usize, position: usize) -> Vec<usize> {
        match self {
            Zero::Known(_) => vec![operand],
            Zero::Read => vec![operand, position],
        }
    }

    fn value(&self, inputs: &[Elements]) -> Result<i32, Problem> {
        match (self, inputs) {
            (Zero::Known(zero), _) => Ok(*zero),
            (Zero::Read, [_, zero, ..]) => zero.integer(),
            (Zero::Read, _) => invalid("a zero point is missing"),
        }
    }
}

/// The conversion of sums to bytes.
struct Requantized {
    scales: Vec<f64>,
    zero: i32,
}

impl Requantized {
    /// Returns the conversion for the scales of two operands and of the result, in this order, and the zero
    /// point of the result.
    fn of(used: &Use, [left, right, result]: [usize; 3], zero: usize, columns: usize) -> Option<Requantized> {
        let (left, result) = (scale(used, left)?, scale(used, result)?);
        let right = scales(used, right).filter(|right| right.len() == 1 || right.len() == columns)?;
        let zero = match zeros(used, zero)?[..] {
            [zero] => zero,
            _ => return None,
        };
        let scales: Vec<f64> = right.iter().map(|right| left * right / result).collect();
        // The general code handles NaN.
        let finite = scales.iter().all(|scale| scale.is_finite());
        finite.then_some(Requantized { scales, zero })
    }
}

/// Returns the destination of the sums in an output.
fn target<'o>(
    requantized: Option<&'o Requantized>,
    output: &'o mut ElementsMut,
) -> Result<Target<'o>, Problem> {
    Ok(match requantized {
        None => Target::Sums(output.sums()?),
        Some(Requantized { scales, zero }) => Target::Bytes {
            y: output.bytes()?,
            scale: scales,
            zero: *zero,
        },
    })
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node as FileNode};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    /// Runs these nodes between x quantized to bytes and y, and compares all bits with the general code.
    fn check(shape: &[usize], nodes: Vec<FileNode>) {
        let mut all = vec![node("QuantizeLinear", "x s z", "q", &[])];
        all.extend(nodes);
        let bytes = |count: usize| (0..count).map(|at| (at * 7919 % 251) as u8).collect::<Vec<u8>>();
        let signed = |count: usize| bytes(count).into_iter().map(u8::cast_signed).collect::<Vec<i8>>();
        Fixture::new(shape, all)
            .constant("s", Tensor::scalar(0.011_f32))
            .constant("z", Tensor::scalar(7_u8))
            .constant("t", Tensor::scalar(1.7_f32))
            .constant("zi", Tensor::scalar(-5_i8))
            .constant("wide", Tensor::scalar(60.0_f32))
            .constant("w1", Tensor::new(&[6, 5, 3, 3], signed(270)).unwrap())
            .constant("s1", Tensor::vector(vec![0.1_f32, 0.2, 0.3, 0.15, 0.25, 0.05]))
            .constant("z1", Tensor::vector(vec![0_i8; 6]))
            .constant("b1", Tensor::vector(vec![100_i32, -20_000, 3000, 0, 77, -1]))
            .constant("w2", Tensor::new(&[9, 6, 1, 1], bytes(54)).unwrap())
            .constant("s2", Tensor::scalar(0.02_f32))
            .constant("z2", Tensor::scalar(120_u8))
            .constant("w3", Tensor::new(&[5, 1, 3, 3], signed(45)).unwrap())
            .constant("m", Tensor::new(&[8, 35], bytes(280)).unwrap())
            .constant("m8", Tensor::new(&[6, 9], bytes(54)).unwrap())
            .constant("mz", Tensor::vector(bytes(35)))
            .check_kernels(&["Cast", "ReduceMin"], 0.0);
    }

    fn ints(name: &'static str, values: &[i64]) -> (&'static str, AttributeValue) {
        (name, AttributeValue::Ints(values.to_vec()))
    }

    #[test]
    fn a_chain_of_convolutions_keeps_its_bits() {
        let pads = ints("pads", &[1, 1, 1, 1]);
        let nodes = vec![
            node(
                "QLinearConv",
                "q s z w1 s1 z1 t z b1",
                "a",
                &[pads, ints("strides", &[2, 1])],
            ),
            node("MaxPool", "a", "p", &[ints("kernel_shape", &[2, 2])]),
            node("QLinearConv", "p t z w2 s2 z2 wide zi", "b", &[]),
            node("QLinearConv", "p t z w2 s2 z2 wide zi", "c", &[]),
            node("DequantizeLinear", "b wide zi", "d", &[]),
            node("DequantizeLinear", "c wide zi", "e", &[]),
            node("Add", "d e", "y", &[]),
        ];
        check(&[2, 5, 9, 8], nodes);
    }

    #[test]
    fn integer_convolutions_keep_their_bits() {
        let group = ("group", AttributeValue::Int(5));
        let nodes = vec![
            node("QLinearConv", "q s z w3 s2 zi t zi", "a", &[group]),
            node("DequantizeLinear", "a t zi", "y", &[]),
        ];
        check(&[1, 5, 7, 6], nodes);
    }

    #[test]
    fn products_keep_their_bits() {
        let nodes = vec![
            node("QLinearMatMul", "q s z m s2 mz wide zi", "a", &[]),
            node("DequantizeLinear", "a wide zi", "y", &[]),
        ];
        check(&[2, 3, 8], nodes);
    }

    #[test]
    fn a_zero_point_can_be_read_at_run_time() {
        let to = [("to", AttributeValue::Int(1))];
        let nodes = vec![
            node("ReduceMin", "q", "least", &[("keepdims", AttributeValue::Int(0))]),
            node("MatMulInteger", "q m least mz", "a", &[]),
            node("Cast", "a", "y", &to),
        ];
        check(&[2, 3, 8], nodes);
        let nodes = vec![
            node("ReduceMin", "q", "least", &[("keepdims", AttributeValue::Int(0))]),
            node("ConvInteger", "q w1 least", "a", &[]),
            node("Cast", "a", "y", &to),
        ];
        check(&[2, 5, 4, 3], nodes);
    }

    #[test]
    fn a_dynamic_scale_keeps_its_bits() {
        let mut dynamic = node("DynamicQuantizeLinear", "d", "a", &[]);
        dynamic.outputs.extend(["scale".to_owned(), "least".to_owned()]);
        let nodes = vec![
            node("DequantizeLinear", "q s z", "e", &[]),
            node("Sub", "e s1", "d", &[]),
            dynamic,
            node("MatMulInteger", "a m8 least", "sums", &[]),
            node("Cast", "sums", "f", &[("to", AttributeValue::Int(1))]),
            node("Mul", "f scale", "y", &[]),
        ];
        check(&[2, 3, 6], nodes);
    }

    #[test]
    fn scales_along_an_axis_keep_their_bits() {
        let axis = ("axis", AttributeValue::Int(1));
        let nodes = vec![
            node("DequantizeLinear", "q s z", "a", &[]),
            node("QuantizeLinear", "a s1 z1", "b", std::slice::from_ref(&axis)),
            node("DequantizeLinear", "b s1 z1", "y", &[axis]),
        ];
        check(&[2, 6, 5], nodes);
    }
}
