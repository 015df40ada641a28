//! Reductions over the last axes.

use super::normalization::sum;
use super::rows::each_part;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::call::axes;

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain()) else {
        return Ok(None);
    };
    let listed = match used.has(1) {
        true => used.ints(1),
        false => Some(operator.attributes.ints("axes")?.unwrap_or_default().to_vec()),
    };
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else {
        return Ok(None);
    };
    let (rank, listed) = (x.shape.len(), axes(&listed, x.shape.len())?);
    let first = rank - listed.len();
    let length: usize = x.shape[first..].iter().product();
    if !listed.iter().copied().eq(first..rank) || x.shape.contains(&0) {
        return Ok(None);
    }
    let of: fn(&[f32]) -> f32 = match operator.schema.name {
        "ReduceMean" => |x| sum(x, |x| x) / x.len() as f32,
        "ReduceSum" => |x| sum(x, |x| x),
        "ReduceMax" => |x| {
            x.iter()
                .copied()
                .fold(f32::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b })
        },
        _ => |x| {
            x.iter()
                .copied()
                .fold(f32::INFINITY, |a, b| if a.is_nan() || a < b { a } else { b })
        },
    };
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        each_part(
            device,
            outputs[0],
            super::activation::GRAIN.div_ceil(length),
            |start, part| {
                for (number, y) in part.iter_mut().enumerate() {
                    *y = of(&x[(start + number) * length..][..length]);
                }
            },
        );
        Ok(())
    })
}
