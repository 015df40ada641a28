//! Signal processing: transforms, windows, frames.

use super::elementwise::scalars;
use super::quantization::single;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("DFT", 17, dft),
    row("STFT", 17, stft),
    row("BlackmanWindow", 17, window),
    row("HammingWindow", 17, window),
    row("HannWindow", 17, window),
    row("MelWeightMatrix", 17, mel_weight_matrix),
];

/// The number of values of a spectrum without those that follow from others.
fn one_sided(call: &mut Call<'_, '_>, length: &Expr) -> Expr {
    let half = call.floor_div(length, &2.into());
    call.add(&half, &1.into())
}

/// The axis has the extent of the spectrum, or of the signal; the last one has the parts.
fn dft(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.at_least_rank(0, 2)?;
    let last = shape.len() - 1;
    let (inverse, onesided) = (call.flag("inverse"), call.flag("onesided"));
    let parts = shape[last].clone();
    match (inverse, onesided, parts.constant()) {
        (false, true, Some(found)) if found != 1 => {
            return parameter(format!(
                "a one-sided transform has a real signal, but the last extent is {found}"
            ));
        }
        (true, true, Some(found)) if found != 2 => {
            return parameter(format!(
                "a one-sided inverse has a complex signal, but the last extent is {found}"
            ));
        }
        (_, _, Some(found)) if found != 1 && found != 2 => {
            return parameter(format!(
                "the last extent is {found}, expected 1 (real) or 2 (complex)"
            ));
        }
        _ => {}
    }
    shape[last] = if inverse && onesided { 1 } else { 2 }.into();
    let axis = match (call.schema.attribute("axis").is_some(), call.given(2)) {
        (true, _) => call.int("axis"),
        (false, false) => Some(-2),
        (false, true) => call.only(2)?.constant(),
    };
    let Some(axis) = axis else {
        // Without a length, each axis keeps its extent.
        if !onesided && !call.given(1) {
            return one(shape);
        }
        for extent in &mut shape[..last] {
            *extent = call.state.symbols.extent();
        }
        return one(shape);
    };
    let at = call.axis(axis, shape.len())?;
    if at == last {
        return parameter("the last axis holds real and imaginary parts and cannot be transformed");
    }
    let length = match (call.given(1), inverse && onesided) {
        (true, _) => match call.only(1) {
            Ok(length) => length,
            Err(stop @ Stop::Broken(..)) => return Err(stop),
            Err(Stop::Unknown) => call.unknown(),
        },
        (false, true) => {
            let half = call.sub(&shape[at], &1.into());
            call.mul(&half, &2.into())
        }
        (false, false) => shape[at].clone(),
    };
    call.at_least(&length, &1.into(), "the length of a transform")?;
    shape[at] = if onesided && !inverse {
        one_sided(call, &length)
    } else {
        length
    };
    one(shape)
}

/// Batch, frames, values of a spectrum, and their two parts.
fn stft(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let signal = call.at_least_rank(0, 2)?;
    if signal.len() > 3 {
        return call.wrong_rank(0, signal.len(), "3");
    }
    let length = signal[1].clone();
    let given = known(call.only(3))?;
    let window = if call.given(2) {
        known(call.length(2))?
    } else {
        None
    };
    let frame = match (call.given(3), call.given(2)) {
        (true, true) => match (given, window) {
            (Some(given), Some(window)) => {
                Some(call.equal(&window, &given, "extent of the window and frame length,")?)
            }
            (given, window) => window.or(given),
        },
        (true, false) => given,
        (false, true) => window,
        (false, false) => Some(length.clone()),
    };
    let frame = match frame {
        Some(frame) => frame,
        None => call.up_to(&length),
    };
    call.at_least(&length, &frame, "the length of the signal")?;
    let frames = match known(call.only(1))? {
        Some(step) if step.constant().is_none_or(|step| step > 0) => {
            let rest = call.sub(&length, &frame);
            let steps = call.floor_div(&rest, &step);
            call.add(&steps, &1.into())
        }
        Some(step) => {
            let step = call.shown(&step);
            return parameter(format!("`frame_step` is {step}"));
        }
        None => call.unknown(),
    };
    let bins = if call.flag("onesided") {
        one_sided(call, &frame)
    } else {
        frame
    };
    one(vec![signal[0].clone(), frames, bins, 2.into()])
}

/// As many elements as the input says.
fn window(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    scalars(call, &[0])?;
    let size = match call.only(0) {
        Ok(size) => size,
        Err(stop @ Stop::Broken(..)) => return Err(stop),
        Err(Stop::Unknown) => call.unknown(),
    };
    call.at_least(&size, &0.into(), "`size`")?;
    one(vec![size])
}

fn mel_weight_matrix(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    single(call, &[0, 1, 2, 3, 4])?;
    let bins = call.only(0).unwrap_or_else(|_| call.unknown());
    let rows = match call.only(1) {
        Ok(length) => one_sided(call, &length),
        Err(_) => call.unknown(),
    };
    one(vec![rows, bins])
}
