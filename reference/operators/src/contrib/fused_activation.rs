//! The activation function that a fused operator applies to its result, before the result is rounded.

use onnx_tensor::Real;

use crate::frame::OpError;
use crate::shared::activation;

/// A function of f64 with its coefficients.
pub type Activation = Box<dyn Fn(f64) -> f64>;

/// The function of this name. `coefficients` are its alpha, beta and gamma.
///
/// # Errors
/// The name is unknown, or a coefficient is missing.
pub fn activation(name: &str, coefficients: &[Option<f64>]) -> Result<Activation, OpError> {
    let coefficient = |index: usize| {
        let missing = || OpError::undefined(format!("{name} without coefficient {index}"));
        coefficients.get(index).copied().flatten().ok_or_else(missing)
    };
    Ok(match name {
        "" => Box::new(|x| x),
        "Relu" => Box::new(|x| Real::max(x, 0.0)),
        "Sigmoid" => Box::new(activation::sigmoid),
        "Tanh" => Box::new(libm::tanh),
        "Softplus" => Box::new(activation::softplus),
        "Softsign" => Box::new(activation::softsign),
        "HardSwish" => Box::new(activation::hard_swish),
        "LeakyRelu" => {
            let alpha = coefficient(0)?;
            Box::new(move |x| activation::leaky_relu(x, alpha))
        }
        "Elu" => {
            let alpha = coefficient(0)?;
            Box::new(move |x| activation::elu(x, alpha))
        }
        "Celu" => {
            let alpha = coefficient(0)?;
            Box::new(move |x| activation::celu(x, alpha))
        }
        "ThresholdedRelu" => {
            let alpha = coefficient(0)?;
            Box::new(move |x| activation::thresholded_relu(x, alpha))
        }
        "Selu" => {
            let (alpha, gamma) = (coefficient(0)?, coefficient(2)?);
            Box::new(move |x| activation::selu(x, alpha, gamma))
        }
        "HardSigmoid" => {
            let (alpha, beta) = (coefficient(0)?, coefficient(1)?);
            Box::new(move |x| activation::hard_sigmoid(x, alpha, beta))
        }
        "Clip" => {
            let (least, greatest) = (coefficient(0)?, coefficient(1)?);
            Box::new(move |x| Real::min(Real::max(x, least), greatest))
        }
        other => {
            return Err(OpError::undefined(format!(
                "`{other}` as a fused activation function"
            )));
        }
    })
}
