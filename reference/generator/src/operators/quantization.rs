//! Quantization: scales are powers of two, so that ties are ties in every arithmetic.

use onnx_tensor::DType;

use super::matrices::zero_point;
use super::{Declaration, of};
use crate::families::full;
use crate::{Domain, Draft, Made, Reject};

pub(super) const OPERATORS: &[Declaration] = &[
    of("DequantizeLinear", dequantize),
    of("DynamicQuantizeLinear", |d| {
        let shape = full(d, 1, 3);
        d.input(&shape, Domain::from(-6.0, 10.0))?;
        Ok(())
    }),
    of("QuantizeLinear", quantize),
];

/// The form of the scale: one for all, one for each index of an axis, or one for each block.
fn scale_shape(d: &mut Draft) -> (Vec<usize>, Vec<usize>) {
    let mut forms = vec!["tensor"];
    if d.has("axis") {
        forms.extend(["axis", "default axis"]);
    }
    if d.has("block_size") {
        forms.push("blocks");
    }
    let form = d.pick("granularity", &forms);
    let mut shape = match form {
        "tensor" => crate::families::shape(d, 0, 4),
        _ => full(d, 2, 4),
    };
    let rank = shape.len();
    let at = if form == "default axis" {
        1
    } else {
        d.draws.below(rank.max(1))
    };
    let written = match form {
        "axis" | "blocks" => Some(
            if d.pick("axis sign", &["plain", "negative"]) == "negative" && d.since() >= 13 {
                at as i64 - rank as i64
            } else {
                at as i64
            },
        ),
        _ => None,
    };
    if let Some(axis) = written {
        d.int("axis", axis);
    }
    let scale = match form {
        "tensor" => Vec::new(),
        "blocks" => {
            let (block, count) = (2 + d.draws.below(2), 1 + d.draws.below(3));
            // The last block may be shorter.
            shape[at] = block * count - d.draws.below(2);
            d.int("block_size", block as i64);
            let mut scale = shape.clone();
            scale[at] = count;
            scale
        }
        _ => vec![shape[at]],
    };
    (shape, scale)
}

/// A scale: a power of two that every float type can represent.
fn scales(d: &mut Draft, shape: &[usize]) -> Made {
    super::matrices::scale(d, shape)
}

fn quantize(d: &mut Draft) -> Made {
    let to = d.output_dtype(0)?;
    let (shape, scale) = scale_shape(d);
    d.mode("saturate");
    let zero = d.whether("zero point");
    if !zero && to != DType::Uint8 {
        d.require(d.has("output_dtype"), "without a zero point the output is uint8")?;
        d.int("output_dtype", to as i64);
    }
    // Without `saturate` values beyond the maximum of these types are undefined.
    d.input(&shape, Domain::from(-40.0, 40.0))?;
    scales(d, &scale)?;
    if zero {
        let domain = zero_point(d)?;
        d.input(&scale, domain)?;
    }
    Ok(())
}

fn dequantize(d: &mut Draft) -> Made {
    let (shape, scale) = scale_shape(d);
    let (from, to) = (d.input_dtype(1)?, d.output_dtype(0)?);
    if from != to || d.has("output_dtype") && d.pick("output_dtype", &["given", "absent"]) == "given" {
        d.require(d.has("output_dtype"), "the output has the type of the scale")?;
        d.int("output_dtype", to as i64);
    }
    d.input(&shape, Domain::ANY)?;
    scales(d, &scale)?;
    if d.whether("zero point") {
        let domain: Result<Domain, Reject> = zero_point(d);
        d.input(&scale, domain?)?;
    }
    Ok(())
}
