//! Shapes of products: MatMul and Einsum.

use std::collections::BTreeMap;

use onnx_tensor::Dim;

use super::{Context, Shape, both, broadcast};

impl Context<'_> {
    /// A vector on the left is a row, on the right a column; the added axis is removed from the
    /// result. The right operand is the input at this position.
    pub(super) fn matmul(&self, right: usize) -> Option<Shape> {
        let (a, b) = (self.shape(0)?, self.shape(right)?);
        let stack = |shape: &[Dim]| shape[..shape.len().saturating_sub(2)].to_vec();
        let mut result = broadcast(&[&stack(a), &stack(b)])?;
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

    /// An equation without an ellipsis.
    pub(super) fn einsum(&self) -> Option<Shape> {
        let equation = self.operator.attributes.text("equation").ok()?;
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
