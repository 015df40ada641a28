//! The same architecture with random weights.
//!
//! ONNX's light models have their architecture and no weights: what would be weights is filled with one constant. Logits
//! then reach 10³¹, the softmax is uniform or saturated whatever comes in, and an optimiser may merge branches that are the
//! same, so neither accuracy nor latency means much. [`randomize`] puts random weights in their place:
//!
//! 1. `parameters` finds every float parameter (a fill or an initializer) and what it is to its operator.
//! 2. `draw` gives it values from one seeded generator: kernels from N(0, √(2/fan-in)) after He et al. (2015), biases small,
//!    scales around 1.
//! 3. `bake` makes the values initializers, in place of the fills.
//! 4. `calibrate` runs the model once, by a probe that normalises as it goes and hands out what it divided by: kernels
//!    are scaled until their outputs have a root mean square of 1, and BatchNormalization gets the mean and variance that its
//!    input has. So activations stay in range at any depth, whatever stands between the layers (Mishkin and Matas, 2015, call
//!    it LSUV). The last kernel is scaled such that a softmax after it spreads out.
//!
//! The result depends on the model, the seed and the calibration input alone. Shapes, operators and attributes of all that
//! computes stay what they are.

mod bake;
mod calibrate;
mod draw;
mod parameters;
#[cfg(test)]
mod tests;

use std::error::Error;

use backend_api::Named;
use onnx_model::{Graph, Model};
use onnx_tensor::{DType, TensorError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Runs a model on the calibration input, and gives its outputs by name.
pub type Run<'r> = dyn FnMut(&Model) -> Result<Vec<Named>, Box<dyn Error + Send + Sync>> + 'r;

/// Why a model cannot get random weights.
#[derive(Debug, thiserror::Error)]
pub enum RandomWeightsError {
    /// Operators did not broadcast then, and the probe needs that.
    #[error("the model imports opset {0} of ai.onnx; random weights need 7 or newer")]
    Opset(i64),
    /// Nothing to put random values into.
    #[error("the model has no Conv, Gemm or MatMul with constant weights")]
    NoKernel,
    /// The calibration run failed.
    #[error("calibration: {0}")]
    Run(#[source] Box<dyn Error + Send + Sync>),
    /// The calibration run gave no usable figure.
    #[error("calibration: no finite, positive scale for `{0}`; is the model's output constant there?")]
    Degenerate(String),
    /// A tensor of another type or shape than its role demands.
    #[error("parameter `{name}`: {error}")]
    Tensor {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        error: TensorError,
    },
}

/// Puts random weights into `model`, calibrated by `run`. Same model, seed and outputs of `run`: same result, to the bit.
///
/// The result is of IR version 4 or newer, in which initializers that are no inputs are constants.
///
/// # Errors
/// A model without weights or of an opset below 7, and a calibration run that fails or degenerates.
pub fn randomize(model: Model, seed: u64, run: &mut Run) -> Result<Model, RandomWeightsError> {
    let opset = model.opset_imports.get("").copied().unwrap_or(0);
    if opset < 7 {
        return Err(RandomWeightsError::Opset(opset));
    }
    let parameters = parameters::find(&model.graph);
    if !parameters.iter().any(|parameter| parameter.role.is_kernel()) {
        return Err(RandomWeightsError::NoKernel);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::with_capacity(parameters.len());
    for parameter in &parameters {
        let tensor = draw::draw(parameter, &mut rng).map_err(|error| at(&parameter.name, error))?;
        values.push((parameter.name.clone(), tensor));
    }
    let mut baked = bake::bake(model, values);
    let probe = calibrate::probe(&baked)?;
    let outputs = run(&probe.model).map_err(RandomWeightsError::Run)?;
    calibrate::apply(&mut baked, &probe, &outputs)?;
    Ok(baked)
}

fn at(name: &str, error: TensorError) -> RandomWeightsError {
    RandomWeightsError::Tensor {
        name: name.to_owned(),
        error,
    }
}

/// The float32 initializer of this name.
fn float_initializer<'g>(graph: &'g Graph, name: &str) -> Option<&'g onnx_tensor::Tensor> {
    match graph.initializer(name) {
        Some(onnx_tensor::Value::Tensor(tensor)) if tensor.dtype() == DType::Float => Some(tensor),
        _ => None,
    }
}
