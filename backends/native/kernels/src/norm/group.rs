//! Group normalization; instance normalization has groups of one channel.

use super::layer::moments;
use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// Normalizes each of `groups` groups of channels of `x` (`[batch][channels][pixels]`) to mean 0 and variance
/// 1, then scales and shifts each channel.
#[allow(clippy::too_many_arguments)]
pub fn group_norm(
    pool: &Pool,
    [batch, channels, pixels]: [usize; 3],
    groups: usize,
    x: &[f32],
    scale: &[f32],
    bias: &[f32],
    epsilon: f32,
    y: &mut [f32],
) -> Result<()> {
    ensure(
        groups > 0 && channels.is_multiple_of(groups),
        "group_norm",
        || format!("{groups} groups do not divide {channels} channels"),
    )?;
    let len = product("group_norm", &[batch, channels, pixels])?;
    need("group_norm: source", len, x.len())?;
    need("group_norm: result", len, y.len())?;
    need("group_norm: scale", channels, scale.len())?;
    need("group_norm: bias", channels, bias.len())?;
    let of_group = channels / groups;
    let group_len = of_group * pixels;
    let y = Shared::new(y);
    pool.split(
        if len == 0 { 0 } else { batch * groups },
        (4096 / group_len.max(1)).max(1),
        |range| {
            for group in range {
                // SAFETY: groups are disjoint, each belongs to one thread.
                let y = unsafe { y.part(group * group_len, group_len) };
                let first = group % groups * of_group;
                pool.isa().run(Group {
                    x: &x[group * group_len..][..group_len],
                    y,
                    pixels,
                    scale: &scale[first..first + of_group],
                    bias: &bias[first..first + of_group],
                    epsilon,
                });
            }
        },
    );
    Ok(())
}

struct Group<'a> {
    x: &'a [f32],
    y: &'a mut [f32],
    pixels: usize,
    scale: &'a [f32],
    bias: &'a [f32],
    epsilon: f32,
}

impl Kernel for Group<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (mean, factor) = moments(s, self.x, self.epsilon, true);
        let mean = s.splat(mean);
        self.y.copy_from_slice(self.x);
        let channels = self
            .y
            .chunks_exact_mut(self.pixels)
            .zip(self.scale.iter().zip(self.bias));
        for (channel, (scale, bias)) in channels {
            let (scale, bias) = (s.splat(scale * factor), s.splat(*bias));
            crate::math::map_in_place(
                s,
                channel,
                #[inline(always)]
                |x| s.fma(s.sub(x, mean), scale, bias),
            );
        }
    }
}
