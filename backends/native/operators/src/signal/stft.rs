//! STFT.

use onnx_tensor::Tensor;
use rustfft::num_complex::Complex64;

use super::super::call::{count, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::fourier::{Fourier, is_complex, one_sided};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row("STFT", 17, First(|known| known.stft()), transform)];

fn transform(call: &Call) -> Outcome {
    let x = call.tensor(0)?;
    // Exporters also write a real signal without its last axis.
    let shape = match *x.shape() {
        [batch, length, parts] => is_complex(parts).map(|complex| (batch, length, complex)),
        [batch, length] => Some((batch, length, false)),
        _ => None,
    };
    let Some((batch, length, complex)) = shape else {
        return invalid(format!(
            "expected a signal of shape [N, L, 1 or 2], got {:?}",
            x.shape()
        ));
    };
    let is_half = call.attributes.flag("onesided")?;
    if is_half && complex {
        return invalid("a one-sided transform reads a real signal; set `onesided` to 0");
    }
    let Some(step) = positive(call, 1)? else {
        return invalid("frame_step is missing");
    };
    let window = window(call, length)?;
    let Some(last) = length.checked_sub(window.len()) else {
        return invalid(format!(
            "a frame of {} exceeds the signal of {length} elements",
            window.len()
        ));
    };
    let frames = last / step + 1;
    let bins = if is_half {
        one_sided(window.len())
    } else {
        window.len()
    };
    let result = [batch, frames, bins, 2];
    has_room(count(&result)?)?;
    let values = spectra(x, (batch, length, complex), &window, (frames, step, bins))?;
    one(from_floats(x.dtype(), &result, values)?)
}

/// Returns the first `bins` values of the spectrum of each frame of each signal.
fn spectra(
    x: &Tensor,
    (batch, length, complex): (usize, usize, bool),
    window: &[f64],
    (frames, step, bins): (usize, usize, usize),
) -> Result<Vec<f64>, Problem> {
    let x = floats(x)?;
    let parts = 1 + usize::from(complex);
    let fourier = Fourier::new(window.len(), false)?;
    let mut values = Vec::with_capacity(batch * frames * bins * 2);
    let mut frame = vec![Complex64::default(); window.len()];
    for (image, at) in (0..batch).flat_map(|image| (0..frames).map(move |at| (image, at))) {
        for (n, (value, weight)) in frame.iter_mut().zip(window).enumerate() {
            let from = (image * length + at * step + n) * parts;
            *value = Complex64::new(x[from], if complex { x[from + 1] } else { 0.0 }) * weight;
        }
        fourier.apply(&mut frame);
        values.extend(frame[..bins].iter().flat_map(|value| [value.re, value.im]));
    }
    Ok(values)
}

/// Returns the window. Without one, all weights of a frame are 1, and a frame without a length is the
/// signal.
fn window(call: &Call, length: usize) -> Result<Vec<f64>, Problem> {
    let frame = positive(call, 3)?;
    match call.find_tensor(2)? {
        Some(window)
            if window.rank() == 1 && !window.is_empty() && frame.is_none_or(|of| of == window.len()) =>
        {
            floats(window)
        }
        Some(window) => invalid(format!(
            "expected a window of one axis with frame_length elements, got the shape {:?}",
            window.shape()
        )),
        None => match frame.unwrap_or(length) {
            0 => invalid("expected a signal of at least one element"),
            frame if frame > length => invalid(format!(
                "a frame of {frame} exceeds the signal of {length} elements"
            )),
            frame => Ok(vec![1.0; frame]),
        },
    }
}

/// Returns the only element of an input, which must be at least 1.
fn positive(call: &Call, position: usize) -> Result<Option<usize>, Problem> {
    match call.find_ints(position)?.as_deref() {
        None => Ok(None),
        Some(&[value]) if value > 0 => Ok(usize::try_from(value).ok()),
        Some(other) => invalid(format!(
            "expected one positive number in input {position}, got {other:?}"
        )),
    }
}
