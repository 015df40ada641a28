//! Normalisations over rows (layer, RMS, instance, group), and over neighbouring channels (LRN).

use super::rows::each_part;
use super::used::kept;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::call::axis;

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used
        .float(0)
        .filter(|_| used.is_plain() && used.outputs.len() == 1)
    else {
        return Ok(None);
    };
    if x.shape.contains(&0) || x.shape.len() < 2 {
        return Ok(None);
    }
    match operator.schema.name {
        "LRN" => local(used, device, operator),
        "LayerNormalization" | "RMSNormalization" => rows(used, device, operator),
        _ => Ok(None),
    }
}

/// Layer and RMS normalisation: scale and bias as long as a row.
fn rows(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0) else {
        return Ok(None);
    };
    let at = axis(operator.attributes.int("axis")?, x.shape.len())?;
    let length: usize = x.shape[at..].iter().product();
    let fits = |position: usize| used.floats(position).is_some_and(|values| values.len() == length);
    if !fits(1) || (used.has(2) && !fits(2)) {
        return Ok(None);
    }
    let scale = kept(used.floats(1))?;
    let bias = if used.has(2) {
        kept(used.floats(2))?
    } else {
        vec![0.0; length]
    };
    let epsilon = operator.attributes.float("epsilon")?;
    let centered = operator.schema.name == "LayerNormalization";
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        let grain = super::activation::GRAIN.div_ceil(length) * length;
        each_part(device, outputs[0], grain, |start, part| {
            for (number, y) in part.chunks_exact_mut(length).enumerate() {
                let x = &x[start + number * length..][..length];
                let mean = if centered {
                    sum(x, |x| x) / length as f32
                } else {
                    0.0
                };
                let square = sum(x, |x| (x - mean) * (x - mean)) / length as f32;
                let factor = 1.0 / (square + epsilon).sqrt();
                for at in 0..length {
                    y[at] = (x[at] - mean) * factor * scale[at] + bias[at];
                }
            }
        });
        Ok(())
    })
}

/// A sum in eight parts, which the compiler makes a vector of.
pub fn sum(x: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut parts = [0.0_f32; 16];
    let chunks = x.chunks_exact(16);
    let rest: f32 = chunks.remainder().iter().map(|&x| of(x)).sum();
    for chunk in chunks {
        for (part, &x) in parts.iter_mut().zip(chunk) {
            *part += of(x);
        }
    }
    parts.iter().sum::<f32>() + rest
}

/// LRN: pixel by pixel a running sum of squares over the channels around each.
fn local(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0) else {
        return Ok(None);
    };
    let attribute = |name: &str| operator.attributes.float(name);
    let (alpha, beta, bias) = (attribute("alpha")?, attribute("beta")?, attribute("bias")?);
    let size = usize::try_from(operator.attributes.int("size")?)
        .unwrap_or(1)
        .max(1);
    let (channels, pixels) = (x.shape[1], x.shape[2..].iter().product::<usize>());
    let scale = alpha / size as f32;
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        let (before, after) = ((size - 1) / 2, size / 2);
        each_part(device, outputs[0], pixels, |start, part| {
            let mut squares = vec![0.0_f32; pixels];
            for (number, y) in part.chunks_exact_mut(pixels).enumerate() {
                let plane = start / pixels + number;
                let (image, channel) = (plane / channels, plane % channels);
                squares.fill(0.0);
                for near in channel.saturating_sub(before)..=(channel + after).min(channels - 1) {
                    let x = &x[(image * channels + near) * pixels..][..pixels];
                    squares.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * x);
                }
                let x = &x[plane * pixels..][..pixels];
                for at in 0..pixels {
                    let base = bias + scale * squares[at];
                    // The exponent of AlexNet and GoogLeNet needs two roots only.
                    let power = if beta == 0.75 {
                        base.sqrt() * base.sqrt().sqrt()
                    } else {
                        base.powf(beta)
                    };
                    y[at] = x[at] / power;
                }
            }
        });
        Ok(())
    })
}
