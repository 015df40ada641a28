//! Convolutions of bytes: if the channels of a pixel are adjacent, a window is a row of each of its taps.

use super::depthwise::Depthwise;
use super::finish::{Finish, Zeros, needs_row_sums};
use super::grouped::Grouped;
use super::image::{Pads, channels_last_len, lay_out, to_plain};
use super::strip::{Strips, multiply_all};
use super::{Bytes, Dot, Int8Weights, Target};
use crate::Pool;
use crate::conv::ConvShape;
use crate::error::{Result, ensure, need, product, room};
use crate::memory::{Buffer, Shared};

/// The layout of an image of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteLayout {
    /// `[batch][channels][height][width]`.
    Plain,
    /// `[batch][height][width][channels]`, channels padded to a multiple of four with bytes of any value.
    ChannelsLast,
}

impl ByteLayout {
    /// Returns the number of elements of `batch` images; fails on overflow.
    pub fn len(self, batch: usize, channels: usize, pixels: usize) -> Result<usize> {
        match self {
            Self::Plain => product("int8 image", &[batch, channels, pixels]),
            Self::ChannelsLast => channels_last_len(batch, channels, pixels),
        }
    }
}

/// The images of a convolution.
#[derive(Clone, Copy, Debug)]
pub struct ByteImages<'a> {
    /// The number of images.
    pub batch: usize,
    /// The numbers of rows and columns.
    pub size: [usize; 2],
    pub layout: ByteLayout,
    /// The bytes.
    pub x: Bytes<'a>,
    /// The zero point, which is also the value of padding.
    pub zero: i32,
}

/// A convolution of bytes with packed weights.
#[derive(Clone, Debug)]
pub struct Int8Convolution {
    shape: ConvShape,
    zero: Vec<i32>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// Multiplies rows of channels by columns of filters.
    Whole(Int8Weights),
    /// Multiplies each channel by its own filter.
    Depthwise(Depthwise),
    /// Groups have too few channels for that.
    Grouped(Grouped),
}

impl Int8Convolution {
    /// Packs `weights` (`[out][in / groups][ky][kx]`) with one zero point for all, or one for each output
    /// channel.
    pub fn new(pool: &Pool, shape: ConvShape, weights: Bytes, zero: &[i32]) -> Result<Self> {
        Self::with_dot(pool, Dot::of(pool.isa()), shape, weights, zero)
    }

    /// Like [`Self::new`] for a given instruction set; fails if this processor does not have it.
    pub fn with_dot(pool: &Pool, dot: Dot, shape: ConvShape, weights: Bytes, zero: &[i32]) -> Result<Self> {
        dot.check()?;
        let len = shape.check()?;
        need("int8 convolution: weights", len, weights.len())?;
        ensure(
            zero.len() == 1 || zero.len() == shape.out_channels,
            "int8 convolution",
            || format!("{} zero points for {} channels", zero.len(), shape.out_channels),
        )?;
        let taps = shape.window.kernel.iter().product();
        let form = if Depthwise::fits(&shape) && shape.groups > 1 {
            Form::Depthwise(Depthwise::new(shape, weights, zero)?)
        } else if shape.groups == 1 {
            let extents = [shape.out_channels, shape.in_channels, taps];
            Form::Whole(Int8Weights::filters(pool, dot, weights, extents)?)
        } else {
            Form::Grouped(Grouped::new(pool, dot, shape, weights, len, zero))
        };
        Ok(Self {
            shape,
            zero: zero.to_vec(),
            form,
        })
    }

    /// Whether images of this convolution may be [`ByteLayout::ChannelsLast`].
    pub fn takes_channels_last(shape: &ConvShape) -> bool {
        shape.groups == 1 || Depthwise::fits(shape)
    }

    /// Whether there is memory for a call with `batch` images of `size`, which are copied with their padding.
    pub fn fits(shape: &ConvShape, batch: usize, size: [usize; 2]) -> bool {
        let padded = Pads::of(&shape.window).around(size);
        let len = |[rows, columns]: [usize; 2]| {
            let pixel = shape
                .in_channels
                .checked_next_multiple_of(4)
                .unwrap_or(usize::MAX);
            room("padded int8 image", &[batch, rows, columns, pixel])
        };
        shape.check().is_ok() && padded.and_then(len).is_ok()
    }

    /// Computes `y = (x - x_zero) * (weights - zero) + bias`, exactly, wrapping at 32 bits, and stores it as
    /// the target states; its columns are the output channels. `y_layout` is the layout of the result.
    pub fn run(
        &self,
        pool: &Pool,
        images: &ByteImages,
        bias: Option<&[i32]>,
        y_layout: ByteLayout,
        y: Target,
    ) -> Result<()> {
        let output = self.shape.window.output(images.size)?;
        ensure(!images.size.contains(&0), "int8 convolution", || {
            "the image has no pixels".into()
        })?;
        self.check(images, output, bias, y_layout, &y)?;
        if images.batch * output[0] * output[1] == 0 {
            return Ok(());
        }
        if let Form::Grouped(grouped) = &self.form {
            return grouped.run(pool, images, output, bias, y);
        }
        if y_layout == ByteLayout::ChannelsLast {
            return self.channels_last(pool, images, output, bias, y);
        }
        let (outs, pixels) = (self.shape.out_channels, output[0] * output[1]);
        let len = channels_last_len(images.batch, outs, pixels)?;
        let extents = [images.batch, outs, pixels];
        match y {
            Target::Sums(y) => {
                let mut sums = Buffer::<i32>::zeroed(len);
                self.channels_last(pool, images, output, bias, Target::Sums(&mut sums))?;
                to_plain(pool, extents, &sums, y);
            }
            Target::Bytes { y, scale, zero } => {
                let mut bytes = Buffer::<u8>::zeroed(len);
                let lies = y.as_kind(&mut bytes);
                let target = Target::Bytes { y: lies, scale, zero };
                self.channels_last(pool, images, output, bias, target)?;
                to_plain(pool, extents, &bytes, y.raw());
            }
        }
        Ok(())
    }

    fn check(
        &self,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y_layout: ByteLayout,
        y: &Target,
    ) -> Result<()> {
        let what = "int8 convolution";
        let ConvShape {
            in_channels,
            out_channels,
            ..
        } = self.shape;
        let [pixels, out_pixels] = [product(what, &images.size)?, product(what, &output)?];
        let x_len = images.layout.len(images.batch, in_channels, pixels)?;
        need("int8 convolution: image", x_len, images.x.len())?;
        let y_len = y_layout.len(images.batch, out_channels, out_pixels)?;
        y.check("int8 convolution: result", y_len, out_channels)?;
        let biases = bias.map_or(0, |_| out_channels);
        need("int8 convolution: bias", biases, bias.map_or(0, <[i32]>::len))?;
        let plain = [images.layout, y_layout] == [ByteLayout::Plain; 2];
        ensure(plain || !matches!(self.form, Form::Grouped(_)), what, || {
            "grouped convolutions support only the plain layout".into()
        })
    }

    /// Computes the result with channels last.
    fn channels_last(
        &self,
        pool: &Pool,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y: Target,
    ) -> Result<()> {
        match &self.form {
            Form::Whole(weights) => self.whole(pool, weights, images, output, bias, y),
            Form::Depthwise(depthwise) => depthwise.run(pool, images, output, bias, y),
            Form::Grouped(grouped) => grouped.run(pool, images, output, bias, y),
        }
    }

    /// Multiplies rows of channels.
    fn whole(
        &self,
        pool: &Pool,
        weights: &Int8Weights,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y: Target,
    ) -> Result<()> {
        let (window, channels) = (&self.shape.window, self.shape.in_channels);
        let pads = Pads::of(window);
        let flip = images.x.flip_to_unsigned();
        let lies = images.layout == ByteLayout::ChannelsLast && flip == 0 && pads == Pads::default();
        let size = pads.around(images.size)?;
        let copy = if lies {
            None
        } else {
            let pixel = channels.next_multiple_of(4);
            let len = room("padded int8 image", &[images.batch, size[0], size[1], pixel])?;
            let mut copy = Buffer::try_zeroed(len)?;
            lay_out(pool, images, channels, &pads, size, &mut copy);
            Some(copy)
        };
        let pixel = channels.next_multiple_of(4);
        let step = [0, 1].map(|axis| window.dilation[axis] * if axis == 0 { size[1] * pixel } else { pixel });
        let taps = (0..window.kernel[0]).flat_map(|ky| (0..window.kernel[1]).map(move |kx| [ky, kx]));
        let taps: Vec<usize> = taps.map(|[ky, kx]| ky * step[0] + kx * step[1]).collect();
        let strips = Strips {
            a: copy.as_deref().unwrap_or(images.x.raw()),
            images: [images.batch, size[0] * size[1] * pixel],
            lines: [output[0], window.stride[0] * size[1] * pixel],
            rows: [output[1], window.stride[1] * pixel],
            taps: &taps,
        }
        .joined();
        let row_sums = if needs_row_sums(weights, &self.zero) {
            row_sums(pool, &strips, channels)
        } else {
            Vec::new()
        };
        let left = [images.zero.wrapping_add(i32::from(flip))];
        let zeros = Zeros {
            left: &left,
            row_sums: &row_sums,
            right: &self.zero,
        };
        let stride = self.shape.out_channels.next_multiple_of(4);
        let finish = Finish::new(pool.isa(), weights, &zeros, bias, y, stride);
        multiply_all(pool, weights, &strips, &finish);
        Ok(())
    }
}

/// Returns for each row the sum of `at_tap` bytes at all of its taps.
fn row_sums(pool: &Pool, strips: &Strips, at_tap: usize) -> Vec<i32> {
    let lines = strips.images[0] * strips.lines[0];
    let [rows, apart] = strips.rows;
    let mut sums = vec![0; lines * rows];
    let shared = Shared::new(&mut sums);
    pool.split(lines, 1, |range| {
        for line in range {
            // SAFETY: lines are disjoint, each belongs to one thread.
            let sums = unsafe { shared.part(line * rows, rows) };
            for (row, sum) in sums.iter_mut().enumerate() {
                let first = strips.line(line) + row * apart;
                let taps = strips.taps.iter().map(|tap| &strips.a[first + tap..][..at_tap]);
                *sum = taps
                    .flatten()
                    .fold(0, |sum: i32, byte| sum.wrapping_add(i32::from(*byte)));
            }
        }
    });
    sums
}
