//! Images with the channels of a pixel side by side.

use super::{ByteImages, ByteLayout};
use crate::Pool;
use crate::conv::Window;
use crate::error::{KernelError, Result, product};
use crate::memory::Shared;

/// Pixels below which a plane is not divided.
const GRAIN: usize = 4 * 1024;

/// Elements of images whose pixels are filled up to whole quads of channels.
pub(super) fn channels_last_len(batch: usize, channels: usize, pixels: usize) -> Result<usize> {
    product("int8 image", &[batch, pixels, channels.next_multiple_of(4)])
}

/// Rows and columns of padding before and after an image.
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

    /// The size with the padding.
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

/// Writes images with channels last, unsigned, and with their zero point around them; `size` is that of the result.
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
            // SAFETY: lines are disjoint, each is one thread's.
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
            for quad in 0..pixel / 4 {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| plane(4 * quad + i));
                let target = inside[4 * quad..].chunks_mut(pixel);
                for ((((target, a), b), c), d) in target.zip(a).zip(b).zip(c).zip(d) {
                    target[..4].copy_from_slice(&[a ^ flip, b ^ flip, c ^ flip, d ^ flip]);
                }
            }
        }
    });
}

/// From channels last to planes, `[batch][channels][pixels]`.
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
            // SAFETY: planes are disjoint, each is one thread's.
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
