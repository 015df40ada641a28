//! Images with channels last.

use super::{ByteImages, ByteLayout};
use crate::Pool;
use crate::conv::Window;
use crate::error::{KernelError, Result, need, product};
use crate::memory::{Shared, Zeroable};

/// A plane with fewer pixels is not divided among threads.
const GRAIN: usize = 4 * 1024;

/// Returns the number of elements of images with channels padded to a multiple of four.
pub(super) fn channels_last_len(batch: usize, channels: usize, pixels: usize) -> Result<usize> {
    let channels = channels.checked_next_multiple_of(4);
    product(
        "int8 image",
        &[
            batch,
            pixels,
            channels.ok_or(KernelError::Overflow("int8 image"))?,
        ],
    )
}

/// The rows and columns of padding before and after an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pads {
    before: [usize; 2],
    after: [usize; 2],
}

impl Pads {
    pub fn of(window: &Window) -> Self {
        Self {
            before: window.pad_begin,
            after: window.pad_end,
        }
    }

    /// Returns the size including the padding.
    pub fn around(&self, size: [usize; 2]) -> Result<[usize; 2]> {
        let axis = |axis: usize| {
            let sum = size[axis].checked_add(self.before[axis])?;
            sum.checked_add(self.after[axis])
        };
        match (axis(0), axis(1)) {
            (Some(rows), Some(columns)) => Ok([rows, columns]),
            _ => Err(KernelError::Overflow("int8 image")),
        }
    }
}

/// Converts elements of `[batch][channels][pixels]` from one layout to the other; `from` is that of `x`.
pub fn relayout<T: Zeroable>(
    pool: &Pool,
    [batch, channels, pixels]: [usize; 3],
    from: ByteLayout,
    x: &[T],
    y: &mut [T],
) -> Result<()> {
    let plain = product("int8 image", &[batch, channels, pixels])?;
    let last = channels_last_len(batch, channels, pixels)?;
    let (from_len, to_len) = match from {
        ByteLayout::Plain => (plain, last),
        ByteLayout::ChannelsLast => (last, plain),
    };
    need("int8 image: source", from_len, x.len())?;
    need("int8 image: result", to_len, y.len())?;
    if plain == 0 {
        return Ok(());
    }
    if from == ByteLayout::ChannelsLast {
        to_plain(pool, [batch, channels, pixels], x, y);
        return Ok(());
    }
    let pixel = channels.next_multiple_of(4);
    let y = Shared::new(y);
    pool.split(batch * pixels, GRAIN, |range| {
        for image in range.start / pixels..range.end.div_ceil(pixels) {
            let first = range.start.max(image * pixels);
            let count = range.end.min((image + 1) * pixels) - first;
            // SAFETY: pixels are disjoint, each belongs to one thread.
            let target = unsafe { y.part(first * pixel, count * pixel) };
            let plane = |channel: usize| {
                let channel = channel.min(channels - 1);
                &x[(image * channels + channel) * pixels + first % pixels..][..count]
            };
            interleave(plane, target, pixel, |value| value);
        }
    });
    Ok(())
}

/// Interleaves the elements of planes, padded to a multiple of four for each pixel, and applies `f` to each.
fn interleave<'p, T: Zeroable>(
    plane: impl Fn(usize) -> &'p [T],
    target: &mut [T],
    pixel: usize,
    f: impl Fn(T) -> T,
) {
    for quad in 0..pixel / 4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| plane(4 * quad + i));
        let target = target[4 * quad..].chunks_mut(pixel);
        for ((((target, a), b), c), d) in target.zip(a).zip(b).zip(c).zip(d) {
            target[..4].copy_from_slice(&[f(*a), f(*b), f(*c), f(*d)]);
        }
    }
}

/// Writes images with channels last, unsigned, padded with their zero point; `size` is that of the result.
pub(super) fn lay_out(
    pool: &Pool,
    images: &ByteImages,
    channels: usize,
    pads: &Pads,
    size: [usize; 2],
    y: &mut [u8],
) {
    let (raw, flip) = (images.x.raw(), images.x.flip_to_unsigned());
    let outside = images.zero as u8 ^ flip;
    let pixel = channels.next_multiple_of(4);
    let row_len = size[1] * pixel;
    let [height, width] = images.size;
    let y = Shared::new(y);
    pool.split(images.batch * size[0], (GRAIN / size[1].max(1)).max(1), |range| {
        for line in range {
            let (image, row) = (line / size[0], (line % size[0]).wrapping_sub(pads.before[0]));
            // SAFETY: lines are disjoint, each belongs to one thread.
            let target = unsafe { y.part(line * row_len, row_len) };
            if row >= height {
                target.fill(outside);
                continue;
            }
            let (before, rest) = target.split_at_mut(pads.before[1] * pixel);
            let (inside, after) = rest.split_at_mut(width * pixel);
            before.fill(outside);
            after.fill(outside);
            if images.layout == ByteLayout::ChannelsLast {
                let source = &raw[(image * height + row) * width * pixel..][..width * pixel];
                inside
                    .iter_mut()
                    .zip(source)
                    .for_each(|(target, byte)| *target = byte ^ flip);
                continue;
            }
            let plane = |channel: usize| {
                let channel = channel.min(channels - 1);
                &raw[((image * channels + channel) * height + row) * width..][..width]
            };
            interleave(plane, inside, pixel, |byte| byte ^ flip);
        }
    });
}

/// Converts channels last to planes, `[batch][channels][pixels]`.
pub(super) fn to_plain<T: Copy + Send + Sync>(
    pool: &Pool,
    [batch, channels, pixels]: [usize; 3],
    x: &[T],
    y: &mut [T],
) {
    let pixel = channels.next_multiple_of(4);
    let quads = pixel / 4;
    let y = Shared::new(y);
    pool.split(batch * quads, (GRAIN / pixels.max(1)).max(1), |range| {
        for index in range {
            let (image, first) = (index / quads, index % quads * 4);
            let count = 4.min(channels - first);
            // SAFETY: planes are disjoint, each belongs to one thread.
            let target = unsafe { y.part((image * channels + first) * pixels, count * pixels) };
            let source = x[image * pixels * pixel + first..].chunks(pixel).take(pixels);
            for (at, quad) in source.enumerate() {
                for channel in 0..count {
                    target[channel * pixels + at] = quad[channel];
                }
            }
        }
    });
}
