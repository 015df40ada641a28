//! Pad — adds positions before and after each axis, or removes them if a count is negative.
//!
//! Versions: 1 and 2 have attributes (1 calls them `paddings` and has no removal), 11 has inputs, 18 adds
//! `axes`, 19 the mode `wrap`, which 18 also accepts except in a strict run (deviation `pad-wrap`). Modes:
//! `constant`; `edge` repeats the outermost element; `reflect` mirrors about it, repeatedly if needed;
//! `wrap` continues at the other end.
//!
//! Interpretation: positions are removed before others are added, so that added positions mirror the
//! remaining ones. An axis without elements has nothing to repeat, which is an error unless the mode is
//! `constant`. float8e8m0 has no zero and so no default constant. A repeated axis is undefined.

use onnx_tensor::Tensor;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, Deviation, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes;
use crate::shared::layout::{self, AxisMap};

pub const OP: OpDef = op(
    "Pad",
    &[
        v(1, First, pad_1),
        v(2, Semantics, |call| pad_by_attributes(call, &call.ints("pads")?)),
        v(11, Semantics, |call| pad_by_inputs(call, Mode::without_wrap)),
        v(13, TypesOnly, |call| pad_by_inputs(call, Mode::without_wrap)),
        v(18, Semantics, |call| {
            if call.string("mode")? == "wrap" {
                call.deviate(Deviation::PadWrap, Mode::unknown("wrap"))?;
            }
            pad_by_inputs(call, Mode::all)
        }),
        v(19, Semantics, |call| pad_by_inputs(call, Mode::all)),
        v(21, TypesOnly, |call| pad_by_inputs(call, Mode::all)),
        v(23, TypesOnly, |call| pad_by_inputs(call, Mode::all)),
        v(24, TypesOnly, |call| pad_by_inputs(call, Mode::all)),
        v(25, TypesOnly, |call| pad_by_inputs(call, Mode::all)),
    ],
);

/// The source of added elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Constant,
    Reflect,
    Edge,
    Wrap,
}

impl Mode {
    fn without_wrap(name: &str) -> Result<Mode, OpError> {
        match name {
            "constant" => Ok(Mode::Constant),
            "reflect" => Ok(Mode::Reflect),
            "edge" => Ok(Mode::Edge),
            _ => Err(Mode::unknown(name)),
        }
    }

    fn unknown(name: &str) -> OpError {
        OpError::invalid(format!("`mode` is {name:?}, which this version does not have"))
    }

    fn all(name: &str) -> Result<Mode, OpError> {
        if name == "wrap" {
            Ok(Mode::Wrap)
        } else {
            Mode::without_wrap(name)
        }
    }

    /// The source position among `extent`, for a position that may be outside.
    fn source(self, at: i64, extent: i64) -> Option<i64> {
        let inside = (0..extent).contains(&at);
        match self {
            _ if inside => Some(at),
            Mode::Constant => None,
            Mode::Edge => Some(at.clamp(0, extent - 1)),
            Mode::Wrap => Some(at.rem_euclid(extent)),
            Mode::Reflect if extent == 1 => Some(0),
            Mode::Reflect => {
                let period = 2 * (extent - 1);
                let phase = at.rem_euclid(period);
                Some(phase.min(period - phase))
            }
        }
    }
}

fn pad_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    let pads = call.ints("paddings")?;
    match pads.iter().find(|&&count| count < 0) {
        Some(count) => Err(OpError::invalid(format!(
            "version 1 of Pad does not allow the negative count {count}"
        ))),
        None => pad_by_attributes(call, &pads),
    }
}

fn pad_by_attributes(call: &Call<'_>, pads: &[i64]) -> Result<Outputs, OpError> {
    let (x, value) = (call.tensor(0)?, f64::from(call.float("value")?));
    let fill = layout::number(x.dtype(), value)?;
    pad(
        call,
        pads,
        Mode::without_wrap(call.string("mode")?)?,
        Some(&fill),
        None,
    )
}

fn pad_by_inputs(call: &Call<'_>, read: fn(&str) -> Result<Mode, OpError>) -> Result<Outputs, OpError> {
    let mode = read(call.string("mode")?)?;
    // Below version 18 there is no input 3.
    pad(
        call,
        &call.integers(1)?,
        mode,
        call.optional_tensor(2)?,
        call.optional_integers(3)?,
    )
}

fn pad(
    call: &Call<'_>,
    pads: &[i64],
    mode: Mode,
    fill: Option<&Tensor>,
    named: Option<Vec<i64>>,
) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let pads = for_each_axis(pads, named, x.rank())?;
    let changes = x
        .shape()
        .iter()
        .zip(&pads)
        .map(|(&extent, &pads)| AxisChange::new(extent, pads, mode));
    let changes = changes.collect::<Result<Vec<_>, _>>()?;
    let shape: Vec<usize> = changes.iter().map(|change| change.extent).collect();
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return one(layout::empty(x.dtype(), &shape)?);
    }
    let maps: Vec<AxisMap> = changes.iter().map(|change| change.map(mode)).collect();
    let outside = maps.iter().flatten().any(Option::is_none);
    let zero = if outside && fill.is_none() {
        Some(layout::zero(x.dtype())?)
    } else {
        None
    };
    one(layout::remap(x, &maps, zero.as_ref().or(fill))?)
}

/// The number of positions added before and after each axis.
fn for_each_axis(pads: &[i64], named: Option<Vec<i64>>, rank: usize) -> Result<Vec<(i64, i64)>, OpError> {
    let named = named.unwrap_or_else(|| (0..rank as i64).collect());
    if pads.len() != 2 * named.len() {
        return Err(OpError::invalid(format!(
            "expected two pads for each axis, got {} pads for {} axes",
            pads.len(),
            named.len()
        )));
    }
    let (begins, ends) = pads.split_at(named.len());
    let mut found = vec![None; rank];
    for ((&axis, &begin), &end) in named.iter().zip(begins).zip(ends) {
        if found[axes::axis(axis, rank)?].replace((begin, end)).is_some() {
            return Err(OpError::undefined(format!("axis {axis} is repeated")));
        }
    }
    Ok(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// The change of one axis: the positions `begin..begin + kept` stay, then `before` positions are added in
/// front; the result has `extent`.
struct AxisChange {
    begin: i64,
    kept: i64,
    before: i64,
    extent: usize,
}

impl AxisChange {
    fn new(extent: usize, (begin, end): (i64, i64), mode: Mode) -> Result<AxisChange, OpError> {
        let problem = |problem| {
            OpError::invalid(format!(
                "pads {begin} and {end} of an axis of {extent}: {problem}"
            ))
        };
        let kept = (extent as i64)
            .checked_add(begin.min(0))
            .and_then(|kept| kept.checked_add(end.min(0)));
        let kept = kept
            .filter(|&kept| kept >= 0)
            .ok_or_else(|| problem("more positions are removed than exist"))?;
        let added = begin.max(0).checked_add(end.max(0));
        let total = added
            .and_then(|added| kept.checked_add(added))
            .ok_or_else(|| problem("the result is too large"))?;
        if kept == 0 && total > 0 && mode != Mode::Constant {
            return Err(problem("there is no element to repeat"));
        }
        Ok(AxisChange {
            begin: -begin.min(0),
            kept,
            before: begin.max(0),
            extent: total as usize,
        })
    }

    fn map(&self, mode: Mode) -> AxisMap {
        let source = |at: i64| {
            mode.source(at - self.before, self.kept)
                .map(|at| (at + self.begin) as usize)
        };
        (0..self.extent as i64).map(source).collect()
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{F8E8M0, Tensor};

    use crate::frame::testing::{attribute, exact, refused, refused_strictly, values};

    /// Wrap and repeated reflection from `numpy.pad`; removal with reflection and edge from ONNX Runtime.
    #[test]
    fn modes() {
        type Case = (&'static str, [i64; 2], &'static [u8], &'static [u8]);
        let cases: [Case; 6] = [
            (
                "reflect",
                [4, 5],
                &[1, 2, 3],
                &[1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2],
            ),
            ("wrap", [4, 5], &[1, 2, 3], &[3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]),
            ("reflect", [2, 1], &[7], &[7, 7, 7, 7]),
            ("reflect", [-1, 2], &[1, 2, 3, 4], &[2, 3, 4, 3, 2]),
            ("edge", [2, -1], &[1, 2, 3, 4], &[1, 1, 1, 2, 3]),
            ("constant", [-2, 1], &[1, 2, 3], &[3, 0]),
        ];
        for (mode, pads, x, expected) in cases {
            let inputs = [Tensor::vector(x.to_vec()), Tensor::vector(pads.to_vec())];
            exact(
                ("", "Pad", 19),
                &inputs,
                &[attribute("mode", mode)],
                &[Tensor::vector(expected.to_vec())],
            );
        }
    }

    #[test]
    fn version_1_adds_only() {
        let x = Tensor::vector(vec![1_f32, 2.0]);
        let attributes = [attribute("paddings", [1, 0]), attribute("value", 9_f32)];
        exact(
            ("", "Pad", 1),
            std::slice::from_ref(&x),
            &attributes,
            &[Tensor::vector(vec![9_f32, 1.0, 2.0])],
        );
        refused(
            ("", "Pad", 1),
            &values(&[x]),
            &[attribute("paddings", [-1, 0])],
            "negative count",
        );
    }

    #[test]
    fn errors() {
        let pads = |pads: [i64; 2]| Tensor::vector(pads.to_vec());
        let wrap = [attribute("mode", "wrap")];
        let x = Tensor::vector(vec![1_u8]);
        refused_strictly(
            ("", "Pad", 18),
            &values(&[x.clone(), pads([1, 1])]),
            &wrap,
            "mode",
        );
        refused(
            ("", "Pad", 19),
            &values(&[x.clone(), pads([-1, 1])]),
            &wrap,
            "no element",
        );
        refused(
            ("", "Pad", 19),
            &values(&[x.clone(), pads([-1, -1])]),
            &[],
            "removed",
        );
        refused(
            ("", "Pad", 19),
            &values(&[x, pads([i64::MAX, 1])]),
            &[],
            "too large",
        );
        refused(
            ("", "Pad", 24),
            &values(&[Tensor::vector(vec![F8E8M0(1)]), pads([1, 0])]),
            &[],
            "no zero",
        );
    }
}
