//! One value for each channel with every pixel of an image: squeeze-and-excitation.

use crate::Pool;
use crate::error::{Result, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// A function of a pixel and the value of its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByChannel {
    /// `x + value`
    Add,
    /// `x · value`
    Mul,
}

/// Computes `y = op(x, value)` in the blocked layout: `x` and `y` are `[planes][pixels][c]`, `values` is
/// `[planes][c]`, where a plane is a block of channels of one image.
pub fn by_channel(
    pool: &Pool,
    op: ByChannel,
    [planes, pixels]: [usize; 2],
    x: &[f32],
    values: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let lanes = pool.isa().lanes();
    let plane = product("by channel", &[pixels, lanes])?;
    let len = product("by channel", &[planes, plane])?;
    need("by channel: image", len, x.len())?;
    need(
        "by channel: values",
        product("by channel", &[planes, lanes])?,
        values.len(),
    )?;
    need("by channel: result", len, y.len())?;
    let y = Shared::new(y);
    let count = if plane == 0 { 0 } else { planes };
    pool.split(count, (16 * 1024 / plane.max(1)).max(1), |planes| {
        for index in planes {
            // SAFETY: planes are disjoint, each is one thread's.
            let y = unsafe { y.part(index * plane, plane) };
            pool.isa().run(Plane {
                op,
                x: &x[index * plane..][..plane],
                values: &values[index * lanes..][..lanes],
                y,
            });
        }
    });
    Ok(())
}

struct Plane<'a> {
    op: ByChannel,
    x: &'a [f32],
    values: &'a [f32],
    y: &'a mut [f32],
}

impl Kernel for Plane<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let pairs = self
            .y
            .chunks_exact_mut(S::LANES)
            .zip(self.x.chunks_exact(S::LANES));
        // SAFETY: `values` and each of the chunks have as many values as a vector.
        unsafe {
            let values = s.load(self.values.as_ptr());
            for (y, x) in pairs {
                let x = s.load(x.as_ptr());
                let result = match self.op {
                    ByChannel::Add => s.add(x, values),
                    ByChannel::Mul => s.mul(x, values),
                };
                s.store(y.as_mut_ptr(), result);
            }
        }
    }
}
