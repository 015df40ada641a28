//! Fused nodes, which passes make from several nodes.

use std::fmt;
use std::sync::Arc;

use native_kernels::Activation;
use native_kernels::half::Half;

use super::op::Operator;

/// The operation of a fused node.
#[derive(Clone, Debug)]
pub enum Fused {
    /// `activation(Conv(x, w) + bias + residual)` in f32 over two spatial axes.
    Convolution(Epilogued),
    /// `activation(a x b + bias + residual)` in f32: MatMul or Gemm.
    Product(Epilogued),
    /// The same with quantized weights.
    Dequantized(Dequantized),
    /// `activation(x * scale + shift)` in f32, with one scale and one shift for each channel.
    Affine(Activation),
    /// `softmax(q·kᵀ·scale + mask + second)·v` in f32 over four axes. Broadcasting and NaN are those of
    /// MatMul, Add and Softmax. Inputs: q, k, v, mask (or none), a second summand (or none).
    Attention(Attention),
    /// A Conv with a 1 × 1 kernel whose groups are interleaved along the channels of its image.
    Interleaved(Interleaved),
    /// An operator on bytes between DequantizeLinear and QuantizeLinear.
    Bytes(OnBytes),
    /// Gathers channels of the concatenated inputs: channel `c` of the result is channel `sources[c]`.
    Rearrange(Arc<[usize]>),
    /// Numbers of a half type, stored as f32.
    Rounded(Rounded),
    /// Converts an image between the plain and the blocked layout.
    Reorder,
}

/// A fused attention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attention {
    /// The factor of the scores.
    pub scale: f32,
    /// How many neighbouring heads of queries share a head of keys and values; with 1, heads broadcast.
    pub groups: usize,
    /// What the mask does.
    pub masking: Masking,
    /// Whether a weight that is NaN becomes zero, as in `Where(IsNaN(w), 0, w)`.
    pub nan_is_zero: bool,
}

/// What a mask of attention does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masking {
    /// It is added to the scores.
    Added,
    /// Where it is not zero, it replaces the score.
    Replaced,
}

/// The numbers of a half type that are nearest to the input, or to a function of it. Input: f32.
#[derive(Clone, Debug)]
pub struct Rounded {
    pub function: Option<Operator>,
    /// The type.
    pub to: Half,
}

/// A Conv, MatMul or Gemm with an epilogue. Inputs: two operands, bias (or none), residual (or none).
#[derive(Clone, Debug)]
pub struct Epilogued {
    pub operator: Operator,
    /// The activation, which is applied last.
    pub activation: Activation,
}

impl Epilogued {
    /// Returns the operator without an epilogue.
    pub fn plain(operator: &Operator) -> Epilogued {
        Epilogued {
            operator: operator.clone(),
            activation: Activation::Identity,
        }
    }
}

/// A MatMul or Gemm by weights that a DequantizeLinear restores. Inputs: those of [`Epilogued`], with
/// integers as the second operand, then the scale and the zero point (or none).
#[derive(Clone, Debug)]
pub struct Dequantized {
    pub product: Epilogued,
    /// The DequantizeLinear.
    pub dequantize: Operator,
}

/// `quantize(operator(dequantize(x), …))`. Inputs: for each operand its bytes, scale and zero point (or
/// none); then scale and zero point of the result. All scales are single elements.
#[derive(Clone, Debug)]
pub struct OnBytes {
    pub operator: Operator,
    /// The DequantizeLinear of each operand.
    pub dequantize: Operator,
    /// The QuantizeLinear of the result.
    pub quantize: Operator,
    /// The number of operands.
    pub operands: usize,
}

/// A convolution of interleaved groups: channel `c` of the image belongs to group `c % groups`. Its inputs
/// are those of [`Fused::Convolution`]; weights, bias and residual are in the order of its output channels.
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The convolution, with the attributes of the Conv in the file.
    pub inner: Epilogued,
    /// The group of each output channel.
    pub out_groups: Arc<[usize]>,
}

impl fmt::Display for Fused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fused::Convolution(inner) | Fused::Product(inner) => {
                write!(f, "{} then {:?}", inner.operator, inner.activation)
            }
            Fused::Dequantized(Dequantized { product, .. }) => {
                let Epilogued { operator, activation } = product;
                write!(f, "Dequantized {operator} then {activation:?}")
            }
            Fused::Attention(Attention { scale, groups, .. }) => match groups {
                1 => write!(f, "Attention by {scale}"),
                _ => write!(f, "Attention by {scale} in groups of {groups}"),
            },
            Fused::Affine(activation) => write!(f, "Affine then {activation:?}"),
            Fused::Interleaved(convolution) => {
                let inner = &convolution.inner;
                write!(f, "Interleaved {} then {:?}", inner.operator, inner.activation)
            }
            Fused::Bytes(inner) => write!(f, "{} on bytes", inner.operator),
            Fused::Rearrange(sources) => write!(f, "Rearrange to {} channels", sources.len()),
            Fused::Rounded(Rounded { function, to }) => match function {
                Some(function) => write!(f, "{function:?} rounded to {to:?}"),
                None => write!(f, "Rounded to {to:?}"),
            },
            Fused::Reorder => write!(f, "Reorder"),
        }
    }
}
