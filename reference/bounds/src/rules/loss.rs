//! Classification losses: weighted sums of selected logarithms.

use onnx_operators::frame::{self, OpError};
use onnx_tensor::{Array, Tensor, Value};

use super::linear::sum_of;
use super::softmax::log_softmax;
use super::{Entry, entry};
use crate::error_bounded::ErrorBounded;
use crate::precision::gamma;
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("NegativeLogLikelihoodLoss", |query| {
        sum_of(query, samples(query)?, &[0, 2])
    }),
    entry("SoftmaxCrossEntropyLoss", cross_entropy),
];

/// The number of samples in the loss, plus the roundings of a weight, of the sum of weights and of the
/// division.
fn samples(query: &Query<'_>) -> Result<usize, OpError> {
    let targets = query.call.tensor(1)?.len();
    Ok(targets.saturating_mul(2).saturating_add(3))
}

/// The loss of the log softmax along axis 1: the errors of the logarithms, weighted like the logarithms,
/// and γₙ of their sum.
fn cross_entropy(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(x) = ErrorBounded::input(query, 0) else {
        return super::exact::decides(query);
    };
    let logarithms = log_softmax(&x, 1)?;
    let magnitudes = loss(query, logarithms.value.mapv(f64::abs))?;
    let carried = loss(query, logarithms.error.clone())?;
    let growth = gamma(samples(query)? as f64, query.unit(0));
    let radius = magnitudes * growth + carried.mapv(|error| error * (1.0 + growth));
    let mut radii = vec![Radius::within(radius, "log softmax, then gamma_n of the sum")];
    if query.outputs.len() > 1 {
        radii.push(logarithms.radius(query, 1, "log softmax"));
    }
    Ok(radii)
}

/// The magnitude of the loss for the logarithms, with the weights and the reduction of the node.
fn loss(query: &Query<'_>, logarithms: ndarray::ArrayD<f64>) -> Result<Array<f64>, OpError> {
    let missing = || OpError::invalid("there is no version of NegativeLogLikelihoodLoss".to_owned());
    let name = "NegativeLogLikelihoodLoss";
    let version = frame::version("", name, 13).ok_or_else(missing)?;
    let schema = onnx_schema::lookup("", name, 13).ok_or_else(missing)?;
    let weights = query
        .input(2)
        .map(|weights| Value::Tensor(Tensor::from(weights.into_shared())));
    let mut inputs = vec![
        Some(Value::Tensor(Tensor::from(logarithms.into_shared()))),
        query.call.optional(1).cloned(),
    ];
    inputs.extend(weights.map(Some));
    let call = query
        .call
        .with_node(schema, &inputs, query.call.given_attributes(), &[true]);
    let outputs = (version.eval)(&call)?;
    let first = outputs.into_iter().next().flatten().ok_or_else(missing)?;
    let array = first.as_tensor().and_then(reals).ok_or_else(missing)?;
    Ok(array.mapv_into(f64::abs))
}
