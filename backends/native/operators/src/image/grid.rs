//! GridSample.

use super::super::call::{count, one};
use super::super::fast::Fast;
use super::super::movement::{take, take_or};
use super::super::numbers::floats;
use super::super::shaping::zero;
use super::super::{Call, Outcome, Row, row};
use super::interpolate::{cubic_four, linear_pair};
use super::number::{Number, Pair, is_paired};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;
use onnx_tensor::Tensor;

pub const ROWS: &[Row] =
    &[row("GridSample", 16, First(|known| known.grid_sample()), grid_sample).fast(Fast::GridSample)];

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
pub struct Sampler {
    mode: Mode,
    padding: Padding,
    corners: bool,
}

impl Sampler {
    /// Reads the attributes of a version.
    pub fn read(since: u32, attributes: &Attributes) -> Result<Sampler, Problem> {
        // Version 20 renamed the modes.
        let [linear, cubic] = match since {
            ..20 => ["bilinear", "bicubic"],
            _ => ["linear", "cubic"],
        };
        let mode = match attributes.text("mode")? {
            "nearest" => Mode::Nearest,
            mode if mode == linear => Mode::Linear,
            mode if mode == cubic => Mode::Cubic,
            other => return invalid(format!("unknown mode `{other}`")),
        };
        let padding = match attributes.text("padding_mode")? {
            "zeros" => Padding::Zeros,
            "border" => Padding::Border,
            "reflection" => Padding::Reflection,
            other => return invalid(format!("unknown padding_mode `{other}`")),
        };
        let corners = attributes.flag("align_corners")?;
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
            Mode::Cubic => MOST,
        }
    }

    /// Returns the elements along an axis that the grid coordinate `normal` reads, with their weights.
    fn along<N: Number>(&self, normal: f64, extent: usize) -> Result<Along<N>, Problem> {
        let (size, one, half) = (N::from(extent as f64), N::from(1.0), N::from(0.5));
        let above = N::from(normal) + one;
        let at = if self.corners {
            above * half * (size - one)
        } else {
            (above * size - one) * half
        };
        if !at.near().is_finite() {
            return invalid(format!("a grid coordinate of {normal} is undefined"));
        }
        let mut along = Along {
            taps: [(0, N::from(0.0)); MOST],
            count: 0,
            padded: false,
        };
        let mut read = |(place, weight): (i64, N)| {
            // Elements with weight 0 are not read, so that an infinity there has no effect.
            if weight == N::from(0.0) {
                return;
            }
            match inside(place, extent, self.padding, self.corners) {
                Some(place) => {
                    along.taps[along.count] = (place, weight);
                    along.count += 1;
                }
                None => along.padded = true,
            }
        };
        match self.mode {
            // The position is rounded before its neighbours are padded, because a reflected half would round
            // to the other side.
            Mode::Nearest => read((at.near().round_ties_even() as i64, one)),
            Mode::Linear => linear_pair(at).into_iter().for_each(read),
            Mode::Cubic => cubic_four(at, -0.75).into_iter().for_each(read),
        }
        Ok(along)
    }

    /// Returns what the points of a grid read from images of these extents. Each point has a coordinate for
    /// each axis, of which the first is that of the last axis.
    pub fn points<N: Number>(
        &self,
        sampled: &Sampled,
        grid: impl IntoIterator<Item = f64>,
    ) -> Result<Points<N>, Problem> {
        let input = &sampled.input;
        let rank = input.len();
        // The elements that every point reads are stored.
        let reads = u32::try_from(rank)
            .ok()
            .and_then(|rank| self.reads().checked_pow(rank));
        let Some(reads) = reads else {
            return invalid(format!("{rank} spatial axes are too many"));
        };
        count(&[sampled.shape[0], sampled.areas()[1], reads])?;
        let mut points = Points {
            taps: Vec::new(),
            ends: Vec::new(),
            padded: Vec::new(),
        };
        let mut axes = Vec::with_capacity(rank);
        let mut extents = input.iter().rev();
        for normal in grid {
            let Some(&extent) = extents.next() else {
                return invalid("a point has no coordinates");
            };
            axes.push(self.along(normal, extent)?);
            if axes.len() == rank {
                points.add(&axes, input);
                axes.clear();
                extents = input.iter().rev();
            }
        }
        Ok(points)
    }
}

/// The maximum number of elements along an axis for one point.
const MOST: usize = 4;

/// What one point reads along an axis.
struct Along<N> {
    taps: [(usize, N); MOST],
    count: usize,
    /// Whether it reads the zeros around the image.
    padded: bool,
}

impl<N> Along<N> {
    fn read(&self) -> &[(usize, N)] {
        &self.taps[..self.count]
    }
}

/// The elements that all points read, one after the other, and where each point ends.
pub struct Points<N = f64> {
    taps: Vec<(usize, N)>,
    ends: Vec<usize>,
    /// Whether each point reads the zeros around the image.
    padded: Vec<bool>,
}

impl<N: Number> Points<N> {
    /// Returns the positions in a plane that a point reads, with their weights.
    fn of(&self, point: usize) -> &[(usize, N)] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.taps[start..self.ends[point]]
    }

    /// Returns the sum of the elements that a point reads, by their weights. The zeros around the image are
    /// positive; without them, a sum of negative zeros is negative.
    pub fn weighted(&self, point: usize, element: impl Fn(usize) -> N) -> N {
        let start = N::from(if self.padded[point] { 0.0 } else { -0.0 });
        let terms = self.of(point).iter().map(|&(at, weight)| element(at) * weight);
        terms.fold(start, |sum, term| sum + term)
    }

    /// Adds a point that reads this along the axes, of which the first is the last one of the images.
    fn add(&mut self, axes: &[Along<N>], input: &[usize]) {
        match (axes, input) {
            ([columns, rows], [_, width]) => {
                for &(row, upper) in rows.read() {
                    let wider = |&(column, more): &(usize, N)| (row * width + column, upper * more);
                    self.taps.extend(columns.read().iter().map(wider));
                }
            }
            _ => {
                let mut taps = vec![(0, N::from(1.0))];
                for (axis, &extent) in axes.iter().rev().zip(input) {
                    let wider = |&(position, weight): &(usize, N)| {
                        let one =
                            move |&(place, more): &(usize, N)| (position * extent + place, weight * more);
                        axis.read().iter().map(one)
                    };
                    taps = taps.iter().flat_map(wider).collect();
                }
                self.taps.extend(taps);
            }
        }
        self.ends.push(self.taps.len());
        self.padded.push(axes.iter().any(|axis| axis.padded));
    }
}

/// The extents of a GridSample.
pub struct Sampled {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The number of channels of an image.
    pub channels: usize,
    /// The extents of a plane of the images.
    pub input: Vec<usize>,
}

impl Sampled {
    /// Returns the extents for images and a grid of these shapes.
    pub fn new(since: u32, x: &[usize], grid: &[usize]) -> Result<Sampled, Problem> {
        let (&[images, channels, ref input @ ..], &[grids, ref output @ .., rank]) = (x, grid) else {
            return invalid("expected an input [images, channels, …] and a grid [images, …, rank]");
        };
        if grids != images || rank != input.len() || output.len() != rank || input.contains(&0) {
            return invalid("the shape of the grid does not match the input");
        }
        if since < 20 && rank != 2 {
            return invalid(format!("expected two spatial axes, got {rank}"));
        }
        Ok(Sampled {
            shape: [&[images, channels], output].concat(),
            channels,
            input: input.to_vec(),
        })
    }

    /// The number of elements of a plane of the images, and of a plane of the result.
    pub fn areas(&self) -> [usize; 2] {
        [self.input.iter().product(), self.shape[2..].iter().product()]
    }
}

fn grid_sample(call: &Call) -> Outcome {
    let (x, grid) = (call.tensor(0)?, call.tensor(1)?);
    let sampled = Sampled::new(call.since, x.shape(), grid.shape())?;
    if count(&sampled.shape)? == 0 {
        return one(take(x, &sampled.shape, &[])?);
    }
    let sampler = Sampler::read(call.since, call.attributes)?;
    one(if is_paired(x.dtype()) && sampler.mode != Mode::Nearest {
        read::<Pair>(&sampler, &sampled, x, floats(grid)?)?
    } else {
        read::<f64>(&sampler, &sampled, x, floats(grid)?)?
    })
}

/// Computes the result. Results of integers are truncated toward zero at the end.
fn read<N: Number>(
    sampler: &Sampler,
    sampled: &Sampled,
    x: &Tensor,
    grid: Vec<f64>,
) -> Result<Tensor, Problem> {
    let points = sampler.points::<N>(sampled, grid)?;
    let ([area, places], channels, shape) = (sampled.areas(), sampled.channels, &sampled.shape);
    // For each element of the result: the start of its plane and its point.
    let reads = (0..shape[0] * channels)
        .flat_map(|plane| (0..places).map(move |point| (plane * area, plane / channels * places + point)));
    if sampler.mode == Mode::Nearest {
        let place = |(start, point): (usize, usize)| Some(start + points.of(point).first()?.0);
        let places: Vec<Option<usize>> = reads.map(place).collect();
        return take_or(x, &zero(x)?, shape, &places);
    }
    let values = N::elements(x)?;
    let sum = |(start, point): (usize, usize)| points.weighted(point, |at| values[start + at]);
    let mut result = Vec::with_capacity(count(shape)?);
    result.extend(reads.map(sum));
    N::tensor(x, shape, result)
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

/// Applies the padding mode to the position of a neighbour that may be outside.
fn inside(place: i64, extent: usize, padding: Padding, corners: bool) -> Option<usize> {
    let last = extent as i64 - 1;
    let place = match padding {
        _ if (0..=last).contains(&place) => place,
        Padding::Zeros => return None,
        Padding::Border => place.clamp(0, last),
        Padding::Reflection => {
            let place = outside(place as f64, extent as f64, padding, corners);
            (place.round() as i64).clamp(0, last)
        }
    };
    Some(place as usize)
}
