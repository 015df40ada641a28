//! NonMaxSuppression — for each batch and class, selects the boxes of highest score that do not overlap a
//! better box too much.
//!
//! Output rows are batch, class and box; within a class by descending score. Overlap is the intersection
//! over the union of the float boxes, without rounding where it is close to the threshold; only a strictly
//! greater overlap suppresses.
//! Version 11 differs only in the text.
//!
//! Interpretation: of equal scores the first box comes first; a score equal to the threshold stays ("less
//! than … are removed"); without a threshold none is removed; two boxes whose union has no area do not
//! overlap. A box given as center and size with a negative size is undefined, and so are a box that is not
//! finite and a NaN score.

use std::cmp::Ordering;

use num_rational::BigRational;
use onnx_tensor::{Element, Tensor};

use crate::frame::Change::{First, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::number::Number;

pub const OP: OpDef = op(
    "NonMaxSuppression",
    &[v(10, First, select), v(11, Wording, select)],
);

/// How the four numbers of a box describe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// y and x of two opposite corners.
    Corners,
    /// x and y of the center, width and height.
    Center,
}

/// A box as its least and greatest coordinates: y, then x.
#[derive(Clone, Debug)]
struct Rectangle<F> {
    low: [F; 2],
    high: [F; 2],
}

impl<F: Number> Rectangle<F> {
    fn new(form: Form, numbers: [f32; 4]) -> Self {
        let [a, b, c, d] = numbers.map(|number| F::of(f64::from(number)));
        match form {
            Form::Corners => {
                let ((top, bottom), (left, right)) = (sorted(a, c), sorted(b, d));
                Rectangle {
                    low: [top, left],
                    high: [bottom, right],
                }
            }
            Form::Center => {
                let (right, up) = (c / F::of(2.0), d / F::of(2.0));
                Rectangle {
                    low: [b.clone() - up.clone(), a.clone() - right.clone()],
                    high: [b + up, a + right],
                }
            }
        }
    }

    fn side(&self, axis: usize) -> F {
        self.high[axis].clone() - self.low[axis].clone()
    }

    /// Intersection and union.
    fn areas(&self, other: &Self) -> (F, F) {
        let shared = |axis: usize| {
            let (end, _) = sorted(self.high[axis].clone(), other.high[axis].clone());
            let (_, begin) = sorted(self.low[axis].clone(), other.low[axis].clone());
            if begin < end { end - begin } else { F::zero() }
        };
        let intersection = shared(0) * shared(1);
        let both = self.side(0) * self.side(1) + other.side(0) * other.side(1);
        (intersection.clone(), both - intersection)
    }
}

fn sorted<F: PartialOrd>(a: F, b: F) -> (F, F) {
    if b < a { (b, a) } else { (a, b) }
}

/// Whether the intersection of two boxes exceeds `threshold` times their union. In f64 if both areas decide
/// by more than 2⁻²⁰ of the area of the boxes, else in rational numbers.
fn suppresses(form: Form, better: [f32; 4], other: [f32; 4], threshold: f64) -> bool {
    let boxes = [better, other].map(|numbers| Rectangle::<f64>::new(form, numbers));
    let (intersection, union) = boxes[0].areas(&boxes[1]);
    let margin = intersection - threshold * union;
    let reach = |axis: usize| {
        let ends = boxes.iter().flat_map(|each| [each.low[axis], each.high[axis]]);
        ends.fold(0.0, |most: f64, end| most.max(end.abs()))
    };
    let size = reach(0) * reach(1);
    if margin.abs() > size * 2_f64.powi(-20) {
        return union > 0.0 && margin > 0.0;
    }
    let boxes = [better, other].map(|numbers| Rectangle::<BigRational>::new(form, numbers));
    let (intersection, union) = boxes[0].areas(&boxes[1]);
    union > BigRational::of(0.0) && intersection > BigRational::of(threshold) * union
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
    let (form, boxes) = boxes(call)?;
    let scores: Vec<f32> = call.tensor(1)?.to_vec()?;
    if scores.iter().any(|score| score.is_nan()) {
        return Err(OpError::undefined("a NaN score"));
    }
    let least = optional(4)?.unwrap_or(f32::NEG_INFINITY);
    let mut rows: Vec<i64> = Vec::new();
    for (number, scores) in scores.chunks_exact(count.max(1)).enumerate() {
        let (batch, class) = (number / classes, number % classes);
        let boxes = &boxes[batch * count..(batch + 1) * count];
        let suppressed =
            |better: usize, other: usize| suppresses(form, boxes[better], boxes[other], threshold);
        for at in best(scores, least, most, suppressed) {
            rows.extend([batch as i64, class as i64, at as i64]);
        }
    }
    call.reserve(&[rows.len()], i64::DTYPE)?;
    one(Tensor::new(&[rows.len() / 3, 3], rows)?)
}

fn boxes(call: &Call<'_>) -> Result<(Form, Vec<[f32; 4]>), OpError> {
    let form = if call.flag("center_point_box")? {
        Form::Center
    } else {
        Form::Corners
    };
    let numbers: Vec<f32> = call.tensor(0)?.to_vec()?;
    let boxes: Vec<[f32; 4]> = numbers.as_chunks().0.to_vec();
    for numbers in &boxes {
        let [_, _, width, height] = numbers;
        if form == Form::Center && (*width < 0.0 || *height < 0.0) {
            return Err(OpError::undefined(format!("a box of {width} by {height}")));
        }
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(OpError::undefined(format!("a box at {numbers:?}")));
        }
    }
    Ok((form, boxes))
}

/// The selected boxes of one class, best first; `suppressed` tells whether a better box removes another.
fn best(scores: &[f32], least: f32, most: usize, suppressed: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] >= least).collect();
    // No score is NaN. `total_cmp` would order −0 before 0, which are equal.
    order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal));
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if kept.len() == most {
            break;
        }
        if !kept.iter().any(|&better| suppressed(better, at)) {
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

    /// Intersection 6, union 12: exactly one half, and the floats next to it decide otherwise.
    #[test]
    fn an_overlap_next_to_the_threshold() {
        let boxes = rows(&[[0.0, 0.0, 3.0, 3.0], [0.0, 1.0, 3.0, 4.0]]);
        let half = 0.5_f32;
        for (above, kept) in [(half, 2), (half.next_down(), 1), (half.next_up(), 2)] {
            let inputs = [
                boxes.reshape(&[1, 2, 4]).unwrap(),
                Tensor::new(&[1, 1, 2], vec![0.9_f32, 0.8]).unwrap(),
                Tensor::scalar(9_i64),
                Tensor::vector(vec![above]),
            ];
            let expected = chosen(&[0, 1][..kept]);
            exact(("", "NonMaxSuppression", 11), &inputs, &[], &expected);
        }
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
