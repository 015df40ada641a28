//! What nodes say of the elements of their operands. `table` has one row for each meaning; an operand is
//! found by its name in the schema, so that an operator with `axes` or `x_scale` needs no row of its own.

mod table;

use crate::call::Call;
use crate::elements::{Elements, Use};

/// Whether an axis of an operand is that of the input whose elements it has.
fn has_axis(call: &mut Call<'_, '_>, at: usize, source: &str, axis: usize) -> bool {
    let (Ok(operand), Some(input)) = (call.shape(at), call.state.inputs.get(source).cloned()) else {
        return true;
    };
    match (operand.get(axis), input.get(axis)) {
        (Some(operand_extent), Some(extent)) => {
            let extent = call.simple(extent);
            operand.len() == input.len() && *operand_extent == extent
        }
        _ => true,
    }
}

/// Notes what a node says of the elements of inputs of the main graph.
pub(crate) fn note(call: &mut Call<'_, '_>) {
    for at in 0..call.inputs.len() {
        let Some(source) = call.inputs[at].source.clone() else {
            continue;
        };
        let Some(mut elements) = table::of(call, at) else {
            continue;
        };
        if let Elements::Distinct(axis, ..) = &mut elements
            && !has_axis(call, at, &source, *axis)
        {
            *axis = usize::MAX;
        }
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
