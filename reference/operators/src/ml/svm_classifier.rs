//! SVMClassifier — a vote of pairwise machines, or a linear model for each class.
//!
//! Interpretation: the specification says almost nothing. The reference follows libsvm, the origin of the
//! attributes, and adds `rho`: for classes i < j the decision value is the sum over the support vectors of
//! i with row j − 1 of the coefficients, plus that over those of j with row i, plus ρ of the pair. It votes
//! for i if positive, otherwise for j, and the class with most votes is selected, the first of equals. In
//! f64, rounded once to float. The scores are:
//! - with `prob_a` and `prob_b`: P(i | i or j) = 1 / (1 + exp(A·d + B)) for the decision value d, clamped
//!   to within 1e-7 of 0 and 1, combined to one probability for each class (`coupling`); the votes still
//!   select the class;
//! - without them, for two classes: (−d, d); for more: the k(k−1)/2 decision values (ONNX Runtime, although
//!   the text says "one per class"). `post_transform` applies to them (ONNX Runtime omits SOFTMAX for two
//!   classes).
//!
//! Without support vectors the model is linear: `coefficients` has a row for each class, the first of `rho`
//! is added to every score (ONNX Runtime and onnx.reference), and the greatest score selects the class
//! (ONNX Runtime selects the second of two classes whenever the greatest score is positive).

use super::coupling::couple;
use super::features::Features;
use super::labels::Labels;
use super::lists::index;
use super::post_transform::{PostTransform, logistic};
use super::svm::{SupportVectors, first_rho};
use super::{linear, scores};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "SVMClassifier", &[v(1, First, eval)]);

/// The least distance of a pairwise probability from 0 and 1 (libsvm).
const MIN_PROBABILITY: f64 = 1e-7;

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let labels = Labels::read(call, "classlabels_ints", "classlabels_strings")?;
    let transform = PostTransform::read(call)?;
    if labels.len() < 2 {
        return Err(OpError::undefined("a classifier with one label"));
    }
    let per_class = call.optional_ints("vectors_per_class")?.unwrap_or_default();
    let (elected, mut scores, width) = if per_class.iter().all(|&count| count == 0) {
        linear(call, &features, labels.len())?
    } else {
        Machines::read(call, &features, &per_class, labels.len())?.decide(&features)
    };
    transform.apply_rows(&mut scores, width);
    let z = scores::tensor(features.rows, width, &scores)?;
    Ok(vec![Some(labels.pick(&elected)?.into()), Some(z.into())])
}

/// The selected class of each row, the scores, and the number of scores per row.
type Decisions = (Vec<usize>, Vec<f64>, usize);

fn linear(call: &Call<'_>, features: &Features, classes: usize) -> Result<Decisions, OpError> {
    let rho = first_rho(&call.floats("rho")?)?;
    let mut scores = linear::scores(features, &call.floats("coefficients")?, &[], classes)?;
    scores.iter_mut().for_each(|score| *score += rho);
    let elected = scores.chunks_exact(classes).map(scores::top).collect();
    Ok((elected, scores, classes))
}

/// A machine for each pair of classes, over shared support vectors.
struct Machines {
    classes: usize,
    vectors: SupportVectors,
    /// The index of the first support vector of each class, followed by the total number.
    starts: Vec<usize>,
    coefficients: Vec<f64>,
    rho: Vec<f64>,
    /// A and B of each pair, or empty.
    sigmoids: Vec<(f64, f64)>,
}

impl Machines {
    fn read(
        call: &Call<'_>,
        features: &Features,
        per_class: &[i64],
        classes: usize,
    ) -> Result<Machines, OpError> {
        let mut starts = vec![0_usize];
        for &count in per_class {
            let count = index(count, usize::MAX, "an entry of `vectors_per_class`")?;
            let last = starts.last().copied().unwrap_or(0);
            starts.push(
                last.checked_add(count)
                    .ok_or_else(|| OpError::invalid("`vectors_per_class` is too large"))?,
            );
        }
        let total = starts.last().copied().unwrap_or(0);
        let pairs = classes * (classes - 1) / 2;
        let coefficients = doubles(call, "coefficients")?;
        let rho = doubles(call, "rho")?;
        let (a, b) = (doubles(call, "prob_a")?, doubles(call, "prob_b")?);
        let fits = per_class.len() == classes
            && Some(coefficients.len()) == total.checked_mul(classes - 1)
            && rho.len() == pairs
            && a.len() == b.len()
            && (a.is_empty() || a.len() == pairs);
        if !fits {
            return Err(OpError::invalid(format!(
                "{classes} classes with {total} support vectors require {classes} `vectors_per_class`, {} `coefficients`, \
                 {pairs} `rho` and {pairs} or no `prob_a` and `prob_b`, got {}, {}, {}, {} and {}",
                total.saturating_mul(classes - 1),
                per_class.len(),
                coefficients.len(),
                rho.len(),
                a.len(),
                b.len()
            )));
        }
        let vectors = SupportVectors::read(call, total, features)?;
        let sigmoids = a.into_iter().zip(b).collect();
        Ok(Machines {
            classes,
            vectors,
            starts,
            coefficients,
            rho,
            sigmoids,
        })
    }

    fn decide(&self, features: &Features) -> Decisions {
        let (mut elected, mut scores, mut width) = (Vec::new(), Vec::new(), 0);
        for row in features.iter() {
            let decisions = self.decisions(&self.vectors.kernels(row));
            elected.push(self.elect(&decisions));
            let of_row = match (self.sigmoids.is_empty(), &decisions[..]) {
                (false, _) => self.probabilities(&decisions),
                (true, &[only]) => vec![-only, only],
                (true, _) => decisions,
            };
            width = of_row.len();
            scores.extend(of_row);
        }
        let empty = if self.sigmoids.is_empty() {
            self.rho.len().max(2)
        } else {
            self.classes
        };
        (elected, scores, if features.rows == 0 { empty } else { width })
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let classes = self.classes;
        (0..classes).flat_map(move |i| (i + 1..classes).map(move |j| (i, j)))
    }

    /// The decision value of each pair.
    fn decisions(&self, kernels: &[f64]) -> Vec<f64> {
        let part = |class: usize, row: usize| {
            let range = self.starts[class]..self.starts[class + 1];
            let weights = &self.coefficients[row * kernels.len()..][range.clone()];
            weights
                .iter()
                .zip(&kernels[range])
                .map(|(c, kernel)| c * kernel)
                .sum::<f64>()
        };
        self.pairs()
            .zip(&self.rho)
            .map(|((i, j), rho)| part(i, j - 1) + part(j, i) + rho)
            .collect()
    }

    fn elect(&self, decisions: &[f64]) -> usize {
        let mut votes = vec![0.0; self.classes];
        for ((i, j), &decision) in self.pairs().zip(decisions) {
            votes[if decision > 0.0 { i } else { j }] += 1.0;
        }
        scores::top(&votes)
    }

    fn probabilities(&self, decisions: &[f64]) -> Vec<f64> {
        let mut table = vec![vec![0.0; self.classes]; self.classes];
        for (((i, j), &decision), &(a, b)) in self.pairs().zip(decisions).zip(&self.sigmoids) {
            let p = logistic(-(a * decision + b)).clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
            table[i][j] = p;
            table[j][i] = 1.0 - p;
        }
        couple(&table)
    }
}

fn doubles(call: &Call<'_>, name: &str) -> Result<Vec<f64>, OpError> {
    Ok(call
        .optional_floats(name)?
        .unwrap_or_default()
        .into_iter()
        .map(f64::from)
        .collect())
}
