//! Reductions over neighbouring axes.

use native_kernels::reduce::{Reduction, reduce};

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
    let listed = axes(&listed, x.shape.len())?;
    let (first, end) = (listed[0], listed[0] + listed.len());
    if !listed.iter().copied().eq(first..end) || x.shape.contains(&0) {
        return Ok(None);
    }
    let product = |extents: &[usize]| extents.iter().product::<usize>();
    let cut = [
        product(&x.shape[..first]),
        product(&x.shape[first..end]),
        product(&x.shape[end..]),
    ];
    let reduction = match operator.schema.name {
        "ReduceMean" => Reduction::Mean,
        "ReduceSum" => Reduction::Sum,
        "ReduceMax" => Reduction::Max,
        "ReduceMin" => Reduction::Min,
        "ReduceL1" => Reduction::L1,
        "ReduceL2" => Reduction::L2,
        "ReduceSumSquare" => Reduction::SumSquare,
        "ReduceProd" => Reduction::Product,
        _ => return Ok(None),
    };
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(reduce(&device.pool, reduction, cut, inputs[0], outputs[0])?)
    })
}
