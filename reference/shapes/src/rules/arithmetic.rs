//! The elements of small tensors of integers and reals: the arithmetic of shapes.

use onnx_tensor::DType;

use crate::call::Call;
use crate::extent::{Expr, Operation};
use crate::fact::{Content, Fact, Shape, TensorFact};

/// A tensor with these elements.
pub(super) fn with(shape: Shape, content: Content) -> Fact {
    Fact::Tensor(TensorFact { shape, content })
}

/// Whether integers of the type are followed as expressions: no extent exceeds their range.
fn is_wide(dtype: Option<DType>) -> bool {
    matches!(dtype, Some(DType::Int64 | DType::Int32))
}

/// The elements of an operator with one input.
pub(super) fn unary(call: &mut Call<'_, '_>) -> Content {
    match call.result(0) {
        Some(DType::Int64 | DType::Int32 | DType::Bool) => unary_integers(call).unwrap_or_default(),
        Some(to @ (DType::Float | DType::Double)) => unary_reals(call, to).unwrap_or_default(),
        _ => Content::Unknown,
    }
}

fn unary_integers(call: &mut Call<'_, '_>) -> Option<Content> {
    let (name, to) = (call.schema.name, call.result(0));
    let list = match call.list(0) {
        Ok(list) => list,
        // A cast truncates.
        Err(_) if name == "Cast" || name == "CastLike" => {
            let reals = call.reals(0).ok()?;
            let whole = |real: f64| match to {
                Some(DType::Bool) => Some(Expr::from(i64::from(real != 0.0))),
                _ => (real.abs() < 9e15).then_some(Expr::from(real.trunc() as i64)),
            };
            reals.into_iter().map(whole).collect::<Option<_>>()?
        }
        Err(_) => return None,
    };
    let is_flag = call.dtype(0) == Some(DType::Bool) || call.list(0).is_err();
    let mut element = |element: Expr| -> Option<Expr> {
        Some(match name {
            "Cast" | "CastLike" if to == Some(DType::Bool) && !is_flag => {
                let is_zero = call.apply(Operation::Equal, [element, 0.into()]);
                Expr::from(1).minus(&is_zero)?
            }
            "Cast" | "CastLike" => element,
            "Neg" => element.scaled(-1)?,
            "Not" => Expr::from(1).minus(&element)?,
            "Abs" => {
                let negative = element.scaled(-1)?;
                call.apply(Operation::Max, [element, negative])
            }
            _ => return None,
        })
    };
    let list: Vec<Expr> = list.into_iter().map(&mut element).collect::<Option<_>>()?;
    fits(call, list, to)
}

/// Integers of a type that holds them. What is at least some number, as every extent is, is taken to be no
/// more than the type holds.
fn fits(call: &Call<'_, '_>, list: Vec<Expr>, dtype: Option<DType>) -> Option<Content> {
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let fits = |element: &Expr| match (dtype, call.state.symbols.bounds(element)) {
        (Some(DType::Int32), (least, most)) => least >= low && (most <= high || most == i64::MAX),
        _ => true,
    };
    list.iter().all(fits).then_some(Content::Integers(list))
}

fn unary_reals(call: &mut Call<'_, '_>, to: DType) -> Option<Content> {
    let name = call.schema.name;
    let list = match call.reals(0) {
        Ok(list) => list,
        Err(_) if name == "Cast" || name == "CastLike" => {
            let whole = call.numbers(0).ok()?;
            whole.into_iter().map(|value| value as f64).collect()
        }
        Err(_) => return None,
    };
    let element = |real: f64| {
        Some(match name {
            "Cast" | "CastLike" => real,
            "Neg" => -real,
            "Abs" => real.abs(),
            "Floor" => real.floor(),
            "Ceil" => real.ceil(),
            "Round" => real.round_ties_even(),
            "Sqrt" => real.sqrt(),
            _ => return None,
        })
    };
    let list: Option<Vec<f64>> = list
        .into_iter()
        .map(|real| Some(rounded(element(real)?, to)))
        .collect();
    list.map(Content::Reals)
}

/// The nearest number of the type.
fn rounded(real: f64, dtype: DType) -> f64 {
    match dtype {
        DType::Float => f64::from(real as f32),
        _ => real,
    }
}

/// The elements of an operator whose inputs broadcast.
pub(super) fn broadcasting(call: &mut Call<'_, '_>, shapes: &[Shape], result: &Shape) -> Content {
    let Some(count) = call.is_short(result) else {
        return Content::Unknown;
    };
    let follows = match call.result(0) {
        Some(DType::Bool) => is_wide(call.dtype(0)) || call.dtype(0) == Some(DType::Bool),
        to => is_wide(to),
    };
    let integers = follows
        .then(|| broadcast_integers(call, shapes, result, count))
        .flatten();
    if let Some(content) = integers {
        return content;
    }
    match call.result(0) {
        Some(to @ (DType::Float | DType::Double)) => {
            broadcast_reals(call, (shapes, result, count), to).unwrap_or_default()
        }
        _ => Content::Unknown,
    }
}

fn broadcast_integers(
    call: &mut Call<'_, '_>,
    shapes: &[Shape],
    result: &Shape,
    count: usize,
) -> Option<Content> {
    let mut lists = Vec::with_capacity(shapes.len());
    for at in 0..shapes.len() {
        lists.push(call.list(at).ok()?);
    }
    let mut found = Vec::with_capacity(count);
    for position in 0..count {
        let mut operands = Vec::with_capacity(lists.len());
        for (list, shape) in lists.iter().zip(shapes) {
            operands.push(list.get(source(position, result, shape)?)?.clone());
        }
        found.push(combined(call, operands)?);
    }
    fits(call, found, call.result(0))
}

/// The position in an operand from which an element of the result is computed.
pub(super) fn source(position: usize, result: &[Expr], operand: &[Expr]) -> Option<usize> {
    let extent = |extent: &Expr| usize::try_from(extent.constant()?).ok();
    let (mut rest, mut at, mut stride) = (position, 0, 1);
    for (from_end, whole) in result.iter().rev().enumerate() {
        let whole = extent(whole)?;
        let index = rest.checked_rem(whole)?;
        rest /= whole;
        if let Some(axis) = operand.len().checked_sub(from_end + 1) {
            let own = extent(&operand[axis])?;
            at += if own == 1 { 0 } else { index * stride };
            stride *= own;
        }
    }
    Some(at)
}

/// One element of an operator on integers or booleans.
fn combined(call: &mut Call<'_, '_>, operands: Vec<Expr>) -> Option<Expr> {
    let name = call.schema.name;
    match (name, operands.as_slice()) {
        ("Where", [condition, a, b]) => {
            return Some(call.apply(Operation::Select, [condition.clone(), a.clone(), b.clone()]));
        }
        ("Max" | "Min" | "Sum", [first, others @ ..]) => {
            let mut known = first.clone();
            for other in others {
                known = match name {
                    "Max" => call.apply(Operation::Max, [known, other.clone()]),
                    "Min" => call.apply(Operation::Min, [known, other.clone()]),
                    _ => known.plus(other)?,
                };
            }
            return Some(known);
        }
        _ => {}
    }
    let [a, b] = <[Expr; 2]>::try_from(operands).ok()?;
    let one = Expr::from(1);
    Some(match name {
        "Add" => a.plus(&b)?,
        "Sub" => a.minus(&b)?,
        "Mul" | "And" => a.times(&b)?,
        "Or" => a.plus(&b)?.minus(&a.times(&b)?)?,
        "Xor" => a.plus(&b)?.minus(&a.times(&b)?.scaled(2)?)?,
        "Div" => divided(call, &a, &b)?,
        "Mod" => remainder(call, &a, &b)?,
        "Equal" => call.apply(Operation::Equal, [a, b]),
        "GreaterOrEqual" => call.apply(Operation::AtLeast, [a, b]),
        "LessOrEqual" => call.apply(Operation::AtLeast, [b, a]),
        "Greater" => call.apply(Operation::AtLeast, [a, b.plus(&one)?]),
        "Less" => call.apply(Operation::AtLeast, [b, a.plus(&one)?]),
        "Pow" => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => a.checked_pow(u32::try_from(b).ok()?)?.into(),
            (None, Some(1)) => a,
            (None, Some(2)) => a.times(&a)?,
            _ => return None,
        },
        _ => return None,
    })
}

/// The quotient, which is truncated.
fn divided(call: &mut Call<'_, '_>, a: &Expr, b: &Expr) -> Option<Expr> {
    match (a.constant(), b.constant()) {
        (Some(a), Some(b)) => Some(a.checked_div(b)?.into()),
        _ if call.state.symbols.bounds(b).0 >= 0 => {
            Some(call.apply(Operation::TruncDiv, [a.clone(), b.clone()]))
        }
        _ => a.exact_quotient(b),
    }
}

fn remainder(call: &mut Call<'_, '_>, a: &Expr, b: &Expr) -> Option<Expr> {
    match (a.constant(), b.constant()) {
        (Some(a), Some(b)) if call.flag("fmod") => Some(a.checked_rem(b)?.into()),
        (Some(a), Some(b)) => {
            let rest = a.checked_rem(b)?;
            Some(
                if rest != 0 && (rest < 0) != (b < 0) {
                    rest + b
                } else {
                    rest
                }
                .into(),
            )
        }
        _ if call.state.symbols.bounds(a).0 >= 0 && call.state.symbols.bounds(b).0 > 0 => {
            Some(call.apply(Operation::Remainder, [a.clone(), b.clone()]))
        }
        _ => None,
    }
}

fn broadcast_reals(
    call: &mut Call<'_, '_>,
    (shapes, result, count): (&[Shape], &Shape, usize),
    to: DType,
) -> Option<Content> {
    let [a, b] = shapes else { return None };
    let (left, right) = (call.reals(0).ok()?, call.reals(1).ok()?);
    let mut found = Vec::with_capacity(count);
    for position in 0..count {
        let (x, y) = (
            *left.get(source(position, result, a)?)?,
            *right.get(source(position, result, b)?)?,
        );
        let value = match call.schema.name {
            "Add" => x + y,
            "Sub" => x - y,
            "Mul" => x * y,
            "Div" => x / y,
            "Max" => x.max(y),
            "Min" => x.min(y),
            _ => return None,
        };
        found.push(rounded(value, to));
    }
    Some(Content::Reals(found))
}
