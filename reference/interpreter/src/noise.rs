//! Random rounding: runs of the reference with the errors that an honest implementation makes.
//!
//! Monte Carlo arithmetic (D. Stott Parker, *Monte Carlo Arithmetic*, 1997) at the level of operators: each
//! result of an operator that rounds is moved at random by the error that the operator may have on exact
//! inputs ([`onnx_bounds::typical`]). A result without an error stays: exact sums, masks of zeros and
//! infinities, constants. Operands stay as well. The spread of runs with several seeds shows how far an
//! honest answer may be from the exact one.

use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;

use onnx_arithmetic::perturbation::{Errors, Perturbation};
use onnx_bounds::{Growth, Query, Radius, precision};
use onnx_model::AttributeValue;
use onnx_operators::frame::Outputs;
use onnx_tensor::{Array, DType, Float, Int, Tensor, TensorError, Value, dispatch};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::origin::Origin;

/// What an honest implementation may do, from the most accurate class to the least. Each includes those
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Arithmetic {
    /// It reorders and fuses operations, computes operators of 16-bit types in float, and evaluates each
    /// function to a few ULP of its result.
    #[default]
    Rounded,
    /// It evaluates functions to an error relative to their range (sigmoid, tanh and erf by polynomials),
    /// flushes subnormal numbers to zero, transforms convolutions (Winograd, FFT), rounds the angles of a
    /// Fourier transform whose length is no power of two, and computes quantized
    /// products in integers, with their bias rounded to the step of the products.
    Approximated,
    /// It keeps values of 16-bit types in float between the operators of a model.
    Wide,
    /// It computes operators of float16 in float16: sums, and the steps of functions. It does not keep values
    /// in float.
    Narrow,
    /// It rounds the factors of float products to 10 bits, as TF32 does, and the activations of matrix
    /// products to 8 bits, as runtimes do for quantized weights.
    Reduced,
}

impl Arithmetic {
    /// Every class, from the most accurate.
    pub const ALL: [Arithmetic; 5] = [
        Arithmetic::Rounded,
        Arithmetic::Approximated,
        Arithmetic::Wide,
        Arithmetic::Narrow,
        Arithmetic::Reduced,
    ];
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arithmetic::Rounded => "rounded",
            Arithmetic::Approximated => "approximated",
            Arithmetic::Wide => "wide",
            Arithmetic::Narrow => "narrow",
            Arithmetic::Reduced => "reduced",
        })
    }
}

impl FromStr for Arithmetic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Arithmetic::ALL
            .into_iter()
            .find(|class| class.to_string() == text);
        named.ok_or_else(|| format!("`{text}` is not rounded, approximated, wide, narrow or reduced"))
    }
}

/// The error of a float function that is evaluated relative to its range, as a share of the range:
/// polynomials for sigmoid, tanh and erf in runtimes have up to 2^-22 (measured on ONNX Runtime 1.31, tract
/// 0.23 and rten 0.27).
const OF_RANGE: f64 = 1.0 / (1 << 22) as f64;

/// The number of functions in a step of a recurrence.
const GATES: f64 = 4.0;

/// The growth of the error of a convolution by Winograd's transformation with tiles of up to 6 by 6 (A.
/// Lavin and S. Gray, *Fast Algorithms for Convolutional Neural Networks*, 2016, table 4).
const TRANSFORMED: f64 = 8.0;

/// The unit roundoff of float16.
const HALF: f64 = 1.0 / (1 << 11) as f64;

/// The unit roundoff of float.
const FLOAT: f64 = 1.0 / (1 << 24) as f64;

/// The error of a value that is quantized after a product in integers, as a share of the step: the bias has
/// an error of half a step of the products, which is 30 to 1,000 times smaller.
const OF_STEP: f64 = 1.0 / 64.0;

/// The error of a kernel of a support vector machine in ULP: its exponent, up to about 20, is a sum of
/// squares.
const KERNEL: f64 = 8.0;

/// The bits of the significand of a factor of TF32 after the first.
const REDUCED_BITS: i32 = 10;

/// What a class adds to the errors of an operator: a factor, and an error relative to the range of its
/// function.
#[derive(Clone, Copy, Debug)]
struct Share {
    factor: f64,
    of_range: f64,
    /// The least error relative to the value.
    of_value: f64,
    /// The least value that an implementation returns.
    least: f64,
}

/// A source of random rounding.
#[derive(Debug)]
pub(crate) struct Noise {
    generator: RefCell<ChaCha8Rng>,
    arithmetic: Arithmetic,
}

impl Noise {
    /// The same seed results in the same noise.
    pub(crate) fn new(seed: u64, arithmetic: Arithmetic) -> Noise {
        Noise {
            generator: RefCell::new(ChaCha8Rng::seed_from_u64(seed)),
            arithmetic,
        }
    }

    /// The outputs of a node, each element moved at random by the error that it may have.
    pub(crate) fn perturb(&self, query: &Query<'_>, operands: Origin) -> Outputs {
        let growth = match self.arithmetic {
            Arithmetic::Rounded | Arithmetic::Approximated | Arithmetic::Wide => Growth::Independent,
            Arithmetic::Narrow | Arithmetic::Reduced => Growth::IndependentNarrow,
        };
        let radii = onnx_bounds::typical(query, growth);
        let name = kind(query);
        let moved = self.moved(query, name, operands);
        let perturbed = query.outputs.iter().enumerate().map(|(index, output)| {
            let (Some(Value::Tensor(tensor)), Some(radius)) = (output, radii.get(index)) else {
                return output.clone();
            };
            let tensor = moved.get(index).and_then(Option::as_ref).unwrap_or(tensor);
            Some(Value::Tensor(self.tensor(query, name, tensor, radius)))
        });
        perturbed.collect()
    }

    /// The outputs of an operator whose operands have errors in this class; empty for others.
    fn moved(&self, query: &Query<'_>, name: &str, operands: Origin) -> Vec<Option<Tensor>> {
        if query.call.schema().name == "SVMClassifier" && has_probabilities(query) {
            return self.of_kernels(query).unwrap_or_default();
        }
        let replaced: Vec<Option<Tensor>> = match name {
            // Exact values are not those of a product.
            "QuantizeLinear"
                if self.arithmetic >= Arithmetic::Approximated && operands == Origin::Rounded =>
            {
                vec![self.before_a_step(query)]
            }
            // A factor or a BatchNormalization behind it is folded into the weights, which are rounded again.
            "Conv" | "ConvTranspose" | "Gemm" if self.arithmetic == Arithmetic::Wide => {
                let weights = query.call.optional(1).and_then(Value::as_tensor);
                vec![None, weights.and_then(|weights| self.relative(weights, HALF))]
            }
            "MatMul" if is_of_int8(query) => vec![self.activations_of_int8(query)],
            "Attention" if self.arithmetic < Arithmetic::Reduced => vec![self.query_of_scores(query)],
            "Conv" | "ConvTranspose" | "Gemm" | "MatMul" | "Einsum" | "Attention" | "LSTM" | "GRU"
            | "RNN"
                if self.arithmetic == Arithmetic::Reduced =>
            {
                let inputs = 0..query.call.input_count();
                inputs
                    .map(|index| match query.call.optional(index)?.as_tensor()? {
                        Tensor::Float(array) if index == 0 && matches!(name, "Gemm" | "MatMul") => {
                            self.activations(array)
                        }
                        Tensor::Float(array) => Some(self.factors(array).into()),
                        _ => None,
                    })
                    .collect()
            }
            _ => return Vec::new(),
        };
        let outputs = query.evaluate(|index, _| replaced.get(index).cloned().flatten());
        outputs.unwrap_or_default()
    }

    /// The outputs of a support vector machine whose scores are iterated or transformed: its kernels, each a
    /// factor of one coefficient, have errors of [`KERNEL`] ULP, and their sum of n terms of √n.
    fn of_kernels(&self, query: &Query<'_>) -> Option<Vec<Option<Tensor>>> {
        let mut attributes = query.call.given_attributes().to_vec();
        let given = attributes.iter_mut().find(|given| given.name == "coefficients")?;
        let AttributeValue::Floats(coefficients) = &mut given.value else {
            return None;
        };
        let part = FLOAT * KERNEL.hypot((coefficients.len() as f64).sqrt() / 2.0);
        let mut generator = self.generator.borrow_mut();
        for coefficient in coefficients {
            let moved = f64::from(*coefficient) * (1.0 + part * generator.random_range(-1.0..1.0));
            *coefficient = moved as f32;
        }
        query.evaluate_with(&attributes, |_, _| None).ok()
    }

    /// Floats, each rounded at random to one of the two nearest numbers of 10 bits.
    fn factors(&self, array: &Array<f32>) -> Array<f32> {
        let mut generator = self.generator.borrow_mut();
        let rounded = array.mapv(|value| {
            let exact = f64::from(value);
            if !exact.is_finite() || exact == 0.0 {
                return value;
            }
            let step = precision::ulp(DType::Float, exact) * f64::from(1 << (23 - REDUCED_BITS));
            let below = (exact / step).floor();
            let up = exact / step - below > generator.random::<f64>();
            ((below + f64::from(u8::from(up))) * step) as f32
        });
        rounded.into_shared()
    }

    /// The first operand of attention, moved by the errors of the scores.
    fn query_of_scores(&self, query: &Query<'_>) -> Option<Tensor> {
        let part = onnx_bounds::rules::attention::of_scores(query)?;
        self.relative(query.call.optional(0)?.as_tensor()?, part)
    }

    /// Floats, each moved by at most `part` of itself.
    fn relative(&self, tensor: &Tensor, part: f64) -> Option<Tensor> {
        let mut generator = self.generator.borrow_mut();
        let mut moved = |value: f64| value * (1.0 + part * generator.random_range(-1.0..1.0));
        match tensor {
            Tensor::Float(array) => Some(
                array
                    .mapv(|value| moved(value.into()) as f32)
                    .into_shared()
                    .into(),
            ),
            Tensor::Double(array) => Some(array.mapv(moved).into_shared().into()),
            _ => None,
        }
    }

    /// The activations of a product that the model permits a runtime to compute in int8.
    fn activations_of_int8(&self, query: &Query<'_>) -> Option<Tensor> {
        match query.call.optional(0)?.as_tensor()? {
            Tensor::Float(array) => self.in_steps(array),
            _ => None,
        }
    }

    /// Floats, each moved by at most half a step of 8 bits of its row, and by the error of a factor.
    fn activations(&self, array: &Array<f32>) -> Option<Tensor> {
        self.in_steps(&self.factors(array))
    }

    /// Floats, each moved by at most half a step of 8 bits of its row.
    fn in_steps(&self, array: &Array<f32>) -> Option<Tensor> {
        let width = array.shape().last().copied().unwrap_or(1).max(1);
        let mut elements: Vec<f32> = array.iter().copied().collect();
        let mut generator = self.generator.borrow_mut();
        for row in elements.chunks_mut(width) {
            let finite = row.iter().filter(|x| x.is_finite());
            let half = finite.fold(0.0, |most: f32, x| most.max(x.abs())) / 254.0;
            for value in row {
                *value += half * generator.random_range(-1.0..1.0_f32);
            }
        }
        Tensor::new(array.shape(), elements).ok()
    }

    /// The operand of a quantization with one scale, moved by a share of the step.
    fn before_a_step(&self, query: &Query<'_>) -> Option<Tensor> {
        let scale = query.input(1).filter(|scale| scale.len() == 1)?;
        let step = scale.first()?.abs() * OF_STEP;
        let Tensor::Float(array) = query.call.optional(0)?.as_tensor()? else {
            return None;
        };
        let mut generator = self.generator.borrow_mut();
        let moved = array.mapv(|value| (f64::from(value) + step * generator.random_range(-1.0..1.0)) as f32);
        Some(moved.into_shared().into())
    }

    fn tensor(&self, query: &Query<'_>, name: &str, tensor: &Tensor, radius: &Radius) -> Tensor {
        let radius = match radius {
            Radius::Exact => return tensor.clone(),
            Radius::Within { radius, .. } => radius.as_slice(),
            Radius::Unknown(_) => None,
        };
        let moved = || -> Result<Tensor, TensorError> {
            match precision::unit(tensor.dtype()) {
                Some(unit) => {
                    let share = self.share(query, name, unit);
                    if let Tensor::Float(array) = tensor
                        && let Some(moved) = self.dense_floats(array, radius, share)
                    {
                        return Ok(moved);
                    }
                    dispatch!(float, tensor.dtype(), T => {
                        Ok(Tensor::from(self.floats(tensor.array::<T>()?, radius, share)))
                    })
                }
                None => dispatch!(int, tensor.dtype(), T => {
                    Ok(Tensor::from(self.integers(tensor.array::<T>()?, radius)))
                }),
            }
        };
        // Other types are not computed with errors.
        moved().unwrap_or_else(|_| tensor.clone())
    }

    /// How much this class adds to the errors of an operator whose results have the unit `unit`.
    fn share(&self, query: &Query<'_>, name: &str, unit: f64) -> Share {
        let mut share = Share {
            factor: 1.0,
            of_range: 0.0,
            // Some of the values that stay in float have been rounded on the way, as weights that are folded.
            of_value: if self.arithmetic == Arithmetic::Wide {
                HALF
            } else {
                0.0
            },
            least: match name {
                "Exp" | "Hardmax" | "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "Sigmoid" | "Softmax"
                | "Softplus" | "Sqrt" => 0.0,
                _ => f64::NEG_INFINITY,
            },
        };
        if self.arithmetic == Arithmetic::Rounded {
            return share;
        }
        let of_range = OF_RANGE * (unit / FLOAT).min(1.0);
        match name {
            "Sigmoid" | "Tanh" | "Erf" | "Softmax" | "Sin" | "Cos" | "Attention" => share.of_range = of_range,
            // Independent errors of every gate in every step, relative to the greatest state.
            "LSTM" | "GRU" | "RNN" => {
                let input = query.call.optional(0).and_then(Value::as_tensor);
                let steps = input
                    .and_then(|input| input.shape().first().copied())
                    .unwrap_or(1);
                let states = query.outputs.iter().flatten().filter_map(Value::as_tensor);
                let greatest = states.map(|state| largest(Some(state))).fold(1.0, f64::max);
                share.of_range = of_range * GATES * (steps.max(1) as f64).sqrt() * greatest;
            }
            // Their factor is a sigmoid, a tanh or an erf.
            "Gelu" | "Swish" | "Mish" | "Softplus" => {
                let input = query.call.optional(0).and_then(Value::as_tensor);
                share.of_range = of_range * largest(input).max(1.0);
            }
            "Conv" => share.factor = TRANSFORMED,
            "DFT" | "STFT" => {
                share.factor = onnx_bounds::rules::fourier::of_chirps(query).unwrap_or(1.0);
            }
            _ => {}
        }
        share
    }

    /// As [`Self::floats`], for dense elements of float.
    fn dense_floats(&self, array: &Array<f32>, radii: Option<&[f64]>, share: Share) -> Option<Tensor> {
        let x = array.as_slice()?;
        let errors = match radii {
            Some(radii) if radii.len() == x.len() => Errors::Each(radii),
            Some(_) => return None,
            None => Errors::OneUlp,
        };
        let by = Perturbation {
            factor: share.factor,
            least: share.of_range,
            of_value: share.of_value,
            floor: share.least,
            flushes: self.arithmetic != Arithmetic::Rounded,
        };
        let (mut generator, mut moved) = (self.generator.borrow_mut(), vec![0.0; x.len()]);
        by.apply(
            x,
            errors,
            |bits| bits.iter_mut().for_each(|bits| *bits = generator.random()),
            &mut moved,
        );
        Tensor::new(array.shape(), moved).ok()
    }

    fn floats<T: Float>(&self, array: &Array<T>, radii: Option<&[f64]>, share: Share) -> Array<T> {
        let mut generator = self.generator.borrow_mut();
        let (mut place, flushes) = (0, self.arithmetic != Arithmetic::Rounded);
        let greatest = <T as onnx_tensor::Real>::GREATEST_FINITE.to_f64();
        let smallest = precision::ulp(T::DTYPE, 0.0) / 2.0_f64.powi(1 - T::PRECISION as i32);
        let moved = array.mapv(|value| {
            let (exact, at) = (value.to_f64(), place);
            place += 1;
            if !exact.is_finite() {
                return value;
            }
            let ulp = precision::ulp(T::DTYPE, exact);
            let error = match radii.and_then(|radii| radii.get(at)) {
                Some(0.0) => return value,
                // A radius that is infinite says nothing; the result is at least rounded.
                Some(error) if error.is_finite() => error.max(ulp),
                _ => ulp,
            };
            let error = (error * share.factor)
                .max(share.of_range)
                .max(exact.abs() * share.of_value);
            // In steps of 2⁻³¹, which need only 32 random bits.
            let bits = generator.random::<i32>();
            if flushes && exact.abs() < smallest && bits % 2 == 0 {
                return T::from_f64(0.0);
            }
            let part = f64::from(bits) / f64::from(1_u32 << 31);
            // No rounding to nearest makes a finite number infinite here.
            let moved = (exact + part * error).clamp(-greatest, greatest);
            T::from_f64(moved.max(2.0 * share.least - moved))
        });
        moved.into_shared()
    }

    /// Integers of a quantization whose argument is next to a tie.
    fn integers<T: Int>(&self, array: &Array<T>, radii: Option<&[f64]>) -> Array<T> {
        let mut generator = self.generator.borrow_mut();
        let mut place = 0;
        let moved = array.mapv(|value| {
            let steps = radii.and_then(|radii| radii.get(place)).copied().unwrap_or(0.0);
            place += 1;
            if steps < 1.0 || !steps.is_finite() {
                return value;
            }
            let step = i128::from(generator.random_range(-1_i8..=1)) * steps as i128;
            T::saturate_i128(value.to_i128() + step)
        });
        moved.into_shared()
    }
}

/// Whether a product with quantized weights may round its activations to int8: `accuracy_level` 4 of
/// MatMulNBits (ContribOperators.md).
fn is_of_int8(query: &Query<'_>) -> bool {
    const INT8: i64 = 4;
    query.call.schema().name == "MatMulNBits"
        && query.call.int("accuracy_level").is_ok_and(|level| level == INT8)
}

/// The operator of ONNX whose arithmetic an operator has; empty if there is none.
fn kind(query: &Query<'_>) -> &'static str {
    let schema = query.call.schema();
    match (schema.domain, schema.name) {
        ("", name) => name,
        ("ai.onnx.ml", _) => onnx_bounds::rules::function_of_scores(query),
        (onnx_schema::CONTRIB_DOMAIN, name) => match name {
            "BiasGelu" | "BiasSplitGelu" | "FastGelu" | "Gelu" => "Gelu",
            "QuickGelu" => "Swish",
            "FusedConv" | "NhwcConv" => "Conv",
            "FusedMatMul" | "MatMulNBits" | "TransposeMatMul" => "MatMul",
            "FusedGemm" => "Gemm",
            "Attention"
            | "DecoderMaskedMultiHeadAttention"
            | "GroupQueryAttention"
            | "MultiHeadAttention"
            | "QAttention" => "Attention",
            "DynamicQuantizeLSTM" => "LSTM",
            _ => "",
        },
        _ => "",
    }
}

/// The largest finite magnitude of a float tensor; 0 if there is none.
fn largest(tensor: Option<&Tensor>) -> f64 {
    let values = tensor.and_then(onnx_bounds::reals);
    let magnitudes = values.iter().flatten().map(|value| value.abs());
    magnitudes.filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// Whether the scores of a support vector machine are iterated or transformed.
fn has_probabilities(query: &Query<'_>) -> bool {
    let iterated = query.call.optional_floats("prob_a").ok().flatten();
    let transform = query.call.optional_string("post_transform").ok().flatten();
    iterated.is_some_and(|a| !a.is_empty()) || transform.is_some_and(|name| name != "NONE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names() {
        for class in Arithmetic::ALL {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        assert!("exact".parse::<Arithmetic>().is_err());
    }
}
