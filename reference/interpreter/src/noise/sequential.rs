//! Long sums that a runtime adds one after another in float.
//!
//! A sum near 0 may have large partial sums, as that over a feature map whose upper half is positive and
//! whose lower half negative: each has its rounding, and those of equal terms, as of the flat background of
//! an image, have one sign. Whether it is so depends on the order of the terms; so this sum is made.

use ndarray::{Array2, ArrayView1, Axis};
use onnx_bounds::{Query, Size};
use onnx_operators::shared::axes;
use onnx_tensor::{Array, Tensor, Value};

use super::arithmetic::Arithmetic;
use super::share::Share;
use super::tiles::raised;
use super::{FLOAT, Traits};

/// The fewest terms of such a sum.
const LONG: usize = 256;

/// The sizes of errors, with those of a sum in the order of the terms for each element of a long sum of
/// floats.
pub(super) fn of_sequences<'q>(
    query: &'q Query<'_>,
    traits: Traits<'_>,
    sizes: Vec<Size<'q>>,
) -> Vec<Size<'q>> {
    if traits.arithmetic == Arithmetic::Rounded {
        return sizes;
    }
    match errors(query, traits.name) {
        Some(errors) => raised(sizes, &errors, Share::of(traits, query, FLOAT).factor),
        None => sizes,
    }
}

/// The distance of each sum in float from the exact one, in units of the output; `None` for other operators.
fn errors(query: &Query<'_>, name: &str) -> Option<Vec<f64>> {
    let Some(Value::Tensor(Tensor::Float(input))) = query.call.optional(0) else {
        return None;
    };
    let is_mean = match name {
        "GlobalAveragePool" | "ReduceMean" => true,
        "ReduceSum" => false,
        _ => return None,
    };
    let lanes = lanes(input, &reduced(query, name, input.ndim())?)?;
    let terms = lanes.ncols();
    if terms < LONG {
        return None;
    }
    let share = if is_mean { 1.0 / terms as f64 } else { 1.0 };
    let of_lane = |lane: ArrayView1<'_, f32>| {
        let (sum, exact) = lane.iter().fold((0.0_f32, 0.0_f64), |(sum, exact), x| {
            (sum + x, exact + f64::from(*x))
        });
        (f64::from(sum) - exact).abs() * share
    };
    Some(lanes.axis_iter(Axis(0)).map(of_lane).collect())
}

/// The axes over which an operator sums.
fn reduced(query: &Query<'_>, name: &str, rank: usize) -> Option<Vec<usize>> {
    if name == "GlobalAveragePool" {
        return Some((2..rank).collect());
    }
    let listed = match query.call.schema().attribute("axes") {
        Some(_) => query.call.optional_ints("axes").ok()?,
        None => query.call.optional_integers(1).ok()?.map(|axes| axes.to_vec()),
    };
    let keeps_all = || query.call.int("noop_with_empty_axes").is_ok_and(|flag| flag != 0);
    match listed.filter(|axes| !axes.is_empty()) {
        Some(listed) => axes::axes(&listed, rank).ok(),
        None => (!keeps_all()).then(|| (0..rank).collect()),
    }
}

/// The terms of each sum, row by row in the order of the output.
fn lanes(input: &Array<f32>, reduced: &[usize]) -> Option<Array2<f32>> {
    let kept = (0..input.ndim()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.clone().chain(reduced.iter().copied()).collect();
    let rows: usize = kept.map(|axis| input.len_of(Axis(axis))).product();
    let moved = input.view().permuted_axes(order);
    let dense = moved.as_standard_layout().into_owned();
    let columns = dense.len().checked_div(rows)?;
    dense.into_shape_with_order((rows, columns)).ok()
}
