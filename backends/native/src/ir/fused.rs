//! Nodes that passes make out of several.

use std::fmt;

use native_kernels::Activation;

use super::op::Operator;

/// What a fused node does.
#[derive(Clone, Debug)]
pub enum Fused {
    /// `activation(Conv(x, w) + bias + residual)` in f32 over two spatial axes.
    Convolution(Epilogued),
    /// `activation(a x b + bias + residual)` in f32: MatMul or Gemm.
    Product(Epilogued),
    /// `activation(x * scale + shift)` in f32, one scale and one shift for each channel.
    Affine(Activation),
    /// Channels seen as a matrix of so many rows, which is transposed.
    Shuffle(usize),
    /// Between the plain layout of an image and the blocked one.
    Reorder,
}

/// A Conv, MatMul or Gemm, and what is done to its sums. Its inputs: two operands, bias (or none), residual (or none).
#[derive(Clone, Debug)]
pub struct Epilogued {
    /// The operator itself.
    pub operator: Operator,
    /// What is applied last.
    pub activation: Activation,
}

impl Epilogued {
    /// The operator alone.
    pub fn plain(operator: &Operator) -> Epilogued {
        Epilogued {
            operator: operator.clone(),
            activation: Activation::Identity,
        }
    }
}

impl fmt::Display for Fused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fused::Convolution(inner) | Fused::Product(inner) => {
                write!(f, "{} then {:?}", inner.operator, inner.activation)
            }
            Fused::Affine(activation) => write!(f, "Affine then {activation:?}"),
            Fused::Shuffle(rows) => write!(f, "Shuffle of {rows} rows"),
            Fused::Reorder => write!(f, "Reorder"),
        }
    }
}
