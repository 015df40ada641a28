//! GridSample of f32: what each point reads is computed once for all channels.

use super::movement::each_part;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::{Sampled, Sampler};

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let (Some(x), Some(grid)) = (used.float(0), used.float(1)) else {
        return Ok(None);
    };
    let since = operator.schema.since;
    let sampled = Sampled::new(since, &x.shape, &grid.shape)?;
    let [area, places] = sampled.areas();
    if !used.is_plain() || used.outputs != [sampled.shape.clone()] || sampled.shape.contains(&0) {
        return Ok(None);
    }
    // The general code reports attributes that are invalid.
    let Ok(sampler) = Sampler::read(since, &operator.attributes) else {
        return Ok(None);
    };
    Lowered::new(used, device, vec![0, 1], move |device, inputs, outputs| {
        let (x, grid) = (inputs[0], inputs[1].iter().map(|&at| f64::from(at)));
        let points = sampler.points::<f64>(&sampled, grid)?;
        each_part(device, &mut *outputs[0], places, |start, part| {
            let first = start / places;
            for (plane, target) in (first..).zip(part.chunks_exact_mut(places)) {
                let (image, values) = (plane / sampled.channels, &x[plane * area..][..area]);
                for (point, target) in (image * places..).zip(target) {
                    *target = points.weighted(point, |at| f64::from(values[at])) as f32;
                }
            }
        });
        Ok(())
    })
}
