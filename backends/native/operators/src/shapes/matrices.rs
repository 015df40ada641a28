//! Shapes of operators on matrices: MatMul, Gemm, Det and Einsum.

use std::collections::BTreeMap;

use onnx_tensor::Dim;

use super::super::equation::{Equation, Label};
use super::{Known, Shape, both, broadcast_of};

impl Known<'_> {
    /// A vector on the left is a row, on the right a column; the added axis is removed from the
    /// result. The right operand is the input at this position.
    pub fn matmul(&self, right: usize) -> Option<Shape> {
        let (a, b) = (self.shape(0)?, self.shape(right)?);
        let stack = |shape: &[Dim]| shape[..shape.len().saturating_sub(2)].to_vec();
        let mut result = broadcast_of(&[&stack(a), &stack(b)])?;
        match a {
            [] => return None,
            [_] => {}
            [.., rows, _] => result.push(rows.clone()),
        }
        match b {
            [] => return None,
            [_] => {}
            [.., columns] => result.push(columns.clone()),
        }
        Some(result)
    }

    /// Gemm: the rows of one matrix and the columns of the other.
    pub fn gemm(&self) -> Option<Shape> {
        let (a, b) = (self.shape(0)?, self.shape(1)?);
        let side = |matrix: &[Dim], flag: &str, which: usize| {
            let turned = self.attributes.flag(flag).ok()?;
            matrix.get(if turned { 1 - which } else { which }).cloned()
        };
        Some(vec![side(a, "transA", 0)?, side(b, "transB", 1)?])
    }

    /// MatMulNBits: the last axis has the extent that an attribute names.
    pub fn projected(&self, columns: &str) -> Option<Shape> {
        let mut shape = self.shape_like(0)?;
        *shape.last_mut()? = Dim::Fixed(usize::try_from(self.int(columns)?).ok()?);
        Some(shape)
    }

    /// Det: one number for each matrix.
    pub fn det(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        Some(shape.get(..shape.len().checked_sub(2)?)?.to_vec())
    }

    /// Einsum: the extents of the indices of the result.
    pub fn einsum(&self) -> Option<Shape> {
        let equation = self.attributes.text("equation").ok()?;
        let operands = equation.split("->").next()?.split(',').count();
        let shapes = (0..operands)
            .map(|position| self.shape(position))
            .collect::<Option<Vec<_>>>()?;
        let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
        let equation = Equation::read(equation, &ranks).ok()?;
        let mut extents: BTreeMap<Label, Dim> = BTreeMap::new();
        for (term, shape) in equation.terms.iter().zip(shapes) {
            for (label, dim) in term.iter().zip(shape) {
                let known = extents.entry(*label).or_insert(Dim::Fixed(1));
                *known = both(known.clone(), dim.clone())?;
            }
        }
        let extent = |label| extents.get(label).cloned();
        equation.output.iter().map(extent).collect()
    }
}
