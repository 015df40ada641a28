//! Operators that Gradient can differentiate, each as a computation on the tape.
//!
//! Every rule computes the result of its node from the primitives of the tape: sums, products, powers,
//! matrix products, functions of one variable, and moves of elements. The derivatives of any order follow
//! from the primitives.
//!
//! - [`arithmetic`]: broadcasting operators, matrix products, Einsum.
//! - [`functions`]: functions of one variable, activations, Clip.
//! - [`reductions`]: sums, norms and extremes over axes, softmax.
//! - [`normalizations`]: normalisation to mean 0 and variance 1, or to a norm of 1.
//! - [`windows`]: convolutions and pooling.
//! - [`layout`]: operators that only move elements; the node runs on their positions, so that every version
//!   behaves as it does elsewhere.
//! - [`linear`]: operators that are linear in their first input; the node runs on unit vectors.
//! - [`losses`]: classification losses.
//!
//! At a point without a derivative, the result is a one-sided derivative: 0 for Abs and Relu, that of the
//! greater side for the other activations, that of the first of several equal elements for extremes, that
//! of the inside for Clip.
//!
//! Everything else is a typed error that names the operator.

mod arithmetic;
mod functions;
mod layout;
mod linear;
mod losses;
mod normalizations;
mod reductions;
mod windows;

use onnx_model::Node;
use onnx_tensor::DType;

use super::subgraph::{self, Operand};
use super::tape::{Tape, Var};
use crate::frame::{Call, OpError};

/// The node that is differentiated.
struct Site<'a> {
    /// Holds the operands as plain values.
    call: &'a Call<'a>,
    node: &'a Node,
    operands: &'a [Option<Operand>],
}

/// Evaluates a node on the tape; `None` if the rule does not apply to the operator.
type Rule = fn(&mut Tape<'_>, &Site<'_>) -> Result<Option<Vec<Operand>>, OpError>;

const RULES: [Rule; 8] = [
    arithmetic::apply,
    functions::apply,
    reductions::apply,
    normalizations::apply,
    windows::apply,
    layout::apply,
    linear::apply,
    losses::apply,
];

/// Evaluates a node with at least one varying operand. `call` holds the same operands as plain values.
pub(super) fn apply(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    let site = Site { call, node, operands };
    if call.schema().domain.is_empty() {
        for rule in RULES {
            if let Some(outputs) = rule(tape, &site)? {
                return Ok(outputs);
            }
        }
    }
    Err(site.unknown())
}

impl Site<'_> {
    fn name(&self) -> &'static str {
        self.call.schema().name
    }

    fn since(&self) -> u32 {
        self.call.schema().since
    }

    fn unknown(&self) -> OpError {
        OpError::undefined(format!("the derivative of {}", self.call.schema()))
    }

    /// Operand `index` on the tape.
    fn var(&self, tape: &mut Tape<'_>, index: usize) -> Result<Var, OpError> {
        let var = self.optional(tape, index)?;
        var.ok_or_else(|| OpError::invalid(format!("input {index} is missing")))
    }

    /// Operand `index` on the tape, or `None` if it is omitted.
    fn optional(&self, tape: &mut Tape<'_>, index: usize) -> Result<Option<Var>, OpError> {
        let operand = self.operands.get(index).and_then(Option::as_ref);
        operand.map(|operand| operand.var(tape)).transpose()
    }

    /// Whether operand `index` may depend on a differentiation variable.
    fn varies(&self, index: usize) -> bool {
        matches!(self.operands.get(index), Some(Some(Operand::Var(..))))
    }

    /// `result` as the only output, of the type of the first input.
    fn one(&self, result: Var) -> Result<Option<Vec<Operand>>, OpError> {
        self.several([result])
    }

    /// Outputs of the type of the first input.
    fn several<const N: usize>(&self, results: [Var; N]) -> Result<Option<Vec<Operand>>, OpError> {
        let dtype = self.call.dtype(0)?;
        Ok(Some(results.map(|result| Operand::Var(result, dtype)).to_vec()))
    }

    /// The outputs of the node for the rounded values of the graph, without derivatives.
    fn plain(&self, tape: &Tape<'_>) -> Result<Vec<Operand>, OpError> {
        subgraph::plain(tape, self.call, self.node, self.operands)
    }

    /// A float attribute, not rounded to the type of a tensor.
    fn float(&self, name: &str) -> Result<f64, OpError> {
        self.call.float(name).map(f64::from)
    }
}

/// Whether values of this type have derivatives.
fn is_float(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double
    )
}
