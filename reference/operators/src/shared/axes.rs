//! Axes as attributes and inputs name them.

use crate::frame::{Call, Deviation, OpError};

/// How a version reads one axis, given the rank.
pub type ReadAxis = fn(i64, usize) -> Result<usize, OpError>;

/// How a version reads a list of axes, given the rank.
pub type ReadAxes = fn(&[i64], usize) -> Result<Vec<usize>, OpError>;

/// `axis` counted from the front, of a tensor with `rank` axes; negative counts from the back.
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

/// How versions read an axis whose text does not yet count from the back (deviation `negative-axis`).
pub fn older(call: &Call<'_>) -> ReadAxis {
    match call.tolerates(Deviation::NegativeAxis) {
        true => axis,
        false => axis_from_front,
    }
}

/// As [`older`], for a list of axes.
pub fn older_list(call: &Call<'_>) -> ReadAxes {
    match call.tolerates(Deviation::NegativeAxis) {
        true => axes,
        false => axes_from_front,
    }
}

/// `axis` counted from the front, and from nowhere else.
pub fn axis_from_front(axis: i64, rank: usize) -> Result<usize, OpError> {
    usize::try_from(axis)
        .ok()
        .filter(|&front| front < rank)
        .ok_or_else(|| OpError::invalid(format!("axis {axis} is outside [0, {rank})")))
}

/// Several axes counted from the front, sorted; naming one twice is an error.
fn axes_from_front(list: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    match list.iter().find(|&&axis| axis < 0) {
        Some(axis) => Err(OpError::invalid(format!("axis {axis} is negative"))),
        None => axes(list, rank),
    }
}

/// Several axes, sorted; naming one twice is an error.
pub fn axes(list: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    let mut found = list
        .iter()
        .map(|&entry| axis(entry, rank))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    match found.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(OpError::invalid(format!(
            "axis {} is named twice in {list:?}",
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
    fn check(name: &'static str, since: u32, inputs: &[Tensor], attributes: &[Attribute], result: &[Tensor]) {
        exact(("", name, since), inputs, attributes, result);
        refused_strictly(("", name, since), &values(inputs), attributes, "axis -");
    }

    #[test]
    fn a_negative_axis_counts_from_the_back_in_old_versions() {
        let x = rows(&[[1.0, 2.0], [3.0, 4.0]]);
        let (right, integers) = (rows(&[[2.0], [4.0]]), |values: &[i64]| {
            Tensor::vector(values.to_vec())
        });
        let (axis, axes) = (attribute("axis", -1), attribute("axes", [-1_i64]));
        let condition = Tensor::vector(vec![false, true]);
        check(
            "Compress",
            9,
            &[x.clone(), condition],
            &[axis.clone()],
            &[right.clone()],
        );
        let both = rows(&[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]);
        for since in [1, 4] {
            check(
                "Concat",
                since,
                &[x.clone(), x.clone()],
                &[axis.clone()],
                &[both.clone()],
            );
        }
        let bounds = [
            attribute("starts", [1_i64]),
            attribute("ends", [2_i64]),
            axes.clone(),
        ];
        check("Slice", 1, &[x.clone()], &bounds, &[right.clone()]);
        let inputs = [x.clone(), integers(&[1]), integers(&[2]), integers(&[-1])];
        check("Slice", 10, &inputs, &[], &[right.clone()]);
        let lengths = Tensor::vector(vec![2_f32]);
        check("Split", 1, &[x.clone(), lengths], &[axis], &[x]);
        let flat = Tensor::vector(vec![2_f32, 4.0]);
        check("Squeeze", 1, &[right.clone()], &[axes.clone()], &[flat.clone()]);
        check("Unsqueeze", 1, &[flat], &[axes], &[right]);
    }
}
