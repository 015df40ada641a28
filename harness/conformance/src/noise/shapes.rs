//! Outputs of which rounding decides the shape.

use std::collections::BTreeMap;

use onnx_tensor::Tensor;
use run_record::{Arithmetic, Explanation};

use super::evidence::Noisy;
use super::rows::{Rows, Verdict};
use super::{SetSpreads, Spread, numbers};

/// The shapes of an output in honest runs, with the rows of all runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Shapes {
    /// The right one first.
    all: Vec<Vec<usize>>,
    /// `None` if the shapes differ in several axes, or the output is large.
    rows: Option<Rows>,
}

impl Shapes {
    /// The shapes of the outputs in the runs of all classes that pass; those of one shape are left out.
    pub(super) fn of(answer: &SetSpreads, noisy: &[Noisy]) -> BTreeMap<String, Shapes> {
        let of_output = |(name, right): (&String, &Spread)| {
            let passing = noisy.iter().filter(|runs| runs.class.passes());
            let spreads: Vec<&Spread> = passing.filter_map(|runs| runs.spreads.get(name)).collect();
            let mut all = vec![right.shape.clone()];
            for part in spreads.iter().flat_map(|spread| spread.parts()) {
                if !all.contains(&part.shape) {
                    all.push(part.shape.clone());
                }
            }
            let rows = || Rows::of(right, &spreads);
            (all.len() > 1).then(|| (name.clone(), Shapes { rows: rows(), all }))
        };
        answer.iter().filter_map(of_output).collect()
    }

    /// Whether a shape is the right one.
    pub fn is_right(&self, shape: &[usize]) -> bool {
        self.all.first().is_some_and(|right| *right == shape)
    }

    /// Whether honest runs may give a shape: its extents are no farther from those of the runs than these are
    /// from each other.
    pub fn admits(&self, shape: &[usize]) -> bool {
        let same_rank = self.all.iter().all(|known| known.len() == shape.len());
        let is_near = |(axis, &extent): (usize, &usize)| {
            let extents = self.all.iter().map(|known| known[axis]);
            let (least, most) = extents.fold((usize::MAX, 0), |(least, most), extent| {
                (least.min(extent), most.max(extent))
            });
            let width = most - least;
            (least.saturating_sub(width)..=most.saturating_add(width)).contains(&extent)
        };
        same_rank && shape.iter().enumerate().all(is_near)
    }

    /// What explains an answer. By preliminary runs only one that is right is explained.
    pub fn explanation(&self, tensor: &Tensor, preliminary: bool) -> Explanation {
        let judge = |rows: &Rows| Some(rows.judge(&numbers(tensor)?, tensor.shape()));
        let rows = self.rows.as_ref().filter(|_| self.admits(tensor.shape()));
        match rows.and_then(judge) {
            Some(Verdict::Right) => Explanation::Arithmetic(Arithmetic::Rounded),
            Some(Verdict::Wrong(reason)) => Explanation::Nothing(reason),
            Some(Verdict::Open) | None if preliminary => Explanation::Nothing(self.words()),
            Some(Verdict::Open) | None => Explanation::Open(self.words()),
        }
    }

    /// Why an output cannot be judged.
    fn words(&self) -> String {
        let shown: Vec<String> = self
            .all
            .iter()
            .take(3)
            .map(|shape| format!("{shape:?}"))
            .collect();
        format!(
            "rounding decides its shape: honest runs give {}",
            shown.join(" and ")
        )
    }
}
