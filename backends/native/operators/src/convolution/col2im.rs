//! Col2Im.

use onnx_tensor::{DType, Tensor};

use super::super::call::{count, extents, one};
use super::super::numbers::{floats, from_floats, from_ints, ints, slice};
use super::super::{Call, Outcome, Row, row};
use super::window::{Rounding, Window};
use crate::error::invalid;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row("Col2Im", 18, First(|known| known.col2im()), col2im)];

/// Adds columns of blocks to the image that they were taken from.
fn col2im(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (image, block) = (extents(&call.ints(1)?)?, extents(&call.ints(2)?)?);
    let &[images, columns, blocks] = tensor.shape() else {
        return invalid("expected a tensor [images, channels x block, blocks]");
    };
    let taps = count(&block)?;
    let window = Window::new(call.attributes, &image, &block, Rounding::Down)?;
    if taps == 0 || columns % taps != 0 || window.output.iter().product::<usize>() != blocks {
        return invalid("the shape of the columns does not match image and block");
    }
    let channels = columns / taps;
    let mut shape = vec![images, channels];
    shape.extend(&image);
    let columns = Columns {
        window: &window,
        image: &image,
        planes: images * channels,
        total: count(&shape)?,
    };
    one(match tensor.dtype() {
        DType::Float => {
            let values = slice::<f32>(tensor)?;
            let images = columns.added(values, 0.0, |a, b| a + f64::from(b), |sum| sum as f32);
            Tensor::new(&shape, images)?
        }
        dtype if dtype.is_integer() => {
            let images = columns.added(&ints(tensor)?, 0, |a, b| a + b, |sum| sum);
            from_ints(dtype, &shape, images)?
        }
        dtype => {
            let images = columns.added(&floats(tensor)?, 0.0, |a, b| a + b, |sum| sum);
            from_floats(dtype, &shape, images)?
        }
    })
}

/// Columns of blocks, and the images that they were taken from.
struct Columns<'a> {
    window: &'a Window,
    image: &'a [usize],
    /// The number of images times channels.
    planes: usize,
    /// The number of elements of all images.
    total: usize,
}

impl Columns<'_> {
    /// Returns the images; where blocks overlap, their elements are added.
    fn added<T: Copy, S: Copy>(
        &self,
        values: &[T],
        zero: S,
        add: impl Fn(S, T) -> S,
        result: impl Fn(S) -> T,
    ) -> Vec<T> {
        if values.is_empty() {
            return vec![result(zero); self.total];
        }
        let mut results = Vec::with_capacity(self.total);
        let area: usize = self.image.iter().product();
        let of_plane = values.len().checked_div(self.planes).unwrap_or(0);
        let runs = self.runs();
        let mut sums = vec![zero; area];
        for plane in 0..self.planes {
            sums.fill(zero);
            let values = &values[plane * of_plane..][..of_plane];
            for run in &runs {
                let sums = sums[run.position..].iter_mut().step_by(run.step);
                for (sum, &value) in sums.zip(&values[run.column..][..run.length]) {
                    *sum = add(*sum, value);
                }
            }
            results.extend(sums.iter().map(|&sum| result(sum)));
        }
        results
    }

    /// Returns the columns of a plane that are inside of the image, in ascending order.
    fn runs(&self) -> Vec<Adjacent> {
        let blocks: usize = self.window.output.iter().product();
        let mut pairs = Vec::new();
        self.window.each(|place, at| {
            self.window.inside(self.image, at, |tap, position| {
                pairs.push((tap * blocks + place, position));
            });
        });
        pairs.sort_unstable();
        let mut runs: Vec<Adjacent> = Vec::new();
        for (column, position) in pairs {
            let taken = runs.last_mut().is_some_and(|run| run.takes(column, position));
            if !taken {
                runs.push(Adjacent {
                    column,
                    position,
                    length: 1,
                    step: 1,
                });
            }
        }
        runs
    }
}

/// Adjacent columns, and elements of an image at equal distances, to which they are added.
struct Adjacent {
    column: usize,
    position: usize,
    length: usize,
    /// The distance between two elements of the image.
    step: usize,
}

impl Adjacent {
    /// Appends this pair if it is the next one. The second pair of a run decides the distance.
    fn takes(&mut self, column: usize, position: usize) -> bool {
        if column != self.column + self.length || position <= self.position {
            return false;
        }
        if self.length == 1 {
            self.step = position - self.position;
        }
        let next = position == self.position + self.length * self.step;
        self.length += usize::from(next);
        next
    }
}
