//! Reductions over any axes.

use native_kernels::layout::permute;
use native_kernels::reduce::{Reduction, reduce};

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::call::axes;
use crate::ops::numbers::sum;
use crate::ops::reduction::cut;

pub fn lower(used: &Use, device: &Device, operator: &Operator, reduction: Reduction) -> Attempt {
    let Some(x) = used.float(0).filter(|x| used.is_plain() && !x.shape.contains(&0)) else {
        return Ok(None);
    };
    let Some(listed) = reduced_axes(used, operator, x.shape.len())? else {
        return Ok(None);
    };
    if let Some(cut) = cut(&x.shape, &listed) {
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            run(device, reduction, cut, inputs[0], outputs[0])
        });
    }
    // The reduced axes become the last ones.
    let kept = (0..x.shape.len()).filter(|axis| !listed.contains(axis));
    let order: Vec<usize> = kept.chain(listed.iter().copied()).collect();
    let along = listed.iter().map(|&axis| x.shape[axis]).product::<usize>();
    let shape = x.shape.clone();
    let mut rows = Vec::new();
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        rows.resize(inputs[0].len(), 0.0);
        permute(&device.pool, &shape, &order, inputs[0], &mut rows)?;
        run(
            device,
            reduction,
            [rows.len() / along, along, 1],
            &rows,
            outputs[0],
        )
    })
}

/// Returns the axes in ascending order; `None` if they are known only when the node runs, or if the node
/// reduces none.
fn reduced_axes(used: &Use, operator: &Operator, rank: usize) -> Result<Option<Vec<usize>>, Problem> {
    let listed = if used.has(1) {
        used.ints(1)
    } else {
        Some(operator.attributes.ints("axes")?.unwrap_or_default().to_vec())
    };
    Ok(match listed {
        None => None,
        Some(listed) if !listed.is_empty() => Some(axes(&listed, rank)?),
        Some(_) if operator.attributes.flag("noop_with_empty_axes")? => None,
        Some(_) => Some((0..rank).collect()),
    })
}

fn run(
    device: &Device,
    reduction: Reduction,
    cut: [usize; 3],
    x: &[f32],
    y: &mut [f32],
) -> Result<(), Problem> {
    reduce(&device.pool, reduction, cut, x, y)?;
    if !matches!(reduction, Reduction::L2 | Reduction::LogSum) {
        return Ok(());
    }
    let [_, length, inner] = cut;
    let line = |at: usize| {
        let values = x[at / inner * length * inner + at % inner..].iter();
        values.step_by(inner).take(length).map(|&x| f64::from(x))
    };
    for (at, y) in y.iter_mut().enumerate() {
        match reduction {
            // The squares are outside of the range of f32, or lost precision below it.
            Reduction::L2 if y.is_infinite() || *y < 1e-15 => {
                *y = sum(line(at).map(|x| x * x)).sqrt() as f32;
            }
            // The sum is outside of the range of f32.
            Reduction::LogSum if !y.is_finite() => *y = sum(line(at)).ln() as f32,
            _ => {}
        }
    }
    Ok(())
}
