//! Where a window of a convolution or pooling stands: strides, dilations, pads.

use crate::error::{Problem, invalid};
use crate::ir::Attributes;
use crate::ops::call::extent;

/// How a window slides over the spatial axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// Extents of the window.
    pub kernel: Vec<usize>,
    /// Steps.
    pub strides: Vec<usize>,
    /// Distances between the elements of the window.
    pub dilations: Vec<usize>,
    /// Elements added before each axis.
    pub pads_begin: Vec<usize>,
    /// Elements added after each axis.
    pub pads_end: Vec<usize>,
    /// Extents of the result.
    pub output: Vec<usize>,
}

/// What becomes of a last window that does not fit whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// It is left out.
    Down,
    /// It is kept, unless it would begin in the padding at the end.
    Up,
}

impl Window {
    /// The window of a node over an input with these spatial extents.
    pub fn new(
        attributes: &Attributes,
        input: &[usize],
        kernel: &[usize],
        rounding: Rounding,
    ) -> Result<Window, Problem> {
        let rank = input.len();
        let list = |name: &str| -> Result<Vec<usize>, Problem> {
            match attributes.ints(name)? {
                Some(values) if values.len() == rank => values.iter().map(|&value| extent(value)).collect(),
                Some(values) => invalid(format!("{name} {values:?} are not one for each of {rank} axes")),
                None => Ok(vec![1; rank]),
            }
        };
        let (strides, dilations) = (list("strides")?, list("dilations")?);
        if kernel.len() != rank
            || [&strides, &dilations].iter().any(|list| list.contains(&0))
            || kernel.contains(&0)
        {
            return invalid("an extent of the window, a stride or a dilation is 0, or the rank is wrong");
        }
        let mut window = Window {
            kernel: kernel.to_vec(),
            strides,
            dilations,
            pads_begin: vec![0; rank],
            pads_end: vec![0; rank],
            output: vec![0; rank],
        };
        match attributes.text("auto_pad")? {
            "" | "NOTSET" => window.explicit(attributes, input, rounding)?,
            // `ceil((input - span + 1) / stride)`, whatever `ceil_mode` is: that is the number of whole windows.
            "VALID" => window.slide(input, Rounding::Down)?,
            "SAME_UPPER" => window.same(input, false)?,
            "SAME_LOWER" => window.same(input, true)?,
            other => return invalid(format!("auto_pad `{other}` is not known")),
        }
        Ok(window)
    }

    /// The extent that the window covers along an axis.
    pub fn span(&self, axis: usize) -> Result<usize, Problem> {
        let reach = (self.kernel[axis] - 1).checked_mul(self.dilations[axis]);
        let span = reach.and_then(|reach| reach.checked_add(1));
        span.ok_or_else(|| Problem::Invalid("the window is too large".to_owned()))
    }

    fn explicit(
        &mut self,
        attributes: &Attributes,
        input: &[usize],
        rounding: Rounding,
    ) -> Result<(), Problem> {
        let rank = input.len();
        if let Some(pads) = attributes.ints("pads")? {
            if pads.len() != 2 * rank {
                return invalid(format!("pads {pads:?} are not two for each of {rank} axes"));
            }
            for axis in 0..rank {
                self.pads_begin[axis] = extent(pads[axis])?;
                self.pads_end[axis] = extent(pads[axis + rank])?;
            }
        }
        self.slide(input, rounding)
    }

    fn slide(&mut self, input: &[usize], rounding: Rounding) -> Result<(), Problem> {
        for (axis, &extent) in input.iter().enumerate() {
            let padded = extent
                .checked_add(self.pads_begin[axis])
                .and_then(|sum| sum.checked_add(self.pads_end[axis]));
            let free = padded.and_then(|padded| padded.checked_sub(self.span(axis).ok()?));
            let stride = self.strides[axis];
            self.output[axis] = match (free, rounding) {
                (None, _) => return invalid("the window is larger than the padded input"),
                (Some(free), Rounding::Down) => free / stride + 1,
                (Some(free), Rounding::Up) => {
                    let windows = free.div_ceil(stride) + 1;
                    let begins_beyond = (windows - 1) * stride >= extent + self.pads_begin[axis];
                    windows - usize::from(begins_beyond)
                }
            };
        }
        Ok(())
    }

    /// As many windows as steps fit into the input; the odd element of padding goes to the end, or with `lower` to the start.
    fn same(&mut self, input: &[usize], lower: bool) -> Result<(), Problem> {
        for (axis, &extent) in input.iter().enumerate() {
            let output = extent.div_ceil(self.strides[axis]);
            let needed = output.saturating_sub(1) * self.strides[axis] + self.span(axis)?;
            let total = needed.saturating_sub(extent);
            let (less, more) = (total / 2, total - total / 2);
            (self.pads_begin[axis], self.pads_end[axis]) = if lower { (more, less) } else { (less, more) };
            self.output[axis] = output;
        }
        Ok(())
    }

    /// Calls `visit` with the number of each element of the window that lies inside of the input and its position there.
    pub fn inside(&self, input: &[usize], at: &[usize], mut visit: impl FnMut(usize, usize)) {
        let taps: usize = self.kernel.iter().product();
        'taps: for tap in 0..taps {
            let (mut rest, mut position, mut step) = (tap, 0, 1);
            for axis in (0..input.len()).rev() {
                let offset =
                    (rest % self.kernel[axis]) * self.dilations[axis] + at[axis] * self.strides[axis];
                rest /= self.kernel[axis];
                match offset
                    .checked_sub(self.pads_begin[axis])
                    .filter(|&place| place < input[axis])
                {
                    Some(place) => position += place * step,
                    None => continue 'taps,
                }
                step *= input[axis];
            }
            visit(tap, position);
        }
    }

    /// Calls `visit` with the coordinates of each window, in row-major order.
    pub fn each(&self, mut visit: impl FnMut(usize, &[usize])) {
        let mut at = vec![0; self.output.len()];
        for number in 0..self.output.iter().product() {
            visit(number, &at);
            for axis in (0..at.len()).rev() {
                at[axis] += 1;
                if at[axis] < self.output[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}
