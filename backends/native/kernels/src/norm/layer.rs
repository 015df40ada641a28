//! Layer and root-mean-square normalization of rows.

use crate::Pool;
use crate::error::{Result, need, product};
use crate::memory::Shared;
use crate::reduce::{sum, sum_of_squares};
use crate::simd::{Kernel, Simd};

/// Computes `y = (x - mean) / √(variance + epsilon) · scale + bias` for each of `rows` rows of `n` values;
/// scale and bias have `n`.
#[allow(clippy::too_many_arguments)]
pub fn layer_norm(
    pool: &Pool,
    [rows, n]: [usize; 2],
    x: &[f32],
    scale: &[f32],
    bias: Option<&[f32]>,
    epsilon: f32,
    y: &mut [f32],
) -> Result<()> {
    normalise(pool, [rows, n], x, scale, bias, epsilon, true, y)
}

/// Computes `y = x / √(mean of squares + epsilon) · scale` for each row.
pub fn rms_norm(
    pool: &Pool,
    [rows, n]: [usize; 2],
    x: &[f32],
    scale: &[f32],
    epsilon: f32,
    y: &mut [f32],
) -> Result<()> {
    normalise(pool, [rows, n], x, scale, None, epsilon, false, y)
}

#[allow(clippy::too_many_arguments)]
fn normalise(
    pool: &Pool,
    [rows, n]: [usize; 2],
    x: &[f32],
    scale: &[f32],
    bias: Option<&[f32]>,
    epsilon: f32,
    centred: bool,
    y: &mut [f32],
) -> Result<()> {
    let len = product("normalisation", &[rows, n])?;
    need("normalisation: source", len, x.len())?;
    need("normalisation: result", len, y.len())?;
    need("normalisation: scale", n, scale.len())?;
    need(
        "normalisation: bias",
        bias.map_or(0, |_| n),
        bias.map_or(0, <[f32]>::len),
    )?;
    let y = Shared::new(y);
    pool.split(if n == 0 { 0 } else { rows }, (4096 / n.max(1)).max(1), |range| {
        for row in range {
            // SAFETY: rows are disjoint, each belongs to one thread.
            let y = unsafe { y.part(row * n, n) };
            let x = &x[row * n..][..n];
            pool.isa().run(Row {
                x,
                y,
                scale: &scale[..n],
                bias: bias.map(|bias| &bias[..n]),
                epsilon,
                centred,
            });
        }
    });
    Ok(())
}

struct Row<'a> {
    x: &'a [f32],
    y: &'a mut [f32],
    scale: &'a [f32],
    bias: Option<&'a [f32]>,
    epsilon: f32,
    centred: bool,
}

/// Returns mean and `1 / √(variance + epsilon)`, in two passes.
#[inline(always)]
pub(super) fn moments<S: Simd>(s: S, x: &[f32], epsilon: f32, centred: bool) -> (f32, f32) {
    let n = x.len() as f64;
    if !centred {
        return (
            0.0,
            (1.0 / (sum_of_squares(s, x) / n + f64::from(epsilon)).sqrt()) as f32,
        );
    }
    let exact = sum(s, x, |x| x) / n;
    let mean = exact as f32;
    // The sum of differences from the rounded mean is not exactly zero; the zero padding of the last vector
    // is excluded.
    let mut squares = 0.0;
    for piece in x.chunks(1024) {
        let mut sum = s.zero();
        for vector in piece.chunks(S::LANES) {
            // SAFETY: only the remaining values are read.
            let d = s.keep(
                s.sub(unsafe { s.load_n(vector.as_ptr(), vector.len()) }, s.splat(mean)),
                vector.len(),
            );
            sum = s.fma(d, d, sum);
        }
        squares += f64::from(s.sum(sum));
    }
    let rounding = exact - f64::from(mean);
    let variance = squares / n - rounding * rounding;
    // The NaN of an infinite row stays.
    let variance = if variance < 0.0 { 0.0 } else { variance };
    (mean, (1.0 / (variance + f64::from(epsilon)).sqrt()) as f32)
}

impl Kernel for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (mean, factor) = moments(s, self.x, self.epsilon, self.centred);
        let (mean, factor) = (s.splat(mean), s.splat(factor));
        for i in (0..self.x.len()).step_by(S::LANES) {
            let n = S::LANES.min(self.x.len() - i);
            // SAFETY: all slices have the length of the row.
            unsafe {
                let x = s.load_n(self.x.as_ptr().add(i), n);
                let scale = s.load_n(self.scale.as_ptr().add(i), n);
                let value = s.mul(s.mul(s.sub(x, mean), factor), scale);
                let value = match self.bias {
                    Some(bias) => s.add(value, s.load_n(bias.as_ptr().add(i), n)),
                    None => value,
                };
                s.store_n(self.y.as_mut_ptr().add(i), value, n);
            }
        }
    }
}
