//! Sums whose rounding errors have one sign.

use onnx_bounds::Query;
use onnx_operators::shared::axes;
use onnx_tensor::{Array, Tensor, Value};

/// Of n numbers that are added one after another behind a large one, all errors have one sign: they grow with
/// n and not with √n. Measured: 13 times the error of independent signs for 6,144 squares (tract 0.23).
const ORDERED: f64 = 4.0;

/// The growth of the error of a sum whose roundings have one sign.
pub(super) fn ordered(query: &Query<'_>, name: &str) -> f64 {
    (terms(query, name).sqrt() / ORDERED).max(1.0)
}

/// Whether the terms of each sum are equal, as those of a blank image or of equal tokens: their roundings
/// have one sign.
pub(super) fn has_equal_terms(query: &Query<'_>, name: &str) -> bool {
    let float = |index: usize| match query.call.optional(index).and_then(Value::as_tensor) {
        Some(Tensor::Float(array)) => Some(array),
        _ => None,
    };
    let is_even = |index: usize, axis: Inner| {
        float(index).is_some_and(|array| has_few_values(array) || is_constant(array, axis))
    };
    match name {
        "Attention" => is_even(2, Inner::BeforeLast),
        "MatMul" => is_even(0, Inner::Last) && is_even(1, Inner::BeforeLast),
        "Einsum" => (0..query.call.input_count()).all(|index| float(index).is_some_and(has_few_values)),
        _ => (0..2).all(|index| float(index).is_some_and(has_few_values)),
    }
}

fn has_few_values(array: &Array<f32>) -> bool {
    const FEW: usize = 4;
    let mut values: Vec<f32> = Vec::with_capacity(FEW);
    array.iter().all(|value| {
        if !values.contains(value) {
            values.push(*value);
        }
        values.len() <= FEW
    })
}

/// Whether all elements along the last axis are equal, or along the one before it.
fn is_constant(array: &Array<f32>, axis: Inner) -> bool {
    let height = array
        .shape()
        .iter()
        .rev()
        .nth(1)
        .map_or(1, |extent| (*extent).max(1));
    let rows = || array.rows().into_iter();
    match axis {
        Inner::Last => rows().all(|row| row.iter().all(|x| Some(x) == row.first())),
        Inner::BeforeLast => {
            let mut first = None;
            rows().enumerate().all(|(index, row)| {
                if index % height == 0 {
                    first = Some(row);
                }
                first == Some(row)
            })
        }
    }
}

/// An axis along which products are summed.
#[derive(Clone, Copy)]
enum Inner {
    Last,
    BeforeLast,
}

/// The number of terms of each sum of an operator.
pub(super) fn terms(query: &Query<'_>, name: &str) -> f64 {
    let shape = |index: usize| {
        let input = query.call.optional(index).and_then(Value::as_tensor);
        input.map_or(&[][..], Tensor::shape)
    };
    let product = |extents: &[usize]| extents.iter().product::<usize>().max(1);
    let (all, int) = (shape(0), |name: &str| query.call.int(name).unwrap_or_default());
    let from = |name: &str| axes::axis(int(name), all.len()).unwrap_or_default();
    let terms = match name {
        "AveragePool" | "LpPool" => {
            let kernel = query.call.ints("kernel_shape").unwrap_or_default();
            let extents = kernel.iter().map(|extent| usize::try_from(*extent).unwrap_or(1));
            extents.fold(1, usize::saturating_mul)
        }
        "Conv" => product(shape(1).get(1..).unwrap_or_default()),
        "ConvTranspose" => product(shape(1)) / shape(1).get(1).copied().unwrap_or(1).max(1),
        "Gemm" if int("transA") != 0 => all.first().copied().unwrap_or(1),
        "Gemm" | "MatMul" => all.last().copied().unwrap_or(1),
        "CumSum" | "Einsum" => all.iter().copied().max().unwrap_or(1),
        // Keys.
        "Attention" => shape(2).iter().rev().nth(1).copied().unwrap_or(1),
        "LRN" => usize::try_from(int("size")).unwrap_or(1),
        "LpNormalization" => all.get(from("axis")).copied().unwrap_or(1),
        "Sum" | "Mean" => query.call.input_count(),
        "LogSoftmax" if query.call.schema().since >= 13 => all.get(from("axis")).copied().unwrap_or(1),
        "LayerNormalization" | "LogSoftmax" | "RMSNormalization" => {
            product(all.get(from("axis")..).unwrap_or_default())
        }
        "InstanceNormalization" => product(all.get(2..).unwrap_or_default()),
        "GroupNormalization" => {
            let groups = usize::try_from(int("num_groups")).unwrap_or(1).max(1);
            product(all.get(1..).unwrap_or_default()) / groups
        }
        "MeanVarianceNormalization" => {
            let over = query.call.ints("axes");
            let over = over
                .and_then(|list| axes::axes(&list, all.len()))
                .unwrap_or_default();
            over.iter().filter_map(|axis| all.get(*axis)).product()
        }
        _ => product(all) / product(query.output(0).map_or(&[][..], Tensor::shape)),
    };
    terms as f64
}
