//! Adagrad, Adam, Momentum: one update of every element, by the formulas of the specification with numbers
//! that have error bounds.
//!
//! Attributes and the count are exact; a power has 16 ULP, a square root 3, a quotient 2.5 (*OpenCL C*,
//! §7.4).

use onnx_operators::frame::OpError;

use super::{Entry, Rule};
use crate::number::{self, Number};
use crate::{Query, Radius};

const fn optimizer(name: &'static str, rule: Rule) -> Entry {
    Entry {
        domain: "ai.onnx.preview.training",
        name,
        rule,
    }
}

pub(super) const RULES: &[Entry] = &[
    optimizer("Adagrad", adagrad),
    optimizer("Adam", adam),
    optimizer("Momentum", momentum),
];

/// The inputs of every update.
struct Progress {
    rate: Number,
    count: i64,
    unit: f64,
}

impl Progress {
    fn read(query: &Query<'_>) -> Result<Progress, OpError> {
        let rate = number::elements(query, 0).and_then(|rates| rates.first().copied());
        Ok(Progress {
            rate: rate.ok_or_else(|| OpError::invalid("the learning rate is unknown"))?,
            count: query.call.scalar::<i64>(1)?,
            unit: query.unit(0),
        })
    }

    /// An attribute, in the precision of the outputs.
    fn attribute(&self, query: &Query<'_>, name: &str) -> Result<Number, OpError> {
        Ok(Number::off(f64::from(query.call.float(name)?), 0.0, self.unit))
    }
}

const ONE: Number = Number::exact(1.0);

fn adagrad(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let progress = Progress::read(query)?;
    let attribute = |name| progress.attribute(query, name);
    let (decay, epsilon, norm) = (
        attribute("decay_factor")?,
        attribute("epsilon")?,
        attribute("norm_coefficient")?,
    );
    let rate = progress.rate / (ONE + Number::exact(progress.count as f64) * decay);
    updated(query, |[x, gradient, squares]| {
        let gradient = norm * x + gradient;
        let squares = squares + gradient * gradient;
        [x - rate * gradient / (squares.sqrt() + epsilon), squares]
    })
}

fn adam(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let progress = Progress::read(query)?;
    let attribute = |name| progress.attribute(query, name);
    let (alpha, beta, epsilon) = (attribute("alpha")?, attribute("beta")?, attribute("epsilon")?);
    let (norm, norm_post) = (
        attribute("norm_coefficient")?,
        attribute("norm_coefficient_post")?,
    );
    let power = |base: Number| base.map(16.0, |base| base.powf(progress.count as f64));
    let rate = match progress.count {
        1.. => progress.rate * (ONE - power(beta)).sqrt() / (ONE - power(alpha)),
        _ => progress.rate,
    };
    updated(query, |[x, gradient, average, squares]| {
        let gradient = norm * x + gradient;
        let average = alpha * average + (ONE - alpha) * gradient;
        let squares = beta * squares + (ONE - beta) * gradient * gradient;
        let moved = x - rate * average / (squares.sqrt() + epsilon);
        [(ONE - norm_post) * moved, average, squares]
    })
}

fn momentum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let progress = Progress::read(query)?;
    let attribute = |name| progress.attribute(query, name);
    let (alpha, norm) = (attribute("alpha")?, attribute("norm_coefficient")?);
    let beta = if progress.count > 0 {
        attribute("beta")?
    } else {
        ONE
    };
    let nesterov = query.call.string("mode")? == "nesterov";
    updated(query, |[x, gradient, momentum]| {
        let gradient = norm * x + gradient;
        let momentum = alpha * momentum + beta * gradient;
        let direction = if nesterov {
            gradient + alpha * momentum
        } else {
            momentum
        };
        [x - progress.rate * direction, momentum]
    })
}

/// Updates every tensor. The inputs from 2 on are all tensors of the first role, then all of the second,
/// and so on, and so are the outputs.
fn updated<const IN: usize, const OUT: usize>(
    query: &Query<'_>,
    f: impl Fn([Number; IN]) -> [Number; OUT],
) -> Result<Vec<Radius>, OpError> {
    let count = query.call.input_count().saturating_sub(2) / IN;
    let mut radii = vec![Radius::unknown("an input of the update is unknown"); OUT * count];
    for group in 0..count {
        let roles: Option<Vec<Vec<Number>>> = (0..IN)
            .map(|role| number::elements(query, 2 + role * count + group))
            .collect();
        let Some(roles) = roles else { continue };
        let mut results = vec![Vec::new(); OUT];
        for element in 0..roles.first().map_or(0, Vec::len) {
            let values = std::array::from_fn(|role| roles[role].get(element).copied().unwrap_or(ONE));
            for (result, value) in results.iter_mut().zip(f(values)) {
                result.push(value);
            }
        }
        for (role, numbers) in results.into_iter().enumerate() {
            let index = role * count + group;
            if let Some(radius) = radii.get_mut(index) {
                *radius = number::radius(query, index, numbers, "one update of the optimizer");
            }
        }
    }
    radii.truncate(query.outputs.len());
    Ok(radii)
}
