//! NonMaxSuppression.

use std::cmp::Ordering;

use onnx_tensor::{Dim, Tensor};

use super::super::call::{extent, one};
use super::super::numbers::floats;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Open;

pub const ROWS: &[Row] = &[row(
    "NonMaxSuppression",
    10,
    Open("the scores decide how many boxes are kept", |_| {
        Some(vec![Some(vec![Dim::Unknown, Dim::Fixed(3)])])
    }),
    suppress,
)];

/// A box as its lower and upper corner.
type Corners = [f64; 4];

fn suppress(call: &Call) -> Outcome {
    let (boxes, scores) = (call.tensor(0)?, call.tensor(1)?);
    let (&[batches, count, 4], &[score_batches, classes, score_count]) = (boxes.shape(), scores.shape())
    else {
        return invalid("expected boxes [batches, boxes, 4] and scores [batches, classes, boxes]");
    };
    if (batches, count) != (score_batches, score_count) {
        return invalid("the numbers of boxes and scores differ");
    }
    let most = match call.find(2) {
        Some(_) => extent(call.int(2)?)?,
        None => 0,
    };
    let (overlap, least) = (threshold(call, 3)?.unwrap_or(0.0), threshold(call, 4)?);
    if !(0.0..=1.0).contains(&overlap) {
        return invalid(format!("iou_threshold is {overlap}, expected 0 to 1"));
    }
    let centered = call.attributes.int("center_point_box")? != 0;
    let coordinates = floats(boxes)?;
    let corners = coordinates.chunks_exact(4).map(|c| to_corners(c, centered));
    let corners: Vec<Corners> = corners.collect::<Result<_, _>>()?;
    let scores = floats(scores)?;
    if scores.iter().any(|score| score.is_nan()) {
        return invalid("a score is NaN, which has no order");
    }
    let mut selected: Vec<i64> = Vec::new();
    for batch in 0..batches {
        for class in 0..classes {
            let first = (batch * classes + class) * count;
            let chosen = choose(
                &corners[batch * count..][..count],
                &scores[first..][..count],
                most,
                overlap,
                least,
            );
            selected.extend(
                chosen
                    .into_iter()
                    .flat_map(|at| [batch as i64, class as i64, at as i64]),
            );
        }
    }
    one(Tensor::new(&[selected.len() / 3, 3], selected)?)
}

/// Returns the only element of an input, if it is given.
fn threshold(call: &Call, position: usize) -> Result<Option<f64>, Problem> {
    match call.find_tensor(position)?.map(floats).transpose()?.as_deref() {
        None => Ok(None),
        Some([value]) => Ok(Some(*value)),
        Some(many) => invalid(format!(
            "expected one element in input {position}, got {}",
            many.len()
        )),
    }
}

fn to_corners(c: &[f64], centered: bool) -> Result<Corners, Problem> {
    if !centered {
        return Ok([c[0].min(c[2]), c[1].min(c[3]), c[0].max(c[2]), c[1].max(c[3])]);
    }
    let (width, height) = (c[2], c[3]);
    if width < 0.0 || height < 0.0 {
        return invalid(format!("a box is {width} wide and {height} high"));
    }
    Ok([
        c[0] - width / 2.0,
        c[1] - height / 2.0,
        c[0] + width / 2.0,
        c[1] + height / 2.0,
    ])
}

/// Selects boxes in descending order of score that do not overlap with any selected box. Boxes of equal score
/// keep their order.
fn choose(boxes: &[Corners], scores: &[f64], most: usize, overlap: f64, least: Option<f64>) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..boxes.len()).collect();
    // "Bounding boxes with score less than score_threshold are removed."
    ranked.retain(|&at| least.is_none_or(|least| scores[at] >= least));
    // No score is NaN, and -0 equals 0, unlike in `total_cmp`. The sort is stable.
    ranked.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal));
    let mut chosen: Vec<usize> = Vec::new();
    for at in ranked {
        if chosen.len() >= most {
            break;
        }
        if chosen
            .iter()
            .all(|&other| intersection_over_union(&boxes[at], &boxes[other]) <= overlap)
        {
            chosen.push(at);
        }
    }
    chosen
}

/// Two boxes whose union has no area do not overlap.
fn intersection_over_union(a: &Corners, b: &Corners) -> f64 {
    let shared = |axis: usize| (a[axis + 2].min(b[axis + 2]) - a[axis].max(b[axis])).max(0.0);
    let area = |c: &Corners| (c[2] - c[0]) * (c[3] - c[1]);
    let both = shared(0) * shared(1);
    let union = area(a) + area(b) - both;
    if union > 0.0 { both / union } else { 0.0 }
}
