//! The core of MoE and QMoE: each token goes through the feed-forward networks of its best experts, whose
//! outputs are added with the weights of the router.
//!
//! In f64 (products of f64 inputs in double-double).
//!
//! Interpretation, as in ONNX Runtime for processors: the weights are the softmax of the router's logits over
//! all experts; of equal logits the first expert is better; `gelu` is the approximation by tanh. A third
//! projection multiplies the activated first one.

use ndarray::{Array2, ArrayView1, Axis, s};
use onnx_tensor::DType;

use crate::frame::{Call, OpError};
use crate::nn::positive;
use crate::shared::activation::{gelu_tanh, sigmoid, swish};
use crate::shared::matrix_product::product_in_f64;

/// The weights of a projection of each expert.
#[derive(Debug)]
pub struct Projection<W> {
    /// The matrix of an expert: outputs × inputs.
    pub weights: W,
    /// The bias of each expert.
    pub bias: Option<Array2<f64>>,
}

/// The function between the projections.
#[derive(Clone, Copy, Debug)]
enum Function {
    Plain(fn(f64) -> f64),
    /// A gate and a linear part.
    SwiGlu {
        alpha: f64,
        beta: f64,
        limit: f64,
    },
}

/// How the gate and the linear part of one projection are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fusion {
    /// In two projections.
    Apart,
    /// In turn.
    Interleaved,
    /// One behind the other.
    Halves,
}

/// The feed-forward network of the experts.
#[derive(Debug)]
pub struct Experts<W> {
    /// The first projection.
    pub first: Projection<W>,
    /// The second projection.
    pub second: Projection<W>,
    /// The linear part of the first, if it is a projection of its own.
    pub third: Option<Projection<W>>,
}

impl<W: Fn(usize) -> Result<Array2<f64>, OpError>> Experts<W> {
    /// The outputs for the rows of `x`. `chosen` has the experts and weights of each row.
    pub fn outputs(
        &self,
        call: &Call<'_>,
        x: &Array2<f64>,
        chosen: &[Vec<(usize, f64)>],
        dtype: DType,
    ) -> Result<Array2<f64>, OpError> {
        let (function, fusion) = function(call)?;
        if self.third.is_some() && fusion != Fusion::Apart {
            return Err(OpError::undefined("a third projection with fused projections"));
        }
        call.reserve(&[x.nrows(), x.ncols()], DType::Double)?;
        let mut y = Array2::zeros(x.dim());
        let count = chosen
            .iter()
            .flatten()
            .map(|(expert, _)| expert + 1)
            .max()
            .unwrap_or(0);
        for expert in 0..count {
            let rows: Vec<(usize, f64)> = chosen
                .iter()
                .enumerate()
                .flat_map(|(row, list)| list.iter().map(move |&(found, weight)| (row, found, weight)))
                .filter(|&(_, found, _)| found == expert)
                .map(|(row, _, weight)| (row, weight))
                .collect();
            if rows.is_empty() {
                continue;
            }
            let indices: Vec<usize> = rows.iter().map(|(row, _)| *row).collect();
            let input = x.select(Axis(0), &indices);
            let first = self.first.apply(call, expert, &input, dtype)?;
            let linear = match &self.third {
                None => None,
                Some(third) => Some(third.apply(call, expert, &input, dtype)?),
            };
            let hidden = hidden(function, fusion, first, linear)?;
            let output = self.second.apply(call, expert, &hidden, dtype)?;
            if output.ncols() != y.ncols() {
                return Err(OpError::invalid(format!(
                    "the second projection has {} outputs, expected {}",
                    output.ncols(),
                    y.ncols()
                )));
            }
            for ((row, weight), output) in rows.into_iter().zip(output.outer_iter()) {
                y.row_mut(row).scaled_add(weight, &output);
            }
        }
        Ok(y)
    }
}

impl<W: Fn(usize) -> Result<Array2<f64>, OpError>> Projection<W> {
    fn apply(
        &self,
        call: &Call<'_>,
        expert: usize,
        x: &Array2<f64>,
        dtype: DType,
    ) -> Result<Array2<f64>, OpError> {
        let weights = (self.weights)(expert)?;
        call.reserve(&[x.nrows(), weights.nrows()], DType::Double)?;
        call.products(dtype, &[x.nrows(), weights.nrows(), weights.ncols()])?;
        let mut y = product_in_f64(&x.view(), &weights.t(), dtype)?;
        if let Some(bias) = &self.bias {
            let row = (expert < bias.nrows() && bias.ncols() == y.ncols()).then(|| bias.row(expert));
            y += &row.ok_or_else(|| {
                OpError::invalid(format!(
                    "biases of shape {:?} do not fit expert {expert} with {} outputs",
                    bias.shape(),
                    y.ncols()
                ))
            })?;
        }
        Ok(y)
    }
}

/// The activated first projection.
fn hidden(
    function: Function,
    fusion: Fusion,
    first: Array2<f64>,
    linear: Option<Array2<f64>>,
) -> Result<Array2<f64>, OpError> {
    let width = first.ncols();
    match function {
        Function::Plain(f) => {
            let activated = first.mapv_into(f);
            match linear {
                None => Ok(activated),
                Some(linear) if linear.dim() == activated.dim() => Ok(activated * linear),
                Some(linear) => Err(misfit(activated.ncols(), linear.ncols())),
            }
        }
        Function::SwiGlu { alpha, beta, limit } => {
            if fusion != Fusion::Apart && !width.is_multiple_of(2) {
                return Err(OpError::invalid(format!("a fused projection of width {width}")));
            }
            let (gate, linear) = match (fusion, linear) {
                (Fusion::Interleaved, _) => (
                    first.slice(s![.., ..;2]).to_owned(),
                    first.slice(s![.., 1..;2]).to_owned(),
                ),
                (Fusion::Halves, _) => (
                    first.slice(s![.., ..width / 2]).to_owned(),
                    first.slice(s![.., width / 2..]).to_owned(),
                ),
                (Fusion::Apart, Some(linear)) => (first, linear),
                (Fusion::Apart, None) => {
                    return Err(OpError::invalid(
                        "swiglu without a linear part: `swiglu_fusion` is 0",
                    ));
                }
            };
            if gate.dim() != linear.dim() {
                return Err(misfit(gate.ncols(), linear.ncols()));
            }
            let gate = gate.mapv_into(|x| swish(x.min(limit), alpha));
            Ok(gate * linear.mapv_into(|x| x.clamp(-limit, limit) + beta))
        }
    }
}

fn misfit(first: usize, linear: usize) -> OpError {
    OpError::invalid(format!("projections of widths {first} and {linear} do not fit"))
}

/// The function that the attributes select.
fn function(call: &Call<'_>) -> Result<(Function, Fusion), OpError> {
    let fusion = match call.int("swiglu_fusion")? {
        0 => Fusion::Apart,
        1 => Fusion::Interleaved,
        2 => Fusion::Halves,
        other => return Err(OpError::invalid(format!("`swiglu_fusion` is {other}"))),
    };
    if call.int("swiglu_limit_after_activation")? != 0 {
        return Err(OpError::undefined("a limit behind the activation"));
    }
    let plain = |f: fn(f64) -> f64| (Function::Plain(f), Fusion::Apart);
    Ok(match call.string("activation_type")? {
        "relu" => plain(|x| onnx_tensor::Real::max(x, 0.0)),
        "gelu" => plain(gelu_tanh),
        "silu" => plain(|x| x * sigmoid(x)),
        "identity" => plain(|x| x),
        "swiglu" => {
            let limit = call
                .optional_float("swiglu_limit")?
                .map_or(f64::INFINITY, f64::from);
            if limit.is_nan() || limit < 0.0 {
                return Err(OpError::invalid(format!("`swiglu_limit` is {limit}")));
            }
            let alpha = f64::from(call.float("activation_alpha")?);
            let beta = f64::from(call.float("activation_beta")?);
            (Function::SwiGlu { alpha, beta, limit }, fusion)
        }
        other => return Err(OpError::undefined(format!("`activation_type` = `{other}`"))),
    })
}

/// The best `k` experts of each row of logits with their weights: the softmax of the logits, or the numbers
/// of `given`; divided by their sum if `normalize_routing_weights` is set.
pub fn route(
    call: &Call<'_>,
    logits: &Array2<f64>,
    given: Option<&Array2<f64>>,
) -> Result<Vec<Vec<(usize, f64)>>, OpError> {
    let best = positive(call, "k")?;
    if call.int("use_sparse_mixer")? != 0 {
        return Err(OpError::undefined("the sparse mixer"));
    }
    if best > logits.ncols() || given.is_some_and(|given| given.dim() != logits.dim()) {
        return Err(OpError::invalid(format!(
            "{best} of {} experts, or weights of another shape than {:?}",
            logits.ncols(),
            logits.shape()
        )));
    }
    let normalize = call.int("normalize_routing_weights")? != 0;
    let row = |(at, row): (usize, ArrayView1<'_, f64>)| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        order.truncate(best);
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|x| libm::exp(x - greatest)).sum();
        let weight = |expert: usize| match given {
            Some(given) => given[[at, expert]],
            None => libm::exp(row[expert] - greatest) / sum,
        };
        let weights: Vec<f64> = order.iter().map(|&expert| weight(expert)).collect();
        let divisor = if normalize { weights.iter().sum() } else { 1.0 };
        order
            .into_iter()
            .zip(weights)
            .map(|(expert, weight)| (expert, weight / divisor))
            .collect()
    };
    Ok(logits.outer_iter().enumerate().map(row).collect())
}
