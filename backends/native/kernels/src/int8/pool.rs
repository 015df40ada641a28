//! Maximum pooling of bytes.

use super::{ByteLayout, Bytes, BytesMut};
use crate::Pool;
use crate::error::{Result, need, product};
use crate::memory::Shared;
use crate::pool::PoolShape;
use crate::simd::{Kernel, Simd};

/// Computes the maximum of each window of images of `[batch, channels]` and `size`. Images and result are
/// [`ByteLayout::ChannelsLast`]. Padding is ignored; a window with only padding results in the minimum of the
/// type.
pub fn max_pool(
    pool: &Pool,
    [batch, channels]: [usize; 2],
    size: [usize; 2],
    shape: &PoolShape,
    x: Bytes,
    y: BytesMut,
) -> Result<()> {
    let output = shape.output(size)?;
    let layout = ByteLayout::ChannelsLast;
    let what = "int8 pooling";
    let [pixels, places] = [product(what, &size)?, product(what, &output)?];
    need(
        "int8 pooling: image",
        layout.len(batch, channels, pixels)?,
        x.len(),
    )?;
    need(
        "int8 pooling: result",
        layout.len(batch, channels, places)?,
        y.len(),
    )?;
    let call = Call {
        size,
        output,
        shape,
        pixel: channels.next_multiple_of(4),
    };
    match (x, y) {
        (Bytes::Signed(x), BytesMut::Signed(y)) => call.run(pool, batch, x, y, i8::MIN),
        (Bytes::Unsigned(x), BytesMut::Unsigned(y)) => call.run(pool, batch, x, y, u8::MIN),
        _ => {
            return Err(crate::KernelError::Geometry {
                what: "int8 pooling",
                why: "image and result have different types".to_owned(),
            });
        }
    }
    Ok(())
}

struct Call<'a> {
    size: [usize; 2],
    output: [usize; 2],
    shape: &'a PoolShape,
    pixel: usize,
}

impl Call<'_> {
    fn run<T: Ord + Copy + Send + Sync>(&self, pool: &Pool, batch: usize, x: &[T], y: &mut [T], least: T) {
        let [rows, columns] = self.output;
        let row_len = columns * self.pixel;
        let y = Shared::new(y);
        let width = self.size[1] * self.pixel;
        pool.split(if row_len == 0 { 0 } else { batch * rows }, 1, |range| {
            // The maxima of the rows that a line of windows reads.
            let mut tallest = vec![least; width];
            for line in range {
                // SAFETY: lines are disjoint, each belongs to one thread.
                let target = unsafe { y.part(line * row_len, row_len) };
                let first = line / rows * self.size[0];
                tallest.fill(least);
                for seen in self.seen(0, line % rows) {
                    let x = &x[(first + seen) * width..][..width];
                    pool.isa().run(Larger { x, y: &mut tallest });
                }
                let tallest = &tallest;
                pool.isa().run(Across {
                    call: self,
                    tallest,
                    least,
                    target,
                });
            }
        });
    }

    /// Returns the positions along an axis that a window reads.
    fn seen(&self, axis: usize, place: usize) -> impl Iterator<Item = usize> {
        let window = &self.shape.window;
        let (count, first) = window.taps(axis, self.size[axis], place);
        let step = window.dilation[axis];
        (0..count).map(move |tap| first + tap * step)
    }
}

/// Computes the maxima of the windows of a line from those of its rows.
struct Across<'a, T> {
    call: &'a Call<'a>,
    tallest: &'a [T],
    least: T,
    target: &'a mut [T],
}

impl<T: Ord + Copy> Kernel for Across<'_, T> {
    type Output = ();

    /// Vectorized by the compiler with this instruction set.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let pixel = self.call.pixel;
        for (column, target) in self.target.chunks_exact_mut(pixel).enumerate() {
            target.fill(self.least);
            for seen in self.call.seen(1, column) {
                let x = &self.tallest[seen * pixel..][..pixel];
                Larger { x, y: &mut *target }.run(s);
            }
        }
    }
}

struct Larger<'a, T> {
    x: &'a [T],
    y: &'a mut [T],
}

impl<T: Ord + Copy> Kernel for Larger<'_, T> {
    type Output = ();

    /// Vectorized by the compiler with this instruction set.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.y.iter_mut().zip(self.x).for_each(|(y, x)| *y = (*y).max(*x));
    }
}
