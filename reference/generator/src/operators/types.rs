//! Conversions between types, and constants.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, SparseTensor, Tensor};

use super::arithmetic::is_float;
use super::movement::signed;
use super::sequences::any_value;
use super::{Declaration, of};
use crate::families::{shape, unary};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("BitCast", bit_cast),
    of("Cast", cast),
    of("CastLike", cast_like),
    of("Constant", constant),
    of("ConstantOfShape", constant_of_shape),
    of("EyeLike", eye_like),
    of("Identity", |d| {
        let of = d.input_type(0)?;
        let value = any_value(d, of, Domain::ANY)?;
        d.give(value);
        Ok(())
    }),
    of("OneHot", one_hot),
    of("Range", range),
];

/// The integers of a type, restricted to a useful range.
fn range_of(dtype: DType) -> Option<(f64, f64)> {
    Some(match dtype {
        DType::Uint2 => (0.0, 3.0),
        DType::Int2 => (-2.0, 1.0),
        DType::Uint4 => (0.0, 15.0),
        DType::Int4 => (-8.0, 7.0),
        DType::Uint8 => (0.0, 255.0),
        DType::Int8 => (-128.0, 127.0),
        DType::Uint16 | DType::Uint32 | DType::Uint64 => (0.0, 1000.0),
        DType::Int16 | DType::Int32 | DType::Int64 => (-1000.0, 1000.0),
        _ => return None,
    })
}

/// The values whose conversion the text defines.
fn convertible(from: DType, to: DType) -> Domain {
    match (from, to) {
        // The notation of a fraction is undefined.
        (_, DType::String) => Domain::whole(-100.0, 100.0),
        (_, DType::Float8E8M0) => Domain::from(0.01, 1000.0).without_zero(),
        // These types have no NaN, and values beyond the maximum are undefined without `saturate`.
        (_, DType::Float4E2M1) => Domain::from(-6.0, 6.0),
        (_, DType::Float6E2M3) => Domain::from(-7.5, 7.5),
        (_, DType::Float6E3M2) => Domain::from(-28.0, 28.0),
        (from, to) => match range_of(to) {
            Some((low, high)) if !from.is_integer() => Domain::from(low, high),
            _ => Domain::ANY,
        },
    }
}

/// The next input of a conversion: strings contain numbers of the other type.
fn convert(d: &mut Draft, from: DType, to: DType) -> Made {
    let shape = shape(d, 0, 3);
    if from != DType::String {
        d.input(&shape, convertible(from, to))?;
        return Ok(());
    }
    d.require(to != DType::Bool, "the truth value of a string is undefined")?;
    let words: &[&str] = match (to, range_of(to)) {
        (DType::String, _) => &["", "a", "日本"],
        (_, Some((low, _))) if low < 0.0 => &["0", "1", "-1"],
        (_, Some(_)) => &["0", "1", "3"],
        (DType::Float8E8M0, None) => &["1", "2", "0.5"],
        (DType::Float4E2M1 | DType::Float6E2M3 | DType::Float6E3M2, None) => &["0", "1.5", "-2"],
        (_, None) => &["0", "1.5", "-2.25", "1e2", "NaN", "INF", "-INF", "0.1"],
    };
    let count = shape.iter().product();
    let texts: Vec<String> = (0..count)
        .map(|_| words[d.draws.below(words.len())].to_owned())
        .collect();
    d.give(Tensor::new(&shape, texts)?);
    Ok(())
}

fn cast(d: &mut Draft) -> Made {
    let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
    if d.since() == 1 {
        d.text("to", &to.onnx_name().to_uppercase());
    } else {
        d.int("to", to as i64);
    }
    d.mode("saturate");
    d.mode("round_mode");
    convert(d, from, to)
}

fn cast_like(d: &mut Draft) -> Made {
    let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
    d.mode("saturate");
    d.mode("round_mode");
    convert(d, from, to)?;
    let like = shape(d, 0, 3);
    d.input(&like, Domain::MODERATE)?;
    Ok(())
}

/// Types of one width.
fn bit_cast(d: &mut Draft) -> Made {
    let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
    d.require(from.bits() == to.bits(), "the types have different widths")?;
    d.int("to", to as i64);
    // Only the bit patterns of 0 and 1 are booleans.
    unary(
        d,
        if to == DType::Bool {
            Domain::whole(0.0, 1.0)
        } else {
            Domain::ANY
        },
    )
}

fn constant(d: &mut Draft) -> Made {
    let dtype = d.dtype("T")?;
    let mut forms = vec!["value"];
    if d.has("sparse_value") && dtype != DType::Float8E8M0 {
        forms.push("sparse_value");
    }
    if d.has("value_int") {
        match dtype {
            DType::Int64 => forms.extend(["value_int", "value_ints"]),
            DType::Float => forms.extend(["value_float", "value_floats"]),
            DType::String => forms.extend(["value_string", "value_strings"]),
            _ => {}
        }
    }
    match d.pick("form", &forms) {
        "value_int" => d.int("value_int", -7),
        "value_ints" => d.ints("value_ints", &[1, -2, i64::MAX]),
        "value_float" => d.float("value_float", -0.0),
        "value_floats" => d.floats("value_floats", &[1.5, f32::INFINITY, f32::MIN_POSITIVE]),
        "value_string" => d.text("value_string", "日本"),
        "value_strings" => d.texts("value_strings", &["", "a"]),
        "sparse_value" => {
            let values = d.tensor(dtype, &[2], Domain::ANY)?;
            let indices = Tensor::vector(vec![1_i64, 4]);
            d.attribute(
                "sparse_value",
                AttributeValue::Sparse(SparseTensor {
                    values,
                    indices,
                    shape: vec![2, 3],
                }),
            );
        }
        _ => {
            let shape = shape(d, 0, 3);
            let tensor = d.tensor(dtype, &shape, Domain::ANY)?;
            d.attribute("value", AttributeValue::Tensor(tensor));
        }
    }
    Ok(())
}

fn constant_of_shape(d: &mut Draft) -> Made {
    let dtype = d.output_dtype(0)?;
    let shape = shape(d, 0, 4);
    if dtype != DType::Float || d.whether("value") {
        let value = d.tensor(dtype, &[1], Domain::ANY)?;
        d.attribute("value", AttributeValue::Tensor(value));
    }
    d.numbers(&signed(&shape))
}

fn eye_like(d: &mut Draft) -> Made {
    let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
    if from != to || d.whether("dtype") {
        d.int("dtype", to as i64);
    }
    match d.pick("k", &["absent", "small", "far"]) {
        "small" => {
            let k = d.draws.between(-3, 3);
            d.int("k", k);
        }
        "far" => d.int("k", 100),
        _ => {}
    }
    let shape = [1 + d.draws.below(4), 1 + d.draws.below(4)];
    d.input(&shape, Domain::MODERATE)?;
    Ok(())
}

/// Indices from -depth to depth - 1; negative ones from version 11 on.
fn one_hot(d: &mut Draft) -> Made {
    let depth = 2 + d.draws.below(4);
    let shape = crate::families::full(d, 0, 3);
    let signed_type = range_of(d.dtype("T1")?).is_none_or(|(low, _)| low < 0.0);
    let low = if d.since() >= 11 && signed_type {
        -(depth as f64)
    } else {
        0.0
    };
    if d.whether("axis given") {
        let (given, _) = crate::families::axis(d, shape.len() + 1, 11);
        d.int("axis", given);
    }
    // An index beyond the depth gives a row of off_value only.
    let beyond = if d.whether("indices beyond") { 2.0 } else { 0.0 };
    let least = if signed_type { low - beyond } else { low };
    d.input(&shape, Domain::whole(least, depth as f64 - 1.0 + beyond))?;
    match d.pick("depth", &["scalar", "one element"]) {
        "scalar" => d.number(depth as i64)?,
        _ => d.numbers(&[depth as i64])?,
    }
    d.input(&[2], Domain::MODERATE)?;
    Ok(())
}

/// Steps that floats represent exactly, so that the number of elements is the same in every arithmetic.
fn range(d: &mut Draft) -> Made {
    let dtype = d.dtype("T")?;
    let (start, limit, step) = match d.pick("range", &["up", "down", "empty", "one"]) {
        "up" => (
            d.draws.between(0, 3),
            d.draws.between(4, 12),
            d.draws.between(1, 3),
        ),
        "down" => (
            d.draws.between(4, 12),
            d.draws.between(0, 3),
            d.draws.between(-3, -1),
        ),
        "empty" => (5, 2, 1),
        _ => (2, 3, 4),
    };
    d.require(
        step > 0 || range_of(dtype).is_none_or(|(low, _)| low < 0.0),
        "the type has no negative step",
    )?;
    if is_float(dtype) {
        d.mode("stash_type");
    }
    d.number(start)?;
    d.number(limit)?;
    d.number(step)
}
