//! The cores of elementwise operators with one, two, three or any number of operands.
//!
//! Sums, differences, products and quotients are correctly rounded ([`onnx_tensor::Real`]). Real functions
//! of one operand are evaluated in f64 and rounded once ([`float`]). They come from `libm`, so that every
//! machine computes the same bits. The greatest errors in ULP, measured against 320 bits
//! (`src/accuracy.rs`):
//!
//! | type | patterns | functions | greatest error |
//! |---|---|---|---|
//! | float16, bfloat16 | all | all below | 0.5: correctly rounded (`exhaustive` checks every one of them) |
//! | float | all | all below | 0.5: correctly rounded (as above; values next to a tie are listed in [`Hard`]) |
//! | double | 100,000 each | Sqrt, Reciprocal | 0.5 |
//! | | | Asin | 0.58 |
//! | | | Log, Acos, Atan, Cos, Sin, Tan | 0.75 |
//! | | | Exp, Erf, Cosh, Acosh | 0.98 |
//! | | | Asinh, Atanh, Softplus, Elu | 1.25 |
//! | | | Tanh, Sigmoid, Sinh | 1.64 |
//! | | | Swish, Gelu, Mish | 2.57 |
//!
//! The loops run over slices and take the callers' functions by reference where they dispatch on a type:
//! each closure is compiled for every element type, so the code around it must be small.

use std::borrow::Cow;
use std::cmp::Ordering;

use onnx_arithmetic::functions::{Function, evaluate};
use onnx_arithmetic::pairs;
use onnx_tensor::minifloat::round_to_odd;
use onnx_tensor::{Array, DType, Element, Float, Tensor, dispatch};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::broadcast;

/// Evaluates `f` in f64 on each element of input 0, a tensor of f16, bf16, f32 or f64.
pub fn float(call: &Call<'_>, f: impl Fn(f64) -> f64) -> Result<Outputs, OpError> {
    float_by(call, &f)
}

/// As [`float`], where f64 drops terms behind a leading one that can look like a tie: `beyond` says
/// of x and f(x) how the magnitude of the exact value compares with that of f(x).
pub fn float_with_rest(
    call: &Call<'_>,
    f: impl Fn(f64) -> f64,
    beyond: impl Fn(f64, f64) -> Ordering,
) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Double => float(call, f),
        _ => float(call, with_rest(f, beyond)),
    }
}

/// `f` with its last bit set so that the result rounds to every narrower type as the exact value does, where
/// `beyond` says of x and f(x) how the magnitude of the exact value compares with that of f(x).
pub fn with_rest(f: impl Fn(f64) -> f64, beyond: impl Fn(f64, f64) -> Ordering) -> impl Fn(f64) -> f64 {
    move |x| {
        let y = f(x);
        round_to_odd(y, beyond(x, y))
    }
}

/// Arguments of a function in f32 whose values lie so near to a tie that f64 decides it wrongly, and the
/// values, rounded once; bit patterns. All 2³² arguments of each function were compared with an evaluation in
/// 320 bits; the listed values agree with those of mpmath in 400 bits.
pub type Hard = &'static [(u32, u32)];

/// As [`float`], with these exceptions in f32.
pub fn float_but(call: &Call<'_>, f: impl Fn(f64) -> f64, hard: Hard) -> Result<Outputs, OpError> {
    if call.dtype(0)? != DType::Float {
        return float(call, f);
    }
    map(call, |x: &f32| value_of(&f, hard, *x))
}

/// As [`float_but`], where an estimate of `function` decides most values in f32.
pub fn estimated(
    call: &Call<'_>,
    function: Function,
    f: impl Fn(f64) -> f64,
    hard: Hard,
) -> Result<Outputs, OpError> {
    estimated_by(call, function, &f, hard)
}

/// As [`estimated`] and [`float_with_rest`].
pub fn estimated_with_rest(
    call: &Call<'_>,
    function: Function,
    f: impl Fn(f64) -> f64,
    beyond: impl Fn(f64, f64) -> Ordering,
    hard: Hard,
) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Double => float_by(call, &f),
        _ => estimated_by(call, function, &with_rest(f, beyond), hard),
    }
}

fn estimated_by(
    call: &Call<'_>,
    function: Function,
    f: &dyn Fn(f64) -> f64,
    hard: Hard,
) -> Result<Outputs, OpError> {
    if call.dtype(0)? != DType::Float {
        return float_by(call, f);
    }
    let x = call.array::<f32>(0)?;
    call.reserve(x.shape(), DType::Float)?;
    let elements = broadcast::elements(x, x.shape())?;
    let mut y = vec![0.0; elements.len()];
    for place in evaluate(function, &elements, &mut y) {
        y[place] = value_of(f, hard, elements[place]);
    }
    one(Tensor::new(x.shape(), y)?)
}

/// The value at `x`, rounded once, with these exceptions.
fn value_of(f: &dyn Fn(f64) -> f64, hard: Hard, x: f32) -> f32 {
    let listed = hard.iter().find(|(argument, _)| *argument == x.to_bits());
    listed.map_or_else(|| round(f, x), |(_, value)| f32::from_bits(*value))
}

/// For a function that is x/2 + c·x² near zero: how the magnitude of its value compares with that
/// of x/2, where `c` is the sign.
pub fn beyond_half(c: f64) -> impl Fn(f64, f64) -> Ordering {
    move |x, y| {
        if y == x / 2.0 && x != 0.0 && x.is_finite() {
            (c * x).partial_cmp(&0.0).unwrap_or(Ordering::Equal)
        } else {
            Ordering::Equal
        }
    }
}

fn float_by(call: &Call<'_>, f: &dyn Fn(f64) -> f64) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => map(call, |x: &T| round(f, *x)))
}

fn round<T: Float>(f: &dyn Fn(f64) -> f64, x: T) -> T {
    T::from_f64(f(x.to_f64()))
}

/// Like [`float`], for a function with the coefficient `alpha`, a float attribute that is not rounded to
/// the type of the tensor.
pub fn float_with_alpha(call: &Call<'_>, f: impl Fn(f64, f64) -> f64) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    float(call, |x| f(x, alpha))
}

/// Applies `f` to each element of input 0.
pub fn map<T: Element, U: Element>(call: &Call<'_>, f: impl Fn(&T) -> U) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    call.reserve(x.shape(), U::DTYPE)?;
    let result = broadcast::elements(x, x.shape())?.iter().map(f).collect();
    one(Tensor::new(x.shape(), result)?)
}

/// Input 0, of float, with `low` in place of what is below and `high` in place of what is above.
pub fn clip_floats(call: &Call<'_>, low: f32, high: f32) -> Result<Outputs, OpError> {
    let x = call.array::<f32>(0)?;
    call.reserve(x.shape(), DType::Float)?;
    let mut result = vec![0.0; x.len()];
    pairs::clip(&broadcast::elements(x, x.shape())?, low, high, &mut result);
    one(Tensor::new(x.shape(), result)?)
}

/// How the second operand is broadcast to the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broadcasting {
    /// By the attributes `broadcast` and `axis`, unidirectional (versions below 7).
    Legacy,
    /// Multidirectional, by `docs/Broadcasting.md`.
    Multidirectional,
}

/// Applies `f` to each pair of elements of inputs 0 and 1.
pub fn binary<A: Element, B: Element, U: Element>(
    call: &Call<'_>,
    broadcasting: Broadcasting,
    f: impl Fn(&A, &B) -> Result<U, OpError>,
) -> Result<Outputs, OpError> {
    pair(call, broadcasting, call.array::<A>(0)?, call.array::<B>(1)?, f)
}

/// Applies `f` to each pair of elements of `a` and `b`, which replace inputs 0 and 1.
pub fn pair<A: Clone, B: Clone, U: Element>(
    call: &Call<'_>,
    broadcasting: Broadcasting,
    a: &Array<A>,
    b: &Array<B>,
    f: impl Fn(&A, &B) -> Result<U, OpError>,
) -> Result<Outputs, OpError> {
    let Operands { shape, a, b } = operands(call, broadcasting, (a, b), U::DTYPE)?;
    let mut result = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b.iter()) {
        result.push(f(x, y)?);
    }
    one(Tensor::new(&shape, result)?)
}

/// Two operands and the shape of the result.
struct Operands<'a, A: Clone, B: Clone> {
    shape: Vec<usize>,
    a: Cow<'a, [A]>,
    b: Cow<'a, [B]>,
}

/// The part of [`pair`] that does not depend on its function. `result` is the result type of the function,
/// for the budget.
fn operands<'a, A: Clone, B: Clone>(
    call: &Call<'_>,
    broadcasting: Broadcasting,
    (a, b): (&'a Array<A>, &'a Array<B>),
    result: DType,
) -> Result<Operands<'a, A, B>, OpError> {
    let aligned = match broadcasting {
        Broadcasting::Legacy => Some(broadcast::legacy_operand(call, a.shape(), b)?),
        Broadcasting::Multidirectional => None,
    };
    let shape = broadcast::shape(&[a.shape(), aligned.as_ref().unwrap_or(b).shape()])?;
    call.reserve(&shape, result)?;
    let b = match &aligned {
        Some(aligned) => Cow::Owned(broadcast::elements(aligned, &shape)?.into_owned()),
        None => broadcast::elements(b, &shape)?,
    };
    let a = broadcast::elements(a, &shape)?;
    Ok(Operands { shape, a, b })
}

/// Whether a variadic operator broadcasts its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shapes {
    /// All shapes must be equal (versions below 8).
    Equal,
    /// The operands broadcast.
    Broadcast,
}

/// Folds all inputs elementwise: `step` from `start`, then `finish` for the value of type `T`.
pub fn variadic<T: Element, A: Clone>(
    call: &Call<'_>,
    rule: Shapes,
    start: A,
    step: impl Fn(&mut A, &T),
    finish: impl Fn(&A) -> T,
) -> Result<Outputs, OpError> {
    let inputs = call.tensors_from(0)?;
    let shapes: Vec<&[usize]> = inputs.iter().map(|input| input.shape()).collect();
    if rule == Shapes::Equal && shapes.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(OpError::invalid(format!(
            "shapes {shapes:?} differ: this version does not broadcast"
        )));
    }
    let shape = broadcast::shape(&shapes)?;
    call.reserve(&shape, T::DTYPE)?;
    let mut state = vec![start; shape.iter().product()];
    for input in &inputs {
        let elements = broadcast::elements(input.array::<T>()?, &shape)?;
        for (state, element) in state.iter_mut().zip(elements.iter()) {
            step(state, element);
        }
    }
    one(Tensor::new(&shape, state.iter().map(finish).collect())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, bf16};

    use crate::frame::testing::{attribute, exact};

    /// ln(58037908) is 17.8766069412…, 8 · 10⁻¹¹ of a unit above a tie of f32; f64 rounds it to the tie.
    #[test]
    fn values_next_to_a_tie_are_rounded_once() {
        let x = 58_037_908.0_f32;
        for (x, y) in [
            (
                Tensor::vector(vec![x]),
                Tensor::vector(vec![f32::from_bits(0x418F_034B)]),
            ),
            (
                Tensor::vector(vec![f64::from(x)]),
                Tensor::vector(vec![libm::log(f64::from(x))]),
            ),
        ] {
            exact(("", "Log", 13), &[x], &[], &[y]);
        }
    }

    /// Half of the least number is a tie, which the square behind it decides: x/2 + c·x² rounds
    /// away from zero where it is positive, and to zero where it is negative. Elu with alpha 1/2 is
    /// x/2 + x²/4.
    #[test]
    fn what_double_drops_decides_a_tie() {
        let bits = |bits: &[u16]| Tensor::vector(bits.iter().map(|bits| bf16::from_bits(*bits)).collect());
        let x = [bits(&[0x0001, 0x8001, 0x0000, 0x8000, 0x7F80])];
        let half = [attribute("alpha", 0.5_f32)];
        for (under, attributes, y) in [
            (
                ("", "Gelu", 20),
                &[][..],
                [0x0001, 0x8000, 0x0000, 0x8000, 0x7F80],
            ),
            (
                ("", "HardSwish", 22),
                &[],
                [0x0001, 0x8000, 0x0000, 0x8000, 0x7F80],
            ),
            (("", "Swish", 24), &half, [0x0001, 0x8000, 0x0000, 0x8000, 0x7F80]),
            (("", "Elu", 22), &half, [0x0001, 0x8000, 0x0000, 0x8000, 0x7F80]),
        ] {
            exact(under, &x, attributes, &[bits(&y)]);
        }
    }
}
