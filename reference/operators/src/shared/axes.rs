//! Axes in attributes and inputs.

use crate::frame::{Call, Deviation, OpError};

/// How a version interprets one axis, given the rank.
pub type ReadAxis = fn(i64, usize) -> Result<usize, OpError>;

/// How a version interprets a list of axes, given the rank.
pub type ReadAxes = fn(&[i64], usize) -> Result<Vec<usize>, OpError>;

/// `axis` of a tensor of rank `rank`, counted from the front; a negative axis counts from the back.
pub fn axis(axis: i64, rank: usize) -> Result<usize, OpError> {
    let signed = rank as i64;
    let front = if axis < 0 {
        axis.saturating_add(signed)
    } else {
        axis
    };
    usize::try_from(front)
        .ok()
        .filter(|&front| front < rank)
        .ok_or_else(|| OpError::invalid(format!("axis {axis} is outside [-{rank}, {rank})")))
}

/// How versions interpret an axis if their text does not mention negative axes (deviation `negative-axis`).
pub fn older(call: &Call<'_>) -> ReadAxis {
    if call.tolerates(Deviation::NegativeAxis) {
        axis
    } else {
        axis_from_front
    }
}

/// Like [`older`], for a list of axes.
pub fn older_list(call: &Call<'_>) -> ReadAxes {
    if call.tolerates(Deviation::NegativeAxis) {
        axes
    } else {
        axes_from_front
    }
}

/// `axis`, which must not be negative.
pub fn axis_from_front(axis: i64, rank: usize) -> Result<usize, OpError> {
    usize::try_from(axis)
        .ok()
        .filter(|&front| front < rank)
        .ok_or_else(|| OpError::invalid(format!("axis {axis} is outside [0, {rank})")))
}

/// Several axes that must not be negative, sorted. A repeated axis is an error.
fn axes_from_front(list: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    match list.iter().find(|&&axis| axis < 0) {
        Some(axis) => Err(OpError::invalid(format!("axis {axis} is negative"))),
        None => axes(list, rank),
    }
}

/// Several axes, sorted. A repeated axis is an error.
pub fn axes(list: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    let mut found = list
        .iter()
        .map(|&entry| axis(entry, rank))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    match found.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(OpError::invalid(format!(
            "axis {} is repeated in {list:?}",
            pair[0]
        ))),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused_strictly, rows, values};

    #[track_caller]
    fn check(name: &'static str, since: u32, inputs: &[&Tensor], attributes: &[&Attribute], result: &Tensor) {
        let inputs: Vec<Tensor> = inputs.iter().map(|&input| input.clone()).collect();
        let attributes: Vec<Attribute> = attributes.iter().map(|&each| each.clone()).collect();
        exact(
            ("", name, since),
            &inputs,
            &attributes,
            std::slice::from_ref(result),
        );
        refused_strictly(("", name, since), &values(&inputs), &attributes, "axis -");
    }

    #[test]
    fn a_negative_axis_counts_from_the_back_in_old_versions() {
        let x = &rows(&[[1.0, 2.0], [3.0, 4.0]]);
        let (right, flat) = (&rows(&[[2.0], [4.0]]), &Tensor::vector(vec![2_f32, 4.0]));
        let (axis, axes) = (&attribute("axis", -1), &attribute("axes", [-1_i64]));
        let [one, two, last] = &[1_i64, 2, -1].map(|value| Tensor::vector(vec![value]));
        check(
            "Compress",
            9,
            &[x, &Tensor::vector(vec![false, true])],
            &[axis],
            right,
        );
        let both = &rows(&[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]);
        for since in [1, 4] {
            check("Concat", since, &[x, x], &[axis], both);
        }
        let bounds = [&attribute("starts", [1_i64]), &attribute("ends", [2_i64]), axes];
        check("Slice", 1, &[x], &bounds, right);
        check("Slice", 10, &[x, one, two, last], &[], right);
        check("Split", 1, &[x, &Tensor::vector(vec![2_f32])], &[axis], x);
        check("Squeeze", 1, &[right], &[axes], flat);
        check("Unsqueeze", 1, &[flat], &[axes], right);
    }
}
