//! Shapes of operators that move values: Transpose, Concat, Slice, Split, Pad.

use onnx_tensor::Dim;

use super::{Known, Shape, mapped};
use crate::call::axis;
use crate::equal_parts;
use crate::spread_pads;

impl Known<'_> {
    pub fn transpose(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        match self.attributes.ints("perm").ok()? {
            Some(order) => order
                .iter()
                .map(|&at| shape.get(usize::try_from(at).ok()?).cloned())
                .collect(),
            None => Some(shape.iter().rev().cloned().collect()),
        }
    }

    pub fn concat(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let at = axis(self.int("axis")?, result.len()).ok()?;
        let mut total = Some(0);
        for position in 0..self.inputs.len() {
            total = match (total, self.shape(position)?.get(at)?) {
                (Some(sum), Dim::Fixed(extent)) => usize::checked_add(sum, *extent),
                _ => None,
            };
        }
        result[at] = total.map_or(Dim::Unknown, Dim::Fixed);
        Some(result)
    }

    pub fn slice(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let old = self.since < 10;
        let list = |position: usize, name: &str| {
            if old {
                Some(self.attributes.ints(name).ok()??.to_vec())
            } else {
                self.ints(position)
            }
        };
        let (starts, ends) = (list(1, "starts")?, list(2, "ends")?);
        let given = |position: usize| self.is_given(position);
        let listed = if old || given(3) {
            list(3, "axes").or_else(|| old.then(|| (0..starts.len() as i64).collect()))?
        } else {
            (0..starts.len() as i64).collect()
        };
        let steps = if !old && self.is_given(4) {
            self.ints(4)?
        } else {
            vec![1; starts.len()]
        };
        for (place, &which) in listed.iter().enumerate() {
            let at = axis(which, result.len()).ok()?;
            let (start, end, step) = (*starts.get(place)?, *ends.get(place)?, *steps.get(place)?);
            result[at] = match result[at] {
                Dim::Fixed(extent) => Dim::Fixed(crate::resolve_slice(extent, start, end, step).ok()?.2),
                _ => Dim::Unknown,
            };
        }
        Some(result)
    }

    pub fn split(&self) -> Option<Vec<Option<Shape>>> {
        let shape = self.shape(0)?;
        let at = axis(self.int("axis")?, shape.len()).ok()?;
        let count = self.outputs;
        let lengths = match (self.ints_or_attribute(1, "split"), &shape[at]) {
            (Some(lengths), _) => crate::call::extents(&lengths).ok()?,
            (None, Dim::Fixed(extent)) if !self.is_given(1) => {
                equal_parts(self.since, self.attributes, *extent, count).ok()?
            }
            _ => return None,
        };
        let part = |&length: &usize| {
            let mut part = shape.to_vec();
            part[at] = Dim::Fixed(length);
            Some(part)
        };
        Some(lengths.iter().map(part).collect())
    }

    pub fn pad(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let given = self.ints_or_attribute(1, "pads");
        let pads = if self.is_given(3) {
            given
                .zip(self.ints(3))
                .and_then(|(given, axes)| spread_pads(&given, &axes, shape.len()).ok())
        } else {
            given
        };
        let Some(pads) = pads else {
            return Some(vec![Dim::Unknown; shape.len()]);
        };
        let padded = |at: usize| {
            let (begin, end) = (*pads.get(at)?, *pads.get(at + shape.len())?);
            if (begin, end) == (0, 0) {
                return Some(shape[at].clone());
            }
            Some(mapped(&shape[at], |extent| {
                let total = i64::try_from(extent).ok()?.checked_add(begin)?.checked_add(end)?;
                usize::try_from(total).ok()
            }))
        };
        (0..shape.len()).map(padded).collect()
    }
}
