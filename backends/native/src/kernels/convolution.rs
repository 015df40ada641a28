//! Convolutions over one or two spatial axes, with images in the plain or blocked layout.

use std::sync::Arc;

use native_kernels::conv::{
    ConvShape, Convolution, Depthwise, InputLayout, Interleaved, Taps, Winograd, WinogradTile,
};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::reduce::all_below;
use native_kernels::{Activation, Bias, Buffer, Epilogue, Residual};
use onnx_tensor::Tensor;

use super::careful::Careful;
use super::trim::trimmed;
use super::used::kept;
use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::{Epilogued, Layout, Operator};
use crate::ops::{Rounding, Window, check_filters, two_axes};

/// An image with fewer channels than this is read in the plain layout, because most of a block would be
/// padding.
const FEW_CHANNELS: usize = 8;

/// Whether a Conv with filters of this shape has a kernel.
pub fn is_convolution(weights: &[usize]) -> bool {
    matches!(weights.len(), 3 | 4) && !weights.contains(&0)
}

/// Whether a Conv over images of shape `x` with filters of shape `w` has a kernel. Padding that would be
/// copied can be too large for it.
pub fn convolves(operator: &Operator, x: &[usize], w: &[usize]) -> bool {
    let shape = shape_of(operator, x, w).ok().flatten();
    let size = x.get(2..).and_then(|input| two_axes(input, 1));
    matches!((shape, size), (Some(shape), Some(size)) if shape.check_padding(size).is_ok())
}

/// Whether an image with this number of channels is read in the plain layout.
pub fn reads_plain(operator: &Operator, channels: usize) -> bool {
    channels < FEW_CHANNELS && operator.attributes.int("group").is_ok_and(|groups| groups == 1)
}

/// A convolution with packed weights.
enum Packed {
    Direct(Convolution),
    Depthwise(Depthwise),
    Interleaved(Interleaved),
    Winograd(Winograd),
    Taps(Taps),
}

/// Which kernel computes a convolution.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Direct(InputLayout),
    Depthwise,
    Winograd(WinogradTile),
    Taps,
}

impl Choice {
    /// Selects the fastest kernel that is allowed.
    fn new(
        device: &Device,
        shape: &ConvShape,
        layout: InputLayout,
        batch: usize,
        size: [usize; 2],
    ) -> Choice {
        if layout == InputLayout::Blocked {
            if Depthwise::fits(shape) {
                return Choice::Depthwise;
            }
            if Taps::pays(&device.pool, shape, size) {
                return Choice::Taps;
            }
            let tile = Winograd::choose(&device.pool, shape, batch, size).filter(|_| device.winograd);
            if let Some(tile) = tile {
                return Choice::Winograd(tile);
            }
        }
        Choice::Direct(layout)
    }
}

impl Packed {
    fn new(device: &Device, shape: ConvShape, choice: Choice, weights: &[f32]) -> Result<Packed, Problem> {
        let pool = &device.pool;
        Ok(match choice {
            Choice::Direct(layout) => Packed::Direct(Convolution::new(pool, shape, layout, weights)?),
            Choice::Depthwise => Packed::Depthwise(Depthwise::new(pool, shape, weights)?),
            Choice::Winograd(tile) => Packed::Winograd(Winograd::new(pool, shape, tile, weights)?),
            Choice::Taps => Packed::Taps(Taps::new(pool, shape, weights)?),
        })
    }

    /// Whether an element of an image changes only results whose window it is in, also if it is not finite.
    fn is_local(&self) -> bool {
        match self {
            Packed::Direct(convolution) => !convolution.mixes_groups(),
            Packed::Depthwise(_) | Packed::Taps(_) => true,
            Packed::Interleaved(_) | Packed::Winograd(_) => false,
        }
    }
}

/// Whether kernels may skip the padding: a weight that is infinite or NaN makes NaN of its zeros.
pub fn is_finite(weights: &[f32]) -> bool {
    all_below(weights, f32::INFINITY)
}

/// Returns the channels and the window of a Conv over images of shape `x` with filters of shape `w`; `None`
/// if kernels do not support the number of axes.
pub fn shape_of(operator: &Operator, x: &[usize], w: &[usize]) -> Result<Option<ConvShape>, Problem> {
    let (&[_, in_channels, ref input @ ..], &[out_channels, _, ref kernel @ ..]) = (x, w) else {
        return Ok(None);
    };
    check_filters(&operator.attributes, x, w, None)?;
    let found = Window::new(&operator.attributes, input, kernel, Rounding::Down)?;
    let groups = usize::try_from(operator.attributes.int("group")?).unwrap_or(0);
    Ok(found.two_axes().map(|window| ConvShape {
        in_channels,
        out_channels,
        groups,
        window,
    }))
}

/// Lowers a convolution, or one of interleaved groups with the group of each output channel.
pub fn lower(used: &Use, device: &Device, inner: &Epilogued, out_groups: Option<&[usize]>) -> Attempt {
    let Epilogued { operator, activation } = inner;
    let (Some(x), Some(w), Some(weights)) = (used.float(0), used.float(1), used.floats(1)) else {
        return Ok(None);
    };
    let (Some(shape), &[batch, in_channels, ref input @ ..]) =
        (shape_of(operator, &x.shape, &w.shape)?, &x.shape[..])
    else {
        return Ok(None);
    };
    let (window, out_channels) = (shape.window, shape.out_channels);
    let Some(size) = two_axes(input, 1).filter(|&size| shape.check_padding(size).is_ok()) else {
        return Ok(None);
    };
    if batch == 0 || !is_convolution(&w.shape) || (used.has(2) && used.floats(2).is_none()) {
        return Ok(None);
    }
    let reads_plain = out_groups.is_none() && x.layout == Layout::Plain && reads_plain(operator, in_channels);
    let layout = if reads_plain {
        InputLayout::Plain
    } else {
        InputLayout::Blocked
    };
    let constants: Vec<&Tensor> = used.constant(1).into_iter().collect();
    let packed = match out_groups {
        Some(groups) => device.packs.get(&constants, (shape, groups), || {
            let interleaved = Interleaved::new(&device.pool, shape, groups, weights)?;
            Ok(Packed::Interleaved(interleaved))
        })?,
        None => {
            let (shape, weights) = trimmed(shape, size, weights);
            let choice = Choice::new(device, &shape, layout, batch, size);
            device.packs.get(&constants, (shape, choice), || {
                Packed::new(device, shape, choice, &weights)
            })?
        }
    };
    let bias = if used.has(2) {
        kept(used.floats(2))?
    } else {
        Vec::new()
    };
    let (in_pixels, out_size) = (size[0] * size[1], window.output(size)?);
    let out_pixels = out_size[0] * out_size[1];
    let unblocked = |layout: Layout| layout == Layout::Plain;
    let image = (unblocked(x.layout) && !reads_plain)
        .then(|| blocked_len(&device.pool, batch, in_channels, in_pixels).and_then(Buffer::<f32>::try_zeroed))
        .transpose()?;
    let result_len = blocked_len(&device.pool, batch, out_channels, out_pixels)?;
    let residual_layout = used.float(3).map(|residual| residual.layout);
    if used.has(3) && residual_layout.is_none() {
        return Ok(None);
    }
    let careful = if packed.is_local() {
        None
    } else {
        Careful::new(used, inner)
    };
    let kernel = Bound {
        careful: careful.filter(|_| out_groups.is_none()),
        packed,
        batch,
        size,
        in_channels,
        in_pixels,
        out_channels,
        out_pixels,
        bias,
        activation: *activation,
        image,
        residual: residual_layout
            .filter(|&layout| unblocked(layout))
            .map(|_| Buffer::try_zeroed(result_len))
            .transpose()?,
        result: unblocked(used.layout)
            .then(|| Buffer::try_zeroed(result_len))
            .transpose()?,
    };
    let mut reads = vec![0];
    reads.extend(used.has(3).then_some(3));
    let mut kernel = kernel;
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        kernel.run(device, inputs, outputs)
    })
}

/// A convolution with buffers for operands and results in the plain layout.
struct Bound {
    packed: Arc<Packed>,
    /// For images that are not finite, if the kernel spreads such elements.
    careful: Option<Careful>,
    batch: usize,
    size: [usize; 2],
    in_channels: usize,
    in_pixels: usize,
    out_channels: usize,
    out_pixels: usize,
    bias: Vec<f32>,
    activation: Activation,
    image: Option<Buffer<f32>>,
    residual: Option<Buffer<f32>>,
    result: Option<Buffer<f32>>,
}

impl Bound {
    fn run(&mut self, device: &Device, inputs: &[&[f32]], outputs: &mut [&mut [f32]]) -> Result<(), Problem> {
        let pool = &device.pool;
        if let Some(careful) = &self.careful
            && Careful::is_needed(inputs[0])
        {
            return careful.run(pool, inputs[0], inputs.get(1).copied(), outputs[0]);
        }
        if let Some(image) = &mut self.image {
            to_blocked(
                pool,
                self.batch,
                self.in_channels,
                self.in_pixels,
                inputs[0],
                image,
            )?;
        }
        let x = self.image.as_deref().unwrap_or(inputs[0]);
        if let (Some(residual), Some(given)) = (&mut self.residual, inputs.get(1)) {
            to_blocked(
                pool,
                self.batch,
                self.out_channels,
                self.out_pixels,
                given,
                residual,
            )?;
        }
        let residual = self.residual.as_deref().or(inputs.get(1).copied());
        let epilogue = Epilogue {
            bias: if self.bias.is_empty() {
                Bias::None
            } else {
                Bias::Column(&self.bias)
            },
            residual: residual.map_or(Residual::None, Residual::Add),
            activation: self.activation,
        };
        let direct = &mut *outputs[0];
        let y = self.result.as_deref_mut().unwrap_or(direct);
        let (batch, size) = (self.batch, self.size);
        match &*self.packed {
            Packed::Direct(convolution) => convolution.run(pool, batch, size, x, &epilogue, y)?,
            Packed::Depthwise(convolution) => convolution.run(pool, batch, size, x, &epilogue, y)?,
            Packed::Interleaved(convolution) => convolution.run(pool, batch, size, x, &epilogue, y)?,
            Packed::Winograd(convolution) => convolution.run(pool, batch, size, x, &epilogue, y)?,
            Packed::Taps(convolution) => convolution.run(pool, batch, size, x, &epilogue, y)?,
        }
        if let Some(result) = &self.result {
            from_blocked(
                pool,
                self.batch,
                self.out_channels,
                self.out_pixels,
                result,
                outputs[0],
            )?;
        }
        Ok(())
    }
}
