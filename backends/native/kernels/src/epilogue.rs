//! The operations of a matrix product or a convolution on its sums before it stores them.

use crate::half::Half;

/// A function of one value, applied last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Activation {
    /// `x`
    #[default]
    Identity,
    /// `max(x, 0)`; NaN is preserved.
    Relu,
    /// `min(max(x, low), high)`; NaN is preserved.
    Clip {
        /// The lower bound.
        low: f32,
        /// The upper bound.
        high: f32,
    },
    /// `x` if positive, else `slope · x`.
    LeakyRelu {
        /// The factor of negative values.
        slope: f32,
    },
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `tanh x`
    Tanh,
    /// `x/2 · (1 + erf(x / √2))`
    Gelu,
    /// `x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`
    GeluTanh,
    /// `x · max(0, min(1, alpha·x + beta))`; HardSwish has `alpha = 1/6`, `beta = 1/2`.
    HardSwish {
        /// The slope of the gate.
        alpha: f32,
        /// The offset of the gate.
        beta: f32,
    },
    /// `max(0, min(1, alpha·x + beta))`
    HardSigmoid {
        /// The slope.
        alpha: f32,
        /// The offset.
        beta: f32,
    },
    /// `x · sigmoid(alpha · x)`; Swish and SiLU have `alpha = 1`.
    Swish {
        /// The factor inside of the sigmoid.
        alpha: f32,
    },
    /// `x` if positive, else `alpha · (e^x - 1)`.
    Elu {
        /// The factor of negative values.
        alpha: f32,
    },
    /// `max(0, x) + min(0, alpha · (e^(x / alpha) - 1))`
    Celu {
        /// The distance from 0 at which the function bends.
        alpha: f32,
    },
    /// `gamma · x` if positive, else `gamma · alpha · (e^x - 1)`.
    Selu {
        /// The factor of negative values.
        alpha: f32,
        /// The factor of all values.
        gamma: f32,
    },
    /// `ln(1 + e^x)`
    Softplus,
    /// `x · tanh(ln(1 + e^x))`
    Mish,
    /// The number of a narrower type that is nearest to `min(max(x, low), high)`; NaN is preserved.
    Narrow {
        /// The type.
        to: Half,
        /// The lower bound.
        low: f32,
        /// The upper bound.
        high: f32,
    },
}

impl Activation {
    /// Returns the rounding to the nearest number of a half type.
    pub const fn nearest(to: Half) -> Activation {
        Self::Narrow {
            to,
            low: f32::NEG_INFINITY,
            high: f32::INFINITY,
        }
    }

    /// Whether it contains an elementary function, which is computed with an error above half a unit.
    pub fn is_elementary(self) -> bool {
        match self {
            Self::Sigmoid
            | Self::Tanh
            | Self::Gelu
            | Self::GeluTanh
            | Self::Swish { .. }
            | Self::Elu { .. }
            | Self::Celu { .. }
            | Self::Selu { .. }
            | Self::Softplus
            | Self::Mish => true,
            Self::Identity
            | Self::Relu
            | Self::Clip { .. }
            | Self::LeakyRelu { .. }
            | Self::HardSwish { .. }
            | Self::HardSigmoid { .. }
            | Self::Narrow { .. } => false,
        }
    }

    /// Whether its value for every number of a half type is a number of that type.
    pub fn keeps(self, half: Half) -> bool {
        match self {
            Self::Identity | Self::Relu => true,
            Self::Clip { low, high } => half.has(low) && half.has(high),
            Self::Narrow { to, low, high } => to == half && half.has(low) && half.has(high),
            _ => false,
        }
    }

    /// Whether the inner kernel applies it to its registers. Others take a second pass over stored values
    /// that are still in the L1 cache.
    pub(crate) fn is_cheap(self) -> bool {
        matches!(
            self,
            Self::Identity | Self::Relu | Self::Clip { .. } | Self::LeakyRelu { .. } | Self::Narrow { .. }
        )
    }
}

/// Values that are added once for each column or each row.
#[derive(Clone, Copy, Debug, Default)]
pub enum Bias<'a> {
    /// No bias.
    #[default]
    None,
    /// `bias[j]` to every element of column `j` (for a convolution: of output channel `j`).
    Column(&'a [f32]),
    /// `bias[i]` to every element of row `i`; matrix products only.
    Row(&'a [f32]),
}

/// A tensor of the output's shape and layout that is added.
#[derive(Clone, Copy, Debug, Default)]
pub enum Residual<'a> {
    /// No residual.
    #[default]
    None,
    /// These values, with the strides of the output.
    Add(&'a [f32]),
    /// The previous content of the output.
    Output,
}

/// `activation(sum + bias + residual)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// The bias of columns or rows.
    pub bias: Bias<'a>,
    /// The elementwise summand.
    pub residual: Residual<'a>,
    pub activation: Activation,
}
