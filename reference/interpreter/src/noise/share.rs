//! How much a class of arithmetic adds to the errors of an operator.

use onnx_bounds::Query;
use onnx_bounds::precision::{ERF, OF_RANGE, SIGMOID, TANH};
use onnx_tensor::{Tensor, Value};

use super::arithmetic::Arithmetic;
use super::sums::{has_equal_terms, ordered};
use super::{FLOAT, HALF, Traits};

/// The number of functions in a step of a recurrence.
const GATES: f64 = 4.0;

/// The growth of the error of a convolution ([`is_transformed`]) by Winograd's transformation with tiles of
/// up to 6 by 6, whose inputs are of one size (A. Lavin and S. Gray, *Fast Algorithms for Convolutional
/// Neural Networks*, 2016, table 4).
pub(super) const TRANSFORMED: f64 = 8.0;

/// The argument from which on a sigmoid, a tanh and an erf are 0 or 1 in every runtime.
const SATURATED: f64 = 18.0;

/// The error of a sum of products in float whose operands and products are flushed to zero where they are
/// subnormal, relative to the largest operand: thousands of terms below the least normal number.
const FLUSHED: f64 = 4096.0 * f32::MIN_POSITIVE as f64;

/// What a class adds to the errors of an operator: a factor, and an error relative to the range of its
/// function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub factor: f64,
    pub of_range: f64,
    /// The least error relative to the value.
    pub of_value: f64,
    /// The least value that an implementation returns.
    pub least: f64,
}

impl Share {
    /// Of an operator whose results have the unit `unit`.
    pub fn of(traits: Traits<'_>, query: &Query<'_>, unit: f64) -> Share {
        let Traits { name, arithmetic, .. } = traits;
        let mut share = Share {
            factor: 1.0,
            of_range: 0.0,
            // Some of the values that stay in float have been rounded on the way, as weights that are folded.
            of_value: if arithmetic == Arithmetic::Wide { HALF } else { 0.0 },
            least: match name {
                "Exp" | "Hardmax" | "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "Sigmoid" | "Softmax"
                | "Softplus" | "Sqrt" => 0.0,
                _ => f64::NEG_INFINITY,
            },
        };
        if arithmetic == Arithmetic::Rounded {
            return share;
        }
        let of_range = OF_RANGE * (unit / FLOAT).min(1.0);
        match name {
            "Softmax" | "Sin" | "Cos" => share.of_range = of_range,
            "Attention" => {
                share.of_range = of_range;
                if has_equal_terms(query, name) {
                    share.factor = ordered(query, name);
                }
            }
            "Sigmoid" => share.of_range = of_range * SIGMOID,
            "Tanh" => share.of_range = of_range * TANH,
            "Erf" => share.of_range = of_range * ERF,
            // The rules of the others follow the errors from step to step.
            "LSTM" if query.call.schema().name == "DynamicQuantizeLSTM" => {
                share.of_range = of_range * of_recurrence(query);
            }
            "Gelu" | "Swish" | "Mish" | "Softplus" => share.add_factor(name, query, of_range),
            "Conv" | "ConvTranspose" | "MatMul" | "Gemm" | "Einsum" => share.add_products(name, query, unit),
            "AveragePool"
            | "CumSum"
            | "GroupNormalization"
            | "InstanceNormalization"
            | "LayerNormalization"
            | "LogSoftmax"
            | "LpNormalization"
            | "LpPool"
            | "LRN"
            | "Mean"
            | "MeanVarianceNormalization"
            | "RMSNormalization"
            | "ReduceL1"
            | "ReduceL2"
            | "ReduceLogSum"
            | "ReduceLogSumExp"
            | "ReduceMean"
            | "ReduceSum"
            | "ReduceSumSquare"
            | "Sum"
            | "GlobalAveragePool"
            | "GlobalLpPool" => share.factor = ordered(query, name),
            "DFT" | "STFT" => {
                share.factor = onnx_bounds::rules::fourier::of_chirps(query).unwrap_or(1.0);
            }
            _ => {}
        }
        share
    }

    /// That of a function whose factor is a sigmoid, a tanh or an erf.
    fn add_factor(&mut self, name: &str, query: &Query<'_>, of_range: f64) {
        let input = query.call.optional(0).and_then(Value::as_tensor);
        let of_factor = match name {
            "Gelu" => ERF,
            "Mish" => TANH,
            _ => SIGMOID,
        };
        // Beyond, the factor is 0 or 1.
        self.of_range = of_range * of_factor * largest(input).clamp(1.0, SATURATED);
        self.of_value = self.of_value.max(of_range * of_factor);
    }

    /// That of sums of products whose results have the unit `unit`.
    fn add_products(&mut self, name: &str, query: &Query<'_>, unit: f64) {
        if name == "Conv" && is_transformed(query) {
            self.factor = TRANSFORMED;
        }
        // Products of random factors have errors of either sign.
        if has_equal_terms(query, name) {
            self.factor = self.factor.max(ordered(query, name));
        }
        if unit == FLOAT && name != "Einsum" {
            let input = query.call.optional(0).and_then(Value::as_tensor);
            self.of_range = FLUSHED * largest(input).max(1.0);
        }
    }
}

/// Independent errors of every gate in every step, relative to the greatest state, in errors of the range of
/// one function.
fn of_recurrence(query: &Query<'_>) -> f64 {
    let input = query.call.optional(0).and_then(Value::as_tensor);
    let steps = input.and_then(|input| input.shape().first().copied());
    let states = query.outputs.iter().flatten().filter_map(Value::as_tensor);
    let greatest = states.map(|state| largest(Some(state))).fold(1.0, f64::max);
    TANH * GATES * (steps.unwrap_or(1).max(1) as f64).sqrt() * greatest
}

/// Whether runtimes transform a convolution: its kernel has several elements, and it moves by one.
pub(super) fn is_transformed(query: &Query<'_>) -> bool {
    let kernel = query.call.optional(1).and_then(Value::as_tensor);
    let extents = kernel.and_then(|kernel| kernel.shape().get(2..));
    let is_one = |name: &str| {
        let steps = query.call.optional_ints(name).ok().flatten();
        steps.is_none_or(|steps| steps.iter().all(|step| *step == 1))
    };
    extents.is_none_or(|extents| extents.iter().any(|extent| *extent > 1))
        && is_one("strides")
        && is_one("dilations")
}

/// The operator of ONNX whose arithmetic an operator has; empty if there is none.
pub(super) fn kind(query: &Query<'_>) -> &'static str {
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
pub(super) fn largest(tensor: Option<&Tensor>) -> f64 {
    if let Some(Tensor::Float(array)) = tensor {
        let magnitudes = array
            .iter()
            .map(|value| value.abs())
            .filter(|value| value.is_finite());
        return magnitudes.fold(0.0, f32::max).into();
    }
    let values = tensor.and_then(onnx_bounds::reals);
    let magnitudes = values.iter().flatten().map(|value| value.abs());
    magnitudes.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
