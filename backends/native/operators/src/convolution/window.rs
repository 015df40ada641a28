//! The geometry of windows of convolutions and poolings: strides, dilations, pads.
//!
//! This is the only place that reads these numbers from a model and bounds them: each is at most
//! [`MAX_STEP`]. Extents of tensors are at most 2^30 (`size`), so every derived span, padded extent and
//! position fits in 63 bits, here and in the kernels, which have the same bound. The reference has it too, so
//! both refuse the same models.

use std::ops::Range;

use native_kernels::conv::{self, MAX_STEP};

use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// A window and its movement along the spatial axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// The extents of the window.
    pub kernel: Vec<usize>,
    /// Steps.
    pub strides: Vec<usize>,
    /// The distances between elements of the window.
    pub dilations: Vec<usize>,
    /// The number of padding elements before each axis.
    pub pads_begin: Vec<usize>,
    /// The number of padding elements after each axis.
    pub pads_end: Vec<usize>,
    /// The extents of the result.
    pub output: Vec<usize>,
}

/// Returns one number for each of rows and columns; the rows of a single axis have the number `missing`.
pub fn two_axes(numbers: &[usize], missing: usize) -> Option<[usize; 2]> {
    match *numbers {
        [columns] => Some([missing, columns]),
        [rows, columns] => Some([rows, columns]),
        _ => None,
    }
}

/// The treatment of a last window that exceeds the padded input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// It is dropped.
    Down,
    /// It is kept, unless it starts in the padding at the end.
    Up,
}

impl Window {
    /// Returns the window in the form of the kernels, over rows and columns; one axis becomes a
    /// single row. `None` for more than two axes.
    pub fn two_axes(&self) -> Option<conv::Window> {
        self.two_axes_from(0)
    }

    /// Returns the window over the axes from `first` on in the form of the kernels.
    pub fn two_axes_from(&self, first: usize) -> Option<conv::Window> {
        Some(conv::Window {
            kernel: two_axes(self.kernel.get(first..)?, 1)?,
            stride: two_axes(self.strides.get(first..)?, 1)?,
            dilation: two_axes(self.dilations.get(first..)?, 1)?,
            pad_begin: two_axes(self.pads_begin.get(first..)?, 0)?,
            pad_end: two_axes(self.pads_end.get(first..)?, 0)?,
        })
    }

    /// Returns the window of a node over an input with these spatial extents.
    pub fn new(
        attributes: &Attributes,
        input: &[usize],
        kernel: &[usize],
        rounding: Rounding,
    ) -> Result<Window, Problem> {
        let rank = input.len();
        let strides = steps(attributes, "strides", rank, 1)?;
        let dilations = steps(attributes, "dilations", rank, 1)?;
        if kernel.len() != rank || !kernel.iter().all(|extent| (1..=MAX_STEP).contains(extent)) {
            return invalid(format!(
                "expected a window of {rank} axes, got extents {kernel:?}"
            ));
        }
        if input.iter().any(|&extent| extent > MAX_STEP) {
            return invalid(format!("spatial extents {input:?} exceed {MAX_STEP}"));
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
            // `ceil((input - span + 1) / stride)` for every `ceil_mode`: the number of complete windows.
            "VALID" => window.slide(input, Rounding::Down)?,
            "SAME_UPPER" => window.same(input, false)?,
            "SAME_LOWER" => window.same(input, true)?,
            other => return invalid(format!("unknown auto_pad `{other}`")),
        }
        Ok(window)
    }

    /// The extent that the window covers along an axis.
    fn span(&self, axis: usize) -> usize {
        (self.kernel[axis] - 1) * self.dilations[axis] + 1
    }

    /// Whether the last window along each axis ends in the padded input.
    pub fn is_whole(&self, input: &[usize]) -> bool {
        input.iter().enumerate().all(|(axis, &extent)| {
            let end = self.output[axis].saturating_sub(1) * self.strides[axis] + self.span(axis);
            end <= extent + self.pads_begin[axis] + self.pads_end[axis]
        })
    }

    fn explicit(
        &mut self,
        attributes: &Attributes,
        input: &[usize],
        rounding: Rounding,
    ) -> Result<(), Problem> {
        if let Some(given) = attributes.ints("pads")? {
            (self.pads_begin, self.pads_end) = pads(given, input.len())?;
        }
        self.slide(input, rounding)
    }

    fn slide(&mut self, input: &[usize], rounding: Rounding) -> Result<(), Problem> {
        for (axis, &extent) in input.iter().enumerate() {
            let padded = extent + self.pads_begin[axis] + self.pads_end[axis];
            let stride = self.strides[axis];
            // Windows that lack less than a step leave none, or with `ceil_mode` a part of one; else it is an
            // error.
            let Some(room) = (padded + stride).checked_sub(self.span(axis)) else {
                return invalid("the window is larger than the padded input");
            };
            self.output[axis] = match rounding {
                Rounding::Down => room / stride,
                Rounding::Up => {
                    let windows = room.div_ceil(stride);
                    let begins_beyond =
                        windows > 0 && (windows - 1) * stride >= extent + self.pads_begin[axis];
                    windows - usize::from(begins_beyond)
                }
            };
        }
        Ok(())
    }

    /// Places as many windows as there are strides in the input. The odd element of padding is at the end, or
    /// with `lower` at the start.
    fn same(&mut self, input: &[usize], lower: bool) -> Result<(), Problem> {
        for (axis, &extent) in input.iter().enumerate() {
            let output = extent.div_ceil(self.strides[axis]);
            let needed = output.saturating_sub(1) * self.strides[axis] + self.span(axis);
            let total = needed.saturating_sub(extent);
            let (less, more) = (total / 2, total - total / 2);
            (self.pads_begin[axis], self.pads_end[axis]) = if lower { (more, less) } else { (less, more) };
            self.output[axis] = output;
        }
        Ok(())
    }

    /// Returns the elements of the window at a position along an axis that are inside of the input.
    fn reach(&self, axis: usize, input: usize, at: usize) -> Range<usize> {
        let start = at * self.strides[axis];
        let before = |edge: usize| {
            let distance = (edge + self.pads_begin[axis]).saturating_sub(start);
            distance.div_ceil(self.dilations[axis]).min(self.kernel[axis])
        };
        before(0)..before(input)
    }

    /// Calls `visit` for each element of the window that is inside of the input, with the number of the
    /// element and its position in the input, in ascending order. If the window has too many elements to be
    /// stored, the numbers are undefined.
    pub fn inside(&self, input: &[usize], at: &[usize], mut visit: impl FnMut(usize, usize)) {
        let reaches: Vec<Range<usize>> = (0..input.len())
            .map(|axis| self.reach(axis, input[axis], at[axis]))
            .collect();
        if reaches.iter().any(Range::is_empty) {
            return;
        }
        let mut tap: Vec<usize> = reaches.iter().map(|reach| reach.start).collect();
        loop {
            let (mut number, mut position) = (0_usize, 0);
            for axis in 0..input.len() {
                let place = at[axis] * self.strides[axis] + tap[axis] * self.dilations[axis];
                number = number.wrapping_mul(self.kernel[axis]).wrapping_add(tap[axis]);
                position = position * input[axis] + place - self.pads_begin[axis];
            }
            visit(number, position);
            let Some(next) = (0..tap.len())
                .rev()
                .find(|&axis| tap[axis] + 1 < reaches[axis].end)
            else {
                return;
            };
            tap[next] += 1;
            for axis in next + 1..tap.len() {
                tap[axis] = reaches[axis].start;
            }
        }
    }

    /// Returns the number of elements of the window at a position along an axis that are in the input or its
    /// padding.
    pub fn padded(&self, axis: usize, input: usize, at: usize) -> usize {
        let end = input + self.pads_begin[axis] + self.pads_end[axis];
        let left = end.saturating_sub(at * self.strides[axis]);
        left.div_ceil(self.dilations[axis]).min(self.kernel[axis])
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

/// Returns the entries of an attribute, one for each axis and each from `min` to [`MAX_STEP`]; 1 each if it
/// is not set.
pub fn steps(attributes: &Attributes, name: &str, rank: usize, min: i64) -> Result<Vec<usize>, Problem> {
    match attributes.ints(name)? {
        Some(values) if values.len() == rank => values.iter().map(|&value| step(name, value, min)).collect(),
        Some(values) => invalid(format!(
            "expected one entry of {name} for each of {rank} axes, got {values:?}"
        )),
        None => Ok(vec![1; rank]),
    }
}

/// Returns the begin and end pads, none of them negative.
pub fn pads(given: &[i64], rank: usize) -> Result<(Vec<usize>, Vec<usize>), Problem> {
    if given.len() != 2 * rank {
        return invalid(format!(
            "expected two pads for each of {rank} axes, got {given:?}"
        ));
    }
    let (begin, end) = given.split_at(rank);
    let side = |side: &[i64]| {
        side.iter()
            .map(|&value| step("pads", value, 0))
            .collect::<Result<_, _>>()
    };
    Ok((side(begin)?, side(end)?))
}

fn step(name: &str, value: i64, min: i64) -> Result<usize, Problem> {
    match usize::try_from(value) {
        Ok(step) if value >= min && step <= MAX_STEP => Ok(step),
        _ => invalid(format!(
            "attribute `{name}` has the entry {value}, expected {min} to {MAX_STEP}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use onnx_model::AttributeValue;

    use super::{Rounding, Window};
    use crate::attributes::Attributes;

    fn window(input: &[usize], kernel: &[usize], lists: &[(&str, &[i64])]) -> Option<Window> {
        let schema = onnx_schema::lookup("", "Conv", 11).expect("Conv-11 is there");
        let list =
            |(name, values): &(&str, &[i64])| ((*name).to_owned(), AttributeValue::Ints(values.to_vec()));
        let given: BTreeMap<String, AttributeValue> = lists.iter().map(list).collect();
        Window::new(&Attributes::new(given, schema), input, kernel, Rounding::Down).ok()
    }

    /// Compares the visited elements with those found by a loop over all elements of the window.
    #[test]
    fn elements_inside_of_the_input_are_found_without_a_loop_over_the_window() {
        for (kernel, strides, dilations, pads) in [
            ([3, 2], [1, 1], [1, 1], [0, 0, 0, 0]),
            ([3, 3], [2, 1], [1, 2], [1, 2, 1, 2]),
            ([2, 5], [3, 2], [4, 1], [5, 6, 7, 8]),
            ([1, 1], [1, 7], [9, 9], [3, 0, 0, 3]),
        ] {
            let input = [4, 5];
            let lists: [(&str, &[i64]); 3] =
                [("strides", &strides), ("dilations", &dilations), ("pads", &pads)];
            let window = window(&input, &kernel, &lists).expect("it fits");
            let place = |axis: usize, at: usize, tap: usize| {
                let [strides, dilations] = [strides, dilations].map(|list| list[axis] as usize);
                let place = (at * strides + tap * dilations).checked_sub(pads[axis] as usize)?;
                (place < input[axis]).then_some(place)
            };
            window.each(|_, at| {
                let mut expected = Vec::new();
                for (y, x) in (0..kernel[0]).flat_map(|y| (0..kernel[1]).map(move |x| (y, x))) {
                    if let (Some(row), Some(column)) = (place(0, at[0], y), place(1, at[1], x)) {
                        expected.push((y * kernel[1] + x, row * input[1] + column));
                    }
                }
                let mut found = Vec::new();
                window.inside(&input, at, |tap, position| found.push((tap, position)));
                assert_eq!(found, expected, "window {kernel:?} at {at:?}");
            });
        }
    }

    #[test]
    fn parameters_are_bounded_before_they_are_used() {
        const MAX: i64 = i32::MAX as i64;
        let fits = |lists: &[(&str, &[i64])]| window(&[5], &[3], lists).is_some();
        assert!(fits(&[("strides", &[MAX]), ("pads", &[MAX, MAX])]));
        assert!(fits(&[("dilations", &[MAX]), ("pads", &[MAX, MAX])]));
        for wrong in [0, -1, MAX + 1, i64::MAX, i64::MIN] {
            assert!(!fits(&[("strides", &[wrong])]), "stride {wrong}");
            assert!(!fits(&[("dilations", &[wrong])]), "dilation {wrong}");
            assert!(wrong == 0 || !fits(&[("pads", &[wrong, 0])]), "pad {wrong}");
        }
        assert!(window(&[5], &[usize::MAX], &[]).is_none());
    }
}
