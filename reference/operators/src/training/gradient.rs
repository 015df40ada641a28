//! Gradient — the derivatives of a tensor of the enclosing graph with respect to others, by reverse mode.
//!
//! Precision: the nodes between `xs` and `y`, and their derivatives, are evaluated again in f64, without
//! the roundings of the graph; each result is rounded once. The result is the derivative of the exact
//! function of the nodes, not of the rounded one. `rules` lists the differentiable operators. A node that
//! does not depend on `xs` runs normally. Gradient nodes in between are also differentiated, which results
//! in derivatives of any order.
//!
//! Interpretation: the text does not define the derivative of a `y` with several elements, and the output
//! has the shape of the tensor in `xs`: it is the derivative of the sum of its elements. The derivative is
//! 0 for a tensor in `xs` on which `y` does not depend. Every tensor on which `y` depends must be in `xs`
//! or `zs`, be computed from them, or be a constant of the graph. A Gradient inside a function has no
//! enclosing graph, which is an error.

use onnx_tensor::DType;

use super::subgraph::{self, Bindings, Operand};
use super::tape::{Tape, Var};
use crate::frame::Change::First;
use crate::frame::{Call, Enclosing, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.preview.training", "Gradient", &[v(1, First, gradient)]);

fn gradient(call: &Call<'_>) -> Result<Outputs, OpError> {
    let operands = (0..call.input_count())
        .map(|index| Ok(Some(Operand::Value(call.value(index)?.clone()))))
        .collect::<Result<Vec<_>, OpError>>()?;
    let mut tape = Tape::new(call);
    let derivatives = differentiate(&mut tape, call, call.enclosing()?, &operands)?;
    derivatives
        .iter()
        .map(|derivative| Ok(Some(derivative.value(&tape)?)))
        .collect()
}

/// The derivatives of the Gradient node of `call`, on a tape that may already hold some of its inputs.
pub(super) fn differentiate(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    enclosing: Enclosing<'_>,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    let xs = call.strings("xs")?;
    let zs = call.optional_strings("zs")?.unwrap_or_default();
    if operands.len() != xs.len() + zs.len() {
        let (given, named) = (operands.len(), xs.len() + zs.len());
        return Err(OpError::invalid(format!(
            "the node has {given} inputs, but `xs` and `zs` name {named}"
        )));
    }
    let mut bindings = Bindings::new();
    let mut targets = Vec::with_capacity(xs.len());
    for (index, (name, operand)) in xs.iter().chain(&zs).zip(operands).enumerate() {
        let operand = operand
            .as_ref()
            .ok_or_else(|| OpError::invalid(format!("input {index} is missing")))?;
        let fed = fresh(tape, operand, index < xs.len())?;
        if let (Operand::Var(var, dtype), true) = (&fed, index < xs.len()) {
            targets.push((*var, *dtype));
        }
        if bindings.insert((*name).to_owned(), fed).is_some() {
            return Err(OpError::invalid(format!("`{name}` is repeated in `xs` and `zs`")));
        }
    }
    let y = match subgraph::evaluate(tape, call, enclosing, bindings, call.string("y")?)? {
        Operand::Var(y, _) => tape.backward(y, &targets.iter().map(|(var, _)| *var).collect::<Vec<Var>>())?,
        Operand::Value(_) => vec![None; targets.len()],
    };
    let derivative = |(derivative, (target, dtype)): (Option<Var>, (Var, DType))| {
        let derivative = derivative.unwrap_or_else(|| tape.scale(target, 0.0));
        Operand::Var(derivative, dtype)
    };
    Ok(y.into_iter().zip(targets).map(derivative).collect())
}

/// A new array for a fed tensor, so that it varies independently of the arrays that it was computed from.
fn fresh(tape: &mut Tape<'_>, operand: &Operand, differentiated: bool) -> Result<Operand, OpError> {
    match operand {
        Operand::Var(var, dtype) => {
            let shape = tape.shape(*var).to_vec();
            Ok(Operand::Var(tape.reshape(*var, &shape), *dtype))
        }
        Operand::Value(value) if differentiated => {
            let dtype = value.as_tensor().map(|tensor| tensor.dtype());
            match dtype {
                Some(dtype @ (DType::Float16 | DType::Float | DType::Double)) => {
                    Ok(Operand::Var(subgraph::place(tape, value, true)?, dtype))
                }
                _ => Err(OpError::invalid(format!(
                    "a derivative with respect to {}",
                    value.value_type()
                ))),
            }
        }
        constant => Ok(constant.clone()),
    }
}
