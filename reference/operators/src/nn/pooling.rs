//! The core of all pooling operators: iterates over the windows of each plane of the input.

use onnx_tensor::{Array, Element};

use super::window::{self, Rounding, WindowAxis};
use crate::frame::{Call, OpError};

/// A window over one plane.
#[derive(Debug)]
pub struct Window<'a> {
    spans: &'a [Span],
    extents: &'a [usize],
    /// The number of elements of the window in the padded input.
    pub padded: usize,
}

/// The elements of a window inside the input, along one axis.
#[derive(Clone, Copy, Default, Debug)]
struct Span {
    first: usize,
    count: usize,
    step: usize,
    padded: usize,
}

impl Window<'_> {
    /// Calls `each` with the position in the plane of every element inside the input, in row-major order.
    pub fn visit(&self, mut each: impl FnMut(usize)) {
        visit_lines(self.spans, self.extents, 0, &mut |first, line| {
            (0..line.count).for_each(|index| each(first + index * line.step));
        });
    }
}

/// Calls `each` with the position of the first element of every line along the last axis.
fn visit_lines(spans: &[Span], extents: &[usize], base: usize, each: &mut dyn FnMut(usize, &Span)) {
    let ([span, spans @ ..], [extent, extents @ ..]) = (spans, extents) else {
        return;
    };
    let first = base * extent + span.first;
    if spans.is_empty() {
        return each(first, span);
    }
    for index in 0..span.count {
        visit_lines(spans, extents, first + index * span.step, each);
    }
}

/// The windows over the spatial axes of input 0 (N × C × …), from the attributes of the call.
fn windows(call: &Call<'_>, rounding: Rounding) -> Result<Vec<WindowAxis>, OpError> {
    let shape = call.tensor(0)?.shape();
    let [_, _, input @ ..] = shape else {
        return Err(OpError::invalid(format!(
            "shape {shape:?} must have a batch and a channel axis"
        )));
    };
    let kernel = window::kernel_shape(call)?;
    let kernel = kernel.ok_or_else(|| OpError::undefined("pooling without `kernel_shape`"))?;
    if input.is_empty() {
        return Err(OpError::invalid("pooling requires a spatial axis"));
    }
    window::axes(call, input, &kernel, rounding)
}

/// The windows of a pooling operator and the shape of its result. Reserves the result and charges the reads
/// of the windows.
pub fn prepare(call: &Call<'_>, rounding: Rounding) -> Result<(Vec<WindowAxis>, Vec<usize>), OpError> {
    let x = call.tensor(0)?;
    let axes = windows(call, rounding)?;
    let shape = shape(x.shape(), &axes);
    call.reserve(&shape, x.dtype())?;
    if !shape.contains(&0) {
        // A window reads no input element twice.
        let read = axes.iter().map(|axis| axis.kernel.min(axis.input));
        call.work(&shape.iter().copied().chain(read).collect::<Vec<_>>())?;
    }
    Ok((axes, shape))
}

/// The shape of the result: batch and channels of `x`, and one element for each window.
fn shape(x: &[usize], axes: &[WindowAxis]) -> Vec<usize> {
    let windows = axes.iter().map(|axis| axis.output);
    x.iter().take(2).copied().chain(windows).collect()
}

/// Reduces each window of each plane of `x` by `reduce`, which gets the index of the plane, the plane and
/// the window.
pub fn pool<T: Element, R>(
    x: &Array<T>,
    axes: &[WindowAxis],
    mut reduce: impl FnMut(usize, &[T], &Window<'_>) -> Result<R, OpError>,
) -> Result<Vec<R>, OpError> {
    if shape(x.shape(), axes).contains(&0) {
        return Ok(Vec::new());
    }
    let extents: Vec<usize> = axes.iter().map(|axis| axis.input).collect();
    let tables: Vec<Vec<Span>> = axes.iter().map(spans).collect();
    let plane: usize = extents.iter().product();
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let planes: usize = x.shape().iter().take(2).product();
    let windows: usize = axes.iter().map(|axis| axis.output).product();
    let mut result = Vec::with_capacity(planes * windows);
    let mut spans = vec![Span::default(); axes.len()];
    for index in 0..planes {
        let elements = &elements[index * plane..(index + 1) * plane];
        for window in 0..windows {
            let mut rest = window;
            for (span, table) in spans.iter_mut().zip(&tables).rev() {
                *span = table[rest % table.len()];
                rest /= table.len();
            }
            let padded = spans.iter().map(|span| span.padded).product();
            let window = Window {
                spans: &spans,
                extents: &extents,
                padded,
            };
            result.push(reduce(index, elements, &window)?);
        }
    }
    Ok(result)
}

/// The elements that each window covers along an axis.
fn spans(axis: &WindowAxis) -> Vec<Span> {
    // The number of leading kernel elements before `limit`, for a window that starts at `start`.
    let before = |start: usize, limit: usize| {
        limit
            .saturating_sub(start)
            .div_ceil(axis.dilation)
            .min(axis.kernel)
    };
    // Negative padding removes the first elements.
    let begin = usize::try_from(axis.begin).unwrap_or(0);
    let cut = usize::try_from(-axis.begin).unwrap_or(0);
    let end = usize::try_from(axis.end).unwrap_or(0);
    (0..axis.output)
        .map(|window| {
            let start = window * axis.stride + cut;
            let skipped = before(start, begin);
            let inside = before(start, begin + axis.input);
            Span {
                first: (start + skipped * axis.dilation).saturating_sub(begin),
                count: inside - skipped,
                step: axis.dilation,
                padded: before(start, begin + axis.input + end),
            }
        })
        .collect()
}
