//! Leaves out the taps of a convolution that are outside of the image in every window, as in a
//! small image with a large dilation: they multiply zeros.

use std::borrow::Cow;

use native_kernels::conv::{ConvShape, Window};

/// Returns the convolution without these taps, with its weights `[out][in / groups][ky][kx]`, which
/// are finite. The result has the same size.
pub fn trimmed<'w>(shape: ConvShape, size: [usize; 2], weights: &'w [f32]) -> (ConvShape, Cow<'w, [f32]>) {
    let window = &shape.window;
    let (Ok(output), [height, width]) = (window.output(size), window.kernel) else {
        return (shape, Cow::Borrowed(weights));
    };
    let [rows, columns] = [0, 1].map(|axis| inside(window, axis, size[axis], output[axis]));
    let narrower = narrowed(window, [rows.clone(), columns.clone()], size, output);
    let (Some(narrower), true) = (narrower, weights.len().is_multiple_of(height * width)) else {
        return (shape, Cow::Borrowed(weights));
    };
    let kept = weights
        .chunks_exact(height * width)
        .flat_map(|kernel| rows.clone().map(move |row| &kernel[row * width..][..width]))
        .flat_map(|row| &row[columns.clone()]);
    let kept = kept.copied().collect();
    let shape = ConvShape {
        window: narrower,
        ..shape
    };
    (shape, Cow::Owned(kept))
}

/// The range of the taps along an axis that some window has inside of the image.
fn inside(window: &Window, axis: usize, size: usize, windows: usize) -> std::ops::Range<usize> {
    let (taps, dilation) = (window.kernel[axis], window.dilation[axis]);
    let (stride, pad) = (window.stride[axis], window.pad_begin[axis]);
    let last = (windows - 1) * stride;
    // Tap t of window w is at pixel w·stride + t·dilation − pad.
    let start = pad.saturating_sub(last).div_ceil(dilation).min(taps);
    let end = (size + pad).div_ceil(dilation).min(taps);
    start..end.max(start)
}

/// Returns the window with only these taps; `None` if it is the same, or would start inside the image.
fn narrowed(
    window: &Window,
    taps: [std::ops::Range<usize>; 2],
    size: [usize; 2],
    output: [usize; 2],
) -> Option<Window> {
    let mut narrower = *window;
    for axis in 0..2 {
        let kept = &taps[axis];
        if kept.is_empty() {
            return None;
        }
        narrower.kernel[axis] = kept.len();
        narrower.pad_begin[axis] = window.pad_begin[axis].checked_sub(kept.start * window.dilation[axis])?;
        let extent = (kept.len() - 1) * window.dilation[axis] + 1;
        let reached = (output[axis] - 1) * window.stride[axis] + extent;
        narrower.pad_end[axis] = reached.saturating_sub(size[axis] + narrower.pad_begin[axis]);
    }
    let same = narrower.kernel == window.kernel || narrower.output(size).ok() != Some(output);
    (!same).then_some(narrower)
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Ints;

    use crate::fixture::{Fixture, node};

    /// Convolutions whose taps are partly or never inside, against the general code.
    #[test]
    fn results_are_those_of_the_general_code() {
        for (size, dilation, pad, stride, end) in [
            ([5, 6], 6, 6, 1, 6),
            ([5, 6], 4, 4, 1, 4),
            ([5, 3], 5, 5, 2, 5),
            ([7, 4], 3, 6, 1, 3),
            ([4, 9], 7, 8, 3, 9),
            ([1, 1], 2, 2, 1, 2),
            ([3, 3], 5, 2, 1, 11),
        ] {
            for (inputs, outputs, groups) in [(20, 18, 1), (3, 5, 1), (16, 16, 16), (12, 6, 3)] {
                let attributes = [
                    ("dilations", Ints(vec![dilation; 2])),
                    ("pads", Ints(vec![pad, pad, end, end])),
                    ("strides", Ints(vec![stride; 2])),
                    ("group", onnx_model::AttributeValue::Int(groups)),
                ];
                let nodes = vec![node("Conv", "x w", "y", &attributes)];
                let fixture = Fixture::new(&[2, inputs, size[0], size[1]], nodes);
                let fixture = fixture.varied("w", &[outputs, inputs / groups as usize, 3, 3]);
                fixture.check_kernels(&["Conv"], 1e-5);
            }
        }
    }
}
