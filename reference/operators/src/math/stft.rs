//! STFT — the transforms of overlapping frames of a signal, each weighted by a window.
//!
//! Precision: the product with the window is computed in f64, then like `fourier.rs`.
//!
//! Interpretation: a frame that is longer than the signal is an error, because the formula counts no frame;
//! `onesided` requires a real signal; a signal of rank 2 is real (deviation `signal-rank`).

use ndarray::{ArrayD, IxDyn, s};
use num_complex::Complex64;
use onnx_tensor::DType;

use super::fourier::{Transform, depth, one_sided};
use crate::frame::Change::First;
use crate::frame::{Call, Deviation, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{layout, reals};

pub const OP: OpDef = op("STFT", &[v(17, First, stft)]);

fn stft(call: &Call<'_>) -> Result<Outputs, OpError> {
    let signal = call.tensor(0)?;
    let wrong = || {
        let shape = signal.shape();
        OpError::invalid(format!(
            "the signal has shape {shape:?}, expected [batch, length, 1 or 2]"
        ))
    };
    let (batch, length, parts) = match *signal.shape() {
        [batch, length, parts @ (1 | 2)] => (batch, length, parts),
        [batch, length] => {
            call.deviate(Deviation::SignalRank, wrong())?;
            (batch, length, 1)
        }
        _ => return Err(wrong()),
    };
    let onesided = call.flag("onesided")?;
    if onesided && parts == 2 {
        return Err(OpError::invalid(
            "a one-sided transform requires a real signal; set `onesided` to 0",
        ));
    }
    let step = positive(call, 1)?.ok_or_else(|| OpError::invalid("`frame_step` is missing"))?;
    let window = window(call, length)?;
    let frame = window.len();
    let Some(rest) = length.checked_sub(frame) else {
        return Err(OpError::invalid(format!(
            "frames of {frame} are longer than the signal of {length}"
        )));
    };
    let frames = rest / step + 1;
    let bins = if onesided { one_sided(frame) } else { frame };
    let shape = [batch, frames, bins, 2];
    call.reserve(&shape, signal.dtype())?;
    // The plan and its scratch memory hold a few times the length.
    call.reserve(&[8, frame], DType::Complex128)?;
    if shape.contains(&0) {
        return one(layout::empty(signal.dtype(), &shape)?);
    }
    call.work(&[batch, frames, frame, depth(frame)])?;

    let x = reals::widen(signal)?.into_shape_with_order((batch, length, parts))?;
    let fft = Transform::new(frame, false);
    let mut result = ArrayD::zeros(IxDyn(&shape));
    for b in 0..batch {
        for f in 0..frames {
            let sample = |(at, &weight): (usize, &f64)| {
                let position = f * step + at;
                let imaginary = if parts == 2 { x[[b, position, 1]] } else { 0.0 };
                Complex64::new(x[[b, position, 0]], imaginary) * weight
            };
            let spectrum = fft.apply(window.iter().enumerate().map(sample).collect());
            let mut target = result.slice_mut(s![b, f, .., ..]);
            for (bin, value) in spectrum.into_iter().take(bins).enumerate() {
                (target[[bin, 0]], target[[bin, 1]]) = (value.re, value.im);
            }
        }
    }
    one(reals::narrow(result, signal.dtype())?)
}

/// The only element of input `index`, which must be positive.
fn positive(call: &Call<'_>, index: usize) -> Result<Option<usize>, OpError> {
    match call.optional_integers(index)?.as_deref() {
        None => Ok(None),
        Some(&[value]) if value > 0 => Ok(usize::try_from(value).ok()),
        Some(other) => {
            let name = call.schema().input(index).map_or("", |formal| formal.name);
            Err(OpError::invalid(format!(
                "`{name}` is {other:?}, expected one positive number"
            )))
        }
    }
}

/// The weights of a frame: the window if there is one; otherwise ones, as many as the frame or the whole
/// signal is long.
fn window(call: &Call<'_>, length: usize) -> Result<Vec<f64>, OpError> {
    let frame = positive(call, 3)?;
    let Some(window) = call.optional_tensor(2)? else {
        let frame = frame.unwrap_or(length);
        // The caller rejects a longer frame; this avoids allocating for it.
        let frame = frame.min(length.saturating_add(1));
        call.reserve(&[frame], DType::Double)?;
        return Ok(vec![1.0; frame]);
    };
    let shape = window.shape();
    let fits = matches!(shape, &[extent] if extent > 0 && frame.is_none_or(|frame| frame == extent));
    if !fits {
        return Err(OpError::invalid(format!(
            "the window has shape {shape:?}, expected one axis with the frame's length"
        )));
    }
    Ok(reals::widen(window)?.into_iter().collect())
}
