//! The activations of recurrent operators, by name.

use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// A function with its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Function {
    Relu,
    Tanh,
    Sigmoid,
    Softsign,
    Softplus,
    LeakyRelu { alpha: f32 },
    ThresholdedRelu { alpha: f32 },
    Elu { alpha: f32 },
    Affine { alpha: f32, beta: f32 },
    ScaledTanh { alpha: f32, beta: f32 },
    HardSigmoid { alpha: f32, beta: f32 },
}

impl Function {
    /// Computes one value.
    pub fn apply(self, x: f64) -> f64 {
        let wide = f64::from;
        match self {
            Function::Relu => {
                if x < 0.0 {
                    0.0
                } else {
                    x
                }
            }
            Function::Tanh => x.tanh(),
            Function::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Function::Softsign => x / (1.0 + x.abs()),
            Function::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p(),
            Function::LeakyRelu { alpha } => {
                if x < 0.0 {
                    wide(alpha) * x
                } else {
                    x
                }
            }
            // Here the threshold itself is in the upper branch; in the operator of this name it is not.
            Function::ThresholdedRelu { alpha } => {
                if x < wide(alpha) {
                    0.0
                } else {
                    x
                }
            }
            Function::Elu { alpha } => {
                if x < 0.0 {
                    wide(alpha) * x.exp_m1()
                } else {
                    x
                }
            }
            Function::Affine { alpha, beta } => wide(alpha) * x + wide(beta),
            Function::ScaledTanh { alpha, beta } => wide(alpha) * (wide(beta) * x).tanh(),
            Function::HardSigmoid { alpha, beta } => (wide(alpha) * x + wide(beta)).clamp(0.0, 1.0),
        }
    }
}

/// Returns the activations of a node: for each direction as many as `defaults`.
pub fn activations(
    attributes: &Attributes,
    directions: usize,
    defaults: &[&str],
) -> Result<Vec<Function>, Problem> {
    let wanted = directions * defaults.len();
    let mut names = match attributes.texts("activations")? {
        Some(names) => names,
        None => defaults
            .iter()
            .cycle()
            .take(wanted)
            .map(|&name| name.to_owned())
            .collect(),
    };
    // The default of RNN in its schema lists two, of which one direction uses one.
    if names.len() < wanted {
        return invalid(format!("expected {wanted} activations, got {}", names.len()));
    }
    names.truncate(wanted);
    let list = |name: &str| Ok::<_, Problem>(attributes.floats(name)?.unwrap_or_default().iter().copied());
    let (mut alphas, mut betas) = (list("activation_alpha")?, list("activation_beta")?);
    let make = |name: &String| {
        // The defaults are those of the operators of the same name.
        let mut alpha = |default: f32| alphas.next().unwrap_or(default);
        Ok(match name.to_ascii_lowercase().as_str() {
            "relu" => Function::Relu,
            "tanh" => Function::Tanh,
            "sigmoid" => Function::Sigmoid,
            "softsign" => Function::Softsign,
            "softplus" => Function::Softplus,
            "leakyrelu" => Function::LeakyRelu { alpha: alpha(0.01) },
            "thresholdedrelu" => Function::ThresholdedRelu { alpha: alpha(1.0) },
            "elu" => Function::Elu { alpha: alpha(1.0) },
            "affine" => Function::Affine {
                alpha: alpha(1.0),
                beta: betas.next().unwrap_or(0.0),
            },
            "scaledtanh" => {
                let (Some(alpha), Some(beta)) = (alphas.next(), betas.next()) else {
                    return invalid(
                        "ScaledTanh has no default for its alpha and beta, and they are not given",
                    );
                };
                Function::ScaledTanh { alpha, beta }
            }
            "hardsigmoid" => Function::HardSigmoid {
                alpha: alpha(0.2),
                beta: betas.next().unwrap_or(0.5),
            },
            other => return invalid(format!("unknown activation `{other}`")),
        })
    };
    names.iter().map(make).collect()
}
