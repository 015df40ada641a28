//! Pad.

use onnx_tensor::Tensor;

use super::super::call::{axes, axis, count, one};
use super::super::fast::Fast;
use super::super::movement::{Run, assemble, strides, take, view};
use super::super::numbers::{from_floats, from_ints};
use super::super::rules::Arguments;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("Pad", 2, First(|known| known.pad()), |call| {
        let pads = call.attributes.ints("pads")?.unwrap_or_default().to_vec();
        let fill = Tensor::scalar(call.attributes.float("value")?);
        let fill = from_floats(
            call.tensor(0)?.dtype(),
            &[1],
            super::super::numbers::floats(&fill)?,
        )?;
        pad(call, &pads, &fill)
    })
    .fast(Fast::Pad),
    row("Pad", 11, First(|known| known.pad()), |call| {
        let tensor = call.tensor(0)?;
        let pads = pads_of(call, tensor.rank())?;
        match call.find_tensor(2)? {
            Some(fill) => pad(call, &pads, fill),
            None => pad(call, &pads, &zero(tensor)?),
        }
    })
    .fast(Fast::Pad)
    .requires(lists_fit),
];

/// There are two pads for each axis, or for each listed one, and one constant.
fn lists_fit(node: &Arguments) -> Result<(), Problem> {
    node.only(2, "constant_value")?;
    let Some(rank) = node.shape(0).map(|shape| shape.len()) else {
        return Ok(());
    };
    if let Some(listed) = node.ints(3) {
        axes(&listed, rank)?;
    }
    let changed = if node.has(3) { node.count(3) } else { Some(rank) };
    match changed.zip(node.count(1)) {
        Some((axes, pads)) if Some(pads) != axes.checked_mul(2) => {
            invalid(format!("expected two pads for each of {axes} axes, got {pads}"))
        }
        _ => Ok(()),
    }
}

/// Returns two pads for each axis, from the inputs of Pad since version 11.
pub fn pads_of(call: &Call, rank: usize) -> Result<Vec<i64>, Problem> {
    let given = call.ints(1)?;
    match call.find_ints(3)? {
        Some(listed) => spread(&given, &listed, rank),
        None => Ok(given),
    }
}

/// Returns one element of the type of `like`: zero, or an empty string.
pub fn zero(like: &Tensor) -> Result<Tensor, Problem> {
    match like.dtype() {
        onnx_tensor::DType::String => Ok(Tensor::vector(vec![String::new()])),
        dtype => from_ints(dtype, &[1], vec![0]),
    }
}

/// Expands the pads of some axes to pads of all axes.
pub fn spread(given: &[i64], listed: &[i64], rank: usize) -> Result<Vec<i64>, Problem> {
    if given.len() != 2 * listed.len() {
        return invalid("expected two pads for each axis");
    }
    axes(listed, rank)?;
    let mut pads = vec![0; 2 * rank];
    for (position, &which) in listed.iter().enumerate() {
        let at = axis(which, rank)?;
        pads[at] = given[position];
        pads[at + rank] = given[position + listed.len()];
    }
    Ok(pads)
}

/// Returns the element of an axis for a position that may be outside.
fn source(mode: &str, at: i64, extent: i64) -> Option<i64> {
    if (0..extent).contains(&at) {
        return Some(at);
    }
    match mode {
        "edge" => Some(at.clamp(0, extent - 1)),
        "wrap" => Some(at.rem_euclid(extent)),
        "reflect" if extent == 1 => Some(0),
        "reflect" => {
            let period = 2 * (extent - 1);
            let folded = at.rem_euclid(period);
            Some(folded.min(period - folded))
        }
        _ => None,
    }
}

/// The change of an axis. Elements are removed first, where a pad is negative, and added then, so that added
/// elements repeat the remaining ones.
struct Change {
    /// The first element that remains.
    first: i64,
    /// The number of remaining elements.
    kept: i64,
    /// The number of elements added before them.
    before: i64,
    /// The extent of the result.
    total: usize,
}

impl Change {
    /// Returns the change for these pads; `None` if more elements are removed than there are, or the result
    /// is too large.
    fn new(extent: usize, begin: i64, end: i64) -> Option<Change> {
        let kept = i64::try_from(extent).ok()?.checked_add(begin.min(0))?;
        let kept = kept.checked_add(end.min(0)).filter(|&kept| kept >= 0)?;
        let total = kept.checked_add(begin.max(0))?.checked_add(end.max(0))?;
        Some(Change {
            first: -begin.min(0),
            kept,
            before: begin.max(0),
            total: usize::try_from(total).ok()?,
        })
    }

    /// Returns the source position of a position in the result.
    fn source(&self, mode: &str, to: usize) -> Option<usize> {
        let at = source(mode, to as i64 - self.before, self.kept)?;
        usize::try_from(at + self.first).ok()
    }
}

/// The sources of a padded tensor.
pub struct Padded {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// For each axis, the source position of each position of the result; `None` for the constant.
    pub sources: Vec<Vec<Option<usize>>>,
}

/// Returns the sources of a tensor of shape `from` with two pads for each axis.
pub fn padded(mode: &str, from: &[usize], pads: &[i64]) -> Result<Padded, Problem> {
    if !matches!(mode, "constant" | "edge" | "reflect" | "wrap") {
        return invalid(format!("unknown mode `{mode}`"));
    }
    let rank = from.len();
    if pads.len() != 2 * rank {
        return invalid(format!(
            "expected two pads for each of {rank} axes, got {}",
            pads.len()
        ));
    }
    let mut shape = Vec::with_capacity(rank);
    let mut changes = Vec::with_capacity(rank);
    for (at, &extent) in from.iter().enumerate() {
        let change = Change::new(extent, pads[at], pads[at + rank]);
        let Some(change) = change else {
            return invalid(format!("pads {pads:?} do not result in a valid shape"));
        };
        if mode != "constant" && change.kept == 0 && change.total > 0 {
            return invalid("an empty axis cannot be padded in this mode");
        }
        shape.push(change.total);
        changes.push(change);
    }
    let sources = match count(&shape)? {
        0 => Vec::new(),
        _ => changes
            .iter()
            .map(|change| (0..change.total).map(|to| change.source(mode, to)).collect())
            .collect(),
    };
    Ok(Padded { shape, sources })
}

fn pad(call: &Call, pads: &[i64], fill: &Tensor) -> Outcome {
    let tensor = call.tensor(0)?;
    let Padded { shape, sources } = padded(call.attributes.text("mode")?, tensor.shape(), pads)?;
    if count(&shape)? == 0 {
        return one(take(tensor, &shape, &[])?);
    }
    let Some((columns, outer)) = sources.split_last() else {
        return one(tensor.clone());
    };
    let filled = view(fill, &[columns.len()], &[0], 0)?;
    let pieces = pieces(columns);
    let own = strides(tensor.shape());
    let rows = shape[..outer.len()].to_vec();
    let steps = strides(&rows);
    let start = |row: usize| {
        let coordinates = outer.iter().enumerate();
        coordinates
            .map(|(axis, sources)| Some(sources[row / steps[axis] % rows[axis]]? * own[axis]))
            .sum()
    };
    let mut runs = Vec::new();
    for row in 0..rows.iter().product() {
        let start: Option<usize> = start(row);
        runs.extend(pieces.iter().map(|&(at, length)| match start.zip(at) {
            Some((start, at)) => Run {
                source: 0,
                start: start + at,
                length,
            },
            None => Run {
                source: 1,
                start: 0,
                length,
            },
        }));
    }
    one(assemble(&[tensor, &filled], &shape, runs.into_iter())?)
}

/// Returns the first source and the length of each piece of a row that is read from adjacent elements, or
/// `None` and the length of one that is filled.
fn pieces(columns: &[Option<usize>]) -> Vec<(Option<usize>, usize)> {
    let follows = |before: &Option<usize>, next: &Option<usize>| match (before, next) {
        (Some(before), Some(next)) => before + 1 == *next,
        (before, next) => before.is_none() && next.is_none(),
    };
    let pieces = columns.chunk_by(follows);
    pieces.map(|piece| (piece[0], piece.len())).collect()
}
