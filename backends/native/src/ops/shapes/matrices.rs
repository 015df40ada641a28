//! Shapes of operators on matrices: MatMul, Gemm, Det and Einsum.

use std::collections::BTreeMap;

use onnx_tensor::Dim;

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

    /// Det: one number for each matrix.
    pub fn det(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        Some(shape.get(..shape.len().checked_sub(2)?)?.to_vec())
    }

    /// An equation without an ellipsis.
    pub fn einsum(&self) -> Option<Shape> {
        let equation = self.attributes.text("equation").ok()?;
        let equation: String = equation.split_whitespace().collect();
        let (left, right) = match equation.split_once("->") {
            Some((left, right)) => (left, Some(right.to_owned())),
            None => (equation.as_str(), None),
        };
        if equation.contains('.') {
            return None;
        }
        let mut extents: BTreeMap<char, (Dim, usize)> = BTreeMap::new();
        for (position, term) in left.split(',').enumerate() {
            let shape = self.shape(position).filter(|shape| shape.len() == term.len())?;
            for (label, dim) in term.chars().zip(shape) {
                let (known, times) = extents.entry(label).or_insert((Dim::Fixed(1), 0));
                *known = both(known.clone(), dim.clone())?;
                *times += 1;
            }
        }
        // Without a right side: the labels that occur once, in alphabetical order.
        let once = extents.iter().filter(|(_, (_, times))| *times == 1);
        let right = right.unwrap_or_else(|| once.map(|(label, _)| *label).collect());
        right
            .chars()
            .map(|label| Some(extents.get(&label)?.0.clone()))
            .collect()
    }
}
