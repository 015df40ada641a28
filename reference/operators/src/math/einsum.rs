//! Einsum — a sum of products over labelled axes.
//!
//! Sums like any matrix product ([`Product`]), rounded once. With more than two operands, all factors but
//! the last are multiplied first in f64 (integers: wrapping). Version 28 only adds bf16.
//!
//! Interpretation: although broadcasting is the purpose of the ellipsis, a letter with extent 1 in one
//! operand is broadcast too, like in numpy.einsum, to which the text refers (deviation
//! `einsum-unit-letter`). An ellipsis that is not in the result is summed over, like any index. A letter
//! that repeats within a term reads the diagonal.

use onnx_tensor::{Tensor, dispatch};

use super::einsum_product::Axes;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::einsum_axes::{axes, visit};
use crate::shared::einsum_equation::Equation;
use crate::shared::layout;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = op("Einsum", &[v(12, First, einsum), v(28, TypesOnly, einsum)]);

fn einsum(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let arrays = (0..call.input_count())
        .map(|index| call.array::<T>(index))
        .collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<&[usize]> = arrays.iter().map(|array| array.shape()).collect();
    let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
    let equation = Equation::parse(call.string("equation")?, &ranks)?;
    let axes = axes(call, &equation, &shapes)?;
    let kept = equation.result.len();
    let shape: Vec<usize> = axes[..kept].iter().map(|axis| axis.extent).collect();
    call.reserve(&shape, T::DTYPE)?;
    if shape.contains(&0) {
        return one(layout::empty(T::DTYPE, &shape)?);
    }
    call.work(&axes.iter().map(|axis| axis.extent).collect::<Vec<_>>())?;
    let dense: Vec<_> = arrays.iter().map(|array| array.as_standard_layout()).collect();
    let operands: Vec<&[T]> = dense.iter().filter_map(|array| array.as_slice()).collect();
    let (outer, inner) = axes.split_at(kept);
    let terms = inner
        .iter()
        .try_fold(1_usize, |terms, axis| terms.checked_mul(axis.extent));
    if let (&[a, b], Some(1..=MOST_TERMS)) = (operands.as_slice(), terms) {
        return one(Tensor::new(
            &shape,
            Axes::new(outer, inner).multiply::<T>([a, b]),
        )?);
    }
    let mut result = Vec::new();
    visit(outer, &mut vec![0; operands.len()], &mut |offsets| {
        let mut sum = T::Sum::default();
        visit(inner, &mut offsets.to_vec(), &mut |offsets| {
            add::<T>(&mut sum, &operands, offsets)
        });
        result.push(T::finish(sum));
    });
    one(Tensor::new(&shape, result)?)
}

/// With more terms of a sum they are not listed.
const MOST_TERMS: usize = 1 << 22;

fn add<T: Product>(sum: &mut T::Sum, operands: &[&[T]], offsets: &[usize]) {
    let mut factors = operands
        .iter()
        .zip(offsets)
        .map(|(operand, &offset)| operand[offset].factor());
    let Some(last) = factors.next_back() else { return };
    let rest = factors.reduce(T::multiply).unwrap_or(T::ONE.factor());
    T::add_product(sum, rest, last);
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, refused_strictly, rows, values};

    /// By hand: an ellipsis that is not in the result is summed over; one of extent 1 is broadcast; three
    /// factors do not overflow before they are summed; integers wrap.
    #[test]
    fn sums() {
        let matrix = rows(&[[1.0, 2.0], [3.0, 4.0]]);
        let power = |exponent: i32| Tensor::vector(vec![2.0_f32.powi(exponent)]);
        let bytes = Tensor::vector(vec![200_u8, 100]);
        for (equation, inputs, expected) in [
            (
                "...i->i",
                vec![matrix.clone()],
                Tensor::vector(vec![4.0_f32, 6.0]),
            ),
            ("ii->i", vec![matrix.clone()], Tensor::vector(vec![1.0_f32, 4.0])),
            (
                "...j,...j->...",
                vec![matrix, rows(&[[1.0, 1.0]])],
                Tensor::vector(vec![3.0_f32, 7.0]),
            ),
            (
                "i,i,i->",
                vec![power(100), power(100), power(-100)],
                Tensor::scalar(2.0_f32.powi(100)),
            ),
            ("i->", vec![bytes], Tensor::scalar(44_u8)),
        ] {
            exact(
                ("", "Einsum", 12),
                &inputs,
                &[attribute("equation", equation)],
                &[expected],
            );
        }
        let inputs = values(&[Tensor::vector(vec![1.0_f32]), Tensor::vector(vec![1.0_f32, 2.0])]);
        let equation = [attribute("equation", "i,i->i")];
        refused_strictly(("", "Einsum", 12), &inputs, &equation, "extents 1 and 2");
        let inputs = values(&[
            Tensor::vector(vec![1.0_f32; 3]),
            Tensor::vector(vec![1.0_f32, 2.0]),
        ]);
        refused(("", "Einsum", 12), &inputs, &equation, "extents 3 and 2");
    }
}
