//! Binds nodes to fast kernels for f32 and bytes, which cover most of the run time of models.
//!
//! [`lower`] is called for every node with known shapes. It returns a [`Kernel`] with everything that can be
//! prepared once (weights packed, loops planned), or `None`: then the node runs over whole values (`ops`).
//! The arithmetic is in the crate `native-kernels`; nothing here is unsafe.

mod activation;
mod affine;
mod attention;
mod binary;
mod careful;
mod conversion;
mod convolution;
mod device;
mod elements;
mod experts;
mod gather;
mod grid;
mod half_row;
mod halves;
mod movement;
mod moving;
mod normalization;
mod packs;
mod padding;
mod places;
mod pooling;
mod product;
mod quantized;
mod rearrange;
mod recording;
mod recurrent;
mod reduce;
mod reorder;
mod resize;
mod rounded;
mod rounded_once;
mod select;
mod softmax;
mod strided;
mod trim;
mod used;
mod volume;
mod weights;

pub use activation::{activation_of, apply as apply_activation};
pub use binary::is_by_channel;
pub use convolution::{convolves, is_convolution, is_finite, reads_plain, shape_of};
pub use device::{Device, Steps};
pub use elements::{Elements, ElementsMut, words};
pub use halves::{half_type, widened_tensor};
pub use movement::copy_each;
pub use packs::Packs;
pub use quantized::{MAX_SUMMAND, combines, convolves_channels_last, is_uniform, pools_bytes};
pub use recording::Recording;
pub use rounded::is_rounded;
pub use used::Use;
pub use volume::convolves_volumes;
pub use weights::{SCALE, rows_of_a_scale};

use std::ops::Range;

use native_kernels::elementwise::Unary;

use crate::error::Problem;
use crate::ir::{Fused, Graph, Interleaved, Node, Op, Operator};
use crate::ops::fast::Fast;

/// Code for fixed shapes.
pub trait Kernel {
    /// Computes `outputs` from `inputs`, which have the types, lengths and layouts of the lowered node.
    fn run(
        &mut self,
        device: &Device,
        inputs: &[Elements],
        outputs: &mut [ElementsMut],
    ) -> Result<(), Problem>;
}

impl<F: FnMut(&Device, &[Elements], &mut [ElementsMut]) -> Result<(), Problem>> Kernel for F {
    fn run(
        &mut self,
        device: &Device,
        inputs: &[Elements],
        outputs: &mut [ElementsMut],
    ) -> Result<(), Problem> {
        self(device, inputs, outputs)
    }
}

/// A kernel that only reads and writes f32.
fn floats(
    mut kernel: impl FnMut(&Device, &[&[f32]], &mut [&mut [f32]]) -> Result<(), Problem> + 'static,
) -> Box<dyn Kernel> {
    Box::new(
        move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
            let inputs = inputs.iter().map(|input| input.floats());
            let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
            let outputs = outputs.iter_mut().map(ElementsMut::floats);
            kernel(device, &inputs, &mut outputs.collect::<Result<Vec<_>, _>>()?)
        },
    )
}

/// A kernel with its operands and results.
pub struct Lowered {
    pub kernel: Box<dyn Kernel>,
    /// The positions of the node's inputs that it reads at run time; constants may be stored in the kernel.
    pub reads: Vec<usize>,
    /// The number of elements of each used output of the node.
    pub lengths: Vec<usize>,
    /// If the only output is the concatenation of the operands: the range of each. No kernel is needed for
    /// operands that are computed there.
    pub places: Option<Vec<Range<usize>>>,
}

impl Lowered {
    /// Makes a kernel for f32 that reads these inputs.
    pub fn new(
        used: &Use,
        device: &Device,
        reads: Vec<usize>,
        kernel: impl FnMut(&Device, &[&[f32]], &mut [&mut [f32]]) -> Result<(), Problem> + 'static,
    ) -> Result<Option<Lowered>, Problem> {
        Lowered::of(used, device, reads, floats(kernel))
    }

    /// Makes a kernel for any elements that reads these inputs.
    pub fn of(used: &Use, device: &Device, reads: Vec<usize>, kernel: Box<dyn Kernel>) -> Attempt {
        Ok(Some(Lowered {
            kernel,
            reads,
            lengths: used.lengths(device),
            places: None,
        }))
    }
}

/// `None` if the node has no kernel; it then runs over whole values.
type Attempt = Result<Option<Lowered>, Problem>;

/// Returns the kernel of a node, if there is one for its operator, shapes and element types.
pub fn lower(used: &Use, device: &Device) -> Attempt {
    if let Some(attempt) = quantized::lower(used, device) {
        return attempt;
    }
    if let Some(attempt) = conversion::lower(used, device) {
        return attempt;
    }
    if let Some(attempt) = moving::lower(used, device) {
        return attempt;
    }
    if let Some(attempt) = halves::lower(used, device) {
        return attempt;
    }
    if used.has_float_outputs() {
        lower_floats(used, device)
    } else {
        Ok(None)
    }
}

/// Whether a kernel serves a node of a composed operator, with the shapes that are known.
pub fn serves(graph: &Graph, node: &Node) -> bool {
    let (Op::Plain(operator), Some(used)) = (&node.op, Use::of(graph, node)) else {
        return false;
    };
    match operator.row.fast {
        Some(Fast::Recurrent(gates)) => recurrent::serves(&used, operator, gates),
        Some(Fast::Experts { quantized }) => experts::serves(&used, operator, quantized),
        _ => false,
    }
}

/// Returns the kernel of a node whose outputs are f32.
fn lower_floats(used: &Use, device: &Device) -> Attempt {
    match used.op {
        Op::Fused(Fused::Convolution(inner)) => convolution::lower(used, device, inner, None),
        Op::Fused(Fused::Interleaved(Interleaved { inner, out_groups })) => {
            convolution::lower(used, device, inner, Some(out_groups))
        }
        Op::Fused(Fused::Product(inner)) => product::lower(used, device, inner, None),
        Op::Fused(Fused::Dequantized(inner)) => {
            product::lower(used, device, &inner.product, Some(&inner.dequantize))
        }
        Op::Fused(Fused::Attention(inner)) => attention::lower_fused(used, device, inner),
        Op::Fused(Fused::Affine(inner)) => affine::lower(used, device, inner),
        Op::Fused(Fused::Rearrange(sources)) => rearrange::lower(used, device, sources),
        Op::Fused(Fused::Rounded(inner)) => rounded::lower(used, device, inner),
        Op::Fused(Fused::Reorder) => reorder::lower(used, device),
        Op::Plain(operator) => match operator.row.fast {
            Some(kernel) => lower_operator(used, device, operator, kernel),
            None => Ok(None),
        },
        Op::Fused(Fused::Bytes(_)) | Op::If { .. } | Op::Repeat { .. } => Ok(None),
    }
}

/// Returns the kernel of an operator whose outputs are f32.
fn lower_operator(used: &Use, device: &Device, operator: &Operator, kernel: Fast) -> Attempt {
    match kernel {
        Fast::Activation(function) => {
            let function = Unary::Activation(function(&operator.attributes)?);
            activation::lower(used, device, function)
        }
        Fast::Clip => activation::clip(used, device),
        Fast::Unary(function) => activation::lower(used, device, function),
        Fast::Binary(function) => binary::lower(used, device, function),
        Fast::Power => binary::power(used, device),
        Fast::Pool(pooled) => pooling::lower(used, device, operator, pooled),
        Fast::Softmax(kind) => softmax::lower(used, device, operator, kind),
        Fast::Normalization(kind) => normalization::lower(used, device, operator, kind),
        Fast::Reduce(reduction) => reduce::lower(used, device, operator, reduction),
        Fast::Transpose => movement::transpose(used, device, operator),
        Fast::Concat => movement::concat(used, device, operator),
        Fast::Split => movement::split(used, device, operator),
        Fast::Strided(kind) => strided::lower(used, device, operator, kind),
        Fast::Gather => gather::lower(used, device, operator),
        Fast::Places(kind) => places::lower(used, device, operator, kind),
        Fast::Pad => padding::lower(used, device, operator),
        Fast::Resize => resize::lower(used, device, operator),
        Fast::GridSample => grid::lower(used, device, operator),
        Fast::Attention => attention::lower(used, device, operator),
        Fast::Convolution { .. } => volume::lower(used, device, operator),
        Fast::Select => select::lower(used, device),
        Fast::Recurrent(gates) => recurrent::lower(used, device, operator, gates),
        Fast::Experts { quantized } => experts::lower(used, device, operator, quantized),
        // Plain products become fused ones; the others do not give f32 from f32.
        Fast::Product(_) | Fast::Cast | Fast::Quantized(_) => Ok(None),
    }
}
