//! Random weights for a given architecture.
//!
//! ONNX's light models have an architecture but no weights: each weight tensor is filled with one
//! constant. Logits then reach 10³¹, the softmax is uniform or saturated for any input, and an optimiser
//! may merge identical branches. So neither accuracy nor latency is meaningful. [`randomize`] replaces
//! the constants by random weights:
//!
//! 1. `parameters` finds every float parameter (a fill or an initializer) and its role in its operator.
//! 2. `draw` gives it values from one seeded generator: kernels from N(0, √(2/fan-in)) (He et al.,
//!    2015), small biases, scales around 1.
//! 3. `bake` replaces the fills by initializers with these values.
//! 4. `calibrate` runs the model once, by a probe that normalises every layer and outputs the divisors.
//!    Kernels are scaled until their outputs have a root mean square of 1, and BatchNormalization gets
//!    the mean and variance of its input. So activations stay in range at any depth (LSUV; Mishkin and
//!    Matas, 2015). The last kernel is scaled such that the output of a softmax after it is spread.
//!
//! The result depends only on the model, the seed and the calibration input. Shapes, operators and
//! attributes of all other nodes are unchanged.

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

/// Runs a model on the calibration input and returns its outputs by name.
pub type Run<'r> = dyn FnMut(&Model) -> Result<Vec<Named>, Box<dyn Error + Send + Sync>> + 'r;

/// Why a model cannot get random weights.
#[derive(Debug, thiserror::Error)]
pub enum RandomWeightsError {
    /// The probe needs broadcasting, which the operators of this opset do not have.
    #[error("the model imports opset {0} of ai.onnx; random weights need 7 or newer")]
    Opset(i64),
    /// The model has no parameters for random values.
    #[error("the model has no Conv, Gemm or MatMul with constant weights")]
    NoKernel,
    /// The calibration run failed.
    #[error("calibration: {0}")]
    Run(#[source] Box<dyn Error + Send + Sync>),
    /// The calibration run gave no usable value.
    #[error("calibration: no finite, positive scale for `{0}`; the model's output may be constant there")]
    Degenerate(String),
    /// A tensor has a type or shape that does not fit its role.
    #[error("parameter `{name}`: {error}")]
    Tensor {
        /// The parameter.
        name: String,
        error: TensorError,
    },
}

/// Puts random weights into `model`, calibrated by `run`. The same model, seed and outputs of `run` give
/// the same result, bit for bit.
///
/// The result has IR version 4 or newer, in which initializers that are not inputs are constants.
///
/// # Errors
/// The model has no weights or an opset below 7, or the calibration run fails or degenerates.
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
