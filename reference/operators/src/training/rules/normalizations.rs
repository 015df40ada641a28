//! Operators that normalise their input to mean 0 and variance 1, or to a norm of 1.

use super::super::function::Function;
use super::super::subgraph::Operand;
use super::super::tape::{Tape, Var};
use super::{Site, functions, reductions};
use crate::frame::OpError;
use crate::shared::{axes, reals};

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    let result = match site.name() {
        "BatchNormalization" => return batch(tape, site).map(Some),
        "LayerNormalization" => return layer(tape, site).map(Some),
        "GroupNormalization" => group(tape, site)?,
        "InstanceNormalization" => {
            let x = site.var(tape, 0)?;
            let spatial: Vec<usize> = (2..tape.shape(x).len()).collect();
            let epsilon = site.float("epsilon")?;
            let y = Moments::of(tape, x, &spatial)?.normalised(tape, x, epsilon)?;
            by_channel(tape, site, y)?
        }
        "LpNormalization" => lp(tape, site)?,
        "LRN" => local_response(tape, site)?,
        "MeanVarianceNormalization" => mean_variance(tape, site)?,
        "RMSNormalization" => root_mean_square(tape, site)?,
        _ => return Ok(None),
    };
    site.one(result)
}

/// Mean and population variance, with extent 1 on the reduced axes.
struct Moments {
    mean: Var,
    variance: Var,
}

impl Moments {
    fn of(tape: &mut Tape<'_>, x: Var, axes: &[usize]) -> Result<Moments, OpError> {
        let mean = reductions::mean(tape, x, axes)?;
        let centred = combine(tape, x, mean, Tape::sub)?;
        let square = tape.mul(centred, centred);
        let variance = reductions::mean(tape, square, axes)?;
        Ok(Moments { mean, variance })
    }

    /// 1 / sqrt(variance + epsilon).
    fn inverse_deviation(&self, tape: &mut Tape<'_>, epsilon: f64) -> Var {
        let sum = tape.plus(self.variance, epsilon);
        let root = tape.apply(Function::Sqrt, sum);
        tape.apply(Function::Reciprocal, root)
    }

    /// (x − mean) / sqrt(variance + epsilon).
    fn normalised(&self, tape: &mut Tape<'_>, x: Var, epsilon: f64) -> Result<Var, OpError> {
        let inverse = self.inverse_deviation(tape, epsilon);
        let centred = combine(tape, x, self.mean, Tape::sub)?;
        combine(tape, centred, inverse, Tape::mul)
    }
}

/// Applies `operation` to `x` and to `other`, broadcast to the shape of `x`.
fn combine<'a>(
    tape: &mut Tape<'a>,
    x: Var,
    other: Var,
    operation: fn(&mut Tape<'a>, Var, Var) -> Var,
) -> Result<Var, OpError> {
    let shape = tape.shape(x).to_vec();
    let other = tape.broadcast(other, &shape)?;
    Ok(operation(tape, x, other))
}

/// One value for each channel, reshaped so that it broadcasts over `x`, whose channels are axis 1.
fn channels(tape: &mut Tape<'_>, parameter: Var, rank: usize) -> Var {
    let mut shape = vec![1; rank];
    let axis = usize::from(rank > 1);
    if let Some(extent) = shape.get_mut(axis) {
        *extent = tape.values(parameter).len();
    }
    tape.reshape(parameter, &shape)
}

/// y · scale + bias, inputs 1 and 2, one value for each channel.
fn by_channel(tape: &mut Tape<'_>, site: &Site<'_>, y: Var) -> Result<Var, OpError> {
    let rank = tape.shape(y).len();
    let (scale, bias) = (site.var(tape, 1)?, site.var(tape, 2)?);
    let (scale, bias) = (channels(tape, scale, rank), channels(tape, bias, rank));
    let scaled = combine(tape, y, scale, Tape::mul)?;
    combine(tape, scaled, bias, Tape::add)
}

/// Versions 9 to 15 outside of training, 14 and 15 in training too.
fn batch(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    let call = site.call;
    let training = match site.since() {
        14.. => call.flag("training_mode")?,
        9 if call.output_count() == 1 => false,
        _ => return Err(site.unknown()),
    };
    let x = site.var(tape, 0)?;
    let rank = tape.shape(x).len();
    // An input of rank 1 is one channel.
    let shared: Vec<usize> = (0..rank).filter(|&axis| axis != 1).collect();
    let (mean, variance) = (site.var(tape, 3)?, site.var(tape, 4)?);
    let moments = if training {
        Moments::of(tape, x, &shared)?
    } else {
        Moments {
            mean: channels(tape, mean, rank),
            variance: channels(tape, variance, rank),
        }
    };
    let y = moments.normalised(tape, x, site.float("epsilon")?)?;
    let mut outputs = vec![Operand::Var(by_channel(tape, site, y)?, call.dtype(0)?)];
    if training {
        let momentum = site.float("momentum")?;
        for (given, new) in [(mean, moments.mean), (variance, moments.variance)] {
            let shape = tape.shape(given).to_vec();
            let new = tape.reshape(new, &shape);
            let (old, new) = (tape.scale(given, momentum), tape.scale(new, 1.0 - momentum));
            outputs.push(Operand::Var(tape.add(old, new), call.dtype(3)?));
        }
    }
    Ok(outputs)
}

/// The axes from the attribute `axis` on.
fn trailing(tape: &Tape<'_>, site: &Site<'_>, x: Var) -> Result<Vec<usize>, OpError> {
    let rank = tape.shape(x).len();
    Ok((axes::axis(site.call.int("axis")?, rank)?..rank).collect())
}

fn layer(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    let x = site.var(tape, 0)?;
    let axes = trailing(tape, site, x)?;
    let epsilon = site.float("epsilon")?;
    let moments = Moments::of(tape, x, &axes)?;
    let y = moments.normalised(tape, x, epsilon)?;
    let scale = site.var(tape, 1)?;
    let mut y = combine(tape, y, scale, Tape::mul)?;
    if let Some(bias) = site.optional(tape, 2)? {
        y = combine(tape, y, bias, Tape::add)?;
    }
    let inverse = moments.inverse_deviation(tape, epsilon);
    let stash = reals::float_type("stash_type", site.call.int("stash_type")?)?;
    Ok(vec![
        Operand::Var(y, site.call.dtype(0)?),
        Operand::Var(moments.mean, stash),
        Operand::Var(inverse, stash),
    ])
}

/// Version 21; version 18 is deprecated, so no valid model contains it.
fn group(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let shape = tape.shape(x).to_vec();
    let groups = usize::try_from(site.call.int("num_groups")?).unwrap_or(0);
    let &[batch, channels_of_x, ref spatial @ ..] = shape.as_slice() else {
        return Err(site.unknown());
    };
    if groups == 0 || channels_of_x % groups != 0 {
        return Err(OpError::invalid(format!(
            "{channels_of_x} channels cannot be split into {groups} groups"
        )));
    }
    let width = channels_of_x / groups * spatial.iter().product::<usize>();
    let grouped = tape.reshape(x, &[batch, groups, width]);
    let epsilon = site.float("epsilon")?;
    let y = Moments::of(tape, grouped, &[2])?.normalised(tape, grouped, epsilon)?;
    let y = tape.reshape(y, &shape);
    by_channel(tape, site, y)
}

/// Each lane divided by its norm.
fn lp(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let axis = [axes::axis(site.call.int("axis")?, tape.shape(x).len())?];
    let norm = match site.call.int("p")? {
        1 => {
            let absolute = functions::absolute(tape, x);
            tape.sum(absolute, &axis)?
        }
        2 => reductions::norm(tape, x, &axis)?,
        _ => return Err(site.unknown()),
    };
    let inverse = tape.apply(Function::Reciprocal, norm);
    combine(tape, x, inverse, Tape::mul)
}

/// x / (bias + alpha / size · Σ x² over adjacent channels) ^ beta.
fn local_response(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let shape = tape.shape(x).to_vec();
    let size = usize::try_from(site.call.int("size")?).unwrap_or(0);
    let (&[_, channels, ref spatial @ ..], 1..) = (shape.as_slice(), size) else {
        return Err(site.unknown());
    };
    let plane: usize = spatial.iter().product();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for place in 0..tape.values(x).len() {
        let channel = place / plane % channels;
        let near = channel.saturating_sub((size - 1) / 2)..=(channel + size / 2).min(channels - 1);
        for other in near {
            from.push(place + other * plane - channel * plane);
            to.push(place);
        }
    }
    let square = tape.mul(x, x);
    let near = tape.pick(square, &[from.len()], from.into());
    let sum = tape.put(near, &shape, to.into());
    let scaled = tape.scale(sum, site.float("alpha")? / size as f64);
    let base = tape.plus(scaled, site.float("bias")?);
    let exponent = tape.filled(base, -site.float("beta")?);
    let factor = tape.pow(base, exponent);
    Ok(tape.mul(x, factor))
}

/// (x − mean) / (standard deviation + 10⁻⁹), like the function body of the operator.
fn mean_variance(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let axes = axes::axes(&site.call.ints("axes")?, tape.shape(x).len())?;
    let moments = Moments::of(tape, x, &axes)?;
    let centred = combine(tape, x, moments.mean, Tape::sub)?;
    let deviation = tape.apply(Function::Sqrt, moments.variance);
    let deviation = tape.plus(deviation, 1e-9);
    let inverse = tape.apply(Function::Reciprocal, deviation);
    combine(tape, centred, inverse, Tape::mul)
}

fn root_mean_square(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let axes = trailing(tape, site, x)?;
    let square = tape.mul(x, x);
    let mean = reductions::mean(tape, square, &axes)?;
    let sum = tape.plus(mean, site.float("epsilon")?);
    let root = tape.apply(Function::Sqrt, sum);
    let inverse = tape.apply(Function::Reciprocal, root);
    let y = combine(tape, x, inverse, Tape::mul)?;
    let scale = site.var(tape, 1)?;
    combine(tape, y, scale, Tape::mul)
}
