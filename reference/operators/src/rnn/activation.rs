//! The activation functions of recurrent layers, and how a node lists them.
//!
//! Readings: a function takes the next value of `activation_alpha` and of `activation_beta` only if its formula has that
//! coefficient; where a list is too short, the default of the ONNX operator of the same name holds (Affine 1 and 0, the
//! values of that experimental operator); ScaledTanh has none, so that its coefficients must be given; values left over
//! are an error. Names are compared as they are written.

use onnx_tensor::Real;

use crate::frame::{Call, OpError};
use crate::shared::activation;

/// A function of one gate with its coefficients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Activation {
    Relu,
    Tanh,
    Sigmoid,
    Softsign,
    Softplus,
    Affine { alpha: f64, beta: f64 },
    LeakyRelu { alpha: f64 },
    ThresholdedRelu { alpha: f64 },
    ScaledTanh { alpha: f64, beta: f64 },
    HardSigmoid { alpha: f64, beta: f64 },
    Elu { alpha: f64 },
}

impl Activation {
    /// The function at `x`, in f64.
    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Activation::Relu => Real::max(x, 0.0),
            Activation::Tanh => libm::tanh(x),
            Activation::Sigmoid => activation::sigmoid(x),
            Activation::Softsign => activation::softsign(x),
            Activation::Softplus => activation::softplus(x),
            Activation::Affine { alpha, beta } => alpha * x + beta,
            Activation::LeakyRelu { alpha } => activation::leaky_relu(x, alpha),
            // Here the threshold itself belongs to the upper branch; in the operator of this name it does not.
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

/// The coefficients that a node lists, in the order in which functions take them.
struct Coefficients {
    attribute: &'static str,
    values: std::vec::IntoIter<f32>,
}

impl Coefficients {
    fn read(call: &Call<'_>, attribute: &'static str) -> Result<Self, OpError> {
        let values = call.optional_floats(attribute)?.unwrap_or_default().into_iter();
        Ok(Coefficients { attribute, values })
    }

    fn or(&mut self, default: f32) -> f64 {
        f64::from(self.values.next().unwrap_or(default))
    }

    fn required(&mut self, function: &str) -> Result<f64, OpError> {
        let attribute = self.attribute;
        let missing = || OpError::undefined(format!("{function} has no default for `{attribute}`"));
        self.values.next().map(f64::from).ok_or_else(missing)
    }

    fn finish(&self) -> Result<(), OpError> {
        match self.values.len() {
            0 => Ok(()),
            rest => Err(OpError::invalid(format!(
                "{rest} values of `{}` belong to no function",
                self.attribute
            ))),
        }
    }
}

/// The functions of each direction, as many as `defaults`, which are those of a node that does not list any.
pub(super) fn functions(
    call: &Call<'_>,
    defaults: &[&str],
    directions: usize,
) -> Result<Vec<Vec<Activation>>, OpError> {
    // The schema of RNN has a default with an entry for each of two directions, whatever the direction is.
    let names = if call.has_attribute("activations") {
        call.strings("activations")?
    } else {
        defaults.repeat(directions)
    };
    let needed = defaults.len() * directions;
    if names.len() != needed {
        let given = names.len();
        return Err(OpError::invalid(format!(
            "`activations` lists {given} functions, {needed} are needed"
        )));
    }
    let mut alphas = Coefficients::read(call, "activation_alpha")?;
    let mut betas = Coefficients::read(call, "activation_beta")?;
    let all = names
        .iter()
        .map(|name| function(name, &mut alphas, &mut betas))
        .collect::<Result<Vec<_>, _>>()?;
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
                "`{name}` is no activation function of a recurrent layer"
            )));
        }
    })
}
