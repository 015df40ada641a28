//! NonMaxSuppression — for each batch and class, selects the boxes of highest score that do not overlap a
//! better box too much.
//!
//! Output rows are batch, class and box; within a class by descending score. Overlap is the intersection
//! over the union, computed in f64 from the float boxes; only a strictly greater overlap suppresses.
//! Version 11 differs only in the text.
//!
//! Interpretation: of equal scores the first box comes first; a score equal to the threshold stays ("less
//! than … are removed"); without a threshold none is removed; two boxes whose union has no area do not
//! overlap. A box given as center and size with a negative size is undefined, and so is a NaN score.

use std::cmp::Ordering;

use onnx_tensor::{Element, Tensor};

use crate::frame::Change::{First, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "NonMaxSuppression",
    &[v(10, First, select), v(11, Wording, select)],
)
.structural(&["max_output_boxes_per_class", "iou_threshold", "score_threshold"]);

/// A box as its least and greatest coordinates: y, then x.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
}

impl Rectangle {
    fn from_corners([y1, x1, y2, x2]: [f64; 4]) -> Rectangle {
        Rectangle {
            low: [y1.min(y2), x1.min(x2)],
            high: [y1.max(y2), x1.max(x2)],
        }
    }

    fn from_centre([x, y, width, height]: [f64; 4]) -> Result<Rectangle, OpError> {
        if width < 0.0 || height < 0.0 {
            return Err(OpError::undefined(format!("a box of {width} by {height}")));
        }
        let (right, up) = (width / 2.0, height / 2.0);
        Ok(Rectangle {
            low: [y - up, x - right],
            high: [y + up, x + right],
        })
    }

    fn area(&self) -> f64 {
        (0..2).map(|axis| self.high[axis] - self.low[axis]).product()
    }

    /// Intersection over union.
    fn overlap(&self, other: &Rectangle) -> f64 {
        let shared = |axis: usize| {
            (self.high[axis].min(other.high[axis]) - self.low[axis].max(other.low[axis])).max(0.0)
        };
        let intersection = shared(0) * shared(1);
        let union = self.area() + other.area() - intersection;
        if union > 0.0 { intersection / union } else { 0.0 }
    }
}

fn select(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (&[batches, count, 4], &[score_batches, classes, score_count]) =
        (call.tensor(0)?.shape(), call.tensor(1)?.shape())
    else {
        return Err(OpError::invalid(
            "`boxes` must have shape [batches, boxes, 4] and `scores` rank 3",
        ));
    };
    if (batches, count) != (score_batches, score_count) {
        return Err(OpError::invalid(
            "`boxes` and `scores` differ in the number of batches or boxes",
        ));
    }
    let optional = |index| {
        call.optional(index)
            .map(|_| call.scalar::<f32>(index))
            .transpose()
    };
    let most = if call.optional(2).is_some() {
        call.scalar::<i64>(2)?
    } else {
        0
    };
    let most = usize::try_from(most)
        .map_err(|_| OpError::invalid(format!("the maximum number of boxes is {most}")))?;
    let threshold = f64::from(optional(3)?.unwrap_or(0.0));
    if !(0.0..=1.0).contains(&threshold) {
        return Err(OpError::invalid(format!(
            "`iou_threshold` is {threshold}, outside [0, 1]"
        )));
    }
    call.work(&[batches, classes, count, count.min(most)])?;
    let boxes = rectangles(call)?;
    let scores: Vec<f32> = call.tensor(1)?.to_vec()?;
    if scores.iter().any(|score| score.is_nan()) {
        return Err(OpError::undefined("a NaN score"));
    }
    let least = optional(4)?.unwrap_or(f32::NEG_INFINITY);
    let mut rows: Vec<i64> = Vec::new();
    for (number, scores) in scores.chunks_exact(count.max(1)).enumerate() {
        let (batch, class) = (number / classes, number % classes);
        let boxes = &boxes[batch * count..(batch + 1) * count];
        for at in best(boxes, scores, least, threshold, most) {
            rows.extend([batch as i64, class as i64, at as i64]);
        }
    }
    call.reserve(&[rows.len()], i64::DTYPE)?;
    one(Tensor::new(&[rows.len() / 3, 3], rows)?)
}

fn rectangles(call: &Call<'_>) -> Result<Vec<Rectangle>, OpError> {
    let centres = call.flag("center_point_box")?;
    let numbers: Vec<f32> = call.tensor(0)?.to_vec()?;
    let rectangle = |numbers: &[f32]| {
        let numbers = std::array::from_fn(|at| f64::from(numbers[at]));
        if centres {
            Rectangle::from_centre(numbers)
        } else {
            Ok(Rectangle::from_corners(numbers))
        }
    };
    numbers.chunks_exact(4).map(rectangle).collect()
}

/// The selected boxes of one class, best first.
fn best(boxes: &[Rectangle], scores: &[f32], least: f32, threshold: f64, most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boxes.len()).filter(|&at| scores[at] >= least).collect();
    // No score is NaN. `total_cmp` would order −0 before 0, which are equal.
    order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal));
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if kept.len() == most {
            break;
        }
        if kept
            .iter()
            .all(|&better| boxes[better].overlap(&boxes[at]) <= threshold)
        {
            kept.push(at);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, rows, values};

    /// Three boxes of height 1 in a row: the second overlaps the first by half, the third overlaps none.
    fn inputs(scores: [f32; 3], most: i64, iou: f32, score: f32) -> Vec<Tensor> {
        let boxes = rows(&[[0.0, 0.0, 1.0, 3.0], [1.0, 4.0, 0.0, 1.0], [0.0, 5.0, 1.0, 6.0]]);
        let thresholds = [iou, score].map(|value| Tensor::vector(vec![value]));
        let boxes = boxes.reshape(&[1, 3, 4]).unwrap();
        let scores = Tensor::new(&[1, 1, 3], scores.to_vec()).unwrap();
        [&[boxes, scores, Tensor::scalar(most)], &thresholds[..]].concat()
    }

    fn chosen(boxes: &[i64]) -> [Tensor; 1] {
        let rows = boxes.iter().flat_map(|&at| [0, 0, at]).collect();
        [Tensor::new(&[boxes.len(), 3], rows).unwrap()]
    }

    #[test]
    fn values_equal_to_a_threshold_are_kept() {
        let nms = ("", "NonMaxSuppression", 10);
        exact(
            nms,
            &inputs([0.9, 0.8, 0.5], 9, 0.5, 0.5),
            &[],
            &chosen(&[0, 1, 2]),
        );
        exact(nms, &inputs([0.8, 0.9, 0.4], 9, 0.49, 0.5), &[], &chosen(&[1]));
        exact(nms, &inputs([0.5, 0.5, 0.5], 2, 0.5, 0.0), &[], &chosen(&[0, 1]));
        exact(nms, &inputs([0.5; 3], 0, 0.5, 0.0), &[], &chosen(&[]));
    }

    #[test]
    fn errors() {
        let nms = ("", "NonMaxSuppression", 11);
        refused(nms, &values(&inputs([f32::NAN; 3], 1, 0.5, 0.0)), &[], "NaN");
        refused(nms, &values(&inputs([0.5; 3], 1, 1.5, 0.0)), &[], "iou_threshold");
        refused(
            nms,
            &values(&inputs([0.5; 3], -1, 0.5, 0.0)),
            &[],
            "maximum number of boxes",
        );
        let centre = [attribute("center_point_box", 1)];
        let mut boxes = inputs([0.5; 3], 1, 0.5, 0.0);
        boxes[0] = Tensor::new(&[1, 3, 4], vec![-1_f32; 12]).unwrap();
        refused(nms, &values(&boxes), &centre, "box of");
    }
}
