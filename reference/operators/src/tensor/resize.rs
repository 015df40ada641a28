//! Resize — resamples a tensor along its axes: nearest, linear or cubic.
//!
//! Versions: 10 has `nearest` and `linear` and defines neither positions nor the nearest neighbour
//! (interpretation: as in its official cases and in ONNX Runtime, `asymmetric`, and `ceil` if an axis
//! shrinks, otherwise `floor`); 11 adds `cubic`, sizes, regions of interest, coordinate transformation and
//! nearest modes; 13 makes inputs optional and drops `tf_half_pixel_for_nn`, which is accepted except in a
//! strict run (deviation of that name); 18 adds `antialias`, `axes` and aspect policies; 19 adds
//! `half_pixel_symmetric`.
//!
//! Interpretation: given scales are the scale of the coordinates, not the quotient of the extents, which
//! the text says and the official cases contradict; the same holds for the common scale of an aspect
//! policy. Antialiasing counts samples outside as the outermost element, like every filter without
//! `exclude_outside`. A repeated axis is undefined.

use onnx_tensor::{Real, dispatch};

use super::coordinates::{ResizedAxis, Transform};
use super::resampling::{Filter, Nearest, Sampling, resample};
use super::resized_extents::{Policy, WHOLE, with_scales, with_sizes};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Resize",
    &[
        v(10, First, resize_10),
        v(11, Semantics, |call| {
            resize(call, Transform::named_11, &Extras::NONE)
        }),
        v(13, Semantics, |call| {
            resize(call, Transform::named_13, &Extras::NONE)
        }),
        v(18, Semantics, |call| {
            resize(call, Transform::named_13, &Extras::read(call)?)
        }),
        v(19, Semantics, |call| {
            resize(call, Transform::named_19, &Extras::read(call)?)
        }),
    ],
);

fn resize_10(call: &Call<'_>) -> Result<Outputs, OpError> {
    let filter = match call.string("mode")? {
        "nearest" => Filter::Nearest(Nearest::ByDirection),
        "linear" => Filter::Linear,
        mode => return Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    };
    let scales = call.tensor(1)?.to_vec::<f32>()?;
    let shape = call.tensor(0)?.shape();
    let axes = with_scales(call, shape, &scales, &vec![WHOLE; shape.len()])?;
    one(resample(call, &axes, &basic_sampling(filter))?)
}

/// The only sampling before version 11.
pub(super) fn basic_sampling(filter: Filter) -> Sampling {
    Sampling {
        filter,
        transform: Transform::Asymmetric,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    }
}

/// The attributes that version 18 adds.
struct Extras {
    axes: Option<Vec<i64>>,
    antialias: bool,
    policy: Policy,
}

impl Extras {
    const NONE: Extras = Extras {
        axes: None,
        antialias: false,
        policy: Policy::Stretch,
    };

    fn read(call: &Call<'_>) -> Result<Extras, OpError> {
        let policy = match call.string("keep_aspect_ratio_policy")? {
            "stretch" => Policy::Stretch,
            "not_larger" => Policy::NotLarger,
            "not_smaller" => Policy::NotSmaller,
            other => {
                return Err(OpError::invalid(format!(
                    "`keep_aspect_ratio_policy` is {other:?}"
                )));
            }
        };
        Ok(Extras {
            axes: call.optional_ints("axes")?,
            antialias: call.flag("antialias")?,
            policy,
        })
    }
}

fn resize(
    call: &Call<'_>,
    transform: fn(&Call<'_>, &str) -> Result<Transform, OpError>,
    extras: &Extras,
) -> Result<Outputs, OpError> {
    let sampling = Sampling {
        filter: filter(call)?,
        transform: transform(call, call.string("coordinate_transformation_mode")?)?,
        antialias: extras.antialias,
        exclude_outside: call.flag("exclude_outside")?,
        extrapolation: call.float("extrapolation_value")?,
    };
    let shape = call.tensor(0)?.shape();
    let chosen = chosen_axes(extras.axes.as_deref(), shape.len())?;
    let extents: Vec<usize> = chosen.iter().map(|&axis| shape[axis]).collect();
    let rois = match sampling.transform {
        Transform::TfCropAndResize => regions(call, chosen.len())?,
        _ => vec![WHOLE; chosen.len()],
    };
    // An empty tensor means an omitted input: version 11 has no other way to omit it.
    let scales = call.optional_tensor(2)?.filter(|scales| !scales.is_empty());
    let sizes = call.optional_integers(3)?.filter(|sizes| !sizes.is_empty());
    let resized = match (scales, sizes) {
        (Some(scales), None) => with_scales(call, &extents, &scales.to_vec()?, &rois)?,
        (None, Some(sizes)) => with_sizes(&extents, &layout::extents(&sizes)?, extras.policy, &rois)?,
        _ => {
            return Err(OpError::invalid(
                "exactly one of `scales` and `sizes` must be present",
            ));
        }
    };
    let mut all: Vec<ResizedAxis> = shape
        .iter()
        .map(|&extent| ResizedAxis::unchanged(extent))
        .collect();
    for (&axis, resized) in chosen.iter().zip(resized) {
        all[axis] = resized;
    }
    one(resample(call, &all, &sampling)?)
}

fn filter(call: &Call<'_>) -> Result<Filter, OpError> {
    let nearest = match call.string("nearest_mode")? {
        "round_prefer_floor" => Nearest::PreferFloor,
        "round_prefer_ceil" => Nearest::PreferCeil,
        "floor" => Nearest::Floor,
        "ceil" => Nearest::Ceil,
        mode => return Err(OpError::invalid(format!("`nearest_mode` is {mode:?}"))),
    };
    match call.string("mode")? {
        "nearest" => Ok(Filter::Nearest(nearest)),
        "linear" => Ok(Filter::Linear),
        "cubic" => Ok(Filter::Cubic(f64::from(call.float("cubic_coeff_a")?))),
        mode => Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    }
}

fn chosen_axes(named: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, OpError> {
    let Some(named) = named else {
        return Ok((0..rank).collect());
    };
    // Checks for repeated axes on the sorted list; the inputs follow the order of `axes`.
    axes::axes(named, rank)?;
    named.iter().map(|&axis| axes::axis(axis, rank)).collect()
}

/// Start and end for each of `count` axes.
fn regions(call: &Call<'_>, count: usize) -> Result<Vec<(f64, f64)>, OpError> {
    let roi = call.tensor(1)?;
    let values: Vec<f64> = dispatch!(float, roi.dtype(), T => {
        Ok::<_, OpError>(roi.array::<T>()?.iter().map(|value| value.to_f64()).collect())
    })?;
    if values.len() != 2 * count {
        return Err(OpError::invalid(format!(
            "expected two numbers in `roi` for each of {count} axes, got {0}",
            values.len()
        )));
    }
    let (starts, ends) = values.split_at(count);
    Ok(starts.iter().copied().zip(ends.iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, exact, refused, refused_strictly, rows, values};

    fn image<const N: usize>(lines: &[[f32; N]]) -> Tensor {
        rows(lines).reshape(&[1, 1, lines.len(), N]).unwrap()
    }

    fn floats(elements: &[f32]) -> Tensor {
        Tensor::vector(elements.to_vec())
    }

    /// Positions 0 to 5 divided by 0.6f, in float and rounded down: 0, 1, 3, 5, 6, 8, because 3 / 0.6f is 5
    /// in float. The case is the export of `interpolate(scale_factor=0.6)` of PyTorch, which has the same
    /// result.
    #[test]
    fn nearest_divides_in_float() {
        let x = Tensor::vector((0..10_u8).collect());
        let attributes = [
            attribute("coordinate_transformation_mode", "asymmetric"),
            attribute("nearest_mode", "floor"),
        ];
        let result = Tensor::vector(vec![0_u8, 1, 3, 5, 6, 8]);
        for since in [13, 19] {
            let inputs = [x.clone(), floats(&[]), floats(&[0.6])];
            exact(
                ("", "Resize", since),
                &inputs,
                &attributes,
                std::slice::from_ref(&result),
            );
        }
    }

    /// The image [[1, 2, 3], [4, 5, 6]] by scales; expected values from ONNX Runtime 1.31.
    #[test]
    fn by_scales() {
        let mode = |mode| attribute("mode", mode);
        let transform = |name| attribute("coordinate_transformation_mode", name);
        let rounding = |name| attribute("nearest_mode", name);
        let tf = "tf_half_pixel_for_nn";
        let cases: Vec<(u32, [f32; 2], Vec<Attribute>, Tensor)> = vec![
            (10, [1.0, 0.7], vec![], image(&[[1.0, 3.0], [4.0, 6.0]])),
            (10, [0.5, 0.7], vec![mode("linear")], image(&[[1.0, 2.428_571_5]])),
            (
                11,
                [1.0, 2.0],
                vec![transform(tf), rounding("floor")],
                image(&[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0], [4.0, 4.0, 5.0, 5.0, 6.0, 6.0]]),
            ),
            (
                11,
                [1.0, 2.0],
                vec![transform(tf), rounding("round_prefer_ceil")],
                image(&[[1.0, 2.0, 2.0, 3.0, 3.0, 3.0], [4.0, 5.0, 5.0, 6.0, 6.0, 6.0]]),
            ),
            (
                13,
                [1.0, 0.6],
                vec![mode("linear"), transform("align_corners")],
                image(&[[1.0], [4.0]]),
            ),
            // By hand: position 1 of a length of 2.25 is at 1 · (3 − 1) / (2.25 − 1) = 1.6.
            (
                13,
                [1.0, 0.75],
                vec![mode("linear"), transform("align_corners")],
                image(&[[1.0, 2.6], [4.0, 5.6]]),
            ),
        ];
        let x = image(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        for (since, [height, width], attributes, expected) in cases {
            let scales = floats(&[1.0, 1.0, height, width]);
            let inputs = if since == 10 {
                vec![x.clone(), scales]
            } else {
                vec![x.clone(), floats(&[]), scales]
            };
            check(
                ("", "Resize", since),
                &values(&inputs),
                &attributes,
                &values(&[expected]),
            );
        }
    }

    /// The same image resized to [4, 5], and a row shrunk by half; expected values from ONNX Runtime 1.31.
    #[test]
    fn version_18() {
        let linear = attribute("mode", "linear");
        let policy = |policy| {
            [
                linear.clone(),
                attribute("axes", [2, 3]),
                attribute("keep_aspect_ratio_policy", policy),
            ]
        };
        let x = image(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let inputs = values(&[x, floats(&[]), floats(&[]), Tensor::vector(vec![4_i64, 5])]);
        let not_larger = image(&[
            [1.0, 1.4, 2.0, 2.6, 3.0],
            [2.2, 2.6, 3.2, 3.8, 4.2],
            [4.0, 4.4, 5.0, 5.6, 6.0],
        ]);
        check(
            ("", "Resize", 18),
            &inputs,
            &policy("not_larger"),
            &values(&[not_larger]),
        );
        let not_smaller = image(&[
            [1.0, 1.25, 1.75, 2.25, 2.75, 3.0],
            [1.75, 2.0, 2.5, 3.0, 3.5, 3.75],
            [3.25, 3.5, 4.0, 4.5, 5.0, 5.25],
            [4.0, 4.25, 4.75, 5.25, 5.75, 6.0],
        ]);
        check(
            ("", "Resize", 18),
            &inputs,
            &policy("not_smaller"),
            &values(&[not_smaller]),
        );

        let row = rows(&[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]);
        let inputs = values(&[row, floats(&[]), floats(&[1.0, 0.5])]);
        let soft = [linear, attribute("antialias", 1)];
        check(
            ("", "Resize", 18),
            &inputs,
            &soft,
            &values(&[rows(&[[1.625, 3.5, 5.5, 7.375]])]),
        );
        let inside = [&soft[..], &[attribute("exclude_outside", 1)]].concat();
        let expected = rows(&[[1.714_285_9, 3.5, 5.5, 7.285_714]]);
        check(("", "Resize", 18), &inputs, &inside, &values(&[expected]));
    }

    /// The text: integers are converted at the end; types without order cannot be interpolated.
    #[test]
    fn types() {
        let linear = [attribute("mode", "linear")];
        let scales = floats(&[2.0]);
        let inputs = values(&[Tensor::vector(vec![0_i8, -3]), scales.clone()]);
        check(
            ("", "Resize", 10),
            &inputs,
            &linear,
            &values(&[Tensor::vector(vec![0_i8, -1, -3, -3])]),
        );
        let inputs = values(&[Tensor::vector(vec![true, false]), scales]);
        refused(("", "Resize", 10), &inputs, &linear, "bool");
        check(
            ("", "Resize", 10),
            &inputs,
            &[],
            &values(&[Tensor::vector(vec![true, true, false, false])]),
        );
    }

    #[test]
    fn errors() {
        let x = floats(&[1.0, 2.0]);
        let by = |scales: &[f32], sizes: &[i64]| {
            values(&[
                x.clone(),
                floats(&[]),
                floats(scales),
                Tensor::vector(sizes.to_vec()),
            ])
        };
        refused(("", "Resize", 13), &by(&[2.0], &[4]), &[], "exactly one");
        refused(("", "Resize", 13), &by(&[], &[]), &[], "exactly one");
        refused(("", "Resize", 13), &by(&[-1.0], &[]), &[], "scale");
        refused(("", "Resize", 13), &by(&[], &[1 << 40]), &[], "budget");
        let tf = [attribute(
            "coordinate_transformation_mode",
            "tf_half_pixel_for_nn",
        )];
        refused_strictly(("", "Resize", 13), &by(&[2.0], &[]), &tf, "version");
    }
}
