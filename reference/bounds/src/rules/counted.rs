//! Decisions that say how many elements a result has: NonMaxSuppression, NonZero, Unique.
//!
//! Answers of different shapes are no set of numbers. If no comparison is within the errors of its operands,
//! every correct implementation decides alike, and the result is certain; otherwise the radius is unknown,
//! with the comparison as the reason.

use onnx_operators::frame::OpError;
use onnx_tensor::Array;

use super::exact::decides;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("NonMaxSuppression", suppression),
    entry("NonZero", non_zero),
    entry("Unique", unique),
];

fn missing() -> OpError {
    OpError::invalid("the operands are not numeric tensors")
}

/// All outputs are certain, or unknown for a reason.
fn settled(query: &Query<'_>, open: Option<&'static str>) -> Vec<Radius> {
    let radius = open.map_or(Radius::Exact, Radius::unknown);
    vec![radius; query.outputs.len()]
}

fn non_zero(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return decides(query);
    }
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let certain = x
        .iter()
        .zip(&error)
        .all(|(x, error)| *error == 0.0 || x.abs() > *error);
    let reason = "NonZero: an element is within its error of 0";
    Ok(settled(query, (!certain).then_some(reason)))
}

/// Unique over all elements: certain if any two that may be equal are equal and exact.
fn unique(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return decides(query);
    }
    if query.call.optional_int("axis")?.is_some() {
        return Ok(settled(query, Some("Unique compares slices with errors")));
    }
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let mut numbers: Vec<(f64, f64)> = x.iter().copied().zip(error.iter().copied()).collect();
    if numbers.iter().any(|(x, error)| x.is_nan() || !error.is_finite()) {
        return decides(query);
    }
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut reached = f64::NEG_INFINITY;
    let certain = numbers.iter().all(|(x, error)| {
        let apart = x - error > reached || *error == 0.0 && *x == reached;
        reached = reached.max(x + error);
        apart
    });
    if !certain {
        let reason = "Unique: two elements are equal within their errors";
        return Ok(settled(query, Some(reason)));
    }
    let mut radii = settled(query, None);
    let values = query.output(0).and_then(reals).ok_or_else(missing)?;
    let error_of = |value: &f64| {
        let place = numbers.partition_point(|(x, _)| x < value);
        numbers.get(place).map_or(0.0, |(_, error)| *error)
    };
    if let Some(first) = radii.first_mut() {
        *first = Radius::within(values.mapv(|value| error_of(&value)), "moved from the inputs");
    }
    Ok(radii)
}

/// The scores and boxes of one class.
struct Class<'a> {
    scores: Vec<(f64, f64)>,
    boxes: &'a [Rectangle],
}

/// A box: for both axes the ends and their errors.
#[derive(Clone, Copy)]
struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
    off: [f64; 2],
}

fn suppression(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let others_exact = query.errors.iter().skip(2).all(Radius::is_exact);
    if query.inputs_exact() || query.unknown_input().is_some() || !others_exact {
        return decides(query);
    }
    let (boxes, off) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let (scores, score_off) = query.input(1).zip(query.error(1)).ok_or_else(missing)?;
    let &[_, classes, count] = scores.shape() else {
        return decides(query);
    };
    let number = |index: usize| query.input(index).and_then(|x| x.first().copied());
    let (overlap, least) = (number(3).unwrap_or(0.0), number(4));
    let centers = query.call.int("center_point_box")? != 0;
    let rectangles = rectangles(&boxes, &off, centers);
    let pairs: Vec<(f64, f64)> = scores.iter().copied().zip(score_off.iter().copied()).collect();
    for (number, scores) in pairs.chunks(count.max(1)).enumerate() {
        let batch = number / classes.max(1);
        let Some(boxes) = rectangles.get(batch * count..(batch + 1) * count) else {
            return decides(query);
        };
        let class = Class {
            scores: scores.to_vec(),
            boxes,
        };
        if let Some(reason) = class.open(overlap, least) {
            return Ok(settled(query, Some(reason)));
        }
    }
    Ok(settled(query, None))
}

fn rectangles(boxes: &Array<f64>, off: &Array<f64>, centers: bool) -> Vec<Rectangle> {
    let (boxes, off): (Vec<f64>, Vec<f64>) = (boxes.iter().copied().collect(), off.iter().copied().collect());
    let rectangle = |(b, e): (&[f64], &[f64])| match (b, e) {
        (&[x, y, width, height], &[ex, ey, ew, eh]) if centers => Rectangle {
            low: [y - height / 2.0, x - width / 2.0],
            high: [y + height / 2.0, x + width / 2.0],
            off: [ey + eh / 2.0, ex + ew / 2.0],
        },
        (&[y1, x1, y2, x2], &[e1, f1, e2, f2]) => Rectangle {
            low: [y1.min(y2), x1.min(x2)],
            high: [y1.max(y2), x1.max(x2)],
            off: [e1.max(e2), f1.max(f2)],
        },
        _ => Rectangle {
            low: [f64::NAN; 2],
            high: [f64::NAN; 2],
            off: [f64::NAN; 2],
        },
    };
    boxes.chunks(4).zip(off.chunks(4)).map(rectangle).collect()
}

impl Class<'_> {
    /// The comparison that an error can change, if there is one.
    fn open(&self, overlap: f64, least: Option<f64>) -> Option<&'static str> {
        let near = |distance: f64, off: f64| off != 0.0 && (distance.is_nan() || distance.abs() <= off);
        if let Some(least) = least
            && self.scores.iter().any(|(score, off)| near(score - least, *off))
        {
            return Some("NonMaxSuppression: a score is within its error of the threshold");
        }
        let live: Vec<usize> = (0..self.scores.len())
            .filter(|at| least.is_none_or(|least| self.scores[*at].0 >= least))
            .collect();
        for (turn, first) in live.iter().enumerate() {
            for second in &live[turn + 1..] {
                let ((a, da), (b, db)) = (self.scores[*first], self.scores[*second]);
                if near(a - b, da + db) {
                    return Some("NonMaxSuppression: two scores are equal within their errors");
                }
                if self.boxes[*first].may_overlap_by(&self.boxes[*second], overlap) {
                    return Some("NonMaxSuppression: an overlap is within its error of the threshold");
                }
            }
        }
        None
    }
}

impl Rectangle {
    /// Whether errors decide if the intersection over the union exceeds `threshold`. Both areas are computed
    /// with a few roundings of float: 2^-20 covers them.
    fn may_overlap_by(&self, other: &Rectangle, threshold: f64) -> bool {
        const ROUNDING: f64 = 1.0 / 1_048_576.0;
        if self.off.iter().chain(&other.off).all(|off| *off == 0.0) {
            return false;
        }
        let product = |sides: [(f64, f64); 2]| {
            let end = |side: fn(f64, f64) -> f64| {
                sides
                    .iter()
                    .map(|(length, off)| side(*length, *off).max(0.0))
                    .product::<f64>()
            };
            (end(|length, off| length - off), end(|length, off| length + off))
        };
        let area =
            |r: &Rectangle| product([0, 1].map(|axis| (r.high[axis] - r.low[axis], 2.0 * r.off[axis])));
        let shared = product([0, 1].map(|axis| {
            let length = self.high[axis].min(other.high[axis]) - self.low[axis].max(other.low[axis]);
            (length, 2.0 * self.off[axis].max(other.off[axis]))
        }));
        let (a, b) = (area(self), area(other));
        let share = |part: f64, all: f64| if part == 0.0 { 0.0 } else { part / all.max(0.0) };
        let low = share(shared.0, a.1 + b.1 - shared.0) * (1.0 - ROUNDING);
        let high = share(shared.1, a.0 + b.0 - shared.1) * (1.0 + ROUNDING);
        !(low > threshold || high <= threshold)
    }
}
