//! Direct convolution: the micro-kernel iterates over channels and taps of a strip of the image.

use std::ops::Range;

use super::few;
use super::pack::{self, InputLayout, Part};
use super::shape::ConvShape;
use super::strip::subsample;
use super::tiles::{Call, Source, Target};
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::gemm::tile::{self, VECTORS};
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool, scratch};

/// A convolution with packed weights.
#[derive(Clone, Debug)]
pub struct Convolution {
    pub(super) isa: Isa,
    pub(super) shape: ConvShape,
    pub(super) layout: InputLayout,
    pub(super) parts: Vec<Part>,
    pub(super) weights: Buffer<f32>,
    /// Whether the lanes of the kernel are channels of the image, and not of the result.
    pub(super) few: bool,
}

impl Convolution {
    /// Packs `weights` (`[out][in / groups][ky][kx]`) for images of the given layout and the kernels of this
    /// pool.
    pub fn new(pool: &Pool, shape: ConvShape, layout: InputLayout, weights: &[f32]) -> Result<Self> {
        shape.check()?;
        let parts = pack::parts(&shape, pool.isa());
        let few = few::fits(&shape, layout, pool.isa());
        let weights = if few {
            few::pack(&shape, pool.isa(), weights)?
        } else {
            pack::pack(pool, &shape, layout, &parts, weights)?
        };
        Ok(Self {
            few,
            isa: pool.isa(),
            shape,
            layout,
            parts,
            weights,
        })
    }

    /// The shape of the convolution.
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    /// Whether a result is a sum over channels of other groups, with zeros as weights: an infinite value in
    /// one group makes NaN of results of another.
    pub fn mixes_groups(&self) -> bool {
        let own = self.shape.in_channels / self.shape.groups.max(1);
        self.shape.groups > 1 && self.parts.iter().any(|part| part.inputs.len() > own)
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.weights.len() * size_of::<f32>()
    }

    /// Computes `y = activation(x * weights + bias + residual)` for `batch` images of `size` =
    /// `[height, width]`.
    ///
    /// `x` has the layout given to [`Self::new`]; `y` and a residual are blocked. The bias has one value for
    /// each output channel. The padding of the last block of `y` is set to zero.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let window = self.shape.window;
        self.shape.check_padding(size)?;
        let block = self.layout.block(self.isa);
        let in_blocks = self.shape.in_channels.div_ceil(block);
        let (output, _) = check_operands(
            ["convolution", "convolution: image", "convolution: result"],
            &self.shape,
            [block, self.isa.lanes()],
            batch,
            size,
            [x.len(), y.len()],
            epilogue,
        )?;
        let call = Call {
            conv: self,
            window,
            size,
            output,
            skip: [0; 2],
            x,
            source: Source::dense(in_blocks, size, block),
            epilogue,
            y: Shared::new(y),
            target: Target::dense(self.out_blocks(), output, self.isa.lanes()),
        };
        if !window.is_single_tap() {
            self.divide(pool, batch, &call);
            return Ok(());
        }
        // A single tap reads one long row of pixels; unused pixels are removed first.
        if window.stride == [1; 2] {
            self.divide(pool, batch, &call.flat(x));
        } else {
            let planes = batch * in_blocks;
            scratch::with(planes * block * output[0] * output[1], |seen| {
                subsample(pool, window.stride, block, planes, size, x, output, seen);
                self.divide(pool, batch, &call.flat(seen));
            });
        }
        Ok(())
    }

    pub(super) fn out_blocks(&self) -> usize {
        self.shape.out_channels.div_ceil(self.isa.lanes())
    }

    /// Divides the work among threads: by rows (single taps: by tiles), unless parts of the channels divide
    /// more evenly.
    fn divide(&self, pool: &Pool, batch: usize, call: &Call) {
        let flat = call.window.is_single_tap();
        let rows = tile::rows(self.isa, VECTORS, self.isa.lanes());
        let units = if flat {
            call.output[1].div_ceil(rows)
        } else {
            call.output[0]
        };
        let idle = |pieces: usize| pieces.div_ceil(pool.threads()) * pool.threads() * 1000 / pieces.max(1);
        let by_parts = idle(self.parts.len()) < idle(batch * units) || batch * units < pool.threads();
        let all = 0..self.parts.len();
        let work = |image: usize, units: Range<usize>, parts: Range<usize>| {
            if flat {
                let columns = units.start * rows..(units.end * rows).min(call.output[1]);
                call.strips(image, 0..1, columns, parts);
            } else {
                call.strips(image, units, 0..call.output[1], parts);
            }
        };
        if by_parts {
            pool.split(self.parts.len(), 1, |parts| {
                (0..batch).for_each(|image| work(image, 0..units, parts.clone()));
            });
        } else {
            pool.split(batch * units, 1, |range| {
                for image in range.start / units..range.end.div_ceil(units) {
                    let first = image * units;
                    let own = range.start.max(first) - first..range.end.min(first + units) - first;
                    work(image, own, all.clone());
                }
            });
        }
    }
}

/// Fails unless a call has operands of sufficient length; returns the size and the length of the result.
/// Channels of the image and of the result are in blocks of these numbers. The names are those of the
/// convolution, its image and its result in errors.
pub(super) fn check_operands(
    [what, image, result]: [&'static str; 3],
    shape: &ConvShape,
    [in_block, out_block]: [usize; 2],
    batch: usize,
    size: [usize; 2],
    [x_len, y_len]: [usize; 2],
    epilogue: &Epilogue,
) -> Result<([usize; 2], usize)> {
    let output = shape.window.output(size)?;
    let len = |channels: usize, block: usize, [height, width]: [usize; 2]| {
        product(what, &[batch, channels.div_ceil(block), block, height, width])
    };
    need(image, len(shape.in_channels, in_block, size)?, x_len)?;
    let len = len(shape.out_channels, out_block, output)?;
    need(result, len, y_len)?;
    check_epilogue(epilogue, shape.out_channels, len)?;
    Ok((output, len))
}

pub(super) fn check_epilogue(epilogue: &Epilogue, channels: usize, len: usize) -> Result<()> {
    match epilogue.bias {
        Bias::None => {}
        Bias::Column(bias) => need("convolution: bias", channels, bias.len())?,
        Bias::Row(_) => ensure(false, "convolution", || "the bias must be one of columns".into())?,
    }
    match epilogue.residual {
        Residual::Add(residual) => need("convolution: residual", len, residual.len()),
        Residual::None | Residual::Output => Ok(()),
    }
}
