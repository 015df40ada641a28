//! Changes that several faults share.

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::{DType, Tensor};

use super::site::{Change, Site, set};

pub const NORMALIZATIONS: [&str; 5] = [
    "BatchNormalization",
    "GroupNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "RMSNormalization",
];

/// Operators whose result is a real number that fills the whole output.
pub const REALS: [&str; 22] = [
    "Add",
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvTranspose",
    "Div",
    "Exp",
    "Gemm",
    "GlobalAveragePool",
    "InstanceNormalization",
    "LayerNormalization",
    "LeakyRelu",
    "MatMul",
    "Mul",
    "PRelu",
    "ReduceMean",
    "Resize",
    "Sigmoid",
    "Softmax",
    "Sub",
    "Sum",
    "Tanh",
];

pub const WEIGHTED: [&str; 4] = ["Conv", "ConvTranspose", "Gemm", "MatMul"];

pub fn epsilon(site: &Site<'_>, factor: f32) -> Option<Change> {
    site.is(&NORMALIZATIONS)
        .then(|| site.with("epsilon", Float(site.float("epsilon", 1e-5) * factor)))
}

/// Weights with `bits` significant bits, cut off.
pub fn truncated(site: &Site<'_>, bits: i32) -> Option<Change> {
    site.is(&WEIGHTED).then_some(())?;
    site.with_constant(1, |values, _| {
        for x in values.iter_mut().filter(|x| **x != 0.0) {
            let unit = 2_f64.powi(x.abs().log2().floor() as i32 + 1 - bits);
            *x = (*x / unit).trunc() * unit;
        }
    })
}

pub fn scaled(site: &Site<'_>, factor: f32) -> Option<Change> {
    site.is(&REALS).then_some(())?;
    site.followed(|from, to, change| {
        // The constant has the type of the output.
        let plain = change.constant(to, Tensor::scalar(factor));
        let like = format!("{plain}__like");
        change.node("CastLike", &[&plain, from], &like);
        change.node("Mul", &[from, &like], to);
    })
    .filter(|_| site.opset() >= 15)
}

pub fn through(site: &Site<'_>, dtype: DType) -> Option<Change> {
    (site.is(&REALS) && site.opset() >= 15).then_some(())?;
    site.followed(|from, to, change| {
        let narrow = format!("{from}__narrow");
        let cast = change.node("Cast", &[from], &narrow);
        set(cast, "to", Int(dtype.to_onnx().into()));
        change.node("CastLike", &[&narrow, from], to);
    })
}

/// The last element along the last axis first.
pub fn rolled(from: &str, to: &str, change: &mut Change) {
    let at = |change: &mut Change, value: i64| change.constant(to, Tensor::vector(vec![value]));
    let (first, last, end, axis) = (
        at(change, 0),
        at(change, -1),
        at(change, i64::MAX),
        at(change, -1),
    );
    let (head, tail) = (format!("{to}__head"), format!("{to}__tail"));
    change.node("Slice", &[from, &first, &last, &axis], &head);
    change.node("Slice", &[from, &last, &end, &axis], &tail);
    let node = change.node("Concat", &[&tail, &head], to);
    set(node, "axis", Int(-1));
}

/// The last element along the last axis as zero.
pub fn stale(from: &str, to: &str, change: &mut Change) {
    let at = |change: &mut Change, value: i64| change.constant(to, Tensor::vector(vec![value]));
    let (first, last, end, axis) = (
        at(change, 0),
        at(change, -1),
        at(change, i64::MAX),
        at(change, -1),
    );
    let (head, tail, zero) = (
        format!("{to}__head"),
        format!("{to}__tail"),
        format!("{to}__zero"),
    );
    change.node("Slice", &[from, &first, &last, &axis], &head);
    change.node("Slice", &[from, &last, &end, &axis], &tail);
    change.node("Sub", &[&tail, &tail], &zero);
    let node = change.node("Concat", &[&head, &zero], to);
    set(node, "axis", Int(-1));
}
