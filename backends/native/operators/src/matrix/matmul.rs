//! MatMul and MatMulInteger.

use ndarray::ArrayView2;
use onnx_tensor::{DType, Tensor};

use super::super::broadcast::{broadcast_shape, broadcast_strides};
use super::super::call::one;
use super::super::fast::{self, Fast, Product};
use super::super::movement::positions;
use super::super::numbers::{floats, from_floats, from_ints, ints, slice};
use super::super::quantization::{Quantized, Sums, byte_product};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;
use crate::size::{count, has_room};

pub const ROWS: &[Row] = &[
    row("MatMul", 1, First(|known| known.matmul(1)), |call| {
        let (a, b) = (call.tensor(0)?, call.tensor(1)?);
        let shape = MatMulShape::new(a.shape(), b.shape())?;
        has_room(count(&shape.result)?)?;
        if a.dtype().is_integer() {
            one(product_of_ints(&shape, a, b)?)
        } else {
            one(from_floats(
                a.dtype(),
                &shape.result,
                float_product(&shape, &floats(a)?, &floats(b)?),
            )?)
        }
    })
    .fast(Fast::Product(Product::Stacked)),
    row(
        "MatMulInteger",
        10,
        First(|known| known.matmul(1)),
        matmul_integer,
    )
    .fast(Fast::Quantized(fast::Quantized::ProductSums)),
];

/// The shapes of a batched MatMul, a product of two stacks of matrices (as `matmul` of NumPy).
pub struct MatMulShape {
    /// The shape of the result.
    pub result: Vec<usize>,
    /// The numbers of rows, columns and summands.
    pub extents: [usize; 3],
    /// For each product of the stack, the numbers of its left and right matrix; empty for an empty result.
    pub pairs: Vec<(usize, usize)>,
}

impl MatMulShape {
    /// Returns the product of operands of these shapes.
    pub fn new(a: &[usize], b: &[usize]) -> Result<MatMulShape, Problem> {
        if a.is_empty() || b.is_empty() {
            return invalid("an operand is a scalar, expected a matrix");
        }
        // A vector on the left is a row, on the right a column; the added axis is removed from the result.
        let left = if a.len() == 1 { vec![1, a[0]] } else { a.to_vec() };
        let right = if b.len() == 1 { vec![b[0], 1] } else { b.to_vec() };
        let (a_stack, a_matrix) = left.split_at(left.len() - 2);
        let (b_stack, b_matrix) = right.split_at(right.len() - 2);
        let (m, k, n) = (a_matrix[0], a_matrix[1], b_matrix[1]);
        if b_matrix[0] != k {
            return invalid(format!("matrices of shapes {a:?} and {b:?} cannot be multiplied"));
        }
        let stack = broadcast_shape([a_stack, b_stack])?;
        let mut result = stack.clone();
        result.extend((a.len() > 1).then_some(m));
        result.extend((b.len() > 1).then_some(n));
        let numbers = |own: &[usize]| positions(&stack, &broadcast_strides(own, &stack), 0);
        has_room(count(&stack)?)?;
        let pairs = match count(&result)? {
            0 => Vec::new(),
            _ => numbers(a_stack).into_iter().zip(numbers(b_stack)).collect(),
        };
        Ok(MatMulShape {
            result,
            extents: [m, n, k],
            pairs,
        })
    }
}

/// Computes the product in f64.
pub fn float_product(shape: &MatMulShape, a: &[f64], b: &[f64]) -> Vec<f64> {
    let [m, n, k] = shape.extents;
    let mut all = Vec::with_capacity(shape.pairs.len() * m * n);
    for &(left, right) in &shape.pairs {
        let a = ArrayView2::from_shape((m, k), &a[left * m * k..][..m * k]);
        let b = ArrayView2::from_shape((k, n), &b[right * k * n..][..k * n]);
        // The slices have the lengths of the shapes.
        if let (Ok(a), Ok(b)) = (a, b) {
            all.extend(a.dot(&b));
        }
    }
    all
}

/// Computes the product of integers, which keeps the low bits.
fn product_of_ints(shape: &MatMulShape, a: &Tensor, b: &Tensor) -> Result<Tensor, Problem> {
    macro_rules! each {
        ($T:ty) => {{
            let add = |sum: $T, x: $T, y: $T| sum.wrapping_add(x.wrapping_mul(y));
            let values = product(shape, slice::<$T>(a)?, slice::<$T>(b)?, 0, add);
            Ok(Tensor::new(&shape.result, values)?)
        }};
    }
    match a.dtype() {
        DType::Int32 => each!(i32),
        DType::Uint32 => each!(u32),
        DType::Int64 => each!(i64),
        DType::Uint64 => each!(u64),
        dtype => from_ints(dtype, &shape.result, int_product(shape, &ints(a)?, &ints(b)?)),
    }
}

/// Computes the product of integers.
pub fn int_product(shape: &MatMulShape, a: &[i128], b: &[i128]) -> Vec<i128> {
    product(shape, a, b, 0, |sum: i128, x, y| {
        sum.wrapping_add(x.wrapping_mul(y))
    })
}

fn product<T: Copy>(shape: &MatMulShape, a: &[T], b: &[T], zero: T, add: impl Fn(T, T, T) -> T) -> Vec<T> {
    let [m, n, k] = shape.extents;
    let mut all = Vec::with_capacity(shape.pairs.len() * m * n);
    for &(left, right) in &shape.pairs {
        let (a, b) = (&a[left * m * k..][..m * k], &b[right * k * n..][..k * n]);
        for row in 0..m {
            let first = all.len();
            all.resize(first + n, zero);
            let line = &mut all[first..];
            for (inner, &x) in a[row * k..][..k].iter().enumerate() {
                for (sum, &y) in line.iter_mut().zip(&b[inner * n..][..n]) {
                    *sum = add(*sum, x, y);
                }
            }
        }
    }
    all
}

/// Zero points are scalars, or one for each row of A and each column of B.
fn matmul_integer(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let shape = MatMulShape::new(a.shape(), b.shape())?;
    let sums = quantized_product(&shape, (a, call.find_tensor(2)?), (b, call.find_tensor(3)?))?;
    one(match sums {
        Sums::Narrow(sums) => Tensor::new(&shape.result, sums)?,
        Sums::Wide(sums) => from_ints(DType::Int32, &shape.result, sums)?,
    })
}

/// Computes the product of integers after subtraction of the zero points.
pub fn quantized_product(shape: &MatMulShape, a: Quantized, b: Quantized) -> Result<Sums, Problem> {
    if let Some(sums) = byte_product(shape, a, b)? {
        return Ok(Sums::Narrow(sums));
    }
    has_room(count(&shape.result)?)?;
    let left = without_zero_point(a.0, a.1, a.0.rank().saturating_sub(2))?;
    let right = without_zero_point(b.0, b.1, b.0.rank().saturating_sub(1))?;
    Ok(Sums::Wide(int_product(shape, &left, &right)))
}

/// Subtracts the zero point, which is one number, one for each position along `axis`, or a tensor that
/// broadcasts.
pub fn without_zero_point(tensor: &Tensor, zero: Option<&Tensor>, axis: usize) -> Result<Vec<i128>, Problem> {
    let values = ints(tensor)?;
    let Some(zero) = zero else {
        return Ok(values);
    };
    let offsets = ints(zero)?;
    let shape = tensor.shape();
    let broadcast = match zero.shape() {
        [] | [1] => vec![0; shape.len()],
        &[extent] if shape.get(axis) == Some(&extent) => {
            (0..shape.len()).map(|at| usize::from(at == axis)).collect()
        }
        given if broadcast_shape([given, shape])? == shape => broadcast_strides(given, shape),
        given => {
            return invalid(format!(
                "a zero point of shape {given:?} does not match shape {shape:?}"
            ));
        }
    };
    let at = positions(shape, &broadcast, 0);
    Ok(values
        .into_iter()
        .zip(at)
        .map(|(value, at)| value - offsets[at])
        .collect())
}
