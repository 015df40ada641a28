//! Det — determinants of a stack of square matrices.
//!
//! Elimination without fractions in integers (E. H. Bareiss, *Sylvester's Identity and Multistep
//! Integer-Preserving Gaussian Elimination*, 1968), since every finite float is an integer times a power of
//! two: exact, and rounded once. Where an element is not finite, elimination with partial pivoting in f64
//! decides which kind of value the result is. The determinant of the empty matrix is 1. Version 22 only adds
//! bf16.

use ndarray::{ArrayD, IxDyn};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use onnx_tensor::{DType, Tensor};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op("Det", &[v(11, First, det), v(22, TypesOnly, det)]);

fn det(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x: &Tensor = call.tensor(0)?;
    let matrices = widen(x)?;
    let Some((batch, &[m, n])) = x.shape().split_last_chunk::<2>() else {
        return Err(OpError::invalid(
            "the input of a determinant must have a rank of at least 2",
        ));
    };
    if m != n {
        return Err(OpError::invalid(format!("shape {:?} is not square", x.shape())));
    }
    let count = batch.iter().product();
    // Integers grow with the number of rows.
    call.work(&[count, m, m, m, m.div_ceil(8)])?;
    let stack = matrices.into_shape_with_order((count, m * n))?;
    let determinants = stack
        .outer_iter()
        .map(|matrix| {
            let elements = matrix.to_vec();
            let exact = exact(&elements, m).map(|exact| rounded(&exact, x.dtype()));
            exact.unwrap_or_else(|| eliminated(elements, m))
        })
        .collect();
    one(narrow(
        ArrayD::from_shape_vec(IxDyn(batch), determinants)?,
        x.dtype(),
    )?)
}

/// The determinant of a row-major matrix of `m` rows; `None` if an element is not finite.
fn exact(elements: &[f64], m: usize) -> Option<BigRational> {
    let numbers: Option<Vec<BigRational>> = elements.iter().map(|x| BigRational::from_float(*x)).collect();
    let numbers = numbers?;
    // The denominators are powers of two.
    let scale = numbers.iter().map(|x| x.denom().bits()).max().unwrap_or(1);
    let integer = |x: &BigRational| x.numer() << (scale - x.denom().bits());
    let mut rows: Vec<Vec<BigInt>> = numbers
        .chunks(m.max(1))
        .map(|row| row.iter().map(integer).collect())
        .collect();
    let (mut before, mut sign) = (BigInt::one(), BigInt::one());
    for column in 0..m {
        let pivot = (column..m).find(|row| !rows[*row][column].is_zero());
        let Some(pivot) = pivot else {
            return Some(BigRational::zero());
        };
        if pivot != column {
            rows.swap(pivot, column);
            sign = -sign;
        }
        let (above, below) = rows.split_at_mut(column + 1);
        let head = &above[column];
        for row in below {
            let factor = std::mem::take(&mut row[column]);
            for (x, y) in row.iter_mut().zip(head).skip(column + 1) {
                // The division leaves no remainder.
                *x = (&head[column] * &*x - &factor * y) / &before;
            }
        }
        before = head[column].clone();
    }
    let denominator = BigInt::one() << ((scale - 1) * m as u64);
    Some(BigRational::new(sign * before, denominator))
}

/// The nearest f64 for a result of f64; else the nearest of the two neighbours whose last bit is 1, if the
/// number is no f64: rounding that to the type of the result is rounding once (S. Boldo and G. Melquiond,
/// *Emulation of FMA and Correctly Rounded Sums*, 2008).
fn rounded(exact: &BigRational, dtype: DType) -> f64 {
    let near = exact.to_f64().unwrap_or(f64::NAN);
    match BigRational::from_float(near) {
        Some(number) if dtype != DType::Double && number != *exact => {
            let is_beyond = (number > *exact) == (near > 0.0);
            let below = f64::from_bits(near.to_bits() - u64::from(is_beyond && near != 0.0));
            f64::from_bits(below.to_bits() | 1)
        }
        _ => near,
    }
}

/// The determinant of a row-major matrix of `m` rows with an element that is not finite.
fn eliminated(elements: Vec<f64>, m: usize) -> f64 {
    let mut rows: Vec<Vec<f64>> = elements.chunks_exact(m.max(1)).map(<[f64]>::to_vec).collect();
    let mut result = 1.0;
    for column in 0..m {
        let size = |row: &Vec<f64>| row[column].abs();
        // A NaN counts as the largest element, so that it propagates to the result.
        let pivot = (column..m).max_by(|&a, &b| size(&rows[a]).total_cmp(&size(&rows[b])));
        let Some(pivot) = pivot else { break };
        if pivot != column {
            rows.swap(pivot, column);
            result = -result;
        }
        let head = rows[column].clone();
        result *= head[column];
        if head[column] == 0.0 {
            return 0.0;
        }
        for row in &mut rows[column + 1..] {
            let factor = row[column] / head[column];
            for (x, y) in row[column..].iter_mut().zip(&head[column..]) {
                *x = (-factor).mul_add(*y, *x);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    /// By hand: −6 needs a row exchange, the second matrix is singular, the last has no rows.
    #[test]
    fn determinants() {
        let stack = Tensor::new(&[2, 2, 2], vec![0.0_f32, 2.0, 3.0, 4.0, 1.0, 2.0, 2.0, 4.0])
            .expect("eight elements");
        exact(
            ("", "Det", 11),
            &[stack],
            &[],
            &[Tensor::vector(vec![-6.0_f32, 0.0])],
        );
        // Elimination in f64 gives −3.5e-18, and rounding twice the even neighbour.
        let singular = [0.1_f32, 0.7, 0.1, -0.3, 0.9, -0.3, 1.7, 0.2, 1.7];
        let singular = Tensor::new(&[3, 3], singular.to_vec()).expect("nine elements");
        exact(("", "Det", 11), &[singular], &[], &[Tensor::scalar(0.0_f32)]);
        let (tie, little) = (1.0 + 2.0_f32.powi(-12), 2.0_f32.powi(-60));
        let near_a_tie = Tensor::new(&[2, 2], vec![tie, -little, 1.0, tie]).expect("four elements");
        let above = 1.0 + 2.0_f32.powi(-11) + 2.0_f32.powi(-23);
        exact(("", "Det", 11), &[near_a_tie], &[], &[Tensor::scalar(above)]);
        let empty = Tensor::new(&[1, 0, 0], Vec::<f64>::new()).expect("no elements");
        exact(("", "Det", 22), &[empty], &[], &[Tensor::vector(vec![1.0_f64])]);
        let wide = Tensor::new(&[1, 2], vec![1.0_f32, 2.0]).expect("two elements");
        refused(("", "Det", 22), &values(&[wide]), &[], "not square");
    }
}
