//! Transforms, windows, images and boxes.

use onnx_tensor::{DType, Tensor};

use super::movement::signed;
use super::{Declaration, of};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("AffineGrid", affine_grid),
    of("BlackmanWindow", window),
    of("DFT", transform),
    of("GridSample", grid_sample),
    of("HammingWindow", window),
    of("HannWindow", window),
    of("ImageDecoder", decode),
    of("MelWeightMatrix", mel),
    of("NonMaxSuppression", suppress),
    of("Resize", resize),
    of("STFT", short_time),
    of("Upsample", upsample),
];

fn affine_grid(d: &mut Draft) -> Made {
    d.flag("align_corners", false);
    let spatial = if d.pick("spatial", &["2", "3"]) == "2" {
        2
    } else {
        3
    };
    let batch = 1 + d.draws.below(2);
    d.input(&[batch, spatial, spatial + 1], Domain::UNIT)?;
    // The text leaves the grid of an extent of 1 open.
    let extents: Vec<usize> = (0..spatial).map(|_| 2 + d.draws.below(3)).collect();
    d.numbers(&signed(&[vec![batch, 1 + extents[0] % 2], extents].concat()))
}

fn window(d: &mut Draft) -> Made {
    d.flag("periodic", true);
    let to = d.output_dtype(0)?;
    if to != DType::Float || d.pick("output_datatype", &["given", "absent"]) == "given" {
        d.int("output_datatype", to as i64);
    }
    let size = [2, 3, 8, 17][d.draws.below(4)];
    d.number(size)
}

/// Real (one number in the last axis) or complex (two); the length may differ from the extent.
fn transform(d: &mut Draft) -> Made {
    let inverse = d.flag("inverse", false);
    let onesided = d.flag("onesided", false);
    let complex = d.pick("signal", &["real", "complex"]) == "complex";
    // The inverse has complex inputs and outputs, except with `onesided`; one side of a complex signal
    // is undefined.
    d.require(!inverse || complex, "the inverse of a real signal")?;
    d.require(
        !onesided || (!complex && !inverse),
        "one side of a complex signal",
    )?;
    let extents: Vec<usize> = (0..1 + d.draws.below(3)).map(|_| 1 + d.draws.below(9)).collect();
    let rank = extents.len() + 2;
    let shape = [
        vec![1 + d.draws.below(2)],
        extents,
        vec![1 + usize::from(complex)],
    ]
    .concat();
    let at = 1 + d.draws.below(rank - 2);
    d.input(&shape, Domain::MODERATE)?;
    let length = d.pick("dft_length", &["absent", "equal", "shorter", "longer"]);
    match length {
        "equal" => d.number(shape[at] as i64)?,
        "shorter" => d.number((shape[at] as i64 / 2).max(1))?,
        "longer" => d.number(shape[at] as i64 + 3)?,
        _ => d.skip(),
    }
    let axis = match d.pick("axis", &["positive", "negative", "default"]) {
        "negative" => at as i64 - rank as i64,
        "default" => {
            let default = if d.has("axis") { 1 } else { rank - 2 };
            d.require(at == default, "another axis than the default")?;
            return Ok(());
        }
        _ => at as i64,
    };
    if d.has("axis") {
        d.int("axis", axis);
        return Ok(());
    }
    d.number(axis)
}

/// Frames of a signal, with a window or a length or both.
fn short_time(d: &mut Draft) -> Made {
    let complex = d.pick("signal", &["real", "complex"]) == "complex";
    let onesided = d.flag("onesided", true);
    d.require(!onesided || !complex, "one side of a complex signal")?;
    let length = 2 + d.draws.below(6);
    let signal = length + d.draws.below(12);
    let batch = 1 + d.draws.below(2);
    d.input(&[batch, signal, 1 + usize::from(complex)], Domain::MODERATE)?;
    let step = 1 + d.draws.below(4) as i64;
    d.number(step)?;
    let form = d.pick("frame", &["window", "length", "both"]);
    if form == "length" {
        d.skip();
    } else {
        d.input(&[length], Domain::MODERATE)?;
    }
    if form != "window" {
        d.number(length as i64)?;
    }
    Ok(())
}

fn mel(d: &mut Draft) -> Made {
    let to = d.output_dtype(0)?;
    if to != DType::Float || d.pick("output_datatype", &["given", "absent"]) == "given" {
        d.int("output_datatype", to as i64);
    }
    d.number(4)?;
    d.number(16)?;
    d.number(8000)?;
    for hertz in [0, 2000] {
        let tensor = crate::whole(d.input_dtype(d.inputs.len())?, &[], &[hertz])?;
        d.give(tensor);
    }
    Ok(())
}

/// A 24-bit image as uncompressed BMP: rows from the bottom, BGR, padded to four bytes.
fn decode(d: &mut Draft) -> Made {
    d.mode("pixel_format");
    let (width, height) = (1 + d.draws.below(4), 1 + d.draws.below(4));
    let row = (width * 3).div_ceil(4) * 4;
    let size = 54 + row * height;
    let mut bytes = b"BM".to_vec();
    for number in [size, 0, 54, 40, width, height] {
        bytes.extend((number as u32).to_le_bytes());
    }
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 24]);
    for _ in 0..height {
        bytes.extend((0..row).map(|place| {
            if place < width * 3 {
                d.draws.bits() as u8
            } else {
                0
            }
        }));
    }
    d.give(Tensor::vector(bytes));
    Ok(())
}

/// Corners at multiples of 1/4, so that areas and their quotients are the same in every arithmetic;
/// distinct scores.
fn suppress(d: &mut Draft) -> Made {
    let center = d.flag("center_point_box", false);
    let (batch, classes, boxes) = (1 + d.draws.below(2), 1 + d.draws.below(2), 1 + d.draws.below(6));
    let mut corners = Vec::new();
    for _ in 0..batch * boxes {
        let (a, b) = (d.draws.below(8) as f32 / 4.0, d.draws.below(8) as f32 / 4.0);
        let (height, width) = (
            (1 + d.draws.below(8)) as f32 / 4.0,
            (1 + d.draws.below(8)) as f32 / 4.0,
        );
        corners.extend(if center {
            [b, a, width, height]
        } else {
            [a, b, a + height, b + width]
        });
    }
    d.give(Tensor::new(&[batch, boxes, 4], corners)?);
    let scores: Vec<f32> = (0..batch * classes)
        .flat_map(|_| d.draws.permutation(boxes))
        .map(|rank| (rank as f32 + 1.0) / 16.0)
        .collect();
    d.give(Tensor::new(&[batch, classes, boxes], scores)?);
    match d.pick("most", &["absent", "none", "two", "all"]) {
        "none" => d.give(Tensor::scalar(0_i64)),
        "two" => d.give(Tensor::vector(vec![2_i64])),
        "all" => d.give(Tensor::scalar(100_i64)),
        _ => d.skip(),
    }
    // Half of the thresholds equal a quotient of areas, or a score.
    for (point, values) in [("iou", [0.3_f32, 0.5]), ("score", [0.15, 0.125])] {
        let value = values[d.draws.below(2)];
        match d.pick(point, &["absent", "scalar", "one element"]) {
            "scalar" => d.give(Tensor::scalar(value)),
            "one element" => d.give(Tensor::vector(vec![value])),
            _ => d.skip(),
        }
    }
    Ok(())
}

fn grid_sample(d: &mut Draft) -> Made {
    let mode = d.mode("mode");
    d.mode("padding_mode");
    d.flag("align_corners", false);
    let cubic = matches!(mode.as_str(), "cubic" | "bicubic");
    let spatial = if d.since() >= 20 && !cubic && d.pick("spatial", &["2", "3"]) == "3" {
        3
    } else {
        2
    };
    let (batch, channels) = (1 + d.draws.below(2), 1 + d.draws.below(2));
    let input: Vec<usize> = (0..spatial).map(|_| 2 + d.draws.below(3)).collect();
    let output: Vec<usize> = (0..spatial).map(|_| 1 + d.draws.below(3)).collect();
    let dtype = d.input_dtype(0)?;
    use onnx_tensor::DType as D;
    let plain = matches!(dtype, D::Float | D::Double | D::Float16 | D::Bfloat16);
    // The rounding of a weighted mean is undefined for other types.
    d.require(plain || mode == "nearest", "the type has no weighted mean")?;
    d.input(&[vec![batch, channels], input].concat(), Domain::MODERATE)?;
    d.input(
        &[vec![batch], output, vec![spatial]].concat(),
        Domain::from(-1.3, 1.3),
    )?;
    Ok(())
}

/// A factor whose product with an extent is whole in float and not in real arithmetic: 0.7 · 10 for
/// Resize, 25/13 · 13 for Upsample, which only enlarges.
const FRACTION: &str = "fraction";

/// The factors of Resize.
fn factors_of(fractions: bool) -> &'static [&'static str] {
    if fractions {
        &["two", "one", "half", "mixed", "one and a half", FRACTION]
    } else {
        &["two", "one", "half", "mixed", "one and a half"]
    }
}

/// Scales and sizes that give integer extents.
fn resize(d: &mut Draft) -> Made {
    use onnx_tensor::DType as D;
    let mode = d.mode("mode");
    let transformation = d.mode("coordinate_transformation_mode");
    d.mode("nearest_mode");
    let cubic = mode == "cubic";
    if cubic {
        d.scalar("cubic_coeff_a", &[-0.5]);
        d.flag("exclude_outside", false);
    }
    let crop = transformation == "tf_crop_and_resize";
    if crop {
        d.scalar("extrapolation_value", &[5.0]);
    }
    let antialias = if mode == "nearest" || crop {
        false
    } else {
        d.flag("antialias", false)
    };
    let floats = matches!(d.input_dtype(0)?, D::Float | D::Double | D::Float16 | D::Bfloat16);
    d.require(floats || mode == "nearest", "the type has no weighted mean")?;
    // Positions i / 0.7 of whole i lie between elements only if nothing is added to i.
    let fractions = mode == "nearest" && (d.since() == 10 || transformation == "asymmetric");
    let factor = d.pick("factor", factors_of(fractions));
    let fraction = factor == FRACTION;
    let extent = |d: &mut Draft| 2 + d.draws.below(4);
    let (height, width) = (extent(d), extent(d));
    let (height, width) = if fraction { (10, 10) } else { (height, width) };
    let shape = [1 + d.draws.below(2), 1 + d.draws.below(2), height, width];
    d.input(&shape, Domain::MODERATE)?;
    let some = d.has("axes") && d.whether("axes given");
    let factors: [f32; 2] = match factor {
        "two" => [2.0, 2.0],
        "half" => [0.5, 0.5],
        "mixed" => [0.5, 3.0],
        "one and a half" => [1.5, 1.5],
        FRACTION => [0.7, 0.7],
        _ => [1.0, 1.0],
    };
    let places = if some { 2..4 } else { 0..4 };
    if some {
        d.ints("axes", &[2, 3]);
    }
    let scales: Vec<f32> = [1.0, 1.0, factors[0], factors[1]][places.clone()].to_vec();
    if d.since() == 10 {
        d.give(Tensor::vector(scales));
        return Ok(());
    }
    let dtype = d.dtype("T2")?;
    if crop {
        let corners = [[0, 0, 0, 0], [1, 1, 1, 1]]
            .map(|half| half[places.clone()].to_vec())
            .concat();
        let roi = crate::whole(dtype, &[corners.len()], &corners)?;
        d.give(roi);
    } else if d.since() == 11 || d.whether("roi") {
        d.give(crate::whole(dtype, &[0], &[])?);
    } else {
        d.skip();
    }
    if d.pick("extent", &["scales", "sizes"]) == "scales" {
        d.give(Tensor::vector(scales));
        return Ok(());
    }
    let policy = d.mode("keep_aspect_ratio_policy");
    d.require(
        policy.is_empty() || policy == "stretch" || !antialias,
        "only one of them is permitted",
    )?;
    if d.since() == 11 {
        d.give(Tensor::vector(Vec::<f32>::new()))
    } else {
        d.skip()
    }
    let extent = |axis: usize, factor: f32| ((shape[axis] as f32 * factor) as i64).max(1);
    let sizes = [
        shape[0] as i64,
        shape[1] as i64,
        extent(2, factors[0]),
        extent(3, factors[1]),
    ];
    d.numbers(&sizes[places])
}

fn upsample(d: &mut Draft) -> Made {
    use onnx_tensor::DType as D;
    let mode = d.mode("mode");
    let floats = matches!(d.input_dtype(0)?, D::Float | D::Double | D::Float16 | D::Bfloat16);
    d.require(floats || mode == "nearest", "the type has no weighted mean")?;
    let options: &[&str] = match mode.as_str() {
        "nearest" => &["two", "one", "mixed", "one and a half", FRACTION],
        _ => &["two", "one", "mixed", "one and a half"],
    };
    let factor = d.pick("factor", options);
    let factors: [f32; 2] = match factor {
        "two" => [2.0, 2.0],
        "mixed" => [1.0, 3.0],
        "one and a half" => [1.5, 1.5],
        FRACTION => [25.0 / 13.0; 2],
        _ => [1.0, 1.0],
    };
    let mut shape = [
        1,
        1 + d.draws.below(2),
        2 + d.draws.below(3),
        2 + d.draws.below(3),
    ];
    if factor == FRACTION {
        (shape[2], shape[3]) = (13, 13);
    }
    d.input(&shape, Domain::MODERATE)?;
    d.float("height_scale", factors[0]);
    d.float("width_scale", factors[1]);
    let scales = [1.0, 1.0, factors[0], factors[1]];
    d.floats("scales", &scales);
    if d.since() >= 9 {
        d.give(Tensor::vector(scales.to_vec()));
    }
    Ok(())
}
