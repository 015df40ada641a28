//! Types of the operators of classical machine learning.

use onnx_tensor::{DType, Dim};

use super::{Context, Shape, whole};
use crate::attributes::Attributes;
use crate::ops::call::extent;

/// Returns the element type of the first output, if attributes or the first input decide it.
pub fn dtype_of(name: &str, attributes: &Attributes, input: Option<DType>) -> Option<DType> {
    let is_set = |name: &str| match attributes.ints(name) {
        Ok(Some(list)) => !list.is_empty(),
        _ => false,
    };
    let labels = |ints: &str| if is_set(ints) { DType::Int64 } else { DType::String };
    let other = || match input? {
        DType::String => Some(DType::Int64),
        _ => Some(DType::String),
    };
    match name {
        "TreeEnsembleClassifier" => Some(labels("classlabels_int64s")),
        "LinearClassifier" | "SVMClassifier" => Some(labels("classlabels_ints")),
        "CategoryMapper" => other(),
        "LabelEncoder" if attributes.get("classes_strings").is_some() => other(),
        "LabelEncoder" => {
            let held = [
                ("values_strings", DType::String),
                ("values_int64s", DType::Int64),
                ("values_floats", DType::Float),
            ];
            let held = held.into_iter().find(|(name, _)| attributes.get(name).is_some());
            match held {
                Some((_, dtype)) => Some(dtype),
                None => Some(attributes.tensor("values_tensor").ok()??.dtype()),
            }
        }
        _ => None,
    }
}

impl Context<'_> {
    /// The number of rows of the first input; a vector is one row.
    pub(super) fn rows(&self) -> Option<Dim> {
        match self.shape(0)? {
            [_] => Some(Dim::Fixed(1)),
            [rows, _] => Some(rows.clone()),
            _ => None,
        }
    }

    /// The scores of a regressor, as many for each row as this attribute says.
    pub(super) fn predicted(&self, targets: &str) -> Option<Shape> {
        Some(vec![self.rows()?, Dim::Fixed(extent(self.int(targets)?).ok()?)])
    }

    /// The number of labels in the first list that is not empty.
    fn listed_labels(&self, [ints, strings]: [&str; 2]) -> Option<usize> {
        let attributes = &self.operator.attributes;
        let counts = [
            attributes.ints(ints).ok()?.map_or(0, <[i64]>::len),
            attributes.texts(strings).ok()?.map_or(0, |list| list.len()),
        ];
        counts.into_iter().find(|&count| count > 0)
    }

    /// The class and the scores of each row.
    pub(super) fn classified(&self, labels: [&str; 2]) -> Vec<Option<Shape>> {
        let Some((rows, count)) = self.rows().zip(self.listed_labels(labels)) else {
            return Vec::new();
        };
        vec![Some(vec![rows.clone()]), Some(vec![rows, Dim::Fixed(count)])]
    }

    /// SVMClassifier: the class of each row, and scores of classes or of pairs of classes.
    pub(super) fn voted(&self) -> Vec<Option<Shape>> {
        let mut shapes = self.classified(["classlabels_ints", "classlabels_strings"]);
        if let [_, Some(scores)] = &mut shapes[..]
            && scores[1] != Dim::Fixed(2)
        {
            scores[1] = Dim::Unknown;
        }
        shapes
    }

    /// OneHotEncoder: a row for each element.
    pub(super) fn encoded(&self) -> Option<Shape> {
        let count = self.listed_labels(["cats_int64s", "cats_strings"])?;
        Some([self.shape(0)?, &[Dim::Fixed(count)]].concat())
    }

    /// FeatureVectorizer: the columns of all inputs.
    pub(super) fn joined_features(&self) -> Option<Shape> {
        let widths = match self.operator.attributes.ints("inputdimensions").ok()? {
            Some(listed) => listed
                .iter()
                .map(|&width| extent(width).ok())
                .collect::<Option<Vec<_>>>()?,
            None => {
                let width = |position: usize| whole(self.shape(position)?.last()?);
                (0..self.node.inputs.len())
                    .map(width)
                    .collect::<Option<Vec<_>>>()?
            }
        };
        let total = widths.into_iter().try_fold(0, usize::checked_add)?;
        Some(vec![self.rows()?, Dim::Fixed(total)])
    }
}
