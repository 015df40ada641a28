//! GridSample.

use super::super::call::{count, one};
use super::super::movement::{take, take_or};
use super::super::numbers::{floats, from_floats};
use super::super::shaping::zero;
use super::super::{Call, Outcome, Row, row};
use super::interpolate::{Taps, cubic, linear};
use crate::error::{Problem, invalid};
use crate::ops::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row(
    "GridSample",
    16,
    First(|known| known.grid_sample()),
    grid_sample,
)];

#[derive(Clone, Copy)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Linear,
    Nearest,
    Cubic,
}

/// The attributes.
struct Sampler {
    mode: Mode,
    padding: Padding,
    corners: bool,
}

impl Sampler {
    fn read(call: &Call) -> Result<Sampler, Problem> {
        // Version 20 renamed the modes.
        let [linear, cubic] = match call.since {
            ..20 => ["bilinear", "bicubic"],
            _ => ["linear", "cubic"],
        };
        let mode = match call.attributes.text("mode")? {
            "nearest" => Mode::Nearest,
            mode if mode == linear => Mode::Linear,
            mode if mode == cubic => Mode::Cubic,
            other => return invalid(format!("unknown mode `{other}`")),
        };
        let padding = match call.attributes.text("padding_mode")? {
            "zeros" => Padding::Zeros,
            "border" => Padding::Border,
            "reflection" => Padding::Reflection,
            other => return invalid(format!("unknown padding_mode `{other}`")),
        };
        let corners = call.attributes.flag("align_corners")?;
        Ok(Sampler {
            mode,
            padding,
            corners,
        })
    }

    /// The number of elements along an axis for one point.
    fn reads(&self) -> usize {
        match self.mode {
            Mode::Nearest => 1,
            Mode::Linear => 2,
            Mode::Cubic => 4,
        }
    }

    /// Returns the elements along an axis that the grid coordinate `normal` reads, with their weights.
    fn taps(&self, normal: f64, extent: usize) -> Result<Taps, Problem> {
        let size = extent as f64;
        let at = if self.corners {
            (normal + 1.0) / 2.0 * (size - 1.0)
        } else {
            ((normal + 1.0) * size - 1.0) / 2.0
        };
        if !at.is_finite() {
            return invalid(format!("a grid coordinate of {normal} is undefined"));
        }
        let taps = match self.mode {
            // The position is rounded before its neighbours are padded, because a reflected half would round
            // to the other side.
            Mode::Nearest => vec![(at.round_ties_even() as i64, 1.0)],
            Mode::Linear => linear(at, 1.0),
            Mode::Cubic => cubic(at, -0.75, 1.0),
        };
        // Elements with weight 0 are not read, so that an infinity there has no effect.
        let read = taps.into_iter().filter(|&(_, weight)| weight != 0.0);
        let inside = |tap| inside(tap, extent, self.padding, self.corners);
        Ok(read.filter_map(inside).collect())
    }
}

fn grid_sample(call: &Call) -> Outcome {
    let (x, grid) = (call.tensor(0)?, call.tensor(1)?);
    let (&[images, channels, ref input @ ..], &[grids, ref output @ .., rank]) = (x.shape(), grid.shape())
    else {
        return invalid("expected an input [images, channels, …] and a grid [images, …, rank]");
    };
    if grids != images || rank != input.len() || output.len() != rank || input.contains(&0) {
        return invalid("the shape of the grid does not match the input");
    }
    if call.since < 20 && rank != 2 {
        return invalid(format!("expected two spatial axes, got {rank}"));
    }
    let sampler = Sampler::read(call)?;
    let mut shape = vec![images, channels];
    shape.extend(output);
    let total = count(&shape)?;
    if total == 0 {
        return one(take(x, &shape, &[])?);
    }
    // The elements that every point reads are stored.
    let reads = u32::try_from(rank)
        .ok()
        .and_then(|rank| sampler.reads().checked_pow(rank));
    let Some(reads) = reads else {
        return invalid(format!("{rank} spatial axes are too many"));
    };
    count(&[images, output.iter().product(), reads])?;
    // What all points read, one after the other, and where each point begins.
    let (mut taps, mut starts) = (Vec::new(), vec![0]);
    for point in floats(grid)?.chunks(rank.max(1)) {
        // The last axis of the input is the first coordinate of the grid.
        let first = taps.len();
        taps.push((0, 1.0));
        for (&normal, &extent) in point.iter().rev().zip(input) {
            spread(&mut taps, first, &sampler.taps(normal, extent)?, extent);
        }
        starts.push(taps.len());
    }
    let (area, places) = (input.iter().product::<usize>(), output.iter().product::<usize>());
    // For each element of the result: the start of its plane and what it reads there.
    let reads = (0..images * channels).flat_map(|plane| {
        let points = &starts[plane / channels * places..][..=places];
        points
            .windows(2)
            .map(|point| &taps[point[0]..point[1]])
            .map(move |taps| (plane * area, taps))
    });
    if sampler.mode == Mode::Nearest {
        let places: Vec<Option<usize>> = reads.map(|(start, taps)| Some(start + taps.first()?.0)).collect();
        return one(take_or(x, &zero(x)?, &shape, &places)?);
    }
    let values = floats(x)?;
    let sum = |(start, taps): (usize, &[(usize, f64)])| {
        taps.iter()
            .map(|&(at, weight)| values[start + at] * weight)
            .sum::<f64>()
    };
    let mut result = Vec::with_capacity(total);
    result.extend(reads.map(sum));
    one(from_floats(x.dtype(), &shape, result)?)
}

/// Moves a coordinate outside of the input to the position that the padding mode reads.
fn outside(at: f64, size: f64, padding: Padding, corners: bool) -> f64 {
    let (low, high) = if corners {
        (0.0, size - 1.0)
    } else {
        (-0.5, size - 0.5)
    };
    match padding {
        Padding::Zeros => at,
        Padding::Border => at.clamp(0.0, size - 1.0),
        Padding::Reflection => reflect(at, low, high),
    }
}

fn reflect(at: f64, low: f64, high: f64) -> f64 {
    let range = high - low;
    if range <= 0.0 {
        return 0.0;
    }
    let folded = (at - low).rem_euclid(2.0 * range);
    low + folded.min(2.0 * range - folded)
}

/// Applies the padding mode to a neighbour that may be outside.
fn inside((place, weight): (i64, f64), extent: usize, padding: Padding, corners: bool) -> Option<(i64, f64)> {
    let last = extent as i64 - 1;
    if (0..=last).contains(&place) {
        return Some((place, weight));
    }
    match padding {
        Padding::Zeros => None,
        Padding::Border => Some((place.clamp(0, last), weight)),
        Padding::Reflection => {
            let place = outside(place as f64, extent as f64, padding, corners);
            Some(((place.round() as i64).clamp(0, last), weight))
        }
    }
}

/// Replaces the positions from `first` on by those of one more axis, and multiplies the weights.
fn spread(taps: &mut Vec<(usize, f64)>, first: usize, axis: &Taps, extent: usize) {
    let end = taps.len();
    for at in first..end {
        let (position, weight) = taps[at];
        let wider = |&(place, more): &(i64, f64)| (position * extent + place as usize, weight * more);
        taps.extend(axis.iter().map(wider));
    }
    taps.drain(first..end);
}
