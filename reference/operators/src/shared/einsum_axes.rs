//! The labels of an Einsum equation as axes that its operands share.

use super::einsum_equation::{Equation, Label};
use crate::frame::{Call, Deviation, OpError};

/// A label, its extent, and its stride in each operand.
pub struct LabelledAxis {
    /// The number of positions.
    pub extent: usize,
    /// The distance of neighbours in each operand; 0 if the operand does not have the label.
    pub strides: Vec<usize>,
}

/// The labels of the result, followed by the labels that are summed over.
pub fn axes(call: &Call<'_>, equation: &Equation, shapes: &[&[usize]]) -> Result<Vec<LabelledAxis>, OpError> {
    let mut labels = equation.result.clone();
    for label in equation.operands.iter().flatten() {
        if !labels.contains(label) {
            labels.push(*label);
        }
    }
    labels
        .iter()
        .map(|&label| axis(call, label, equation, shapes))
        .collect()
}

fn axis(
    call: &Call<'_>,
    label: Label,
    equation: &Equation,
    shapes: &[&[usize]],
) -> Result<LabelledAxis, OpError> {
    let broadcasts = matches!(label, Label::Ellipsis(_)) || call.tolerates(Deviation::EinsumUnitLetter);
    let stretches = |extent| extent == 1 && broadcasts;
    let mut found: Option<usize> = None;
    let mut strides = vec![0; shapes.len()];
    for ((operand, shape), stride) in equation.operands.iter().zip(shapes).zip(&mut strides) {
        let mut below = 1;
        for (&at, &extent) in operand.iter().zip(*shape).rev() {
            if at == label {
                match found {
                    Some(before) if before != extent && !stretches(before) && !stretches(extent) => {
                        return Err(OpError::invalid(format!(
                            "{label} has the extents {before} and {extent}"
                        )));
                    }
                    Some(before) if !stretches(before) => {}
                    _ => found = Some(extent),
                }
                *stride += if stretches(extent) { 0 } else { below };
            }
            below *= extent;
        }
    }
    Ok(LabelledAxis {
        extent: found.unwrap_or(1),
        strides,
    })
}

/// The offsets into one operand of every position along `axes`, in row-major order.
pub fn offsets(axes: &[&LabelledAxis], operand: usize) -> Vec<usize> {
    axes.iter().fold(vec![0], |offsets, axis| {
        let along = |offset: usize| (0..axis.extent).map(move |at| offset + at * axis.strides[operand]);
        offsets.into_iter().flat_map(along).collect()
    })
}

/// Calls `each` for every position along `axes`, in row-major order, with the offsets into the operands.
pub fn visit(axes: &[LabelledAxis], offsets: &mut [usize], each: &mut dyn FnMut(&[usize])) {
    let Some((axis, rest)) = axes.split_first() else {
        return each(offsets);
    };
    for _ in 0..axis.extent {
        visit(rest, offsets, each);
        offsets
            .iter_mut()
            .zip(&axis.strides)
            .for_each(|(offset, stride)| *offset += stride);
    }
    offsets
        .iter_mut()
        .zip(&axis.strides)
        .for_each(|(offset, stride)| *offset -= stride * axis.extent);
}
