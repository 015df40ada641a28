//! DFT.

use rustfft::num_complex::Complex64;

use super::super::call::{axis, count, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::fourier::{Fourier, complete, is_complex, one_sided};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[
    row("DFT", 17, First(|known| known.dft()), |call| {
        transform(call, call.attributes.int("axis")?)
    }),
    row("DFT", 20, First(|known| known.dft()), |call| {
        let axis = call.find_ints(2)?;
        match axis.as_deref() {
            None => transform(call, -2),
            Some(&[axis]) => transform(call, axis),
            Some(other) => invalid(format!("expected one axis, got {}", other.len())),
        }
    }),
];

/// What a transform reads and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// A signal to its whole spectrum.
    Forward,
    /// A real signal to the half of its spectrum from which the rest follows.
    ForwardHalf,
    /// A whole spectrum to a complex signal.
    Inverse,
    /// Half of a spectrum to a real signal.
    InverseHalf,
}

impl Direction {
    /// Reads `inverse` and `onesided`.
    pub fn of(attributes: &Attributes) -> Result<Direction, Problem> {
        Ok(
            match (attributes.flag("inverse")?, attributes.flag("onesided")?) {
                (false, false) => Direction::Forward,
                (false, true) => Direction::ForwardHalf,
                (true, false) => Direction::Inverse,
                (true, true) => Direction::InverseHalf,
            },
        )
    }

    /// Returns the extent of the last axis of the result.
    pub fn parts(self) -> usize {
        match self {
            Direction::InverseHalf => 1,
            Direction::Forward | Direction::ForwardHalf | Direction::Inverse => 2,
        }
    }

    /// Returns the length of the transform if no input gives it, from the extent of the axis.
    pub fn default_length(self, extent: usize) -> Option<usize> {
        match self {
            Direction::InverseHalf => extent.checked_sub(1)?.checked_mul(2),
            Direction::Forward | Direction::ForwardHalf | Direction::Inverse => Some(extent),
        }
    }
}

/// Returns the extent of the axis of the result of a transform of this length.
pub fn extent_of(direction: Direction, length: usize) -> usize {
    match direction {
        Direction::ForwardHalf => one_sided(length),
        Direction::Forward | Direction::Inverse | Direction::InverseHalf => length,
    }
}

fn transform(call: &Call, along: i64) -> Outcome {
    let x = call.tensor(0)?;
    let direction = Direction::of(call.attributes)?;
    let at = axis(along, x.rank())?;
    let (Some(&parts), true) = (x.shape().last(), at + 1 < x.rank()) else {
        return invalid("the last axis has the real and imaginary parts; it is not transformed");
    };
    let fits = match (direction, is_complex(parts)) {
        (Direction::Forward | Direction::Inverse, complex) => complex.is_some(),
        (Direction::ForwardHalf, complex) => complex == Some(false),
        (Direction::InverseHalf, complex) => complex == Some(true),
    };
    if !fits {
        return invalid(format!(
            "the last axis has the extent {parts}, which {direction:?} does not read"
        ));
    }
    let length = length(call, direction, x.shape()[at])?;
    let mut shape = x.shape().to_vec();
    shape[at] = extent_of(direction, length);
    shape[x.rank() - 1] = direction.parts();
    has_room(count(&shape)?)?;
    let values = if shape.contains(&0) {
        Vec::new()
    } else {
        lanes(&floats(x)?, x.shape(), at, &shape, (direction, length))?
    };
    one(from_floats(x.dtype(), &shape, values)?)
}

/// Returns the length of the transform: the input, or what the direction gives for the extent of the axis.
fn length(call: &Call, direction: Direction, extent: usize) -> Result<usize, Problem> {
    let length = match call.find_ints(1)?.as_deref() {
        None => direction.default_length(extent),
        Some(&[length]) => usize::try_from(length).ok(),
        Some(other) => return invalid(format!("expected one element in dft_length, got {}", other.len())),
    };
    match length {
        Some(length) if length > 0 => Ok(length),
        _ => invalid("expected a transform of at least one element"),
    }
}

/// Transforms each lane along the axis `at`. A shorter lane is padded with zeros, a longer one truncated.
fn lanes(
    x: &[f64],
    shape: &[usize],
    at: usize,
    result: &[usize],
    (direction, length): (Direction, usize),
) -> Result<Vec<f64>, Problem> {
    let parts = shape[shape.len() - 1];
    let inner: usize = shape[at + 1..shape.len() - 1].iter().product();
    let outer: usize = shape[..at].iter().product();
    let (extent, given) = (shape[at], result[at]);
    let is_inverse = matches!(direction, Direction::Inverse | Direction::InverseHalf);
    let read = match direction {
        Direction::InverseHalf => extent.min(one_sided(length)),
        Direction::Forward | Direction::ForwardHalf | Direction::Inverse => extent.min(length),
    };
    let fourier = Fourier::new(length, is_inverse)?;
    let mut values = vec![0.0; result.iter().product()];
    let mut lane = vec![Complex64::default(); length];
    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
        lane.fill(Complex64::default());
        for (n, value) in lane[..read].iter_mut().enumerate() {
            let from = ((o * extent + n) * inner + i) * parts;
            *value = Complex64::new(x[from], if parts == 2 { x[from + 1] } else { 0.0 });
        }
        if direction == Direction::InverseHalf {
            complete(&mut lane);
        }
        fourier.apply(&mut lane);
        for (k, value) in lane[..given].iter().enumerate() {
            let to = ((o * given + k) * inner + i) * direction.parts();
            values[to] = value.re;
            if direction.parts() == 2 {
                values[to + 1] = value.im;
            }
        }
    }
    Ok(values)
}
