//! GridSample.

use super::super::call::{count, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::interpolate::{Taps, cubic, linear};
use crate::error::invalid;

pub const ROWS: &[Row] = &[row("GridSample", 16, grid_sample)];

#[derive(Clone, Copy)]
enum Padding {
    Zeros,
    Border,
    Reflection,
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
    let corners = call.attributes.flag("align_corners")?;
    let mode = call.attributes.text("mode")?;
    let padding = match call.attributes.text("padding_mode")? {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => return invalid(format!("unknown padding_mode `{other}`")),
    };
    let taps_at = |at: f64| match mode {
        "nearest" => Ok(vec![(at as i64, 1.0)]),
        "linear" | "bilinear" => Ok(linear(at, 1.0)),
        "cubic" | "bicubic" => Ok(cubic(at, -0.75, 1.0)),
        other => invalid(format!("unknown mode `{other}`")),
    };
    let (x_values, grid_values) = (floats(x)?, floats(grid)?);
    let area: usize = input.iter().product();
    let mut shape = vec![images, channels];
    shape.extend(output);
    let mut result = vec![0.0; count(&shape)?];
    let places: usize = output.iter().product();
    if result.is_empty() {
        return one(from_floats(x.dtype(), &shape, result)?);
    }
    for image in 0..images {
        for place in 0..places {
            let point = &grid_values[(image * places + place) * rank..][..rank];
            // The last axis of the input is the first coordinate of the grid.
            let mut plans: Vec<Taps> = Vec::with_capacity(rank);
            for (axis, &extent) in input.iter().enumerate() {
                let normal = point[rank - 1 - axis];
                let size = extent as f64;
                let at = if corners {
                    (normal + 1.0) / 2.0 * (size - 1.0)
                } else {
                    ((normal + 1.0) * size - 1.0) / 2.0
                };
                // The position is rounded before its neighbours are padded, because a reflected half would
                // round to the other side.
                let at = if mode == "nearest" {
                    at.round_ties_even()
                } else {
                    at
                };
                plans.push(
                    taps_at(at)?
                        .into_iter()
                        .filter_map(|tap| inside(tap, extent, padding, corners))
                        .collect(),
                );
            }
            let combined = combine(&plans, input);
            for channel in 0..channels {
                let plane = &x_values[(image * channels + channel) * area..][..area];
                let sum = combined.iter().map(|&(at, weight)| plane[at] * weight).sum();
                result[(image * channels + channel) * places + place] = sum;
            }
        }
    }
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

/// Multiplies the weights of all axes and returns them with their positions.
fn combine(plans: &[Taps], input: &[usize]) -> Vec<(usize, f64)> {
    let mut combined = vec![(0_usize, 1.0)];
    for (plan, &extent) in plans.iter().zip(input) {
        let spread = |&(at, weight): &(usize, f64)| {
            plan.iter()
                .map(move |&(place, more)| (at * extent + place as usize, weight * more))
        };
        combined = combined.iter().flat_map(spread).collect();
    }
    combined
}
