//! Upsample — enlarges a tensor; deprecated since version 10 in favour of Resize.
//!
//! Version 1 has two scales, for height and width, and the modes `nearest` and `bilinear`; version 7 a
//! scale for each axis and the modes `nearest` and `linear`; in version 9 the scales are an input. An
//! extent is ⌊extent · scale⌋, computed in float. Interpretation: no version defines positions or the
//! nearest neighbour; it is `asymmetric` and `floor` in the terms of Resize 11, as in Resize 10 and in the
//! official cases.

use super::resampling::{Filter, Nearest, resample};
use super::resize::basic_sampling;
use super::resized_extents::{WHOLE, with_scales};
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Upsample",
    &[
        v(1, First, upsample_1),
        v(7, Semantics, |call| {
            upsample(call, &call.floats("scales")?, "linear")
        }),
        v(9, Semantics, upsample_9),
        v(10, Wording, upsample_9),
    ],
);

fn upsample_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    upsample(
        call,
        &[1.0, 1.0, call.float("height_scale")?, call.float("width_scale")?],
        "bilinear",
    )
}

fn upsample_9(call: &Call<'_>) -> Result<Outputs, OpError> {
    upsample(call, &call.tensor(1)?.to_vec::<f32>()?, "linear")
}

/// `linear` is the version's name of the mode that is not `nearest`.
fn upsample(call: &Call<'_>, scales: &[f32], linear: &str) -> Result<Outputs, OpError> {
    let filter = match call.string("mode")? {
        "nearest" => Filter::Nearest(Nearest::Floor),
        mode if mode == linear => Filter::Linear,
        mode => return Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    };
    if let Some(scale) = scales.iter().find(|&&scale| scale < 1.0) {
        return Err(OpError::invalid(format!("a scale of {scale} does not enlarge")));
    }
    let shape = call.tensor(0)?.shape();
    let axes = with_scales(call, shape, scales, &vec![WHOLE; shape.len()])?;
    one(resample(call, &axes, &basic_sampling(filter))?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, exact, refused, rows, values};

    fn image<const N: usize>(lines: &[[f32; N]]) -> Tensor {
        rows(lines).reshape(&[1, 1, lines.len(), N]).unwrap()
    }

    /// Expected values from ONNX Runtime 1.31 (versions 7 and 9).
    #[test]
    fn versions() {
        let x = image(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let linear = image(&[
            [1.0, 1.5, 2.0, 2.5, 3.0, 3.0],
            [2.5, 3.0, 3.5, 4.0, 4.5, 4.5],
            [4.0, 4.5, 5.0, 5.5, 6.0, 6.0],
            [4.0, 4.5, 5.0, 5.5, 6.0, 6.0],
        ]);
        let scales = [1_f32, 1.0, 2.0, 2.0];
        let attributes = [attribute("mode", "linear"), attribute("scales", scales)];
        check(
            ("", "Upsample", 7),
            &values(std::slice::from_ref(&x)),
            &attributes,
            &values(std::slice::from_ref(&linear)),
        );
        let attributes = [
            attribute("mode", "bilinear"),
            attribute("height_scale", 2_f32),
            attribute("width_scale", 2_f32),
        ];
        check(
            ("", "Upsample", 1),
            &values(std::slice::from_ref(&x)),
            &attributes,
            &values(&[linear]),
        );
        let nearest = image(&[[1.0, 1.0, 2.0, 3.0], [4.0, 4.0, 5.0, 6.0]]);
        exact(
            ("", "Upsample", 9),
            &[x, Tensor::vector(vec![1_f32, 1.0, 1.0, 1.5])],
            &[],
            &[nearest],
        );
    }

    #[test]
    fn it_only_enlarges() {
        let inputs = values(&[Tensor::vector(vec![1_f32, 2.0]), Tensor::vector(vec![0.5_f32])]);
        refused(("", "Upsample", 9), &inputs, &[], "enlarge");
    }
}
