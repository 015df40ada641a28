//! Sums whose rounding errors have one sign.

use onnx_bounds::Query;
use onnx_operators::shared::axes;
use onnx_tensor::{Tensor, Value};

/// Of n numbers that are added one after another behind a large one, all errors have one sign: they grow with
/// n and not with √n. Measured: 13 times the error of independent signs for 6,144 squares (tract 0.23).
const ORDERED: f64 = 4.0;

/// The growth of the error of a sum whose roundings have one sign.
pub(super) fn ordered(query: &Query<'_>, name: &str) -> f64 {
    (terms(query, name).sqrt() / ORDERED).max(1.0)
}

/// Whether the elements of a float operand have one of few values, as those of a blank image: roundings of
/// equal terms have one sign.
pub(super) fn has_few_values(query: &Query<'_>, index: usize) -> bool {
    const FEW: usize = 4;
    let Some(Tensor::Float(array)) = query.call.optional(index).and_then(Value::as_tensor) else {
        return false;
    };
    let mut values: Vec<f32> = Vec::with_capacity(FEW);
    array.iter().all(|value| {
        if !values.contains(value) {
            values.push(*value);
        }
        values.len() <= FEW
    })
}

/// The number of terms of each sum of an operator.
fn terms(query: &Query<'_>, name: &str) -> f64 {
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
            kernel
                .iter()
                .map(|extent| usize::try_from(*extent).unwrap_or(1))
                .product()
        }
        "Conv" => product(shape(1).get(1..).unwrap_or_default()),
        "ConvTranspose" => product(shape(1)) / shape(1).get(1).copied().unwrap_or(1).max(1),
        "Gemm" if int("transA") != 0 => all.first().copied().unwrap_or(1),
        "Gemm" | "MatMul" => all.last().copied().unwrap_or(1),
        "CumSum" | "Einsum" => all.iter().copied().max().unwrap_or(1),
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
