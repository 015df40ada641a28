//! Operators that ONNX Runtime adds to ONNX. Their schemas enumerate no values of attributes, so that each
//! declaration lists its own.

mod attention;
mod elementwise;
mod matrices;
mod normalization;
mod quantized;
mod standard;

use onnx_tensor::{DType, Tensor};

use super::Declaration;
use crate::{Draft, Made};

/// A declaration of an operator of the domain of ONNX Runtime.
const fn contrib(operator: &'static str, build: fn(&mut Draft) -> Made) -> Declaration {
    Declaration {
        domain: onnx_schema::CONTRIB_DOMAIN,
        operator,
        build,
    }
}

pub(super) const CHAPTERS: [&[Declaration]; 6] = [
    attention::OPERATORS,
    elementwise::OPERATORS,
    matrices::OPERATORS,
    normalization::OPERATORS,
    quantized::OPERATORS,
    standard::OPERATORS,
];

/// Decides an integer attribute: omitted, or one of some values. Returns whether it is 1.
fn flag(d: &mut Draft, name: &str) -> bool {
    match d.pick(name, &["absent", "0", "1"]) {
        "0" => d.int(name, 0),
        "1" => {
            d.int(name, 1);
            return true;
        }
        _ => {}
    }
    false
}

/// Decides a text attribute.
fn text<'o>(d: &mut Draft, name: &str, values: &[&'o str]) -> &'o str {
    let value = d.pick(name, values);
    d.text(name, value);
    value
}

/// Adds the next input: numbers of int32, also where the schema allows other types.
fn int32(d: &mut Draft, shape: &[usize], numbers: &[usize]) -> Made {
    let numbers: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
    d.give(Tensor::new(shape, numbers)?);
    Ok(())
}

/// Requires that two type parameters have one type.
fn same(d: &Draft, one: &str, other: &str) -> Made {
    d.require(d.dtype(one)? == d.dtype(other)?, "both types are one")
}

/// Requires a type of a parameter.
fn only(d: &Draft, parameter: &str, dtype: DType) -> Made {
    d.require(
        d.dtype(parameter)? == dtype,
        "the only type that the text determines",
    )
}
