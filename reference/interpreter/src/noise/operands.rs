//! Operators whose operands have errors, not their results: products of rounded factors, scores behind a
//! decision.

use onnx_bounds::{Query, Radius, precision};
use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{Array, DType, Tensor, Value, ValueType, f16};
use rand::RngExt;

use super::arithmetic::Arithmetic;
use super::overflow::constant;
use super::quantized::Quantized;
use super::{FLOAT, HALF, Noise, Traits};
use crate::origin::Origin;
use crate::wide::{is_of_halves, narrowed, widened};

/// The error of a value that is quantized after a product in integers, as a share of the step: the bias has
/// an error of half a step of the products, which is 30 to 1,000 times smaller.
const OF_STEP: f64 = 1.0 / 64.0;

/// The error of a kernel of a support vector machine in ULP: its exponent, up to about 20, is a sum of
/// squares.
const KERNEL: f64 = 8.0;

/// The attributes with the weights of classifiers.
const WEIGHTS: [&str; 4] = [
    "coefficients",
    "intercepts",
    "class_weights",
    "class_weights_as_tensor",
];

/// The bits of the significand of a factor of TF32 after the first.
const REDUCED_BITS: i32 = 10;

impl Noise {
    /// The outputs of an operator whose operands have errors in this class; empty for others. `first` is the
    /// error of the first output, as of labels.
    pub(super) fn moved(
        &self,
        query: &Query<'_>,
        traits: Traits<'_>,
        first: Option<&Radius>,
    ) -> Vec<Option<Tensor>> {
        let Traits {
            name,
            arithmetic,
            surroundings,
        } = traits;
        let quantized = || Quantized::of(surroundings.graph, surroundings.node, arithmetic);
        let is_open = matches!(first, Some(Radius::Unknown(_)));
        match query.call.schema().name {
            "SVMClassifier" if has_probabilities(query) => {
                return self.of_weights(query, &["coefficients"]).unwrap_or_default();
            }
            // Two scores are within their errors of each other, which decides the label.
            "LinearClassifier" | "SVMClassifier" | "TreeEnsembleClassifier" if is_open => {
                let mut outputs = self.of_weights(query, &WEIGHTS).unwrap_or_default();
                outputs.truncate(1);
                return outputs;
            }
            _ => {}
        }
        let replaced: Vec<Option<Tensor>> = match name {
            // Exact values are not those of a product.
            "QuantizeLinear"
                if surroundings.operands == Origin::Rounded && quantized() == Quantized::Bias =>
            {
                vec![self.before_a_step(query)]
            }
            // A factor or a BatchNormalization behind it is folded into the weights, which are rounded again.
            "Conv" | "ConvTranspose" | "Gemm" if arithmetic == Arithmetic::Wide => {
                let weights = query.call.optional(1).and_then(Value::as_tensor);
                vec![None, weights.and_then(|weights| self.relative(weights, HALF))]
            }
            "MatMul" if is_of_int8(query) => vec![self.activations_of_int8(query)],
            // Factors of 10 bits are no less than those of float16.
            "Attention"
                if arithmetic < Arithmetic::Reduced || query.call.optional(0).is_some_and(is_of_halves) =>
            {
                // Sums of scores and masks are of the type of the operands, or of float.
                let is_narrow = query.call.optional(0).is_some_and(is_of_halves);
                if is_narrow && self.generator.borrow_mut().random() {
                    return Vec::new();
                }
                return self.of_scores(query).unwrap_or_default();
            }
            "Conv" | "ConvTranspose" | "Gemm" | "MatMul" | "Einsum" | "Attention" | "LSTM" | "GRU"
            | "RNN"
                if arithmetic == Arithmetic::Reduced =>
            {
                let has_rounded_weights = quantized() == Quantized::Weights;
                let inputs = 0..query.call.input_count();
                inputs
                    .map(|index| match query.call.optional(index)?.as_tensor()? {
                        tensor if index == 0 && matches!(name, "Gemm" | "MatMul") => self.activations(tensor),
                        Tensor::Float(array) if index == 1 && has_rounded_weights => {
                            self.in_steps(array, array.len())
                        }
                        Tensor::Float(array) if is_factor(name, index) => Some(self.factors(array).into()),
                        _ => None,
                    })
                    .collect()
            }
            // 0 · NaN: BLAS does not read C where beta is 0.
            "Gemm" if query.call.float("beta").is_ok_and(|beta| beta == 0.0) => {
                vec![
                    None,
                    None,
                    self.without_infinities(query.call.optional(2).and_then(Value::as_tensor)),
                ]
            }
            "Div" | "Pow" | "Reciprocal" => match self.with_other_signs(query, name, surroundings) {
                Some(operands) => operands,
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let outputs = query.evaluate(|index, _| replaced.get(index).cloned().flatten());
        outputs.unwrap_or_default()
    }

    /// The outputs of a classifier whose scores are sums of terms with the weights of these attributes. A
    /// kernel of a support vector machine, a factor of one coefficient, has an error of [`KERNEL`] ULP, and a
    /// sum of n terms of √n.
    fn of_weights(&self, query: &Query<'_>, names: &[&str]) -> Option<Vec<Option<Tensor>>> {
        let kernel = if query.call.schema().name == "SVMClassifier" {
            KERNEL
        } else {
            1.0
        };
        let part = |terms: usize| kernel.hypot((terms as f64).sqrt() / 2.0);
        let mut attributes = query.call.given_attributes().to_vec();
        let weights = |given: &&mut Attribute| names.contains(&given.name.as_str());
        for given in attributes.iter_mut().filter(weights) {
            match &mut given.value {
                AttributeValue::Floats(weights) => {
                    let part = FLOAT * part(weights.len());
                    let mut generator = self.generator.borrow_mut();
                    for weight in weights {
                        *weight =
                            (f64::from(*weight) * (1.0 + part * generator.random_range(-1.0..1.0))) as f32;
                    }
                }
                AttributeValue::Tensor(tensor) => {
                    let unit = precision::unit(tensor.dtype()).unwrap_or(FLOAT);
                    if let Some(moved) = self.relative(tensor, unit * part(tensor.len())) {
                        *tensor = moved;
                    }
                }
                _ => {}
            }
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

    /// The outputs of attention whose first operand is moved by the errors of the scores. It is moved in
    /// float if its type has 16 bits: those errors are less than a step of it.
    fn of_scores(&self, query: &Query<'_>) -> Option<Vec<Option<Tensor>>> {
        let part = onnx_bounds::rules::attention::of_scores(query)?;
        let outputs = query.evaluate(|index, tensor| {
            let wide = widened(Value::Tensor(tensor.clone()));
            let wide = wide.as_tensor()?;
            match index {
                0 => self.relative(wide, part),
                _ => Some(wide.clone()),
            }
        });
        let declared = query
            .outputs
            .iter()
            .map(|output| Some(output.as_ref()?.value_type()));
        let narrow = |(output, declared): (Option<Tensor>, Option<ValueType>)| {
            let narrow = narrowed(Value::Tensor(output?), declared.as_ref());
            narrow.as_tensor().cloned()
        };
        Some(outputs.ok()?.into_iter().zip(declared).map(narrow).collect())
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
            Tensor::Float(array) => self.in_steps(array, last_extent(array)),
            _ => None,
        }
    }

    /// Floats, each moved by at most half a step of 8 bits of its row, and by the error of a factor: that of
    /// float16 has 11 bits already.
    fn activations(&self, tensor: &Tensor) -> Option<Tensor> {
        match tensor {
            Tensor::Float(array) => self.in_steps(&self.factors(array), last_extent(array)),
            Tensor::Float16(array) => {
                let moved = self.in_steps(&array.mapv(f16::to_f32).into_shared(), last_extent(array))?;
                let narrow = moved.array::<f32>().ok()?.mapv(f16::from_f32);
                Some(narrow.into_shared().into())
            }
            _ => None,
        }
    }

    /// Floats, each moved by at most half a step of 8 bits of the `width` elements that share a scale.
    fn in_steps(&self, array: &Array<f32>, width: usize) -> Option<Tensor> {
        let mut elements: Vec<f32> = array.iter().copied().collect();
        let mut generator = self.generator.borrow_mut();
        for row in elements.chunks_mut(width.max(1)) {
            let finite = row.iter().filter(|x| x.is_finite());
            let half = finite.fold(0.0, |most: f32, x| most.max(x.abs())) / 254.0;
            for value in row {
                *value += half * generator.random_range(-1.0..1.0_f32);
            }
        }
        Tensor::new(array.shape(), elements).ok()
    }

    /// Zeros in the place of a tensor with an infinity or NaN, in half of the runs.
    fn without_infinities(&self, tensor: Option<&Tensor>) -> Option<Tensor> {
        let tensor = tensor?;
        let is_finite = onnx_bounds::reals(tensor)?.iter().all(|x| x.is_finite());
        let stays = is_finite || self.generator.borrow_mut().random();
        (!stays).then(|| constant(tensor, 0.0))?
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
}

fn last_extent<T>(array: &Array<T>) -> usize {
    array.shape().last().copied().unwrap_or(1)
}

/// Whether an operand is a factor of a product: masks and biases are added.
fn is_factor(name: &str, index: usize) -> bool {
    match name {
        "Attention" => index < 3 || matches!(index, 4 | 5),
        "LSTM" | "GRU" | "RNN" => index < 3 || index == 5,
        "Einsum" => true,
        _ => index < 2,
    }
}

/// Whether a product with quantized weights may round its activations to int8: `accuracy_level` 4 of
/// MatMulNBits (ContribOperators.md).
fn is_of_int8(query: &Query<'_>) -> bool {
    const INT8: i64 = 4;
    query.call.schema().name == "MatMulNBits"
        && query.call.int("accuracy_level").is_ok_and(|level| level == INT8)
}

/// Whether the scores of a support vector machine are iterated or transformed.
fn has_probabilities(query: &Query<'_>) -> bool {
    let iterated = query.call.optional_floats("prob_a").ok().flatten();
    let transform = query.call.optional_string("post_transform").ok().flatten();
    iterated.is_some_and(|a| !a.is_empty()) || transform.is_some_and(|name| name != "NONE")
}
