//! AveragePool, LpPool, and the global poolings.

use onnx_tensor::Tensor;

use super::super::call::{count, extents, one};
use super::super::convolution::{Rounding, Window};
use super::super::fast::{Fast, Pooled};
use super::super::numbers::{floats, from_floats, sum};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("AveragePool", 1, First(|known| known.pool()), average).fast(Fast::Pool(Pooled {
        mean: true,
        global: false,
    })),
    row("LpPool", 2, First(|known| known.pool()), |call| {
        let p = call.attributes.int("p")? as f64;
        let pool = Pool::new(call)?;
        let powers = floats(pool.tensor)?
            .into_iter()
            .map(|x| x.abs().powf(p))
            .collect::<Vec<f64>>();
        let sums = pool
            .sums(&powers)
            .into_iter()
            .map(|(sum, _)| sum.powf(1.0 / p))
            .collect();
        one(from_floats(pool.tensor.dtype(), &pool.shape, sums)?)
    }),
    row(
        "GlobalAveragePool",
        1,
        First(|known| known.global_pool()),
        |call| global(call, |line| sum(line.iter().copied()) / line.len() as f64),
    )
    .fast(Fast::Pool(Pooled {
        mean: true,
        global: true,
    })),
    row("GlobalMaxPool", 1, First(|known| known.global_pool()), |call| {
        global(call, |line| {
            let greater = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
            line.iter().copied().fold(f64::NEG_INFINITY, greater)
        })
    })
    .fast(Fast::Pool(Pooled {
        mean: false,
        global: true,
    })),
    row("GlobalLpPool", 2, First(|known| known.global_pool()), |call| {
        let p = call.attributes.int("p")? as f64;
        global(call, |line| {
            sum(line.iter().map(|x| x.abs().powf(p))).powf(1.0 / p)
        })
    }),
];

/// The pooling of a node over its input.
pub struct Pool<'a> {
    pub tensor: &'a Tensor,
    pub window: Window,
    pub shape: Vec<usize>,
    /// The number of images times channels.
    pub planes: usize,
    /// The spatial extents.
    pub input: Vec<usize>,
}

impl<'a> Pool<'a> {
    pub fn new(call: &Call<'a>) -> Result<Pool<'a>, Problem> {
        let tensor = call.tensor(0)?;
        let &[images, channels, ref input @ ..] = tensor.shape() else {
            return invalid("expected a tensor with a channel axis");
        };
        let kernel = extents(call.attributes.ints("kernel_shape")?.unwrap_or_default())?;
        let up = call.attributes.flag("ceil_mode")?;
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        let window = Window::new(call.attributes, input, &kernel, rounding)?;
        let mut shape = vec![images, channels];
        shape.extend(&window.output);
        count(&shape)?;
        Ok(Pool {
            tensor,
            window,
            shape,
            planes: images * channels,
            input: input.to_vec(),
        })
    }

    /// Returns for each result the sum over its window, and the number of input elements that it covers.
    fn sums(&self, values: &[f64]) -> Vec<(f64, usize)> {
        let area: usize = self.input.iter().product();
        let places: usize = self.window.output.iter().product();
        let mut sums = vec![(0.0, 0); self.planes * places];
        self.each(|place, position| {
            for plane in 0..self.planes {
                let (sum, covered) = &mut sums[plane * places + place];
                *sum += values[plane * area + position];
                *covered += 1;
            }
        });
        sums
    }

    /// Calls `visit` with each window's number and each position of a plane that it covers; never if there
    /// are no planes.
    pub fn each(&self, mut visit: impl FnMut(usize, usize)) {
        if self.planes == 0 {
            return;
        }
        self.window.each(|place, at| {
            self.window
                .inside(&self.input, at, |_, position| visit(place, position));
        });
    }

    /// Returns the number of elements of the window that are in the input or its padding, not beyond (which
    /// `ceil_mode` allows).
    fn padded(&self, place: usize) -> f64 {
        let (mut rest, mut total) = (place, 1.0);
        for axis in (0..self.input.len()).rev() {
            let at = rest % self.window.output[axis];
            rest /= self.window.output[axis];
            total *= self.window.padded(axis, self.input[axis], at) as f64;
        }
        total
    }
}

fn average(call: &Call) -> Outcome {
    let pool = Pool::new(call)?;
    let with_padding = call.attributes.flag("count_include_pad")?;
    let places: usize = pool.window.output.iter().product();
    let sums = pool.sums(&floats(pool.tensor)?);
    let mean = |(number, (sum, covered)): (usize, (f64, usize))| {
        let count = if with_padding {
            pool.padded(number % places)
        } else {
            covered as f64
        };
        sum / count
    };
    let results = sums.into_iter().enumerate().map(mean).collect();
    one(from_floats(pool.tensor.dtype(), &pool.shape, results)?)
}

fn global(call: &Call, of_plane: impl Fn(&[f64]) -> f64) -> Outcome {
    let tensor = call.tensor(0)?;
    let &[images, channels, ref input @ ..] = tensor.shape() else {
        return invalid("expected a tensor with a channel axis");
    };
    let area: usize = input.iter().product();
    let mut shape = vec![images, channels];
    shape.extend(input.iter().map(|_| 1));
    let elements = floats(tensor)?;
    let plane = |number: usize| &elements[number * area..(number + 1) * area];
    let results = (0..images * channels).map(plane).map(of_plane).collect();
    one(from_floats(tensor.dtype(), &shape, results)?)
}
