//! Pooling: the maximum or the mean of the pixels in a window.

mod blocked;
mod plain;

use std::ops::Range;

use crate::conv::Window;
use crate::elementwise::ChannelLayout;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::{Pool, scratch};

/// The function of the pixels in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// The maximum; NaN if any pixel is NaN.
    Max,
    /// The mean.
    Average {
        /// Whether padding counts as zeros; otherwise only pixels of the image count.
        include_pad: bool,
    },
}

/// A pooling of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolShape {
    pub window: Window,
    /// The function.
    pub pooling: Pooling,
    /// Whether a window that only starts inside of the padded image counts too. One that starts in the
    /// padding after the image does not.
    pub ceil_mode: bool,
}

impl PoolShape {
    /// Returns the number of windows in an image of `size`.
    pub fn output(&self, size: [usize; 2]) -> Result<[usize; 2]> {
        let mut output = self.window.output(size)?;
        if self.ceil_mode {
            for axis in 0..2 {
                let window = &self.window;
                let next = output[axis] * window.stride[axis];
                let reached = (output[axis] - 1) * window.stride[axis] + window.extent(axis);
                let padded = size[axis] + window.pad_begin[axis] + window.pad_end[axis];
                if reached < padded && next < size[axis] + window.pad_begin[axis] {
                    output[axis] += 1;
                }
            }
        }
        Ok(output)
    }

    /// Returns the divisor of a sum over window `index` along `axis` of an image with this extent.
    pub(crate) fn divisor(&self, axis: usize, size: usize, index: usize) -> usize {
        let window = &self.window;
        match self.pooling {
            Pooling::Average { include_pad: true } => {
                let padded = size + window.pad_begin[axis] + window.pad_end[axis];
                let fits = padded
                    .saturating_sub(index * window.stride[axis])
                    .div_ceil(window.dilation[axis]);
                fits.min(window.kernel[axis])
            }
            _ => window.taps(axis, size, index).0,
        }
    }
}

/// Pools every channel of an image of `[batch, channels]` and `size`, in either layout.
pub fn pool(
    pool: &Pool,
    layout: ChannelLayout,
    [batch, channels]: [usize; 2],
    size: [usize; 2],
    shape: &PoolShape,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let output = shape.output(size)?;
    let block = match layout {
        ChannelLayout::Plain => 1,
        ChannelLayout::Blocked => pool.isa().lanes(),
    };
    let planes = product("pool", &[batch, channels.div_ceil(block)])?;
    need(
        "pool: image",
        product("pool", &[planes, block, size[0], size[1]])?,
        x.len(),
    )?;
    let len = product("pool", &[planes, block, output[0], output[1]])?;
    need("pool: result", len, y.len())?;
    if len == 0 {
        return Ok(());
    }
    let mut call = Call {
        size,
        output,
        shape,
        columns: Vec::new(),
        divisors: Vec::new(),
        shifts: None,
        x,
        y: Shared::new(y),
    };
    call.columns = (0..output[1]).map(|x| call.column(x)).collect();
    call.divisors = (0..output[1]).map(|x| call.divisor(1, x) as f32).collect();
    call.shifts = call.shifts();
    let rows = planes * output[0];
    let grain = (4096 / (output[1] * block)).max(1);
    pool.split(rows, grain, |range| {
        let call = &call;
        let len = match layout {
            ChannelLayout::Plain => call.shifts.as_ref().map_or(size[1], |shifts| shifts.len),
            ChannelLayout::Blocked => size[1] * block,
        };
        scratch::with(len, |line| {
            let rows = Rows { call, range, line };
            match layout {
                ChannelLayout::Blocked => pool.isa().run(blocked::Blocked(rows)),
                ChannelLayout::Plain => pool.isa().run(plain::Plain(rows)),
            }
        });
    });
    Ok(())
}

/// Computes one value for each channel from all of its pixels: `y` is `[batch][channels]`, or blocked like an
/// image of one pixel.
pub fn global_pool(
    pool: &Pool,
    layout: ChannelLayout,
    [batch, channels, pixels]: [usize; 3],
    pooling: Pooling,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    ensure(pixels > 0, "global_pool", || "the image has no pixels".into())?;
    let reduction = match pooling {
        Pooling::Max => crate::reduce::Reduction::Max,
        Pooling::Average { .. } => crate::reduce::Reduction::Mean,
    };
    let (planes, block) = match layout {
        ChannelLayout::Plain => (product("global_pool", &[batch, channels])?, 1),
        ChannelLayout::Blocked => {
            let lanes = pool.isa().lanes();
            (product("global_pool", &[batch, channels.div_ceil(lanes)])?, lanes)
        }
    };
    crate::reduce::reduce(pool, reduction, [planes, pixels, block], x, y)
}

/// The parts of one call that do not depend on the row.
struct Call<'a> {
    size: [usize; 2],
    output: [usize; 2],
    shape: &'a PoolShape,
    columns: Vec<Column>,
    /// For each column of the result: the number of pixels that a mean divides by.
    divisors: Vec<f32>,
    /// The taps of windows that move by one pixel, in the plain layout.
    shifts: Option<plain::Shifts>,
    x: &'a [f32],
    y: Shared<'a, f32>,
}

/// Some rows of the result, numbered over all planes.
struct Rows<'a> {
    call: &'a Call<'a>,
    range: Range<usize>,
    /// A buffer for a row of the image.
    line: &'a mut [f32],
}

/// The part of a row that a window reads.
#[derive(Clone, Copy)]
struct Column {
    /// The number of taps inside of the image.
    count: usize,
    /// The pixel of the first of them.
    first: usize,
}

impl Call<'_> {
    fn column(&self, index: usize) -> Column {
        let (count, first) = self.taps(1, index);
        Column { count, first }
    }

    /// Returns the number of taps of window `index` along `axis` inside of the image, and the pixel of the
    /// first.
    fn taps(&self, axis: usize, index: usize) -> (usize, usize) {
        self.shape.window.taps(axis, self.size[axis], index)
    }

    /// Returns the divisor of a sum over the window along `axis`.
    fn divisor(&self, axis: usize, index: usize) -> usize {
        self.shape.divisor(axis, self.size[axis], index)
    }
}
