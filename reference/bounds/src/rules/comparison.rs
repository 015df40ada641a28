//! Equal: certain if both are exact, or if their distance exceeds both errors.

use ndarray::Zip;
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("Equal", equal)];

fn equal(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return super::exact::decides(query);
    }
    let operands = |index: usize| Some((query.input(index)?, query.error(index)?));
    let (Some((a, da)), Some((b, db)), Some(output)) = (operands(0), operands(1), query.output(0)) else {
        return super::exact::decides(query);
    };
    let shape = output.shape();
    let (Some(a), Some(b)) = (a.broadcast(shape), b.broadcast(shape)) else {
        return super::exact::decides(query);
    };
    let (Some(da), Some(db)) = (da.broadcast(shape), db.broadcast(shape)) else {
        return super::exact::decides(query);
    };
    let radius = Zip::from(&a)
        .and(&b)
        .and(&da)
        .and(&db)
        .map_collect(|a, b, da, db| {
            let off = da + db;
            let certain = off == 0.0 || (a - b).abs() > off;
            f64::from(u8::from(!certain))
        });
    Ok(vec![Radius::within(
        radius,
        "operands that are equal within their errors",
    )])
}
