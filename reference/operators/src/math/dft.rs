//! DFT — the discrete Fourier transform along one axis, forward or inverse, of a real signal (last axis 1)
//! or a complex one (last axis 2: real and imaginary part).
//!
//! Precision: see `fourier.rs`. Versions: 17 has `axis` as an attribute, default 1; 20 as an input, default
//! −2.
//!
//! Interpretation: `onesided` with `inverse` takes the first half of a spectrum and returns the whole real
//! signal, in both versions: the newest text of version 17 says so, older ones left it open. The spectrum
//! is truncated or padded with zeros to `floor(dft_length/2) + 1` values, and imaginary parts that must be
//! zero for a real signal are ignored. A forward one-sided transform of a complex signal is an error, and
//! so is an inverse one of a real spectrum.

use ndarray::{ArrayD, ArrayViewD, Axis};
use num_complex::Complex64;
use onnx_tensor::DType;

use super::fourier::{Transform, depth, mirrored, one_sided};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout, reals};

pub const OP: OpDef = op(
    "DFT",
    &[
        v(17, First, |call| dft(call, call.int("axis")?)),
        v(20, Semantics, |call| {
            let axis = call.optional(2).map(|_| call.scalar::<i64>(2)).transpose()?;
            dft(call, axis.unwrap_or(-2))
        }),
    ],
);

/// The parameters of a transform.
struct Plan {
    axis: usize,
    length: usize,
    /// Extent of the output along the transformed axis.
    extent: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Forward,
    ForwardOneSided,
    Inverse,
    InverseOneSided,
}

fn dft(call: &Call<'_>, axis: i64) -> Result<Outputs, OpError> {
    let input = call.tensor(0)?;
    let plan = plan(call, input.shape(), axis)?;
    let mut shape = input.shape().to_vec();
    let last = shape.len() - 1;
    let parts = if plan.kind == Kind::InverseOneSided { 1 } else { 2 };
    (shape[plan.axis], shape[last]) = (plan.extent, parts);
    call.reserve(&shape, input.dtype())?;
    // The plan and its scratch memory hold a few times the length.
    call.reserve(&[8, plan.length], DType::Complex128)?;
    if shape.contains(&0) {
        return one(layout::empty(input.dtype(), &shape)?);
    }
    let signals = layout::count(&shape) / plan.extent.max(1);
    call.work(&[signals, plan.length, depth(plan.length)])?;
    let x = reals::widen(input)?;
    let result = transform(x.view(), &plan, &shape);
    one(reals::narrow(result, input.dtype())?)
}

fn plan(call: &Call<'_>, shape: &[usize], axis: i64) -> Result<Plan, OpError> {
    let (&parts, signal) = shape
        .split_last()
        .ok_or_else(|| OpError::invalid("the input is a scalar"))?;
    let axis = axes::axis(axis, shape.len())?;
    let Some(&extent) = signal.get(axis) else {
        return Err(OpError::invalid(
            "the last axis holds real and imaginary parts and cannot be transformed",
        ));
    };
    let kind = match (call.flag("inverse")?, call.flag("onesided")?) {
        (false, false) => Kind::Forward,
        (false, true) => Kind::ForwardOneSided,
        (true, false) => Kind::Inverse,
        (true, true) => Kind::InverseOneSided,
    };
    match (kind, parts) {
        (Kind::ForwardOneSided, 1) | (Kind::InverseOneSided, 2) => {}
        (Kind::Forward | Kind::Inverse, 1 | 2) => {}
        _ => {
            return Err(OpError::invalid(format!(
                "the last axis has extent {parts}: 1 is a real signal, 2 a complex one; a one-sided transform goes from real to \
                 complex, its inverse from complex to real"
            )));
        }
    }
    let length = length(call, extent, kind)?;
    let extent = if kind == Kind::ForwardOneSided {
        one_sided(length)
    } else {
        length
    };
    Ok(Plan {
        axis,
        length,
        extent,
        kind,
    })
}

fn length(call: &Call<'_>, extent: usize, kind: Kind) -> Result<usize, OpError> {
    let given = match call.optional_integers(1)?.as_deref() {
        None if kind == Kind::InverseOneSided => extent.checked_sub(1).and_then(|half| half.checked_mul(2)),
        None => Some(extent),
        Some(&[length]) => usize::try_from(length).ok(),
        Some(_) => return Err(OpError::invalid("`dft_length` must have one element")),
    };
    given
        .filter(|&length| length > 0)
        .ok_or_else(|| OpError::invalid("the length of a transform must be positive"))
}

/// The transform of `x`, whose shape is already checked. `shape` is that of the result.
fn transform(x: ArrayViewD<'_, f64>, plan: &Plan, shape: &[usize]) -> ArrayD<f64> {
    let last = Axis(shape.len() - 1);
    let inverse = matches!(plan.kind, Kind::Inverse | Kind::InverseOneSided);
    let fft = Transform::new(plan.length, inverse);
    let needed = if plan.kind == Kind::InverseOneSided {
        one_sided(plan.length)
    } else {
        plan.length
    };
    let complex = x.len_of(last) == 2;
    let mut result = ArrayD::zeros(shape);
    // The lanes of both arrays along `axis` and the last axis are signals. All other axes agree.
    let signals = x.lanes(Axis(plan.axis)).into_iter();
    let parts: Vec<_> = signals.collect();
    let mut targets: Vec<_> = result.lanes_mut(Axis(plan.axis)).into_iter().collect();
    let (width_in, width_out) = (x.len_of(last), shape[last.index()]);
    for (source, target) in parts.chunks(width_in).zip(targets.chunks_mut(width_out)) {
        let imaginary = |index| if complex { source[1][index] } else { 0.0 };
        let available = source[0].len().min(needed);
        let mut signal: Vec<Complex64> = (0..available)
            .map(|index| Complex64::new(source[0][index], imaginary(index)))
            .collect();
        signal.resize(needed, Complex64::default());
        if plan.kind == Kind::InverseOneSided {
            signal = mirrored(&signal, plan.length);
        }
        for (index, value) in fft.apply(signal).into_iter().take(plan.extent).enumerate() {
            for (part, lane) in [value.re, value.im].into_iter().zip(target.iter_mut()) {
                lane[index] = part;
            }
        }
    }
    result
}
