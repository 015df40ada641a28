//! If — runs one of two bodies, selected by a condition of one element.
//!
//! Versions: 11 allows the branches different shapes; later versions widen the types (13 adds sequences, 16
//! optionals, 19 and later the small types). The other branch does not run, so its shape is unknown, and
//! the rule of version 1 that both shapes are equal is not checked.

use super::body;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "If",
    &[
        v(1, First, branch),
        v(11, Semantics, branch),
        v(13, TypesOnly, branch),
        v(16, TypesOnly, branch),
        v(19, TypesOnly, branch),
        v(21, TypesOnly, branch),
        v(23, TypesOnly, branch),
        v(24, TypesOnly, branch),
        v(25, TypesOnly, branch),
    ],
);

fn branch(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (then_branch, else_branch) = (call.graph("then_branch")?, call.graph("else_branch")?);
    for branch in [then_branch, else_branch] {
        body::check_inputs(branch, 0)?;
    }
    let (then_count, else_count) = (then_branch.outputs.len(), else_branch.outputs.len());
    if then_count != else_count {
        return Err(OpError::invalid(format!(
            "`then_branch` lists {then_count} outputs, `else_branch` {else_count}"
        )));
    }
    for (then_output, else_output) in then_branch.outputs.iter().zip(&else_branch.outputs) {
        if let (Some(a), Some(b)) = (&then_output.value_type, &else_output.value_type)
            && !a.same_kind(b)
        {
            let (then_name, else_name) = (&then_output.name, &else_output.name);
            return Err(OpError::invalid(format!(
                "the branches return {a} (`{then_name}`) and {b} (`{else_name}`) for one output"
            )));
        }
    }
    let selected = if body::condition(call.value(0)?)? {
        then_branch
    } else {
        else_branch
    };
    body::outputs(call, body::run(call, selected, Vec::new())?)
}
