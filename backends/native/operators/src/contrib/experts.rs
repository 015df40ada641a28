//! MoE and QMoE: each token goes through the feed-forward networks of its best experts, whose outputs are
//! added with the weights of the router.
//!
//! The composition computes all experts for all tokens, as stacked products, and adds those that were chosen.
//! The kernel computes the chosen ones alone.

use onnx_model::AttributeValue::{Int, String};
use onnx_tensor::{DType, Tensor};

use super::n_bits::{Layout, restored};
use super::{Row, contrib};
use crate::attributes::Attributes;
use crate::call::extent;
use crate::compose::{Composed, Composition, Id};
use crate::error::{Problem, invalid, unsupported};
use crate::fast::Fast;
use crate::numbers::slice;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    Row {
        shapes: SAME,
        ..contrib("MoE", |c| mixture(c, false))
    }
    .fast(Fast::Experts { quantized: false }),
    Row {
        shapes: SAME,
        ..contrib("QMoE", |c| mixture(c, true))
    }
    .fast(Fast::Experts { quantized: true }),
];

/// The positions of the inputs of a projection.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Experts × outputs × inputs.
    pub weights: usize,
    /// Experts × outputs.
    pub bias: usize,
    /// The scales and the zero points of quantized weights.
    pub steps: [usize; 2],
}

/// The three projections of MoE, or of QMoE.
pub fn places(quantized: bool) -> [Places; 3] {
    let place = |weights, bias, steps| Places { weights, bias, steps };
    if quantized {
        [place(2, 4, [3, 11]), place(5, 7, [6, 12]), place(8, 10, [9, 13])]
    } else {
        [2, 4, 6].map(|weights| place(weights, weights + 1, [usize::MAX; 2]))
    }
}

/// The input of QMoE with the weights of experts; without it they are probabilities by the logits.
pub const ROUTER_WEIGHTS: usize = 14;

/// What the attributes of MoE and QMoE select.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mixture {
    /// The number of experts of a token.
    pub best: usize,
    /// Whether the weights of a token are divided by their sum.
    pub normalize: bool,
    pub function: Between,
}

/// What is between the projections.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Between {
    Identity,
    Relu,
    /// Gelu, approximated by tanh.
    Gelu,
    Silu,
    /// `swish(min(g, limit), alpha) · (clip(l, limit) + beta)` of a gate and a linear part.
    Gated {
        alpha: f32,
        beta: f32,
        limit: f32,
        parts: Parts,
    },
}

/// Where the gate and the linear part are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// In the first and the third projection.
    Apart,
    /// In the first, in turn.
    Interleaved,
    /// In the first, one behind the other.
    Halves,
}

impl Mixture {
    /// Reads the attributes.
    ///
    /// # Errors
    /// Values that are not defined or not implemented.
    pub fn read(attributes: &Attributes, quantized: bool) -> Result<Mixture, Problem> {
        for name in ["swiglu_limit_after_activation", "use_sparse_mixer"] {
            if attributes.flag(name)? {
                return unsupported(format!("`{name}`"));
            }
        }
        if quantized && (attributes.text("quant_type")? != "int" || attributes.int("weights_prepacked")? == 1)
        {
            return unsupported("weights that are no integers, or packed for one device");
        }
        let best = extent(attributes.int("k")?)?;
        if best == 0 {
            return invalid("`k` must be at least 1");
        }
        Ok(Mixture {
            best,
            normalize: attributes.flag("normalize_routing_weights")?,
            function: between(attributes)?,
        })
    }
}

fn between(attributes: &Attributes) -> Result<Between, Problem> {
    let parts = match attributes.int("swiglu_fusion")? {
        0 => Parts::Apart,
        1 => Parts::Interleaved,
        2 => Parts::Halves,
        other => return invalid(format!("`swiglu_fusion` is {other}")),
    };
    Ok(match attributes.text("activation_type")? {
        "identity" => Between::Identity,
        "relu" => Between::Relu,
        "gelu" => Between::Gelu,
        "silu" => Between::Silu,
        "swiglu" => {
            let limit = attributes.find_float("swiglu_limit")?.unwrap_or(f32::INFINITY);
            if limit.is_nan() || limit < 0.0 {
                return invalid(format!("`swiglu_limit` is {limit}"));
            }
            Between::Gated {
                alpha: attributes.float("activation_alpha")?,
                beta: attributes.float("activation_beta")?,
                limit,
                parts,
            }
        }
        other => return unsupported(format!("`activation_type` = `{other}`")),
    })
}

/// Quantized weights of an expert.
#[derive(Clone, Debug)]
pub struct Codes {
    /// The number of bits of a code: 2 to 4 or 8.
    pub bits: usize,
    /// The number of inputs, and of outputs.
    pub extents: [usize; 2],
    /// The number of inputs that share a scale.
    pub block: usize,
    /// Inputs × outputs.
    pub codes: Vec<u8>,
    /// Blocks × outputs.
    pub scales: Vec<f32>,
    /// Blocks × outputs.
    pub zeros: Vec<u8>,
}

/// Returns the quantized weights of projection `number` (from 0 on) of all experts, from weights, scales and
/// zero points.
///
/// # Errors
/// Shapes that do not fit.
pub fn codes(
    attributes: &Attributes,
    number: usize,
    [weights, scales]: [&Tensor; 2],
    zeros: Option<&Tensor>,
) -> Result<Vec<Codes>, Problem> {
    let own = attributes.find_int(&format!("fc{}_expert_weight_bits", number + 1))?;
    let bits = extent(own.map_or_else(|| attributes.int("expert_weight_bits"), Ok)?)?;
    let (&[experts, n, width], true) = (weights.shape(), [2, 3, 4, 8].contains(&bits)) else {
        return invalid(format!("{bits} bits, or weights that have not rank 3"));
    };
    let k = width.saturating_mul(8) / bits;
    let block = match extent(attributes.find_int("block_size")?.unwrap_or(0))? {
        0 => k.max(1),
        block => block,
    };
    let layout = Layout { k, n, bits, block };
    let blocks = layout.blocks();
    let fits = scales.shape() == [experts, n, blocks] || (blocks == 1 && scales.shape() == [experts, n]);
    if !fits || experts == 0 {
        return invalid(format!(
            "scales of shape {:?} do not fit weights of shape {:?}",
            scales.shape(),
            weights.shape()
        ));
    }
    let expert = |expert: usize| {
        let zeros = match zeros {
            None => vec![1 << (bits - 1); blocks * n],
            Some(zeros) => zeros_of(&layout, &part(zeros, expert, experts)?)?,
        };
        Ok(Codes {
            bits,
            extents: [k, n],
            block,
            codes: layout.codes(
                &part(weights, expert, experts)?,
                "weights",
                [k, (block * bits).div_ceil(8), block],
            )?,
            scales: layout.by_blocks(&part(scales, expert, experts)?, "scales")?,
            zeros,
        })
    };
    (0..experts).map(expert).collect()
}

/// Returns the part of an expert.
fn part(all: &Tensor, which: usize, count: usize) -> Result<Tensor, Problem> {
    let length = all.len() / count;
    let shape = all.shape().get(1..).unwrap_or_default();
    let own = which * length..(which + 1) * length;
    Ok(match all.dtype() {
        DType::Uint8 => Tensor::new(shape, slice::<u8>(all)?[own].to_vec())?,
        _ => {
            let floats = crate::numbers::floats(all)?;
            Tensor::new(shape, floats[own].iter().map(|&x| x as f32).collect::<Vec<f32>>())?
        }
    })
}

/// Zero points of rows are packed along the rows, those of blocks along the blocks of a row.
fn zeros_of(layout: &Layout, zeros: &Tensor) -> Result<Vec<u8>, Problem> {
    let blocks = layout.blocks();
    match zeros.rank() {
        1 if blocks == 1 => {
            let along = Layout { n: 1, ..*layout };
            let stride = (layout.n * layout.bits).div_ceil(8);
            along.codes(zeros, "zero points", [layout.n, stride, layout.n.max(1)])
        }
        _ => layout.codes(
            zeros,
            "zero points",
            [blocks, (blocks * layout.bits).div_ceil(8), blocks.max(1)],
        ),
    }
}

fn mixture(c: &mut Composition<'_>, quantized: bool) -> Composed {
    let mixture = Mixture::read(c.attributes(), quantized)?;
    let own = c.dtype(c.input(0)?)?;
    let x = c.input_wide(0)?;
    let shape = c.shape(x)?;
    let logits = c.input_wide(1)?;
    let (Some((&width, leading)), &[rows, experts]) = (shape.split_last(), &c.shape(logits)?[..]) else {
        return Ok(invalid("`input` has no axis, or `router_probs` is no matrix")?);
    };
    if rows != leading.iter().product::<usize>() || mixture.best > experts {
        return Ok(invalid(format!(
            "`router_probs` of {rows} × {experts} does not fit {leading:?} tokens of {} experts",
            mixture.best
        ))?);
    }
    let x = c.reshape(x, &[1, rows, width])?;
    let weights = routes(c, &mixture, logits, quantized, [rows, experts])?;
    let [first, second, third] = places(quantized);
    let hidden = projected(c, x, (0, first, quantized), experts)?;
    let linear = match c.find(third.weights) {
        Some(_) => Some(projected(c, x, (2, third, quantized), experts)?),
        None => None,
    };
    let hidden = activated(c, mixture.function, hidden, linear)?;
    let y = projected(c, hidden, (1, second, quantized), experts)?;
    let of_experts = c.transpose(weights, &[1, 0])?;
    let of_experts = c.unsqueeze(of_experts, &[2])?;
    let zero = c.scalar(c.dtype(y)?, 0.0)?;
    let unused = c.apply("Equal", &[of_experts, zero], &[])?;
    let weighted = c.mul(y, of_experts)?;
    let chosen = c.apply("Where", &[unused, zero, weighted], &[])?;
    let axis = c.vector([0]);
    let sum = c.apply("ReduceSum", &[chosen, axis], &[("keepdims", Int(0))])?;
    let y = c.reshape(sum, &shape)?;
    c.give_as(0, y, own)
}

/// Returns the weight of each expert for each token, tokens × experts; 0 for those that are not chosen.
fn routes(
    c: &mut Composition<'_>,
    mixture: &Mixture,
    logits: Id,
    quantized: bool,
    shape: [usize; 2],
) -> Composed<Id> {
    let last = ("axis", Int(-1));
    let given = if quantized {
        c.find_wide(ROUTER_WEIGHTS)?
    } else {
        None
    };
    let all = match given {
        Some(given) => given,
        None => c.apply("Softmax", &[logits], std::slice::from_ref(&last))?,
    };
    let best = c.vector([mixture.best]);
    let found = c.apply_many(
        "TopK",
        &[Some(logits), Some(best)],
        std::slice::from_ref(&last),
        2,
    )?;
    let mut weights = c.apply("GatherElements", &[all, found[1]], std::slice::from_ref(&last))?;
    if mixture.normalize {
        let axis = c.vector([1]);
        let sum = c.apply("ReduceSum", &[weights, axis], &[])?;
        weights = c.apply("Div", &[weights, sum], &[])?;
    }
    let zero = c.scalar(c.dtype(weights)?, 0.0)?;
    let target = c.vector(shape);
    let nothing = c.apply("Expand", &[zero, target], &[])?;
    c.apply("ScatterElements", &[nothing, found[1], weights], &[last])
}

/// Returns a projection of rows, experts × rows × outputs.
fn projected(
    c: &mut Composition<'_>,
    x: Id,
    (number, places, quantized): (usize, Places, bool),
    experts: usize,
) -> Composed<Id> {
    let weights = if quantized {
        let tensor = |position: usize| c.elements(c.input(position)?);
        let (weights, scales) = (tensor(places.weights)?, tensor(places.steps[0])?);
        let zeros = c
            .find(places.steps[1])
            .map(|zeros| c.elements(zeros))
            .transpose()?;
        let all = codes(c.attributes(), number, [&weights, &scales], zeros.as_ref())?;
        let [k, n] = all.first().map_or([0; 2], |codes| codes.extents);
        let restored = all.iter().flat_map(Codes::restored).collect();
        c.constant(Tensor::new(&[all.len(), k, n], restored)?)
    } else {
        let weights = c.input_wide(places.weights)?;
        c.transpose(weights, &[0, 2, 1])?
    };
    let weights = c.cast(weights, c.dtype(x)?)?;
    let found = c.shape(weights)?;
    if found[0] != experts {
        return Ok(invalid(format!(
            "there are weights of {} experts of {experts}",
            found[0]
        ))?);
    }
    let y = c.apply("MatMul", &[x, weights], &[])?;
    let Some(bias) = c.find_wide(places.bias)? else {
        return Ok(y);
    };
    let shape = c.shape(bias)?;
    if shape != [experts, found[2]] {
        return Ok(invalid(format!(
            "biases of shape {shape:?} for {experts} × {}",
            found[2]
        ))?);
    }
    let bias = c.unsqueeze(bias, &[1])?;
    c.add(y, bias)
}

impl Codes {
    /// Returns the weights as real numbers.
    fn restored(&self) -> Vec<f32> {
        let [k, n] = self.extents;
        let blocks: Vec<usize> = (0..k).map(|row| row / self.block).collect();
        restored(n, &self.codes, &self.scales, &self.zeros, &blocks)
    }
}

/// Returns what the second projection takes.
fn activated(c: &mut Composition<'_>, function: Between, first: Id, linear: Option<Id>) -> Composed<Id> {
    let one = match function {
        Between::Identity => first,
        Between::Relu => c.apply("Relu", &[first], &[])?,
        Between::Gelu => c.apply("Gelu", &[first], &[("approximate", String(b"tanh".to_vec()))])?,
        Between::Silu => c.apply("Swish", &[first], &[])?,
        Between::Gated {
            alpha,
            beta,
            limit,
            parts,
        } => {
            let (gate, linear) = apart(c, first, linear, parts)?;
            let dtype = c.dtype(gate)?;
            let (low, high) = (
                c.scalar(dtype, -f64::from(limit))?,
                c.scalar(dtype, f64::from(limit))?,
            );
            let gate = c.apply("Min", &[gate, high], &[])?;
            let alpha = onnx_model::AttributeValue::Float(alpha);
            let gate = c.apply("Swish", &[gate], &[("alpha", alpha)])?;
            let linear = c.apply("Clip", &[linear, low, high], &[])?;
            let beta = c.scalar(dtype, f64::from(beta))?;
            let linear = c.add(linear, beta)?;
            return c.mul(gate, linear);
        }
    };
    match linear {
        Some(linear) => c.mul(one, linear),
        None => Ok(one),
    }
}

/// Returns the gate and the linear part.
fn apart(c: &mut Composition<'_>, first: Id, linear: Option<Id>, parts: Parts) -> Composed<(Id, Id)> {
    let shape = c.shape(first)?;
    let [experts, rows, width] = shape[..] else {
        return Ok(invalid("a projection has three axes")?);
    };
    if parts != Parts::Apart && (linear.is_some() || !width.is_multiple_of(2)) {
        return Ok(unsupported(
            "a third projection with fused ones, or a fused one of odd width",
        )?);
    }
    match (parts, linear) {
        (Parts::Apart, Some(linear)) => Ok((first, linear)),
        (Parts::Apart, None) => Ok(invalid("swiglu without a linear part: `swiglu_fusion` is 0")?),
        (Parts::Halves, _) => {
            let both = c.split(first, 2, &[width / 2; 2])?;
            Ok((both[0], both[1]))
        }
        (Parts::Interleaved, _) => {
            let pairs = c.reshape(first, &[experts, rows, width / 2, 2])?;
            let both = c.split(pairs, 3, &[1; 2])?;
            let shape = [experts, rows, width / 2];
            Ok((c.reshape(both[0], &shape)?, c.reshape(both[1], &shape)?))
        }
    }
}
