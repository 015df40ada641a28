//! SVMClassifier and SVMRegressor.
//!
//! The specification gives no formulas. They are those of libsvm, with `rho` added, as in ONNX Runtime and
//! `onnx.reference`.

use onnx_tensor::{Dim, Value};

use super::super::call::one;
use super::super::{Call, Outcome, Row, row_of};
use super::coupling::couple;
use super::features::{Features, check_scores};
use super::kernel::{Vectors, dot, doubles};
use super::labels::{labels, pick};
use super::linear::products_of;
use super::transform::{Transform, logistic};
use super::{DOMAIN, scores};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::{Each, First};

pub const ROWS: &[Row] = &[
    row_of(
        DOMAIN,
        "SVMRegressor",
        1,
        First(|known| Some(vec![known.rows()?, Dim::Fixed(1)])),
        regressor,
    ),
    row_of(
        DOMAIN,
        "SVMClassifier",
        1,
        Each(|known| known.voted()),
        classifier,
    )
    .of_type(|known| known.label_dtype("classlabels_ints")),
];

/// The least distance of the probability of a pair from 0 and 1, as in libsvm.
const MARGIN: f64 = 1e-7;

/// Without support vectors, the coefficients are the weights of the features.
fn regressor(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let transform = Transform::named(call)?;
    let coefficients = doubles(call.attributes, "coefficients")?;
    let rho = doubles(call.attributes, "rho")?.first().copied();
    let supports = call.attributes.int("n_supports")?;
    check_scores(features.rows, 1)?;
    let mut sums = match usize::try_from(supports) {
        Ok(0) => products_of(&features, &coefficients, 1)?,
        Ok(count) if count == coefficients.len() => {
            let vectors = Vectors::read(call.attributes, count, &features)?;
            features
                .iter()
                .map(|row| dot(&vectors.of(row), &coefficients))
                .collect()
        }
        _ => {
            return invalid(format!(
                "expected one of `coefficients` for each of {supports} support vectors, got {}",
                coefficients.len()
            ));
        }
    };
    let Some(rho) = rho.or((supports == 0).then_some(0.0)) else {
        return invalid("attribute `rho` has no element");
    };
    sums.iter_mut().for_each(|sum| *sum += rho);
    if call.attributes.flag("one_class")? {
        if transform != Transform::None {
            return unsupported("a transform of the answer of a one-class machine is not implemented");
        }
        sums.iter_mut()
            .for_each(|sum| *sum = if *sum > 0.0 { 1.0 } else { -1.0 });
    }
    transform.apply(&mut sums, 1);
    one(scores::tensor(&features, 1, &sums)?)
}

fn classifier(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let labels = labels(call.attributes, "classlabels_ints", "classlabels_strings")?;
    let transform = Transform::named(call)?;
    let classes = labels.len();
    if classes < 2 {
        return unsupported("a classifier with one label is not implemented");
    }
    let of_class = call.attributes.ints("vectors_per_class")?.unwrap_or_default();
    let (chosen, mut z, width) = if of_class.iter().any(|&count| count != 0) {
        Machines::read(call, &features, of_class, classes)?.decide(&features)?
    } else {
        linear(call, &features, classes)?
    };
    transform.apply(&mut z, width);
    Ok(vec![
        Value::Tensor(pick(&labels, &chosen)?),
        Value::Tensor(scores::tensor(&features, width, &z)?),
    ])
}

/// The class of each row, the scores, and the number of scores of a row.
type Decided = (Vec<usize>, Vec<f64>, usize);

/// A row of coefficients for each class; one offset for all scores.
fn linear(call: &Call, features: &Features, classes: usize) -> Result<Decided, Problem> {
    let Some(&rho) = doubles(call.attributes, "rho")?.first() else {
        return invalid("attribute `rho` has no element");
    };
    check_scores(features.rows, classes)?;
    let mut z = products_of(features, &doubles(call.attributes, "coefficients")?, classes)?;
    z.iter_mut().for_each(|score| *score += rho);
    let chosen = z.chunks_exact(classes).map(scores::top).collect();
    Ok((chosen, z, classes))
}

/// A machine for each pair of classes, over the vectors of all classes.
struct Machines {
    classes: usize,
    vectors: Vectors,
    /// The positions of the vectors of each class.
    ranges: Vec<std::ops::Range<usize>>,
    /// For each vector of a class, a row for each of the other classes.
    coefficients: Vec<f64>,
    rho: Vec<f64>,
    /// The parameters of the probability of each pair; none without probabilities.
    sigmoids: Vec<(f64, f64)>,
}

impl Machines {
    fn read(call: &Call, features: &Features, of_class: &[i64], classes: usize) -> Result<Machines, Problem> {
        let mut total = 0_usize;
        let mut ranges = Vec::with_capacity(classes);
        for &count in of_class {
            let end = usize::try_from(count)
                .ok()
                .and_then(|count| total.checked_add(count));
            let Some(end) = end else {
                return invalid(format!("attribute `vectors_per_class` has the element {count}"));
            };
            ranges.push(total..end);
            total = end;
        }
        let pairs = classes * (classes - 1) / 2;
        let list = |name: &str| doubles(call.attributes, name);
        let (coefficients, rho, a, b) = (
            list("coefficients")?,
            list("rho")?,
            list("prob_a")?,
            list("prob_b")?,
        );
        let fits = ranges.len() == classes
            && total.checked_mul(classes - 1) == Some(coefficients.len())
            && rho.len() == pairs
            && a.len() == b.len()
            && (a.is_empty() || a.len() == pairs);
        if !fits {
            return invalid(format!(
                "the lists of the attributes do not fit {classes} classes with {total} support vectors"
            ));
        }
        Ok(Machines {
            classes,
            vectors: Vectors::read(call.attributes, total, features)?,
            ranges,
            coefficients,
            rho,
            sigmoids: a.into_iter().zip(b).collect(),
        })
    }

    fn decide(&self, features: &Features) -> Result<Decided, Problem> {
        let width = match (self.sigmoids.is_empty(), self.classes) {
            (false, classes) => classes,
            (true, 2) => 2,
            (true, _) => self.rho.len(),
        };
        check_scores(features.rows, width)?;
        let (mut chosen, mut z) = (Vec::new(), Vec::new());
        for row in features.iter() {
            let decisions = self.decisions(&self.vectors.of(row));
            chosen.push(self.elected(&decisions));
            match (self.sigmoids.is_empty(), &decisions[..]) {
                (false, _) => z.extend(self.probabilities(&decisions)),
                (true, [only]) => z.extend([-only, *only]),
                (true, _) => z.extend(decisions),
            }
        }
        Ok((chosen, z, width))
    }

    /// Returns the pairs of classes in the order of `rho`.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let classes = self.classes;
        (0..classes).flat_map(move |i| (i + 1..classes).map(move |j| (i, j)))
    }

    /// Returns the decision of each pair: positive for its first class.
    fn decisions(&self, kernels: &[f64]) -> Vec<f64> {
        let part = |class: usize, line: usize| {
            let range = self.ranges[class].clone();
            let line = &self.coefficients[line * kernels.len()..(line + 1) * kernels.len()];
            dot(&kernels[range.clone()], &line[range])
        };
        let decision = |((i, j), rho): ((usize, usize), &f64)| part(i, j - 1) + part(j, i) + rho;
        self.pairs().zip(&self.rho).map(decision).collect()
    }

    fn elected(&self, decisions: &[f64]) -> usize {
        let mut votes = vec![0.0; self.classes];
        for ((i, j), &decision) in self.pairs().zip(decisions) {
            votes[if decision > 0.0 { i } else { j }] += 1.0;
        }
        scores::top(&votes)
    }

    fn probabilities(&self, decisions: &[f64]) -> Vec<f64> {
        let mut table = vec![0.0; self.classes * self.classes];
        for (((i, j), &decision), (a, b)) in self.pairs().zip(decisions).zip(&self.sigmoids) {
            let of_first = logistic(-(a * decision + b)).clamp(MARGIN, 1.0 - MARGIN);
            table[i * self.classes + j] = of_first;
            table[j * self.classes + i] = 1.0 - of_first;
        }
        couple(&table, self.classes)
    }
}
