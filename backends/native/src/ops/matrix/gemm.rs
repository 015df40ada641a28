//! Gemm.

use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int};
use super::super::shaping::transpose;
use super::super::{Call, Outcome, Row, row};
use super::matmul::{MatMulShape, float_product, int_product};
use crate::error::{Problem, invalid};

pub const ROWS: &[Row] = &[row("Gemm", 1, gemm)];

fn gemm(call: &Call) -> Outcome {
    let oriented = |position: usize, name: &str| -> Result<Tensor, Problem> {
        let tensor = call.tensor(position)?;
        if tensor.rank() != 2 {
            return invalid(format!("a matrix is expected, found shape {:?}", tensor.shape()));
        }
        match call.attributes.flag(name)? {
            true => transpose(tensor, &[1, 0]),
            false => Ok(tensor.clone()),
        }
    };
    let (a, b) = (oriented(0, "transA")?, oriented(1, "transB")?);
    let shape = MatMulShape::new(a.shape(), b.shape())?;
    let (alpha, beta) = (
        f64::from(call.attributes.float("alpha")?),
        f64::from(call.attributes.float("beta")?),
    );
    let c = call.find_tensor(2)?;
    if let Some(c) = c
        && broadcast_shape([c.shape(), &shape.result])? != shape.result
    {
        return invalid(format!(
            "C of shape {:?} does not broadcast to {:?}",
            c.shape(),
            shape.result
        ));
    }
    let product: Vec<f64> = if is_int(a.dtype()) {
        let exact = int_product(&shape, &ints(&a)?, &ints(&b)?);
        if (alpha, beta) == (1.0, 1.0) {
            let sum = match c {
                Some(c) => {
                    let c_values = ints(c)?;
                    zip_with(
                        (&exact, &shape.result),
                        (&c_values, c.shape()),
                        &shape.result,
                        |p, c| p + c,
                    )
                }
                None => exact,
            };
            return one(from_ints(a.dtype(), &shape.result, sum)?);
        }
        exact.into_iter().map(|x| x as f64).collect()
    } else {
        float_product(&shape, &floats(&a)?, &floats(&b)?)
    };
    let result = match c {
        Some(c) => {
            let c_values = floats(c)?;
            let add = |p: f64, c: f64| alpha * p + beta * c;
            zip_with(
                (&product, &shape.result),
                (&c_values, c.shape()),
                &shape.result,
                add,
            )
        }
        None => product.into_iter().map(|p| alpha * p).collect(),
    };
    one(from_floats(a.dtype(), &shape.result, result)?)
}
