//! CDist — the distance of each row of A to each row of B: the sum of squared differences, or its root.
//!
//! In f64, rounded once.

use ndarray::{Array2, Ix2};
use onnx_tensor::DType;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("CDist", &[v(1, First, c_dist)]);

fn c_dist(call: &Call<'_>) -> Result<Outputs, OpError> {
    let matrix = |index| {
        let rank = |_| OpError::invalid(format!("input {index} must have rank 2"));
        widen(call.tensor(index)?)?
            .into_dimensionality::<Ix2>()
            .map_err(rank)
    };
    let (a, b): (Array2<f64>, Array2<f64>) = (matrix(0)?, matrix(1)?);
    if a.ncols() != b.ncols() {
        return Err(OpError::invalid(format!(
            "rows of {} and {} elements have no distance",
            a.ncols(),
            b.ncols()
        )));
    }
    let root = match call.string("metric")? {
        "sqeuclidean" => false,
        "euclidean" => true,
        other => return Err(OpError::undefined(format!("`metric` = `{other}`"))),
    };
    call.reserve(&[a.nrows(), b.nrows()], DType::Double)?;
    call.work(&[a.nrows(), b.nrows(), a.ncols()])?;
    let distances = Array2::from_shape_fn((a.nrows(), b.nrows()), |(at, to)| {
        let pairs = a.row(at).into_iter().zip(b.row(to));
        let square: f64 = pairs.map(|(x, y)| (x - y) * (x - y)).sum();
        if root { square.sqrt() } else { square }
    });
    one(narrow(distances.into_dyn(), call.dtype(0)?)?)
}

#[cfg(test)]
mod tests {
    use crate::frame::testing::{attribute, exact, rows};

    #[test]
    fn squares_and_roots() {
        let under = ("com.microsoft", "CDist", 1);
        let inputs = [rows(&[[0.0, 0.0], [3.0, 0.0]]), rows(&[[3.0, 4.0]])];
        exact(under, &inputs, &[], &[rows(&[[25.0], [16.0]])]);
        let root = [attribute("metric", "euclidean")];
        exact(under, &inputs, &root, &[rows(&[[5.0], [4.0]])]);
    }
}
