//! Conv and ConvTranspose: sums of products over taps and channels.
//!
//! Output channels with equal weights have equal sums. If all channels of a group are equal (untrained
//! networks, such as the light models of the official corpus), the sum of magnitudes is computed once for
//! the group.

use ndarray::Axis;
use onnx_operators::frame::{OpError, Outputs};
use onnx_tensor::{Array, Tensor, Value};

use super::linear::sum_of;
use super::{Entry, entry};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("Conv", conv), entry("ConvTranspose", conv_transpose)];

/// The indices of weights and bias.
const WEIGHTS: usize = 1;
const BIAS: usize = 2;

/// The taps of one filter and the bias.
fn conv(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let taps: usize = query.call.tensor(WEIGHTS)?.shape().iter().skip(1).product();
    let terms = taps.saturating_add(1);
    let Some((inputs, firsts)) = one_channel_of_each_group(query)? else {
        return sum_of(query, terms, &[0, WEIGHTS]);
    };
    let Some(Tensor::Float(result)) = query.output(0) else {
        return sum_of(query, terms, &[0, WEIGHTS]);
    };
    let outputs: Outputs = vec![Some(Value::from(Tensor::from(result.select(Axis(1), &firsts))))];
    let call = query.call.with_node(
        query.call.schema(),
        &inputs,
        query.call.given_attributes(),
        &[true],
    );
    let mut radii = sum_of(
        &Query {
            call: &call,
            outputs: &outputs,
            ..*query
        },
        terms,
        &[0, WEIGHTS],
    )?;
    if let (Some(Radius::Within { radius, .. }), Some(output)) = (radii.first_mut(), query.output(0)) {
        let channels = output.shape().get(1).copied().unwrap_or(1);
        let groups = radius.shape().get(1).copied().unwrap_or(1).max(1);
        let of_group: Vec<usize> = (0..channels).map(|channel| channel * groups / channels).collect();
        *radius = radius.select(Axis(1), &of_group).into_shared();
    }
    Ok(radii)
}

/// The inputs of a smaller convolution, and the places of its channels among those of the whole one.
type Part = (Vec<Option<Value>>, Vec<usize>);

/// The inputs with only the first output channel of each group, if all its channels are equal, and the places
/// of these channels.
fn one_channel_of_each_group(query: &Query<'_>) -> Result<Option<Part>, OpError> {
    let Tensor::Float(weights) = query.call.tensor(WEIGHTS)? else {
        return Ok(None);
    };
    let bias = match query.call.optional_tensor(BIAS)? {
        Some(Tensor::Float(bias)) => Some(bias),
        Some(_) => return Ok(None),
        None => None,
    };
    let groups = usize::try_from(query.call.int("group")?).unwrap_or(0);
    let channels = weights.shape().first().copied().unwrap_or(0);
    let parameters_exact = query.errors.iter().skip(WEIGHTS).all(Radius::is_exact);
    if !parameters_exact || groups == 0 || channels <= groups || channels % groups != 0 {
        return Ok(None);
    }
    let firsts: Vec<usize> = (0..groups).map(|group| group * (channels / groups)).collect();
    if !repeats(weights, channels / groups) || !bias.is_none_or(|bias| repeats(bias, channels / groups)) {
        return Ok(None);
    }
    let cut = |array: &Array<f32>| Some(Value::Tensor(Tensor::from(array.select(Axis(0), &firsts))));
    let mut inputs = vec![query.call.optional(0).cloned(), cut(weights)];
    inputs.extend(bias.map(cut));
    Ok(Some((inputs, firsts)))
}

/// Whether all rows along the first axis are equal within each run of `count` rows.
fn repeats(array: &Array<f32>, count: usize) -> bool {
    array
        .axis_chunks_iter(Axis(0), count)
        .all(|run| run.outer_iter().all(|row| row == run.index_axis(Axis(0), 0)))
}

/// The channels of a group times the taps of one filter, and the bias.
fn conv_transpose(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let filter = query.call.tensor(WEIGHTS)?.shape();
    let groups = usize::try_from(query.call.int("group")?).unwrap_or(1).max(1);
    let taps: usize = filter.iter().skip(2).product();
    let channels = filter.first().map_or(1, |channels| channels / groups);
    sum_of(
        query,
        channels.saturating_mul(taps).saturating_add(1),
        &[0, WEIGHTS],
    )
}
