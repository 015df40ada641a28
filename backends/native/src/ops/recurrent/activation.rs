//! The activations of recurrent operators, by name.

use crate::error::{Problem, invalid};
use crate::ir::Attributes;

/// A function with its parameters.
pub type Activation = Box<dyn Fn(f64) -> f64>;

/// Returns the activations of a node: for each direction as many as `defaults`.
pub fn activations(
    attributes: &Attributes,
    directions: usize,
    defaults: &[&str],
) -> Result<Vec<Activation>, Problem> {
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
    let mut alphas = attributes
        .floats("activation_alpha")?
        .unwrap_or_default()
        .iter()
        .copied();
    let mut betas = attributes
        .floats("activation_beta")?
        .unwrap_or_default()
        .iter()
        .copied();
    let make = |name: &String| {
        // The defaults are those of the operators of the same name, which are f32.
        let mut alpha = |default: f32| f64::from(alphas.next().unwrap_or(default));
        let activation: Activation = match name.to_ascii_lowercase().as_str() {
            "relu" => Box::new(|x| if x < 0.0 { 0.0 } else { x }),
            "tanh" => Box::new(f64::tanh),
            "sigmoid" => Box::new(|x| 1.0 / (1.0 + (-x).exp())),
            "softsign" => Box::new(|x| x / (1.0 + x.abs())),
            "softplus" => Box::new(|x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p()),
            "leakyrelu" => {
                let alpha = alpha(0.01);
                Box::new(move |x| if x < 0.0 { alpha * x } else { x })
            }
            "thresholdedrelu" => {
                let alpha = alpha(1.0);
                // Here the threshold itself is in the upper branch; in the operator of this name it is not.
                Box::new(move |x| if x < alpha { 0.0 } else { x })
            }
            "elu" => {
                let alpha = alpha(1.0);
                Box::new(move |x| if x < 0.0 { alpha * x.exp_m1() } else { x })
            }
            "affine" => {
                let (alpha, beta) = (alpha(1.0), f64::from(betas.next().unwrap_or(0.0)));
                Box::new(move |x| alpha * x + beta)
            }
            "scaledtanh" => {
                let (Some(alpha), Some(beta)) = (alphas.next(), betas.next()) else {
                    return invalid(
                        "ScaledTanh has no default for its alpha and beta, and they are not given",
                    );
                };
                let (alpha, beta) = (f64::from(alpha), f64::from(beta));
                Box::new(move |x| alpha * (beta * x).tanh())
            }
            "hardsigmoid" => {
                let (alpha, beta) = (alpha(0.2), f64::from(betas.next().unwrap_or(0.5)));
                Box::new(move |x| (alpha * x + beta).clamp(0.0, 1.0))
            }
            other => return invalid(format!("unknown activation `{other}`")),
        };
        Ok(activation)
    };
    names.iter().map(make).collect()
}
