//! Support vector machines: sums over kernels, each a function of a sum of products or of squared
//! differences.

use onnx_operators::frame::OpError;

use super::transform::{self, Transform};
use super::{Scores, linear};
use crate::number::{self, Number};
use crate::rules::exact;
use crate::{Query, Radius};

/// `kernel_type` with `kernel_params`.
struct Kernel<'a> {
    name: &'a str,
    gamma: Number,
    coef0: Number,
    degree: f64,
}

impl<'a> Kernel<'a> {
    fn read(query: &Query<'a>) -> Result<Kernel<'a>, OpError> {
        let params = query.call.optional_floats("kernel_params")?.unwrap_or_default();
        let param = |at: usize| f64::from(params.get(at).copied().unwrap_or(0.0));
        Ok(Kernel {
            name: query.call.string("kernel_type")?,
            gamma: Number::exact(param(0)),
            coef0: Number::exact(param(1)),
            degree: param(2),
        })
    }

    /// Powers have 16 ULP, exp 3, tanh 5 (*OpenCL C*, §7.4).
    fn evaluate(&self, u: &[Number], v: &[Number]) -> Number {
        let pairs = u.iter().copied().zip(v.iter().copied());
        let product = || Number::dot(pairs.clone()) * self.gamma + self.coef0;
        match self.name {
            "POLY" => product().map(16.0, |x| x.powf(self.degree)),
            "SIGMOID" => product().map(5.0, f64::tanh),
            "RBF" => {
                let squares = pairs.map(|(u, v)| (u - v, u - v));
                (-(Number::dot(squares) * self.gamma)).map(3.0, f64::exp)
            }
            _ => Number::dot(pairs),
        }
    }
}

/// The kernel values of each row of X and each support vector, row by row; `None` if X is unknown.
fn kernels(query: &Query<'_>, count: usize) -> Result<Option<Vec<Vec<Number>>>, OpError> {
    let Some(x) = number::elements(query, 0) else {
        return Ok(None);
    };
    let kernel = Kernel::read(query)?;
    // X may be integer; the computation is in float.
    let unit = f64::from(f32::EPSILON) / 2.0;
    let x: Vec<Number> = x.into_iter().map(|x| Number { unit, ..x }).collect();
    let vectors = query.call.floats("support_vectors")?;
    let width = (vectors.len() / count.max(1)).max(1);
    let vectors: Vec<Number> = vectors
        .iter()
        .map(|&v| Number::off(f64::from(v), 0.0, unit))
        .collect();
    let row = |row: &[Number]| {
        vectors
            .chunks(width)
            .map(|vector| kernel.evaluate(row, vector))
            .collect()
    };
    Ok(Some(x.chunks(width).map(row).collect()))
}

fn reals(values: &[f32]) -> impl Iterator<Item = Number> + Clone + '_ {
    values.iter().map(|&value| Number::exact(f64::from(value)))
}

/// Σ cᵢ·K(x, svᵢ) + ρ; for a one-class machine its sign.
pub(super) fn regressor(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let count = usize::try_from(query.call.int("n_supports")?).unwrap_or(0);
    if count == 0 {
        return linear(query, Scores::Alone);
    }
    let Some(rows) = kernels(query, count)? else {
        return exact::decides(query);
    };
    let (coefficients, rho) = (query.call.floats("coefficients")?, query.call.floats("rho")?);
    let rho = reals(&rho).next().map(|rho| (rho, Number::exact(1.0)));
    let sum = |row: Vec<Number>| Number::dot(row.into_iter().zip(reals(&coefficients)).chain(rho));
    let mut sums: Vec<Number> = rows.into_iter().map(sum).collect();
    if query.call.flag("one_class")? {
        let certain = sums.iter().all(|sum| sum.value.abs() > sum.error);
        return Ok(vec![if certain {
            Radius::Exact
        } else {
            Radius::unknown("a sum within rounding of 0, whose sign is the output")
        }]);
    }
    let transform = Transform::read(query)?;
    sums.chunks_mut(1).for_each(|row| transform.apply(row));
    Ok(vec![number::radius(query, 0, sums, "sum over support vectors")])
}

/// The decision values of pairs of classes. The radius is unknown for probabilities, which are iterated,
/// and for transformed decision values.
pub(super) fn classifier(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let per_class = query.call.optional_ints("vectors_per_class")?.unwrap_or_default();
    if per_class.iter().all(|&count| count == 0) {
        return linear(query, Scores::OfClasses);
    }
    let coupled = query
        .call
        .optional_floats("prob_a")?
        .is_some_and(|a| !a.is_empty());
    if coupled || !transform::is_none(query.call.given_attributes()) {
        let reason = "no bound is derived for the probabilities of support vector machines";
        return Ok(vec![Radius::unknown(reason); query.outputs.len()]);
    }
    let counts: Vec<usize> = per_class
        .iter()
        .map(|&count| usize::try_from(count).unwrap_or(0))
        .collect();
    let (total, classes) = (counts.iter().sum::<usize>(), counts.len());
    let Some(rows) = kernels(query, total)? else {
        return exact::decides(query);
    };
    let (coefficients, rho) = (query.call.floats("coefficients")?, query.call.floats("rho")?);
    let start = |class: usize| counts.iter().take(class).sum::<usize>();
    let (mut scores, mut certain) = (Vec::new(), true);
    for row in rows {
        let mut rhos = reals(&rho);
        for i in 0..classes {
            for j in i + 1..classes {
                // The machine of a pair: the vectors of i with row j − 1 of the coefficients, those of j
                // with row i.
                let part = |class: usize, line: usize| {
                    let of = start(class)..start(class) + counts.get(class).copied().unwrap_or(0);
                    let weights = coefficients.get(line * total + of.start..line * total + of.end);
                    let kernels = row.get(of).unwrap_or_default();
                    kernels
                        .iter()
                        .copied()
                        .zip(reals(weights.unwrap_or_default()).collect::<Vec<_>>())
                };
                let rho = rhos.next().map(|rho| (rho, Number::exact(1.0)));
                let decision = Number::dot(part(i, j - 1).chain(part(j, i)).chain(rho));
                certain &= decision.value.abs() > decision.error;
                scores.extend((classes == 2).then_some(-decision));
                scores.push(decision);
            }
        }
    }
    let labels = if certain {
        Radius::Exact
    } else {
        Radius::unknown("a decision value within rounding of 0, whose sign is a vote")
    };
    Ok(vec![
        labels,
        number::radius(query, 1, scores, "sum over support vectors"),
    ])
}
