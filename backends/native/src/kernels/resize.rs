//! Resize and Upsample of the last two axes, nearest or linear.

use native_kernels::resize::{ResizeAxis, resize};
use onnx_tensor::Value;

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::{Call, between};

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    // The tables are made once, so the other inputs must be constant.
    let constant = |position: usize| {
        let operand = used.inputs.get(position)?.as_ref()?;
        operand.constant.cloned().map(Value::Tensor)
    };
    let constants: Vec<Option<Value>> = (0..used.inputs.len())
        .map(|position| constant(position).filter(|_| position > 0))
        .collect();
    if (1..used.inputs.len()).any(|position| used.has(position) && constants[position].is_none()) {
        return Ok(None);
    }
    let inputs: Vec<Option<&Value>> = constants.iter().map(Option::as_ref).collect();
    let call = Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &inputs,
        outputs: 1,
    };
    let Some([rows, columns]) = between(&call, &x.shape)? else {
        return Ok(None);
    };
    let Some((planes, &size)) = x.shape.split_last_chunk::<2>() else {
        return Ok(None);
    };
    let [rows, columns] = [rows, columns].map(ResizeAxis::linear);
    let planes = planes.iter().product();
    if used.outputs[0].iter().product::<usize>() != planes * rows.len() * columns.len() {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(resize(&device.pool, [planes, 1], size, [&rows, &columns], x, y)?)
    })
}
