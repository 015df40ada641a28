//! Normalizations: of rows (layer, RMS), of groups of channels (instance, group), by neighbouring channels
//! (LRN).

use native_kernels::elementwise::{Unary, unary};
use native_kernels::half::Half;
use native_kernels::norm::{Lrn, group_norm, layer_norm, lrn, rms_norm};
use native_kernels::{Activation, Buffer, Pool};
use onnx_tensor::DType;

use super::affine::{channels, image};
use super::used::kept;
use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::call::axis;
use crate::ops::fast::Normalization;

pub fn lower(used: &Use, device: &Device, operator: &Operator, kind: Normalization) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.outputs.len() == 1) else {
        return Ok(None);
    };
    if x.shape.contains(&0) || x.shape.len() < 2 {
        return Ok(None);
    }
    // The kernels compute in f32, the default of `stash_type`.
    if operator.attributes.dtype("stash_type")?.unwrap_or(DType::Float) != DType::Float {
        return Ok(None);
    }
    match kind {
        Normalization::Neighbours => local(used, device, operator),
        _ if !used.is_plain() => Ok(None),
        Normalization::Layer => rows(used, device, operator, false),
        Normalization::MeanSquare => rows(used, device, operator, true),
        Normalization::Groups => groups(used, device, operator),
    }
}

/// Lowers layer and RMS normalization (`mean_square`) with scale and bias as long as a row.
fn rows(used: &Use, device: &Device, operator: &Operator, mean_square: bool) -> Attempt {
    let Some(x) = used.float(0) else {
        return Ok(None);
    };
    let at = axis(operator.attributes.int("axis")?, x.shape.len())?;
    let (count, length): (usize, usize) = (x.shape[..at].iter().product(), x.shape[at..].iter().product());
    // Another shape with the same number of elements does not broadcast; the operator refuses it.
    let row = without_leading_ones(&x.shape[at..]);
    let fits = |position: usize| {
        let shape = used
            .float(position)
            .map(|operand| without_leading_ones(&operand.shape));
        used.floats(position).is_some() && shape == Some(row)
    };
    if !fits(1) || (used.has(2) && !fits(2)) {
        return Ok(None);
    }
    let scale = kept(used.floats(1))?;
    let bias = used.has(2).then(|| kept(used.floats(2))).transpose()?;
    let epsilon = operator.attributes.float("epsilon")?;
    let extents = [count, length];
    if let Some(half) = second_stage(used, operator)? {
        let ones = vec![1.0; length];
        // A sum with -0 keeps the sign of zero.
        let added = bias.unwrap_or_else(|| vec![-0.0; length]);
        let mut stages = Stages::new(half, count * length)?;
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            let (pool, x) = (&device.pool, inputs[0]);
            if mean_square {
                rms_norm(pool, extents, x, &ones, epsilon, &mut stages.normalized)?
            } else {
                layer_norm(pool, extents, x, &ones, None, epsilon, &mut stages.normalized)?
            }
            stages.round(pool, outputs[0])?;
            for row in outputs[0].chunks_exact_mut(length) {
                for ((y, scale), bias) in row.iter_mut().zip(&scale).zip(&added) {
                    *y = *y * scale + bias;
                }
            }
            Ok(())
        });
    }
    if mean_square {
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            Ok(rms_norm(
                &device.pool,
                extents,
                inputs[0],
                &scale,
                epsilon,
                outputs[0],
            )?)
        });
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(layer_norm(
            &device.pool,
            extents,
            inputs[0],
            &scale,
            bias.as_deref(),
            epsilon,
            outputs[0],
        )?)
    })
}

/// Returns the type to which normalized elements are rounded before they are scaled, if that is not f32.
/// Versions without `stash_type` have one stage.
fn second_stage(used: &Use, operator: &Operator) -> Result<Option<Half>, Problem> {
    let staged = operator.attributes.dtype("stash_type")?.is_some();
    Ok(used.narrow.filter(|_| staged))
}

/// The second stage of a normalization of halves.
struct Stages {
    half: Half,
    normalized: Buffer<f32>,
}

impl Stages {
    fn new(half: Half, length: usize) -> Result<Stages, Problem> {
        let normalized = Buffer::try_zeroed(length)?;
        Ok(Stages { half, normalized })
    }

    /// Writes the rounded elements.
    fn round(&self, pool: &Pool, y: &mut [f32]) -> Result<(), Problem> {
        let nearest = Unary::Activation(Activation::nearest(self.half));
        Ok(unary(pool, nearest, &self.normalized, y)?)
    }
}

fn without_leading_ones(shape: &[usize]) -> &[usize] {
    let ones = shape.iter().take_while(|&&extent| extent == 1).count();
    &shape[ones..]
}

/// Lowers instance and group normalization with one scale and one bias for each channel.
fn groups(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(extents) = used.float(0).and_then(|x| image(&x.shape)) else {
        return Ok(None);
    };
    let groups = match operator.attributes.find_int("num_groups")? {
        Some(groups) => usize::try_from(groups).unwrap_or(0),
        None => extents[1],
    };
    let fits = |position: usize| {
        used.floats(position)
            .is_some_and(|values| values.len() == extents[1])
    };
    if groups == 0 || !extents[1].is_multiple_of(groups) || !fits(1) || !fits(2) {
        return Ok(None);
    }
    let (scale, bias) = (kept(used.floats(1))?, kept(used.floats(2))?);
    let epsilon = operator.attributes.float("epsilon")?;
    if let Some(half) = second_stage(used, operator)? {
        let (ones, zeros) = (vec![1.0; extents[1]], vec![0.0; extents[1]]);
        let mut stages = Stages::new(half, extents.iter().product())?;
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            let (pool, y) = (&device.pool, &mut stages.normalized);
            group_norm(pool, extents, groups, inputs[0], &ones, &zeros, epsilon, y)?;
            stages.round(pool, outputs[0])?;
            let channels = outputs[0].chunks_exact_mut(extents[2]);
            for (channel, (scale, bias)) in channels.zip(scale.iter().zip(&bias).cycle()) {
                channel.iter_mut().for_each(|y| *y = *y * scale + bias);
            }
            Ok(())
        });
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(group_norm(
            &device.pool,
            extents,
            groups,
            x,
            &scale,
            &bias,
            epsilon,
            y,
        )?)
    })
}

fn local(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some((x, extents)) = used.float(0).and_then(|x| Some((x, image(&x.shape)?))) else {
        return Ok(None);
    };
    if x.layout != used.layout {
        return Ok(None);
    }
    let attribute = |name: &str| operator.attributes.float(name);
    let parameters = Lrn {
        size: usize::try_from(operator.attributes.int("size")?).unwrap_or(0),
        alpha: attribute("alpha")?,
        beta: attribute("beta")?,
        bias: attribute("bias")?,
    };
    let layout = channels(x.layout);
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(lrn(
            &device.pool,
            layout,
            extents,
            parameters,
            inputs[0],
            outputs[0],
        )?)
    })
}
