//! LpPool — the Lp norm of each window; padding counts as zero. Precision: `lp_norm.rs`.
//!
//! Versions: p is a float in 1 and an integer since 2; 11 changes the text; 18 adds `ceil_mode` and
//! dilations; 22 bf16.
//!
//! Interpretation: version 1 makes `kernel_shape` optional but does not define pooling without it, so that
//! is an error. A window that `ceil_mode` adds and that starts in the padding at the end is omitted
//! (deviation `window-in-padding`); in a strict run it has the norm 0.

use onnx_tensor::{Float, Tensor, dispatch};

use super::lp_norm::LpNorm;
use super::pooling;
use super::window::Rounding;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "LpPool",
    &[
        v(1, First, |call| {
            lp_pool(call, f64::from(call.float("p")?), Rounding::Floor)
        }),
        v(2, Semantics, |call| {
            lp_pool(call, call.int("p")? as f64, Rounding::Floor)
        }),
        v(11, Wording, |call| {
            lp_pool(call, call.int("p")? as f64, Rounding::Floor)
        }),
        v(18, Semantics, by_mode),
        v(22, TypesOnly, by_mode),
    ],
);

fn by_mode(call: &Call<'_>) -> Result<Outputs, OpError> {
    let rounding = if call.flag("ceil_mode")? {
        Rounding::ceil_unspecified(call)
    } else {
        Rounding::Floor
    };
    lp_pool(call, call.int("p")? as f64, rounding)
}

fn lp_pool(call: &Call<'_>, p: f64, rounding: Rounding) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call, p, rounding))
}

fn typed<T: Float>(call: &Call<'_>, p: f64, rounding: Rounding) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let empty = LpNorm::new(p)?;
    let (axes, shape) = pooling::prepare(call, rounding)?;
    let norms = pooling::pool(x, &axes, |_, plane, window| {
        let mut norm = empty;
        window.visit(|place| norm.add(plane[place].to_f64()));
        Ok(T::from_f64(norm.finish()))
    })?;
    one(Tensor::new(&shape, norms)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn plane(shape: &[usize], elements: &[f32]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: |−3| + 4 = 7, 3² + 4² = 5², 3³ + 4³ + 5³ = 6³.
    #[test]
    fn orders_and_rounding_by_version() {
        let two = attribute("kernel_shape", [2]);
        let cases: &[(u32, &[_], &[f32], &[f32])] = &[
            (
                1,
                &[two.clone(), attribute("p", 1.0_f32)],
                &[-3.0, 4.0, 0.0],
                &[7.0, 4.0],
            ),
            (1, std::slice::from_ref(&two), &[-3.0, 4.0], &[5.0]),
            (2, &[two.clone(), attribute("p", 1)], &[-3.0, 4.0], &[7.0]),
            (
                11,
                &[attribute("kernel_shape", [3]), attribute("p", 3)],
                &[3.0, -4.0, 5.0],
                &[6.0],
            ),
            (
                18,
                &[two.clone(), attribute("strides", [2]), attribute("ceil_mode", 1)],
                &[3.0, 4.0, -12.0],
                &[5.0, 12.0],
            ),
        ];
        for (since, attributes, x, expected) in cases {
            let (x, y) = (plane(&[x.len()], x), plane(&[expected.len()], expected));
            exact(("", "LpPool", *since), &[x], attributes, &[y]);
        }
        let x = values(&[plane(&[2], &[1.0, 2.0])]);
        refused(("", "LpPool", 1), &x, &[], "without `kernel_shape`");
        refused(("", "LpPool", 2), &x, &[two, attribute("p", 0)], "order 0");
    }
}
