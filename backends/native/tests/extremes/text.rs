//! The format of the table: `Operator@opset input … | attribute=value …`.
//!
//! An input is `f[2,3]` (kind and extents; kinds: `f` f32, `d` f64, `h` f16, `b` u8, `s` i8, `i` i32, `l`
//! i64, `o` bool, `t` string), `l(1,2)` or `f(0.5)` (a list of numbers), `l=1` or `f=0.5` (a scalar), or `-`
//! (omitted).

use onnx_model::AttributeValue;
use onnx_tensor::{Tensor, f16};

use super::{Case, Input};

/// Returns small elements that are valid as indices of an axis of extent 1.
pub fn tensor(kind: char, shape: &[usize]) -> Option<Tensor> {
    let count = shape.iter().try_fold(1_usize, |all, &extent| {
        if extent == 0 {
            Some(0)
        } else {
            all.checked_mul(extent)
        }
    })?;
    if count > 1 << 22 {
        return None;
    }
    let small = |at: usize| (at % 7) as f32 * 0.25 - 0.5;
    match kind {
        'f' => Tensor::new(shape, (0..count).map(small).collect::<Vec<f32>>()),
        'd' => Tensor::new(
            shape,
            (0..count).map(|at| f64::from(small(at))).collect::<Vec<f64>>(),
        ),
        'h' => Tensor::new(
            shape,
            (0..count)
                .map(|at| f16::from_f32(small(at)))
                .collect::<Vec<f16>>(),
        ),
        'b' => Tensor::new(shape, (0..count).map(|at| (at % 251) as u8).collect::<Vec<u8>>()),
        's' => Tensor::new(shape, (0..count).map(|at| (at % 120) as i8).collect::<Vec<i8>>()),
        'i' => Tensor::new(shape, vec![0_i32; count]),
        'l' => Tensor::new(shape, vec![0_i64; count]),
        'o' => Tensor::new(shape, (0..count).map(|at| at % 3 == 0).collect::<Vec<bool>>()),
        't' => Tensor::new(shape, vec![String::from("a"); count]),
        other => panic!("unknown kind `{other}`"),
    }
    .ok()
}

pub fn case(line: &'static str) -> Case {
    let (left, right) = line.split_once('|').unwrap_or((line, ""));
    let mut words = left.split_whitespace();
    let (operator, opset) = words
        .next()
        .and_then(|word| word.split_once('@'))
        .expect("Operator@opset");
    Case {
        operator,
        opset: opset.parse().expect("an opset"),
        inputs: words.map(input).collect(),
        attributes: right.split_whitespace().map(attribute).collect(),
    }
}

fn numbers<T: std::str::FromStr>(list: &str) -> Vec<T> {
    let number = |word: &str| match word.trim().parse() {
        Ok(number) => number,
        Err(_) => panic!("`{word}` is not a number"),
    };
    list.split(',')
        .filter(|word| !word.is_empty())
        .map(number)
        .collect()
}

fn input(word: &str) -> Option<Input> {
    if word == "-" {
        return None;
    }
    let (kind, rest) = word.split_at(1);
    let inside = |open, close| {
        rest.strip_prefix(open)
            .and_then(|rest: &str| rest.strip_suffix(close))
    };
    let is_float = kind == "f";
    Some(
        match (inside('[', ']'), inside('(', ')'), rest.strip_prefix('=')) {
            (Some(shape), ..) => Input::Shaped(kind.chars().next().expect("a kind"), numbers(shape)),
            (_, Some(list), _) if is_float => Input::Floats(numbers(list), false),
            (_, Some(list), _) => Input::Ints(numbers(list), false),
            (_, _, Some(number)) if is_float => Input::Floats(numbers(number), true),
            (_, _, Some(number)) => Input::Ints(numbers(number), true),
            _ => panic!("`{word}` is not an input"),
        },
    )
}

fn attribute(word: &str) -> (String, AttributeValue) {
    let (name, value) = word.split_once('=').expect("name=value");
    let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let value = match list {
        Some(list) if list.contains('.') => AttributeValue::Floats(numbers(list)),
        Some(list) => AttributeValue::Ints(numbers(list)),
        None if value.parse::<i64>().is_ok() => AttributeValue::Int(numbers(value)[0]),
        None if value.parse::<f32>().is_ok() => AttributeValue::Float(numbers(value)[0]),
        None => AttributeValue::String(value.as_bytes().to_vec()),
    };
    (name.to_owned(), value)
}
