//! Broadcasting before version 7: one way, with the attribute `axis`.

use onnx_model::AttributeValue;

use crate::site::{Reason, Site};

/// The second operand gets axes of extent 1 at its end, as many as the first has after `axis`.
pub(super) fn binary(site: &mut Site) -> Result<(), Reason> {
    let broadcast = site.take_int("broadcast")?.unwrap_or(0) != 0;
    let axis = site.take_int("axis")?;
    if let (true, Some(axis)) = (broadcast, axis) {
        let aligned = aligned(site, axis)?;
        site.set_input(1, aligned);
    }
    site.keep();
    Ok(())
}

fn aligned(site: &mut Site, axis: i64) -> Result<String, Reason> {
    let [first, second] = [site.required(0)?, site.required(1)?];
    let ones = match (site.rank(0), site.rank(1)) {
        (Some(first), Some(second)) => {
            let begin = if axis < 0 { axis + first as i64 } else { axis };
            let behind = first as i64 - begin - second as i64;
            match usize::try_from(behind) {
                Ok(0) => return site.required(1),
                Ok(behind) => site.integers(vec![1; behind]),
                Err(_) => {
                    return Err(format!(
                        "an operand of {second} axes does not begin at axis {axis} of {first}"
                    ));
                }
            }
        }
        _ => counted_ones(site, &first, &second, axis),
    };
    let extents = site.op("Shape", &[&second], Vec::new());
    let shape = site.op(
        "Concat",
        &[&extents, &ones],
        vec![("axis", AttributeValue::Int(0))],
    );
    Ok(site.op("Reshape", &[&second, &shape], Vec::new()))
}

/// Returns ones for the axes that the first operand has after those of the second, counted when the
/// model runs.
fn counted_ones(site: &mut Site, first: &str, second: &str, axis: i64) -> String {
    let [first, second] = [first, second].map(|name| {
        let shape = site.op("Shape", &[name], Vec::new());
        site.op("Shape", &[&shape], Vec::new())
    });
    let count = if axis < 0 {
        let from_back = site.integers(vec![-axis]);
        site.op("Sub", &[&from_back, &second], Vec::new())
    } else {
        let axis = site.integers(vec![axis]);
        let behind = site.op("Sub", &[&first, &axis], Vec::new());
        site.op("Sub", &[&behind, &second], Vec::new())
    };
    let one = site.integers(vec![1]);
    site.op("Tile", &[&one, &count], Vec::new())
}

/// From version 7 on C is always broadcast.
pub(super) fn gemm(site: &mut Site) -> Result<(), Reason> {
    site.take("broadcast");
    site.keep();
    Ok(())
}

/// Below version 7 the slope has one element or one for each channel.
pub(super) fn prelu(site: &mut Site) -> Result<(), Reason> {
    let [x, slope] = [site.required(0)?, site.required(1)?];
    let shape = match site.rank(0) {
        Some(rank) => {
            let mut shape = vec![1; rank.saturating_sub(1).max(1)];
            shape[0] = -1;
            site.integers(shape)
        }
        None => {
            // The extents after the channels; only their number matters.
            let extents = site.op("Shape", &[&x], Vec::new());
            let ints = |values: Vec<i64>| AttributeValue::Ints(values);
            let range = vec![
                ("starts", ints(vec![2])),
                ("ends", ints(vec![i64::from(i32::MAX)])),
                ("axes", ints(vec![0])),
            ];
            let behind = site.op("Slice", &[&extents], range);
            let count = site.op("Shape", &[&behind], Vec::new());
            let one = site.integers(vec![1]);
            let ones = site.op("Tile", &[&one, &count], Vec::new());
            let inferred = site.integers(vec![-1]);
            site.op(
                "Concat",
                &[&inferred, &ones],
                vec![("axis", AttributeValue::Int(0))],
            )
        }
    };
    let slope = site.op("Reshape", &[&slope, &shape], Vec::new());
    site.set_input(1, slope);
    site.keep();
    Ok(())
}
