//! Operators that are linear in their first input, up to a constant. The node runs on each unit vector,
//! which results in the rows of its matrix.

use onnx_tensor::{DType, Tensor, Value};

use super::super::subgraph::{self, Operand};
use super::super::tape::Tape;
use super::Site;
use crate::frame::OpError;

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    if !matches!(
        site.name(),
        "AveragePool" | "Col2Im" | "CumSum" | "DFT" | "Resize" | "Upsample"
    ) {
        return Ok(None);
    }
    if (1..site.operands.len()).any(|index| site.varies(index)) {
        return Err(site.unknown());
    }
    let x = site.var(tape, 0)?;
    let count = tape.values(x).len();
    let (shape, constant) = image(tape, site, None)?;
    site.call.reserve(&[count, constant.len()], DType::Double)?;
    let mut matrix = Vec::with_capacity(count * constant.len());
    for index in 0..count {
        site.call.step()?;
        let (_, row) = image(tape, site, Some(index))?;
        matrix.extend(row.iter().zip(&constant).map(|(y, constant)| y - constant));
    }
    let matrix = tape.leaf(&[1, count, constant.len()], matrix, false);
    let constant = tape.leaf(&shape, constant, false);
    let row = tape.reshape(x, &[1, 1, count]);
    let product = tape.matmul(row, matrix)?;
    let product = tape.reshape(product, &shape);
    let result = tape.add(product, constant);
    site.one(result)
}

/// The result of the node for a unit vector, or for zeros.
fn image(tape: &Tape<'_>, site: &Site<'_>, unit: Option<usize>) -> Result<(Vec<usize>, Vec<f64>), OpError> {
    let x = site.call.tensor(0)?;
    let elements = (0..x.len()).map(|index| f64::from(u8::from(unit == Some(index))));
    let mut inputs = site
        .operands
        .iter()
        .map(|operand| operand.as_ref().map(|operand| operand.value(tape)).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(first) = inputs.first_mut() {
        *first = Some(Tensor::new::<f64>(x.shape(), elements.collect())?.into());
    }
    match subgraph::run(site.call, site.node, inputs)?.first() {
        Some(Value::Tensor(y)) => Ok((y.shape().to_vec(), y.to_vec::<f64>()?)),
        _ => Err(site.unknown()),
    }
}
