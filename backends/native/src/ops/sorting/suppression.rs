//! NonMaxSuppression.

use onnx_tensor::Tensor;

use super::super::call::one;
use super::super::numbers::floats;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};

pub const ROWS: &[Row] = &[row("NonMaxSuppression", 10, suppress)];

/// A box as its lower and upper corner.
type Corners = [f32; 4];

fn suppress(call: &Call) -> Outcome {
    let (boxes, scores) = (call.tensor(0)?, call.tensor(1)?);
    let (&[batches, count, 4], &[score_batches, classes, score_count]) = (boxes.shape(), scores.shape())
    else {
        return invalid("boxes are [batches, boxes, 4], scores are [batches, classes, boxes]");
    };
    if (batches, count) != (score_batches, score_count) {
        return invalid("boxes and scores differ in number");
    }
    let most = match call.find(2) {
        Some(_) => usize::try_from(call.int(2)?).unwrap_or(0),
        None => 0,
    };
    let single = |position: usize| -> Result<Option<f32>, Problem> {
        let values = call.find_tensor(position)?.map(floats).transpose()?;
        Ok(values.and_then(|values| values.first().map(|&value| value as f32)))
    };
    let (overlap, least) = (single(3)?.unwrap_or(0.0), single(4)?);
    let centered = call.attributes.int("center_point_box")? != 0;
    let coordinates: Vec<f32> = boxes.to_vec::<f32>()?;
    let corners: Vec<Corners> = coordinates
        .chunks_exact(4)
        .map(|c| to_corners(c, centered))
        .collect();
    let scores = scores.to_vec::<f32>()?;
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

fn to_corners(c: &[f32], centered: bool) -> Corners {
    match centered {
        true => [
            c[0] - c[2] / 2.0,
            c[1] - c[3] / 2.0,
            c[0] + c[2] / 2.0,
            c[1] + c[3] / 2.0,
        ],
        false => [c[0].min(c[2]), c[1].min(c[3]), c[0].max(c[2]), c[1].max(c[3])],
    }
}

/// From the highest score down, what does not overlap with anything chosen before.
fn choose(boxes: &[Corners], scores: &[f32], most: usize, overlap: f32, least: Option<f32>) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..boxes.len()).collect();
    ranked.retain(|&at| least.is_none_or(|least| scores[at] > least));
    ranked.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
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

fn intersection_over_union(a: &Corners, b: &Corners) -> f32 {
    let height = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let width = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    let area = |c: &Corners| (c[2] - c[0]) * (c[3] - c[1]);
    let (both, first, second) = (height * width, area(a), area(b));
    if first <= 0.0 || second <= 0.0 {
        0.0
    } else {
        both / (first + second - both)
    }
}
