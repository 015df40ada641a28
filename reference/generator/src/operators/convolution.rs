//! Convolutions.

use super::matrices::{scale, zero_point};
use super::movement::signed;
use super::{Declaration, of};
use crate::families::{Window, window};
use crate::{Domain, Draft, Made, Reject};

/// Products of two of these are exact in every float of 16 bits or more.
const FACTOR: Domain = Domain::from(-2.0, 2.0);

pub(super) const OPERATORS: &[Declaration] = &[
    of("CausalConvWithState", causal),
    of("Col2Im", col2im),
    of("Conv", |d| {
        let (image, filters, channels) = convolution(d)?;
        d.input(&image, FACTOR)?;
        d.input(&filters, FACTOR)?;
        if d.whether("bias") {
            d.input(&[channels], FACTOR)?;
        }
        Ok(())
    }),
    of("ConvInteger", |d| {
        let (image, filters, channels) = convolution(d)?;
        d.input(&image, Domain::ANY)?;
        d.input(&filters, Domain::ANY)?;
        d.optional("x zero point", &[], Domain::ANY)?;
        // The text also permits one for each channel.
        let each = d.pick("w zero point form", &["scalar", "channels"]) == "channels";
        d.optional(
            "w zero point",
            &if each { vec![channels] } else { Vec::new() },
            Domain::ANY,
        )?;
        Ok(())
    }),
    of("ConvTranspose", transposed),
    of("DeformConv", deformable),
    of("QLinearConv", quantized),
];

/// Shapes of the image and of the filters, and the number of output channels.
fn convolution(d: &mut Draft) -> Result<(Vec<usize>, Vec<usize>, usize), Reject> {
    let (group, inside, outside) = groups(d);
    let window = window(d, true)?;
    let batch = match d.pick("batch", &["one", "two", "empty"]) {
        "one" => 1,
        "two" => 2,
        _ => 0,
    };
    kernel_shape(d, &window);
    let image = [vec![batch, group * inside], window.input.clone()].concat();
    let filters = [vec![group * outside, inside], window.kernel].concat();
    Ok((image, filters, group * outside))
}

/// Groups, and the channels of a group: in and out.
fn groups(d: &mut Draft) -> (usize, usize, usize) {
    let (group, inside, outside) = match d.pick("group", &["absent", "one", "two", "depthwise", "many"]) {
        "two" => (2, 1 + d.draws.below(2), 1 + d.draws.below(3)),
        "depthwise" => (2 + d.draws.below(3), 1, 1),
        "many" => (1, 8, 9),
        "absent" => return (1, 1 + d.draws.below(3), 1 + d.draws.below(4)),
        _ => (1, 1 + d.draws.below(3), 1 + d.draws.below(4)),
    };
    d.int("group", group as i64);
    (group, inside, outside)
}

fn kernel_shape(d: &mut Draft, window: &Window) {
    if d.whether("kernel_shape") {
        d.ints("kernel_shape", &signed(&window.kernel));
    }
}

/// `output_padding` is less than a stride; `output_shape` can be reached by the strides without negative
/// padding.
fn transposed(d: &mut Draft) -> Made {
    let (group, inside, outside) = groups(d);
    let form = d.pick("extent", &["pads", "output padding", "output shape"]);
    let window = window(d, form != "output shape")?;
    kernel_shape(d, &window);
    let count = window.kernel.len();
    let auto = d.attributes.iter().any(|attribute| attribute.name == "auto_pad");
    match form {
        "output padding" if !auto => {
            let least = |axis: usize| window.strides[axis].max(window.dilations[axis]);
            let extra: Vec<i64> = (0..count).map(|axis| d.draws.below(least(axis)) as i64).collect();
            d.ints("output_padding", &extra);
        }
        "output shape" => {
            let whole = |axis: usize| (window.input[axis] - 1) * window.strides[axis] + window.span(axis);
            let given: Vec<i64> = (0..count)
                .map(|axis| whole(axis) as i64 - d.draws.below(window.kernel[axis].min(2)) as i64)
                .collect();
            d.ints("output_shape", &given);
        }
        _ => {}
    }
    let batch = 1 + d.draws.below(2);
    d.input(
        &[vec![batch, group * inside], window.input.clone()].concat(),
        FACTOR,
    )?;
    d.input(&[vec![group * inside, outside], window.kernel].concat(), FACTOR)?;
    if d.whether("bias") {
        d.input(&[group * outside], FACTOR)?;
    }
    Ok(())
}

/// Scales are powers of two: a result between two integers is a tie in every arithmetic.
fn quantized(d: &mut Draft) -> Made {
    let (image, filters, channels) = convolution(d)?;
    d.input(&image, Domain::ANY)?;
    scale(d, &[])?;
    d.input(&[], zero_point(d)?)?;
    d.input(&filters, Domain::ANY)?;
    let each = if d.pick("w scale", &["tensor", "channels"]) == "channels" {
        vec![channels]
    } else {
        Vec::new()
    };
    scale(d, &each)?;
    d.input(&each, zero_point(d)?)?;
    scale(d, &[])?;
    d.input(&[], zero_point(d)?)?;
    if d.whether("bias") {
        d.input(&[channels], Domain::whole(-500.0, 500.0))?;
    }
    Ok(())
}

/// Offsets may be fractions and may point outside the image.
fn deformable(d: &mut Draft) -> Made {
    let (group, inside, outside) = groups(d);
    let mut kernel = vec![1 + d.draws.below(3), 1 + d.draws.below(3)];
    let strides = [1 + d.draws.below(2), 1 + d.draws.below(2)];
    let pad = d.draws.below(2);
    if d.pick("kernel", &["plain", "one"]) == "one" {
        kernel = vec![1, 1];
    }
    let offset_group = if d.pick("offset groups", &["one", "channels"]) == "channels" {
        group * inside
    } else {
        1
    };
    let input = [kernel[0] + d.draws.below(4), kernel[1] + d.draws.below(4)];
    let output = [0, 1].map(|axis| (input[axis] + 2 * pad - kernel[axis]) / strides[axis] + 1);
    if d.whether("kernel_shape") {
        d.ints("kernel_shape", &signed(&kernel));
    }
    d.ints("strides", &signed(&strides));
    d.ints("pads", &[pad as i64; 4]);
    d.int("offset_group", offset_group as i64);
    let taps = kernel[0] * kernel[1];
    d.input(&[1, group * inside, input[0], input[1]], FACTOR)?;
    d.input(&[group * outside, inside, kernel[0], kernel[1]], FACTOR)?;
    d.input(
        &[1, offset_group * taps * 2, output[0], output[1]],
        Domain::from(-2.0, 2.0),
    )?;
    d.optional("bias", &[group * outside], FACTOR)?;
    d.optional(
        "mask",
        &[1, offset_group * taps, output[0], output[1]],
        Domain::PROBABILITY,
    )?;
    Ok(())
}

/// The number of columns is the number of window positions.
fn col2im(d: &mut Draft) -> Made {
    use onnx_tensor::DType as D;
    let without = matches!(d.input_dtype(0)?, D::String | D::Bool);
    d.require(!without, "the type has no sum")?;
    let window = window(d, false)?;
    let (batch, channels) = (1 + d.draws.below(2), 1 + d.draws.below(2));
    let places: usize = (0..window.kernel.len())
        .map(|axis| (window.input[axis] - window.span(axis)) / window.strides[axis] + 1)
        .product();
    let taps: usize = window.kernel.iter().product();
    d.input(&[batch, channels * taps, places], Domain::MODERATE)?;
    d.numbers(&signed(&window.input))?;
    d.numbers(&signed(&window.kernel))
}

fn causal(d: &mut Draft) -> Made {
    d.mode("activation");
    let (batch, channels) = (1 + d.draws.below(2), 1 + d.draws.below(3));
    let (length, kernel) = (1 + d.draws.below(6), 1 + d.draws.below(4));
    d.input(&[batch, channels, length], FACTOR)?;
    d.input(&[channels, 1, kernel], FACTOR)?;
    d.optional("bias", &[channels], FACTOR)?;
    if kernel > 1 {
        d.optional("past state", &[batch, channels, kernel - 1], FACTOR)?;
    }
    Ok(())
}
