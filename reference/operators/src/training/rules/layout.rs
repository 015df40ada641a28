//! Operators that only move elements, or whose result has no derivative.

use onnx_tensor::{Tensor, Value};

use super::super::subgraph::{self, Operand};
use super::super::tape::{Tape, Var};
use super::{Site, is_float};
use crate::frame::OpError;

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    Ok(Some(match site.name() {
        "CenterCropPad" | "Compress" | "Concat" | "DepthToSpace" | "Expand" | "Flatten" | "Gather"
        | "GatherElements" | "GatherND" | "Identity" | "Pad" | "Reshape" | "ReverseSequence" | "Scatter"
        | "ScatterElements" | "ScatterND" | "Slice" | "SpaceToDepth" | "Split" | "Squeeze" | "Tile"
        | "Transpose" | "Trilu" | "Unsqueeze" | "Where" => moved(tape, site)?,
        "Cast" => cast(tape, site)?,
        "Dropout" => dropout(tape, site)?,
        "And" | "ArgMax" | "ArgMin" | "Equal" | "Greater" | "GreaterOrEqual" | "IsInf" | "IsNaN" | "Less"
        | "LessOrEqual" | "NonZero" | "Not" | "Or" | "Shape" | "Size" | "Xor" => site.plain(tape)?,
        _ => return Ok(None),
    }))
}

/// A cast to another float type keeps the value: the derivative is that of the exact function.
fn cast(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    let to = site.plain(tape)?;
    match to.first() {
        Some(Operand::Value(Value::Tensor(tensor))) if is_float(tensor.dtype()) => {
            Ok(vec![Operand::Var(site.var(tape, 0)?, tensor.dtype())])
        }
        _ => Ok(to),
    }
}

/// Outside of training, Dropout is the identity; in training the dropped elements are random.
fn dropout(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    let training = match site.since() {
        1 | 6 => site.call.int("is_test")? == 0,
        7 | 10 => false,
        _ => site.call.optional(2).is_some() && site.call.scalar::<bool>(2)?,
    };
    if training {
        return Err(site.unknown());
    }
    let mut outputs = site.plain(tape)?;
    if let Some(first) = outputs.first_mut() {
        *first = Operand::Var(site.var(tape, 0)?, site.call.dtype(0)?);
    }
    Ok(outputs)
}

/// Runs the node on the positions of its elements. All data operands are concatenated after a zero, which
/// represents the fill value of the operator.
fn moved(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    let combines = site
        .call
        .optional_string("reduction")?
        .is_some_and(|reduction| reduction != "none");
    // Up to version 2 of Pad the fill value is an attribute.
    let fills = site
        .call
        .optional_float("value")?
        .is_some_and(|value| value != 0.0);
    if combines || fills {
        return Err(site.unknown());
    }
    // The operands that share a type with the result are data; the others select positions.
    let schema = site.call.schema();
    let data_type = schema.output(0).map(|formal| formal.type_ref);
    let mut inputs = Vec::with_capacity(site.operands.len());
    let (mut sources, mut next): (Vec<Var>, usize) = (Vec::new(), 1);
    for (index, operand) in site.operands.iter().enumerate() {
        let is_data = schema.input(index).map(|formal| formal.type_ref) == data_type;
        inputs.push(match operand {
            Some(operand) if is_data => {
                let source = operand.var(tape)?;
                sources.push(source);
                Some(positions(tape, source, &mut next)?.into())
            }
            Some(operand) => Some(operand.value(tape)?),
            None => None,
        });
    }
    let data = tape.joined(&sources);
    let first = (0..site.operands.len()).find(|&index| schema.input(index).map(|f| f.type_ref) == data_type);
    let dtype = site.call.dtype(first.unwrap_or(0))?;
    let outputs = subgraph::run(site.call, site.node, inputs)?;
    let operand = |value: &Value| {
        let (shape, map) = subgraph::positions(value)?;
        Ok(Operand::Var(tape.pick(data, &shape, map.into()), dtype))
    };
    outputs.iter().map(operand).collect()
}

/// A tensor of the shape of `x` that holds consecutive numbers from `next` on.
pub(super) fn positions(tape: &Tape<'_>, x: Var, next: &mut usize) -> Result<Tensor, OpError> {
    let start = *next;
    *next += tape.values(x).len();
    let numbers = (start..*next).map(|position| position as f64).collect();
    Ok(Tensor::new::<f64>(tape.shape(x), numbers)?)
}
