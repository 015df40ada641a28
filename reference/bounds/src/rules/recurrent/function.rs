//! The activation functions of gates and their errors.

use onnx_operators::frame::OpError;
use onnx_tensor::DType;

use crate::Query;
use crate::number::Number;
use crate::precision::{Growth, OF_RANGE, SIGMOID, TANH, growth, is_accurate, joint, unit};

/// A function with its coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    kind: Kind,
    alpha: f64,
    beta: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Relu,
    Tanh,
    Sigmoid,
    Softsign,
    Softplus,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
}

/// The functions by name, with the defaults of their coefficients.
const KINDS: [(&str, Kind, Option<f32>, Option<f32>); 11] = [
    ("Relu", Kind::Relu, None, None),
    ("Tanh", Kind::Tanh, None, None),
    ("Sigmoid", Kind::Sigmoid, None, None),
    ("Softsign", Kind::Softsign, None, None),
    ("Softplus", Kind::Softplus, None, None),
    ("Affine", Kind::Affine, Some(1.0), Some(0.0)),
    ("LeakyRelu", Kind::LeakyRelu, Some(0.01), None),
    ("ThresholdedRelu", Kind::ThresholdedRelu, Some(1.0), None),
    ("ScaledTanh", Kind::ScaledTanh, Some(1.0), Some(1.0)),
    ("HardSigmoid", Kind::HardSigmoid, Some(0.2), Some(0.5)),
    ("Elu", Kind::Elu, Some(1.0), None),
];

impl Function {
    /// The function of a number. ULP as in [`activation`](crate::rules::activation) and
    /// [`pointwise`](crate::rules::pointwise).
    pub(super) fn apply(self, x: Number) -> Number {
        let (alpha, beta) = (Number::exact(self.alpha), Number::exact(self.beta));
        let tanh = |x: Number| of_range(x.map(5.0, f64::tanh), TANH);
        match self.kind {
            Kind::Relu => x.map(0.0, |x| x.max(0.0)),
            Kind::Tanh => tanh(x),
            Kind::Sigmoid => of_range(x.map(12.5, |x| 1.0 / (1.0 + (-x).exp())), SIGMOID),
            Kind::Softsign => x.map(6.0, |x| x / (1.0 + x.abs())),
            Kind::Softplus => {
                let y = x.map(3.0, |x| x.max(0.0) + (-x.abs()).exp().ln_1p());
                Number {
                    error: y.error + 7.0 * y.unit,
                    ..y
                }
            }
            Kind::Affine => x * alpha + beta,
            Kind::LeakyRelu => x.map(0.5, |x| if x < 0.0 { x * self.alpha } else { x }),
            Kind::ThresholdedRelu => {
                let jumps = (x.value - self.alpha).abs() <= x.error && x.error > 0.0;
                let y = x.map(0.0, |x| if x >= self.alpha { x } else { 0.0 });
                Number {
                    error: if jumps { x.magnitude() } else { y.error },
                    ..y
                }
            }
            Kind::ScaledTanh => tanh(x * beta) * alpha,
            Kind::HardSigmoid => (x * alpha + beta).map(0.0, |y| y.clamp(0.0, 1.0)),
            Kind::Elu => {
                let below = (x.map(3.0, f64::exp) - Number::exact(1.0)) * alpha;
                let y = x.map(0.0, |x| if x < 0.0 { self.alpha * x.exp_m1() } else { x });
                let own = if x.value < x.error { below.error } else { 0.0 };
                Number {
                    error: y.error + own,
                    ..y
                }
            }
        }
    }
}

/// The value of a function, with the error of an evaluation relative to its range, in units of [`OF_RANGE`],
/// if the rules are about such implementations.
fn of_range(y: Number, units: f64) -> Number {
    if growth() == Growth::Worst || is_accurate() {
        return y;
    }
    let share = unit(DType::Float).map_or(1.0, |float| (y.unit / float).min(1.0));
    Number {
        error: joint(y.error, units * OF_RANGE * share),
        ..y
    }
}

/// The functions of each direction, `defaults.len()` each. Coefficients are consumed in the order of the
/// functions that have them.
pub(super) fn functions(
    query: &Query<'_>,
    defaults: &[&str],
    directions: usize,
) -> Result<Vec<Vec<Function>>, OpError> {
    let names = if query.call.has_attribute("activations") {
        query.call.strings("activations")?
    } else {
        defaults.repeat(directions)
    };
    let coefficients = |attribute: &str| {
        let given = query.call.optional_floats(attribute)?.unwrap_or_default();
        Ok::<_, OpError>(given.into_iter())
    };
    let (mut alphas, mut betas) = (
        coefficients("activation_alpha")?,
        coefficients("activation_beta")?,
    );
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let Some(&(_, kind, alpha, beta)) = KINDS.iter().find(|(known, ..)| *known == name) else {
            return Err(OpError::invalid(format!("the function `{name}` is unknown")));
        };
        let next = |default: Option<f32>, given: &mut std::vec::IntoIter<f32>| {
            default.map_or(0.0, |default| f64::from(given.next().unwrap_or(default)))
        };
        all.push(Function {
            kind,
            alpha: next(alpha, &mut alphas),
            beta: next(beta, &mut betas),
        });
    }
    Ok(all.chunks(defaults.len().max(1)).map(<[_]>::to_vec).collect())
}
