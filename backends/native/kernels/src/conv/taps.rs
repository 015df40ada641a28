//! Dilated convolutions of a small image: a sum of one convolution for each tap, over the windows that have
//! this tap inside of the image. The other windows would multiply padding.

use std::ops::Range;

use super::direct::{Convolution, check_operands};
use super::pack::InputLayout;
use super::shape::{ConvShape, Window};
use super::tiles::{Call, Source, Target};
use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need};
use crate::memory::Shared;
use crate::{Isa, Pool};

/// The largest share of products inside of the image with which a sum over taps is chosen, in percent: the
/// sums are loaded and stored for each tap.
const MAX_SHARE: usize = 60;

/// The maximum number of taps along an axis.
const MAX_TAPS: usize = 8;

/// A convolution of one group with packed weights for each tap.
#[derive(Clone, Debug)]
pub struct Taps {
    isa: Isa,
    shape: ConvShape,
    /// The convolutions by single taps, row by row.
    taps: Vec<Convolution>,
}

impl Taps {
    /// Whether a sum over taps is possible for images of `size`, and saves enough products.
    pub fn pays(pool: &Pool, shape: &ConvShape, size: [usize; 2]) -> bool {
        let window = &shape.window;
        let Ok(output) = window.output(size) else {
            return false;
        };
        let lanes = pool.isa().lanes();
        let dilated = window.stride == [1; 2] && window.dilation != [1; 2];
        let few = window.kernel.iter().all(|taps| *taps <= MAX_TAPS);
        if !(dilated && few)
            || shape.groups != 1
            || shape.in_channels < lanes
            || size.contains(&0)
            || output.contains(&0)
        {
            return false;
        }
        let axes = [0, 1].map(|axis| {
            let ranges = (0..window.kernel[axis]).map(|tap| inside(window, axis, tap, size, output));
            ranges.collect::<Vec<_>>()
        });
        let whole = |axis: usize| axes[axis].iter().any(|range| *range == (0..output[axis]));
        let share = |axis: usize| {
            let inside: usize = axes[axis].iter().map(Range::len).sum();
            inside as f64 / (window.kernel[axis] * output[axis]) as f64
        };
        whole(0) && whole(1) && share(0) * share(1) * 100.0 <= MAX_SHARE as f64
    }

    /// Packs `weights` (`[out][in][ky][kx]`) for blocked images.
    pub fn new(pool: &Pool, shape: ConvShape, weights: &[f32]) -> Result<Self> {
        need("taps: weights", shape.check()?, weights.len())?;
        let count: usize = shape.window.kernel.iter().product();
        let single = ConvShape {
            window: Window::square(1, 1, 0),
            ..shape
        };
        let packed = |tap: usize| {
            let own: Vec<f32> = weights.iter().skip(tap).step_by(count).copied().collect();
            Convolution::new(pool, single, InputLayout::Blocked, &own)
        };
        Ok(Self {
            isa: pool.isa(),
            shape,
            taps: (0..count).map(packed).collect::<Result<_>>()?,
        })
    }

    /// Like [`Convolution::run`], with image and result in the blocked layout, for sizes for which
    /// [`Self::pays`]. No sum depends on the number of threads.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let window = &self.shape.window;
        let lanes = self.isa.lanes();
        let what = "taps";
        let (output, len) = check_operands(
            [what, "taps: image", "taps: result"],
            &self.shape,
            [lanes; 2],
            batch,
            size,
            [x.len(), y.len()],
            epilogue,
        )?;
        match epilogue.residual {
            Residual::None => y[..len].fill(0.0),
            Residual::Add(residual) => y[..len].copy_from_slice(&residual[..len]),
            Residual::Output => {}
        }
        let y = Shared::new(y);
        let added = Epilogue {
            residual: Residual::Output,
            ..Epilogue::default()
        };
        let last = Epilogue {
            residual: Residual::Output,
            ..*epilogue
        };
        let mut places: Vec<(usize, Place)> = (0..self.taps.len())
            .map(|tap| (tap, Place::of(window, tap, size, output)))
            .filter(|(_, place)| !place.windows.iter().any(Range::is_empty))
            .collect();
        // A tap that all windows have is the last, because it finishes every sum.
        places.sort_by_key(|(_, place)| place.is_whole(output));
        let Some((end, _)) = places.last().filter(|(_, place)| place.is_whole(output)) else {
            return ensure(false, what, || {
                "no tap is inside of the image in all windows".into()
            });
        };
        let calls = places.iter().map(|(tap, place)| {
            let epilogue = if tap == end { &last } else { &added };
            place.call(&self.taps[*tap], size, output, x, epilogue, y)
        });
        let calls: Vec<Call> = calls.collect();
        let parts = calls.first().map_or(0, |call| call.conv.parts.len());
        pool.split(parts, 1, |parts| {
            for image in 0..batch {
                for call in &calls {
                    call.strips(image, 0..call.output[0], 0..call.output[1], parts.clone());
                }
            }
        });
        Ok(())
    }
}

/// Returns the windows along an axis that have a tap inside of the image, for a checked window.
fn inside(window: &Window, axis: usize, tap: usize, size: [usize; 2], output: [usize; 2]) -> Range<usize> {
    let (offset, pad) = (tap * window.dilation[axis], window.pad_begin[axis]);
    let start = pad.saturating_sub(offset).min(output[axis]);
    let end = (size[axis] + pad).saturating_sub(offset).min(output[axis]);
    start..end.max(start)
}

/// The windows that have a tap inside of the image, and the pixel of the first.
struct Place {
    windows: [Range<usize>; 2],
    from: [usize; 2],
}

impl Place {
    fn of(window: &Window, tap: usize, size: [usize; 2], output: [usize; 2]) -> Self {
        let taps = [tap / window.kernel[1], tap % window.kernel[1]];
        let windows = [0, 1].map(|axis| inside(window, axis, taps[axis], size, output));
        let from = [0, 1].map(|axis| {
            (windows[axis].start + taps[axis] * window.dilation[axis]).saturating_sub(window.pad_begin[axis])
        });
        Self { windows, from }
    }

    fn is_whole(&self, output: [usize; 2]) -> bool {
        self.windows == output.map(|extent| 0..extent)
    }

    /// Returns the convolution of these windows by one tap.
    fn call<'a>(
        &self,
        conv: &'a Convolution,
        size: [usize; 2],
        output: [usize; 2],
        x: &'a [f32],
        epilogue: &'a Epilogue<'a>,
        y: Shared<'a, f32>,
    ) -> Call<'a> {
        let lanes = conv.isa.lanes();
        let dense = Source::dense(conv.shape.in_channels.div_ceil(lanes), size, lanes);
        let [rows, columns] = &self.windows;
        let target = Target::dense(conv.out_blocks(), output, lanes);
        let target = Target {
            first: (rows.start * output[1] + columns.start) * lanes,
            ..target
        };
        let call = Call {
            conv,
            window: Window::square(1, 1, 0),
            size,
            output: [rows.len(), columns.len()],
            skip: self.from,
            x,
            source: dense,
            epilogue,
            y,
            target,
        };
        // Whole rows are one long row.
        if columns.len() != size[1] || size[1] != output[1] {
            return call;
        }
        let row = [1, rows.len() * columns.len()];
        Call {
            size: row,
            output: row,
            skip: [0; 2],
            source: Source {
                first: self.from[0] * size[1] * lanes,
                ..dense
            },
            ..call
        }
    }
}
