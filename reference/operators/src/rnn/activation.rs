//! The activation functions of recurrent layers and the attributes that select them.
//!
//! Interpretation: a function consumes the next value of `activation_alpha` and `activation_beta` only if
//! its formula has that coefficient. If a list is too short, the default of the ONNX operator of the same
//! name applies (Affine 1 and 0, the values of that experimental operator). ScaledTanh has no default, so
//! its coefficients are required. If no function has a coefficient, its values have no effect. If some have
//! it, and values are left, the text does not say whether the other functions consume one too ("The values
//! are consumed in the order of activation functions"), and the result is undefined. Names are
//! case-sensitive.

use onnx_tensor::Real;

use crate::frame::{Call, OpError, Reading};
use crate::shared::activation;

/// An activation function of one gate with its coefficients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Activation {
    Relu,
    Tanh,
    Sigmoid,
    Softsign,
    Softplus,
    /// Softplus that computes eˣ in float (reading `exponentials=typed`).
    SoftplusOfFloats,
    Affine {
        alpha: f64,
        beta: f64,
    },
    LeakyRelu {
        alpha: f64,
    },
    ThresholdedRelu {
        alpha: f64,
    },
    ScaledTanh {
        alpha: f64,
        beta: f64,
    },
    HardSigmoid {
        alpha: f64,
        beta: f64,
    },
    Elu {
        alpha: f64,
    },
}

impl Activation {
    /// The value at `x`, in f64.
    pub(crate) fn apply(self, x: f64) -> f64 {
        match self {
            Activation::Relu => Real::max(x, 0.0),
            Activation::Tanh => libm::tanh(x),
            Activation::Sigmoid => activation::sigmoid(x),
            Activation::Softsign => activation::softsign(x),
            Activation::Softplus => activation::softplus(x),
            Activation::SoftplusOfFloats => activation::softplus_in::<f32>(x),
            Activation::Affine { alpha, beta } => alpha * x + beta,
            Activation::LeakyRelu { alpha } => activation::leaky_relu(x, alpha),
            // Here the threshold itself belongs to the upper branch; in the operator of this name it does
            // not.
            Activation::ThresholdedRelu { alpha } => {
                if x >= alpha || x.is_nan() {
                    x
                } else {
                    0.0
                }
            }
            Activation::ScaledTanh { alpha, beta } => alpha * libm::tanh(beta * x),
            Activation::HardSigmoid { alpha, beta } => activation::hard_sigmoid(x, alpha, beta),
            Activation::Elu { alpha } => activation::elu(x, alpha),
        }
    }
}

/// The coefficients of a node, in the order in which the functions consume them.
struct Coefficients {
    attribute: &'static str,
    values: std::vec::IntoIter<f32>,
    /// Whether a function has the coefficient.
    used: bool,
}

impl Coefficients {
    fn read(call: &Call<'_>, attribute: &'static str) -> Result<Self, OpError> {
        let values = call.optional_floats(attribute)?.unwrap_or_default().into_iter();
        Ok(Coefficients {
            attribute,
            values,
            used: false,
        })
    }

    fn or(&mut self, default: f32) -> f64 {
        self.used = true;
        f64::from(self.values.next().unwrap_or(default))
    }

    fn required(&mut self, function: &str) -> Result<f64, OpError> {
        self.used = true;
        let attribute = self.attribute;
        let missing = || OpError::undefined(format!("{function} has no default for `{attribute}`"));
        self.values.next().map(f64::from).ok_or_else(missing)
    }

    fn finish(&self) -> Result<(), OpError> {
        match self.values.len() {
            rest if rest > 0 && self.used => Err(OpError::undefined(format!(
                "`{}` with {rest} values more than functions that have the coefficient",
                self.attribute
            ))),
            _ => Ok(()),
        }
    }
}

/// The functions of each direction, `defaults.len()` each; `defaults` are used if the node lists none.
pub(crate) fn functions(
    call: &Call<'_>,
    defaults: &[&str],
    directions: usize,
) -> Result<Vec<Vec<Activation>>, OpError> {
    // The schema of RNN has a default for two directions, for every value of `direction`.
    let names = if call.has_attribute("activations") {
        call.strings("activations")?
    } else {
        defaults.repeat(directions)
    };
    let needed = defaults.len() * directions;
    if names.len() != needed {
        let given = names.len();
        return Err(OpError::invalid(format!(
            "`activations` lists {given} functions, expected {needed}"
        )));
    }
    let mut alphas = Coefficients::read(call, "activation_alpha")?;
    let mut betas = Coefficients::read(call, "activation_beta")?;
    let all = names
        .iter()
        .map(|name| match function(name, &mut alphas, &mut betas)? {
            Activation::Softplus if call.takes(Reading::ExponentialsTyped) => {
                Ok(Activation::SoftplusOfFloats)
            }
            known => Ok(known),
        })
        .collect::<Result<Vec<_>, OpError>>()?;
    alphas.finish()?;
    betas.finish()?;
    Ok(all.chunks(defaults.len()).map(<[_]>::to_vec).collect())
}

fn function(name: &str, alphas: &mut Coefficients, betas: &mut Coefficients) -> Result<Activation, OpError> {
    Ok(match name {
        "Relu" => Activation::Relu,
        "Tanh" => Activation::Tanh,
        "Sigmoid" => Activation::Sigmoid,
        "Softsign" => Activation::Softsign,
        "Softplus" => Activation::Softplus,
        "Affine" => Activation::Affine {
            alpha: alphas.or(1.0),
            beta: betas.or(0.0),
        },
        "LeakyRelu" => Activation::LeakyRelu {
            alpha: alphas.or(0.01),
        },
        "ThresholdedRelu" => Activation::ThresholdedRelu {
            alpha: alphas.or(1.0),
        },
        "ScaledTanh" => Activation::ScaledTanh {
            alpha: alphas.required(name)?,
            beta: betas.required(name)?,
        },
        "HardSigmoid" => Activation::HardSigmoid {
            alpha: alphas.or(0.2),
            beta: betas.or(0.5),
        },
        "Elu" => Activation::Elu {
            alpha: alphas.or(1.0),
        },
        _ => {
            return Err(OpError::invalid(format!(
                "`{name}` is not an activation function of a recurrent layer"
            )));
        }
    })
}
