//! QuantizeLinear and DequantizeLinear between f32 and bytes, per tensor or along an axis.

use native_kernels::int8;
use onnx_tensor::DType;

use super::super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use super::{is_byte, zeros};
use crate::error::{Problem, invalid};
use crate::ir::{Graph, Node, Op, Operator};
use crate::ops::call::axis;
use crate::ops::fast::{Fast, Quantized};
use crate::ops::movement::split_at;
use crate::ops::numbers::slice;

/// Scales and zero points, and the extents `[outer][channels][inner]`; `None` for a single scale.
struct Linear {
    scale: Vec<f32>,
    zero: Vec<i32>,
    extents: Option<[usize; 3]>,
}

impl Linear {
    /// Returns `[outer][channels][inner]` for `len` elements.
    fn extents(&self, len: usize) -> [usize; 3] {
        self.extents.unwrap_or([1, 1, len])
    }
}

/// Whether a node quantizes or dequantizes all elements alike, so that their order does not matter.
pub fn is_uniform(graph: &Graph, node: &Node) -> bool {
    let Some(used) = Use::of(graph, node) else {
        return false;
    };
    let Op::Plain(operator) = &node.op else {
        return false;
    };
    let found = match operator.row.fast {
        Some(Fast::Quantized(Quantized::Quantize)) if quantizes(&used) => linear(&used, operator),
        Some(Fast::Quantized(Quantized::Dequantize)) if dequantizes(&used) => linear(&used, operator),
        _ => return false,
    };
    matches!(found, Ok(Some(Linear { extents: None, .. })))
}

fn linear(used: &Use, operator: &Operator) -> Result<Option<Linear>, Problem> {
    let shape = &used.outputs[0];
    let scale = used
        .constant(1)
        .filter(|scale| scale.dtype() == DType::Float && scale.rank() <= 1);
    let blocks = operator.attributes.find_int("block_size")?.unwrap_or(0) != 0;
    let precision = operator.attributes.dtype("precision")?;
    let other = precision.is_some_and(|precision| precision != DType::Float);
    let (Some(scale), Some(zero), false) = (scale, zeros(used, 2), blocks || other) else {
        return Ok(None);
    };
    let scale = slice::<f32>(scale)?.to_vec();
    if scale.len() == 1 && zero.len() == 1 {
        let extents = None;
        return Ok(Some(Linear { scale, zero, extents }));
    }
    let at = axis(operator.attributes.find_int("axis")?.unwrap_or(1), shape.len())?;
    let (outer, extent, inner) = split_at(shape, at);
    let fits = [scale.len(), zero.len()] == [extent; 2] && used.is_plain();
    let extents = Some([outer, extent, inner]);
    Ok(fits.then_some(Linear { scale, zero, extents }))
}

fn quantizes(used: &Use) -> bool {
    used.float(0).is_some_and(|x| x.layout == used.layout) && is_byte(used.dtypes[0])
}

fn dequantizes(used: &Use) -> bool {
    matches!(used.inputs.first(), Some(Some(x)) if is_byte(x.dtype) && x.layout == used.layout)
        && used.has_float_outputs()
}

pub fn quantize(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(by) = linear(used, operator)?.filter(|_| quantizes(used)) else {
        return Ok(None);
    };
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let (x, y) = (inputs[0].floats()?, outputs[0].bytes()?);
        Ok(int8::quantize(
            &device.pool,
            by.extents(x.len()),
            x,
            &by.scale,
            &by.zero,
            y,
        )?)
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}

pub fn dequantize(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(by) = linear(used, operator)?.filter(|_| dequantizes(used)) else {
        return Ok(None);
    };
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let (x, y) = (inputs[0].bytes()?, outputs[0].floats()?);
        Ok(int8::dequantize(
            &device.pool,
            by.extents(x.len()),
            x,
            &by.scale,
            &by.zero,
            y,
        )?)
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}

/// DynamicQuantizeLinear with all of its outputs.
pub fn dynamic(used: &Use, device: &Device) -> Attempt {
    if used.float(0).is_none() || used.outputs.len() != 3 || !used.is_plain() {
        return Ok(None);
    }
    let kernel = |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let [ElementsMut::U8(y), ElementsMut::F32(scale), ElementsMut::U8(zero)] = outputs else {
            return invalid("expected bytes, a scale and a zero point as results");
        };
        let found = int8::quantize_dynamically(&device.pool, inputs[0].floats()?, y)?;
        scale.fill(found.0);
        zero.fill(found.1);
        Ok(())
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}
