//! Attention — softmax(scale · Q · Kᵀ + bias) · V, with past keys and values, masks and windows.
//!
//! In f64 (products of f64 inputs in double-double), each output rounded once. The sum of a score and a mask
//! is a float unless the type is double: in the function body it is of the type of Q. If `softmax_precision`
//! is set, the logits and the probabilities are cast to that type, as its text says; nothing else is rounded
//! in between.
//!
//! Versions: 24 adds `nonpad_kv_seqlen` (an external cache with its own causal offset) and masks shorter
//! than the keys; 25 adds windows.
//!
//! Interpretation: the text of onnx 1.23 applies to all versions, because it amends 23 and 24 in place (the
//! questions `attention-soft-cap`, `attention-heads` and `attention-causal-past` have the answers of older
//! releases): a fully masked row is zero. Output modes follow the text: 0 is the scaled product before the
//! soft cap. Since 24 a mask with one column is padded like any short mask (the function body pads). A mask
//! is bool or of the type of Q; other types are undefined. The head counts may be set for rank-4 inputs if
//! they agree with the shapes.

use ndarray::{Array4, ArrayD, Axis, concatenate};
use onnx_tensor::{DType, Tensor, Value};

use super::attention_bias::{Bias, MaskWidth};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::heads;
use crate::shared::reals::{self, narrow};
use crate::shared::softmax::weighted;

pub const OP: OpDef = op(
    "Attention",
    &[
        v(23, First, |call| attention(call, MaskWidth::Whole)),
        v(24, Semantics, |call| attention(call, MaskWidth::Padded)),
        v(25, Semantics, |call| attention(call, MaskWidth::Padded)),
    ],
);

fn attention(call: &Call<'_>, width: MaskWidth) -> Result<Outputs, OpError> {
    let (q, k, v): (&Tensor, &Tensor, &Tensor) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let query = by_heads(call, q, "q_num_heads", "Q")?;
    let heads = query.dim().1;
    let key = by_heads(call, k, "kv_num_heads", "K")?;
    let value = by_heads(call, v, "kv_num_heads", "V")?;
    let past = Past::read(call)?;
    let past_length = past.as_ref().map(|past| past.key.dim().2);
    let (key, value) = match &past {
        None => (key, value),
        Some(past) => (joined(&past.key, &key)?, joined(&past.value, &value)?),
    };
    heads::check(&query, &key, &value)?;
    let (key, value, cache) = if call.takes(Reading::AttentionHeadsInTurn) {
        (
            in_turn(call, &key, heads)?,
            in_turn(call, &value, heads)?,
            Some((key, value)),
        )
    } else {
        (key, value, None)
    };

    let mut scores = Scores::new(call, &query, &key, past_length, width)?;
    let result = scores.weighted(call, &value, q.dtype())?;
    let y: ArrayD<f64> = if q.rank() == 3 {
        heads::pack(result)?
    } else {
        result.into_dyn()
    };
    let (key, value) = cache.unwrap_or((key, value));
    let outputs = [
        narrow(y, q.dtype())?,
        narrow(key.into_dyn(), k.dtype())?,
        narrow(value.into_dyn(), v.dtype())?,
    ];
    let shown = scores.shown.map(|shown| narrow(shown.into_dyn(), q.dtype()));
    let outputs = outputs.into_iter().map(Some).chain([shown.transpose()?]);
    Ok(outputs.map(|tensor| tensor.map(Value::from)).collect())
}

/// The factor of the scores for heads of this size. The function body computes it and its root in float,
/// which is visible in double; the text does not (question `attention-scale`).
fn scale(call: &Call<'_>, size: usize) -> Result<f64, OpError> {
    let given = call.optional_float("scale")?;
    if call.dtype(0)? == DType::Double && call.takes(Reading::AttentionScaleFloat) {
        let scale = given.unwrap_or_else(|| (size as f32).sqrt().recip());
        return Ok(f64::from(scale.sqrt()).powi(2));
    }
    Ok(given.map_or((size as f64).sqrt().recip(), f64::from))
}

/// The scores from the product to the bias.
struct Scores {
    /// Those that softmax turns into weights.
    biased: Array4<f64>,
    bias: Bias,
    /// The weights, if an attribute or an output asks for them.
    probabilities: Option<Array4<f64>>,
    /// The stage that `qk_matmul_output_mode` selects, if it is an output.
    shown: Option<Array4<f64>>,
}

impl Scores {
    fn new(
        call: &Call<'_>,
        query: &Array4<f64>,
        key: &Array4<f64>,
        past: Option<usize>,
        width: MaskWidth,
    ) -> Result<Scores, OpError> {
        let mode = call.int("qk_matmul_output_mode")?;
        if !(0..=3).contains(&mode) {
            return Err(OpError::invalid(format!("`qk_matmul_output_mode` is {mode}")));
        }
        let scale = scale(call, query.dim().3)?;
        let mut scores = heads::scores(call, query, key, scale, call.dtype(0)?)?;
        let is_shown = call.wants(SHOWN);
        let mut shown = None;
        let mut show = |stage, scores: &Array4<f64>| {
            if stage == mode && is_shown {
                shown = Some(scores.clone());
            }
        };
        let cap = f64::from(call.float("softcap")?);
        let bias = Bias::read(call, scores.dim(), past, width)?;
        let mut sums = heads::Sums::new(call, call.dtype(0)?);
        show(0, &scores);
        let mask_first = call.takes(Reading::AttentionMaskFirst);
        if mask_first {
            bias.add_to(&mut scores, &mut sums);
        } else {
            soft_cap(&mut scores, cap);
        }
        show(1, &scores);
        if mask_first {
            soft_cap(&mut scores, cap);
        } else {
            bias.add_to(&mut scores, &mut sums);
        }
        show(2, &scores);
        let shows_weights = mode == 3 && is_shown;
        let mut probabilities = None;
        if shows_weights || call.optional_int("softmax_precision")?.is_some() {
            let mut weights = scores.clone();
            softmax(call, &mut weights)?;
            bias.clear_masked_rows(&mut weights);
            shown = shown.or_else(|| shows_weights.then(|| weights.clone()));
            probabilities = Some(weights);
        }
        Ok(Scores {
            biased: scores,
            bias,
            probabilities,
            shown,
        })
    }

    /// Softmax, times the values; the scores are used up.
    fn weighted(
        &mut self,
        call: &Call<'_>,
        value: &Array4<f64>,
        dtype: DType,
    ) -> Result<Array4<f64>, OpError> {
        match &self.probabilities {
            Some(probabilities) => heads::weighted(call, probabilities, value, dtype),
            None => {
                let scores = std::mem::take(&mut self.biased);
                weighted(call, scores, value, dtype, |at| self.bias.is_masked(at))
            }
        }
    }
}

/// The output of the scores.
const SHOWN: usize = 3;

/// A tensor of rank 4 unchanged, or one of rank 3 split into the number of heads of the attribute.
fn by_heads(call: &Call<'_>, tensor: &Tensor, attribute: &str, name: &str) -> Result<Array4<f64>, OpError> {
    let heads = call
        .optional_int(attribute)?
        .map(|_| super::kernels::positive(call, attribute))
        .transpose()?;
    match (tensor.rank(), heads) {
        (3, Some(heads)) => heads::unpack(call, tensor, heads, name),
        (3, None) => Err(OpError::invalid(format!(
            "`{name}` has rank 3, so `{attribute}` is required"
        ))),
        (_, Some(heads)) if tensor.shape().get(1) != Some(&heads) => Err(OpError::invalid(format!(
            "`{attribute}` is {heads}, but `{name}` has shape {:?}",
            tensor.shape()
        ))),
        _ => heads::of_rank_4(tensor, name),
    }
}

/// The cached keys and values.
struct Past {
    key: Array4<f64>,
    value: Array4<f64>,
}

impl Past {
    fn read(call: &Call<'_>) -> Result<Option<Past>, OpError> {
        match (call.optional_tensor(4)?, call.optional_tensor(5)?) {
            (None, None) => Ok(None),
            (Some(key), Some(value)) => Ok(Some(Past {
                key: heads::of_rank_4(key, "past_key")?,
                value: heads::of_rank_4(value, "past_value")?,
            })),
            _ => Err(OpError::invalid(
                "`past_key` and `past_value` must be used together",
            )),
        }
    }
}

fn joined(past: &Array4<f64>, new: &Array4<f64>) -> Result<Array4<f64>, OpError> {
    Ok(concatenate(Axis(2), &[past.view(), new.view()])?)
}

/// The heads of keys or values, repeated in turn for `heads` query heads.
fn in_turn(call: &Call<'_>, array: &Array4<f64>, heads: usize) -> Result<Array4<f64>, OpError> {
    let (batch, shared, sequence, size) = array.dim();
    call.reserve(&[batch, heads, sequence, size], DType::Double)?;
    let order: Vec<usize> = (0..heads).map(|head| head % shared.max(1)).collect();
    Ok(array.select(Axis(1), &order))
}

/// cap · tanh(x / cap). A cap of 0 means no cap.
fn soft_cap(scores: &mut Array4<f64>, cap: f64) {
    if cap > 0.0 {
        scores.mapv_inplace(|x| cap * libm::tanh(x / cap));
    }
}

fn softmax(call: &Call<'_>, scores: &mut Array4<f64>) -> Result<(), OpError> {
    let Some(number) = call.optional_int("softmax_precision")? else {
        heads::softmax(scores);
        return Ok(());
    };
    let precision = reals::float_type("softmax_precision", number)?;
    let cast = |scores: &mut Array4<f64>| {
        scores
            .iter_mut()
            .try_for_each(|x| reals::round(*x, precision).map(|rounded| *x = rounded))
    };
    cast(scores)?;
    heads::softmax(scores);
    cast(scores)
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Element, Tensor, Value};

    use crate::frame::testing::{attribute, evaluate};
    use crate::shared::reals::widen;

    fn tensor(shape: [usize; 4], elements: &[f32]) -> Tensor {
        Tensor::new(&shape, elements.to_vec()).expect("the elements fill the shape")
    }

    /// The first output for scores that are all 0, so that each query returns the mean of the visible
    /// values.
    #[track_caller]
    fn check(since: u32, values: &[f32], mask: Option<Tensor>, attributes: &[Attribute], expected: &[f32]) {
        let (queries, keys) = (expected.len(), values.len());
        let inputs = [
            Some(tensor([1, 1, queries, 1], &vec![0.0; queries])),
            Some(tensor([1, 1, keys, 1], &vec![0.0; keys])),
            Some(tensor([1, 1, keys, 1], values)),
            mask,
        ];
        let inputs: Vec<Value> = inputs.into_iter().flatten().map(Value::from).collect();
        let outputs = evaluate(("", "Attention", since), &inputs, attributes).expect("the inputs are valid");
        let expected = tensor([1, 1, queries, 1], expected);
        assert!(
            outputs[0].as_tensor().is_some_and(|y| y.same_bits(&expected)),
            "got {:?}, expected {expected:?}",
            outputs[0]
        );
    }

    const POWERS: [f32; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

    /// The figure of the specification for left 2 and right 1: {0, 1}, {0, 1, 2}, {0 … 3}, {1 … 4}.
    #[test]
    fn windows() {
        let window = [
            attribute("left_window_size", 2),
            attribute("right_window_size", 1),
        ];
        check(25, &POWERS, None, &window, &[1.5, 7.0 / 3.0, 3.75, 7.5]);
        let causal = [attribute("left_window_size", 1), attribute("is_causal", 1)];
        check(25, &POWERS, None, &causal, &[1.0, 1.5, 3.0]);
    }

    /// Scores of 0.3 and 0.7 are equal beside -1e9: the mean of the values. In double they are not.
    #[test]
    fn a_mask_leaves_no_digit_of_the_scores() {
        fn of<T: Element>(number: fn(f64) -> T) -> f64 {
            let row = |numbers: &[f64], shape: [usize; 4]| {
                Tensor::new(&shape, numbers.iter().map(|x| number(*x)).collect()).expect("a row")
            };
            let inputs = [
                row(&[1.0], [1, 1, 1, 1]),
                row(&[0.3, 0.7], [1, 1, 2, 1]),
                row(&[1.0, 3.0], [1, 1, 2, 1]),
                row(&[-1e9, -1e9], [1, 1, 1, 2]),
            ];
            let inputs: Vec<Value> = inputs.into_iter().map(Value::from).collect();
            let outputs = evaluate(("", "Attention", 23), &inputs, &[]).expect("the inputs are valid");
            let y = outputs[0]
                .as_tensor()
                .and_then(|y| widen(y).ok())
                .expect("floats");
            y[[0, 0, 0, 0]]
        }
        assert_eq!(of(|x| x as f32), 2.0);
        assert!(of(|x| x) > 2.1);
    }

    /// By hand: since 24 a short mask hides the keys without a column; a row of false is zero.
    #[test]
    fn masks() {
        let short = tensor([1, 1, 1, 2], &[0.0, 0.0]);
        check(24, &POWERS[..3], Some(short), &[], &[1.5]);
        let rows = Tensor::new(&[2, 2], vec![false, false, true, true]).expect("four elements");
        check(23, &POWERS[..2], Some(rows), &[], &[0.0, 1.5]);
    }
}
