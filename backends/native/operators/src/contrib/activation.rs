//! The activation function of a fused operator.

use onnx_model::AttributeValue::Float;

use crate::compose::{Composed, Composition, Id};
use crate::error::unsupported;

/// Functions without coefficients.
const PLAIN: [&str; 6] = ["Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "HardSwish"];

/// Functions with coefficients: their attributes, each with the place of its coefficient.
const WITH_COEFFICIENTS: [(&str, &[(&str, usize)]); 6] = [
    ("LeakyRelu", &[("alpha", 0)]),
    ("Elu", &[("alpha", 0)]),
    ("Celu", &[("alpha", 0)]),
    ("ThresholdedRelu", &[("alpha", 0)]),
    ("Selu", &[("alpha", 0), ("gamma", 2)]),
    ("HardSigmoid", &[("alpha", 0), ("beta", 1)]),
];

/// Applies the function of this name; an empty name is none.
pub fn activated(c: &mut Composition<'_>, x: Id, name: &str, coefficients: &[Option<f32>]) -> Composed<Id> {
    let coefficient = |at: usize| match coefficients.get(at).copied().flatten() {
        Some(value) => Ok(value),
        None => unsupported(format!("`activation` {name} without coefficient {at}")),
    };
    if name.is_empty() {
        return Ok(x);
    }
    if PLAIN.contains(&name) {
        return c.apply(name, &[x], &[]);
    }
    if name == "Clip" {
        let dtype = c.dtype(x)?;
        let low = c.scalar(dtype, f64::from(coefficient(0)?))?;
        let high = c.scalar(dtype, f64::from(coefficient(1)?))?;
        return c.apply(name, &[x, low, high], &[]);
    }
    match WITH_COEFFICIENTS.iter().find(|(known, _)| *known == name) {
        Some((_, attributes)) => {
            let given = attributes
                .iter()
                .map(|&(attribute, at)| Ok((attribute, Float(coefficient(at)?))))
                .collect::<Composed<Vec<_>>>()?;
            c.apply(name, &[x], &given)
        }
        None => Ok(unsupported(format!("`activation` is `{name}`"))?),
    }
}
