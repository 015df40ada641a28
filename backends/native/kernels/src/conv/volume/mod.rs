//! Convolutions over three axes, and transposed convolutions over one to three: sums of direct ones.
//!
//! A transposed convolution with stride `s` has `s` kinds of results along an axis, each a direct convolution
//! with some of the taps and stride 1 ([`axis`]). So nothing is unfolded and no sum is scattered. Along the
//! depth, a result is the sum of one plane for each tap.

mod axis;
mod blocks;
mod filters;

use std::sync::Arc;

use self::axis::{Phase, phases};
pub use self::filters::VolumeFilters;
use super::direct::{Convolution, check_epilogue};
use super::pack::InputLayout;
use super::shape::{ConvShape, MAX_STEP, Window};
use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need, product, room};
use crate::memory::Shared;
use crate::{Isa, Pool};

/// The geometry of a convolution. Arrays are `[depth, vertical, horizontal]`; an axis that does not exist has
/// an extent, a kernel, a stride and a dilation of 1 and begins at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VolumeShape {
    /// Whether the convolution is transposed.
    pub transposed: bool,
    /// The number of channels of the image.
    pub in_channels: usize,
    /// The number of channels of the result.
    pub out_channels: usize,
    /// The number of groups of channels.
    pub groups: usize,
    /// The extents of the image.
    pub size: [usize; 3],
    /// The extents of the result.
    pub output: [usize; 3],
    /// The number of taps.
    pub kernel: [usize; 3],
    /// The distance of adjacent windows; transposed: of the results of adjacent pixels.
    pub stride: [usize; 3],
    /// The distance of adjacent taps.
    pub dilation: [usize; 3],
    /// The padding before the image; transposed: the number of results that are cut off.
    pub begin: [usize; 3],
}

/// The maximum number of direct convolutions.
const MAX_PARTS: usize = 4096;

impl VolumeShape {
    /// Fails unless a [`Volume`] can be made: the groups divide the channels, extents are at least 1, these
    /// and all steps are at most [`MAX_STEP`], and padded copies fit into working memory.
    pub fn check(&self) -> Result<()> {
        let what = "convolution";
        for (name, values, least) in [
            ("image", self.size, 1),
            ("result", self.output, 1),
            ("kernel", self.kernel, 1),
            ("stride", self.stride, 1),
            ("dilation", self.dilation, 1),
            ("begin", self.begin, 0),
        ] {
            let sound = values.iter().all(|value| (least..=MAX_STEP).contains(value));
            ensure(sound, what, || {
                format!("{name} {values:?}: expected {least} to {MAX_STEP}")
            })?;
        }
        ConvShape {
            in_channels: self.in_channels,
            out_channels: self.out_channels,
            groups: self.groups,
            window: Window::square(1, 1, 0),
        }
        .check()?;
        product(what, &[self.weights()?, Isa::Avx512.lanes()])?;
        let filters = self.of_filters();
        let [depth, vertical, horizontal] = [0, 1, 2].map(|axis| phases(&filters, axis));
        let parts = product(what, &[vertical.len(), horizontal.len(), self.kernel[0]])?;
        ensure(parts <= MAX_PARTS && depth.len() <= MAX_PARTS, what, || {
            format!("{parts} parts are needed, the limit is {MAX_PARTS}")
        })?;
        let channels = self.in_channels.next_multiple_of(Isa::Avx512.lanes());
        let [vertical, horizontal] = [1, 2].map(|axis| phases(self, axis));
        for (down, right) in vertical
            .iter()
            .flat_map(|down| horizontal.iter().map(move |right| (down, right)))
        {
            let columns = blocks::MAX_COLUMNS.min(right.count) * right.stride + right.extent();
            room("padded image", &[down.extent(), columns, channels])?;
        }
        Ok(())
    }

    /// Returns what packed weights depend on: no extents, and of the cut results those that decide which taps
    /// belong together.
    pub fn of_filters(self) -> VolumeShape {
        let [depth, height, width] = self.stride;
        let [near, up, left] = self.begin;
        let (output, begin) = if self.transposed {
            // There are as many kinds of results as the stride has steps.
            (
                self.stride,
                [near % depth.max(1), up % height.max(1), left % width.max(1)],
            )
        } else {
            ([1; 3], [0; 3])
        };
        VolumeShape {
            size: [1; 3],
            output,
            begin,
            ..self
        }
    }

    /// The number of weights.
    fn weights(&self) -> Result<usize> {
        let [kd, kh, kw] = self.kernel;
        let (channels, divided) = if self.transposed {
            (self.in_channels, self.out_channels)
        } else {
            (self.out_channels, self.in_channels)
        };
        product(
            "convolution",
            &[channels, divided / self.groups.max(1), kd, kh, kw],
        )
    }

    /// Returns the weights of one tap of the depth and some of the other taps,
    /// `[out][in / groups][rows][columns]`.
    fn select(&self, weights: &[f32], depth: usize, rows: &[usize], columns: &[usize]) -> Vec<f32> {
        let (ins, outs) = (self.in_channels / self.groups, self.out_channels / self.groups);
        let [kd, kh, kw] = self.kernel;
        let mut selected = Vec::with_capacity(self.out_channels * ins * rows.len() * columns.len());
        for out in 0..self.out_channels {
            for channel in 0..ins {
                let filter = if self.transposed {
                    (out / outs * ins + channel) * outs + out % outs
                } else {
                    out * ins + channel
                };
                let first = (filter * kd + depth) * kh;
                for row in rows {
                    let line = &weights[(first + row) * kw..][..kw];
                    selected.extend(columns.iter().map(|&column| line[column]));
                }
            }
        }
        selected
    }
}

/// Results with the same taps along both axes of a plane.
#[derive(Clone, Debug)]
struct Part {
    down: Phase,
    right: Phase,
    /// The convolution of each tap of the depth.
    taps: Arc<[Convolution]>,
}

/// A convolution over three axes, or a transposed one, of images of fixed extents.
#[derive(Clone, Debug)]
pub struct Volume {
    isa: Isa,
    shape: VolumeShape,
    layout: InputLayout,
    depth: Vec<Phase>,
    parts: Vec<Part>,
}

impl Volume {
    /// Binds packed weights to the extents of an image. An error if they were packed for another geometry.
    pub fn new(shape: VolumeShape, filters: &VolumeFilters) -> Result<Self> {
        let what = "convolution";
        shape.check()?;
        let other = || format!("the weights are packed for {:?}", filters.shape);
        ensure(shape.of_filters() == filters.shape, what, other)?;
        let [depth, vertical, horizontal] = [0, 1, 2].map(|axis| phases(&shape, axis));
        let mut parts = Vec::with_capacity(vertical.len() * horizontal.len());
        for down in &vertical {
            for right in &horizontal {
                let taps = filters.of(down, right);
                ensure(taps.is_some(), what, other)?;
                parts.extend(taps.map(|taps| Part {
                    down: down.clone(),
                    right: right.clone(),
                    taps,
                }));
            }
        }
        Ok(Self {
            isa: filters.isa,
            shape,
            layout: filters.layout,
            depth,
            parts,
        })
    }

    /// Whether a result is a sum over channels of other groups, with zeros as weights: an infinite value in
    /// one group makes NaN of results of another.
    pub fn mixes_groups(&self) -> bool {
        let mut taps = self.parts.iter().flat_map(|part| part.taps.iter());
        taps.any(Convolution::mixes_groups)
    }

    /// Computes `y = activation(x * weights + bias)` for `batch` images. `x` has the layout that the weights
    /// were packed for, `y` is blocked; the padding of its last block is set to zero. A residual is an
    /// error.
    ///
    /// No result depends on the number of threads.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let what = "convolution";
        let block = self.layout.block(self.isa);
        let [depth, height, width] = self.shape.size;
        let planes = self.shape.in_channels.div_ceil(block);
        need(
            "convolution: image",
            product(what, &[batch, planes, block, depth, height, width])?,
            x.len(),
        )?;
        let [depth, height, width] = self.shape.output;
        let (blocks, lanes) = (
            self.shape.out_channels.div_ceil(self.isa.lanes()),
            self.isa.lanes(),
        );
        let len = product(what, &[batch, blocks, lanes, depth, height, width])?;
        need("convolution: result", len, y.len())?;
        check_epilogue(epilogue, self.shape.out_channels, len)?;
        ensure(matches!(epilogue.residual, Residual::None), what, || {
            "a residual is not supported".into()
        })?;
        let call = blocks::Call::new(self, x, epilogue, Shared::new(y));
        call.run(pool, batch);
        Ok(())
    }
}
