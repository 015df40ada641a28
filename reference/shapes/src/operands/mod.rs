//! What nodes say of the elements of their operands. `table` has one row for each meaning; an operand is
//! found by its name in the schema, so that an operator with `axes` or `x_scale` needs no row of its own.

mod table;

use crate::call::Call;
use crate::elements::{Elements, Use};

/// Notes what a node says of the elements of inputs of the main graph.
pub(crate) fn note(call: &mut Call<'_, '_>) {
    for at in 0..call.inputs.len() {
        let Some(source) = call.inputs[at].source.clone() else {
            continue;
        };
        let Some(elements) = table::of(call, at) else {
            continue;
        };
        if let Elements::Distinct(0, least, end) = &elements
            && let Ok([length]) = call.ranked::<1>(at)
        {
            let room = call.sub(end, least);
            call.prefer("distinct elements", room, length);
        }
        if let (Ok(length), Ok([known])) = (table::length(call, at), call.ranked::<1>(at)) {
            call.prefer("the length of a list", known.clone(), length.into());
            call.prefer("the length of a list", length.into(), known);
        }
        call.state.uses.push(Use { source, elements });
    }
}
