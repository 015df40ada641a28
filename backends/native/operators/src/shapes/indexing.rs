//! Shapes of operators that select elements by index.

use onnx_tensor::Dim;

use super::{Known, Shape, whole};
use crate::call::{axis, extent};
use crate::whole as whole_numbers;

impl Known<'_> {
    pub fn gather(&self) -> Option<Shape> {
        let (data, indices) = (self.shape(0)?, self.shape(1)?);
        let at = axis(self.int("axis")?, data.len()).ok()?;
        Some([&data[..at], indices, &data[at + 1..]].concat())
    }

    pub fn gather_nd(&self) -> Option<Shape> {
        let (data, indices) = (self.shape(0)?, self.shape(1)?);
        let batch = extent(self.int("batch_dims").unwrap_or(0)).ok()?;
        let (width, rows) = indices.split_last()?;
        let covered = batch.checked_add(whole(width)?)?;
        Some([rows, data.get(covered..)?].concat())
    }

    /// ArrayFeatureExtractor: the listed elements of the last axis. A vector becomes a row.
    pub fn extracted(&self) -> Option<Shape> {
        let (data, indices) = (self.shape(0)?, self.shape(1)?);
        let count = indices.iter().map(whole).collect::<Option<Vec<_>>>();
        let count = count.and_then(|extents| extents.into_iter().try_fold(1, usize::checked_mul));
        let mut result = match data {
            [] => return None,
            [_] => vec![Dim::Fixed(1), Dim::Unknown],
            _ => data.to_vec(),
        };
        *result.last_mut()? = count.map_or(Dim::Unknown, Dim::Fixed);
        Some(result)
    }

    pub fn compress(&self) -> Option<Shape> {
        let Some(given) = self.int("axis") else {
            return Some(vec![Dim::Unknown]);
        };
        let mut result = self.shape(0)?.to_vec();
        let at = axis(given, result.len()).ok()?;
        result[at] = Dim::Unknown;
        Some(result)
    }

    pub fn one_hot(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let at = axis(self.int("axis")?, result.len() + 1).ok()?;
        let depth = self.constant(1).and_then(|depth| whole_numbers(depth).ok());
        let depth = depth.and_then(|depth| extent(i64::try_from(*depth.first()?).ok()?).ok());
        result.insert(at, depth.map_or(Dim::Unknown, Dim::Fixed));
        Some(result)
    }

    /// The loss for each label, or their sum or mean.
    pub fn loss(&self) -> Option<Shape> {
        match self.attributes.text("reduction").ok()? {
            "none" => Some(self.shape(1)?.to_vec()),
            _ => Some(Vec::new()),
        }
    }
}
