//! What faster code does with an operator. The row of the operator states it.
//!
//! `kernels` binds the kernel to shapes and types, `passes` merges it into other nodes, and `exec` plans it.
//! None of them knows an operator by its name, except a pass that searches for a pattern of several.

use native_kernels::Activation;
use native_kernels::elementwise::{Binary, Unary};
use native_kernels::norm::Softmax;
use native_kernels::reduce::Reduction;

use crate::attributes::Attributes;
use crate::error::Problem;

/// A function of one real number.
pub type RealFunction = Box<dyn Fn(f64) -> f64 + Send>;

/// The kernel of an operator, used where shapes, types and attributes allow it.
#[derive(Clone, Copy, Debug)]
pub enum Fast {
    /// A function of one value, which convolutions and products can apply to their sums.
    Activation(fn(&Attributes) -> Result<Activation, Problem>),
    /// The same, with bounds as inputs.
    Clip,
    /// A function of one value.
    Unary(Unary),
    /// A function of two values that broadcast.
    Binary(Binary),
    /// A power, if the exponent is constant.
    Power,
    /// A pooling of images.
    Pool(Pooled),
    /// Softmax or its logarithm.
    Softmax(Softmax),
    Normalization(Normalization),
    /// A reduction along adjacent axes.
    Reduce(Reduction),
    /// A change of type.
    Cast,
    /// Another order of the axes.
    Transpose,
    /// The operands one after the other along an axis.
    Concat,
    /// Parts of the operand along an axis.
    Split,
    /// Elements along strides.
    Strided(Strided),
    /// Elements at indices along an axis.
    Gather,
    /// Elements at indices that have coordinates.
    Places(Placed),
    /// Elements around the operand.
    Pad,
    /// An image of another size.
    Resize,
    /// Images at the points of a grid.
    GridSample,
    /// One of two values by a condition, all of which broadcast.
    Select,
    Attention,
    Convolution {
        /// Whether it is a transposed one.
        transposed: bool,
    },
    /// A product of matrices.
    Product(Product),
    /// A recurrent layer.
    Recurrent(Gates),
    /// A mixture of experts.
    Experts {
        /// Whether the weights are quantized: QMoE.
        quantized: bool,
    },
    /// An operator that reads or writes quantized values.
    Quantized(Quantized),
}

/// A pooling of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pooled {
    /// Whether it gives the mean; else the maximum.
    pub mean: bool,
    /// Whether the window is the whole image.
    pub global: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Normalization {
    /// Of the last axes: LayerNormalization.
    Layer,
    /// Of the last axes by their mean square: RMSNormalization.
    MeanSquare,
    /// Of groups of channels: InstanceNormalization and GroupNormalization.
    Groups,
    /// By the neighbouring channels: LRN.
    Neighbours,
}

/// Elements along strides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strided {
    Slice,
    Expand,
    Tile,
}

/// What is done with the elements that indices name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    GatherElements,
    /// GatherND.
    GatherRows,
    ScatterElements,
    /// ScatterND.
    ScatterRows,
}

/// A product of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// Gemm: two matrices, which can be transposed, with factors and a summand.
    General,
    /// MatMul: matrices whose other axes broadcast.
    Stacked,
}

/// The gates of a recurrent layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gates {
    /// RNN.
    One,
    /// GRU.
    Three,
    /// LSTM.
    Four,
    /// DynamicQuantizeLSTM: an LSTM whose weights are bytes, and whose operands are quantized as they come.
    FourOfBytes,
}

impl Gates {
    /// The activations of one direction, if attributes do not name others.
    pub fn defaults(self) -> &'static [&'static str] {
        match self {
            Gates::One => &["Tanh"],
            Gates::Three => &["Sigmoid", "Tanh"],
            Gates::Four | Gates::FourOfBytes => &["Sigmoid", "Tanh", "Tanh"],
        }
    }
}

/// An operator that reads or writes quantized values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantized {
    /// QuantizeLinear.
    Quantize,
    /// DequantizeLinear.
    Dequantize,
    /// DynamicQuantizeLinear.
    DynamicQuantize,
    /// QLinearConv.
    Convolution,
    /// ConvInteger.
    ConvolutionSums,
    /// QLinearMatMul.
    Product,
    /// MatMulInteger.
    ProductSums,
}
