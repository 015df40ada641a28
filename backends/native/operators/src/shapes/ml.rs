//! Types and shapes of the operators of classical machine learning.

use onnx_tensor::{DType, Dim};

use super::{Known, Shape, whole};
use crate::call::extent;

impl Known<'_> {
    /// The type of the labels of a classifier: integers if this list has elements, else strings.
    pub fn label_dtype(&self, ints: &str) -> Option<DType> {
        let listed = self
            .attributes
            .ints(ints)
            .ok()?
            .is_some_and(|list| !list.is_empty());
        Some(if listed { DType::Int64 } else { DType::String })
    }

    /// Strings become integers, and anything else strings.
    pub fn swapped_dtype(&self) -> Option<DType> {
        match self.dtype(0)? {
            DType::String => Some(DType::Int64),
            _ => Some(DType::String),
        }
    }

    /// The type of the values of a LabelEncoder.
    pub fn encoded_dtype(&self) -> Option<DType> {
        let held = [
            ("values_strings", DType::String),
            ("values_int64s", DType::Int64),
            ("values_floats", DType::Float),
        ];
        let held = held
            .into_iter()
            .find(|(name, _)| self.attributes.get(name).is_some());
        match held {
            Some((_, dtype)) => Some(dtype),
            None => Some(self.attributes.tensor("values_tensor").ok()??.dtype()),
        }
    }

    /// The number of rows of the first input; a vector is one row.
    pub fn rows(&self) -> Option<Dim> {
        match self.shape(0)? {
            [_] => Some(Dim::Fixed(1)),
            [rows, _] => Some(rows.clone()),
            _ => None,
        }
    }

    /// The scores of a regressor, as many for each row as this attribute says.
    pub fn predicted(&self, targets: &str) -> Option<Shape> {
        Some(vec![self.rows()?, Dim::Fixed(extent(self.int(targets)?).ok()?)])
    }

    /// The number of labels in the first list that is not empty.
    fn listed_labels(&self, [ints, strings]: [&str; 2]) -> Option<usize> {
        let attributes = self.attributes;
        let counts = [
            attributes.ints(ints).ok()?.map_or(0, <[i64]>::len),
            attributes.texts(strings).ok()?.map_or(0, |list| list.len()),
        ];
        counts.into_iter().find(|&count| count > 0)
    }

    /// The class and the scores of each row.
    pub fn classified(&self, labels: [&str; 2]) -> Option<Vec<Option<Shape>>> {
        let (rows, count) = (self.rows()?, self.listed_labels(labels)?);
        Some(vec![
            Some(vec![rows.clone()]),
            Some(vec![rows, Dim::Fixed(count)]),
        ])
    }

    /// SVMClassifier: the class of each row, and scores of classes or of pairs of classes.
    pub fn voted(&self) -> Option<Vec<Option<Shape>>> {
        let rows = self.rows()?;
        let width = match self.listed_labels(["classlabels_ints", "classlabels_strings"])? {
            2 => Dim::Fixed(2),
            _ => Dim::Unknown,
        };
        Some(vec![Some(vec![rows.clone()]), Some(vec![rows, width])])
    }

    /// OneHotEncoder: a row for each element.
    pub fn encoded(&self) -> Option<Shape> {
        let count = self.listed_labels(["cats_int64s", "cats_strings"])?;
        Some([self.shape(0)?, &[Dim::Fixed(count)]].concat())
    }

    /// FeatureVectorizer: the columns of all inputs.
    pub fn joined_features(&self) -> Option<Shape> {
        let widths = match self.attributes.ints("inputdimensions").ok()? {
            Some(listed) => listed
                .iter()
                .map(|&width| extent(width).ok())
                .collect::<Option<Vec<_>>>()?,
            None => {
                let width = |position: usize| whole(self.shape(position)?.last()?);
                (0..self.inputs.len()).map(width).collect::<Option<Vec<_>>>()?
            }
        };
        let total = widths.into_iter().try_fold(0, usize::checked_add)?;
        Some(vec![self.rows()?, Dim::Fixed(total)])
    }
}
