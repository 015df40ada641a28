//! Symbolic dimensions of a body: its declared input shapes, matched with the shapes of the actual values.

use std::collections::HashMap;

use onnx_model::Graph;
use onnx_tensor::{DType, Dim, Value, ValueType};

use crate::frame::{Call, Deviation, OpError};

/// The extents that the inputs of a body bind to dimension names.
#[derive(Default)]
pub(super) struct Dimensions(HashMap<String, usize>);

impl Dimensions {
    /// The names that the inputs of `body` bind for values of these shapes, by position. `None` stands for
    /// a value that is not a tensor.
    pub(super) fn bound(body: &Graph, shapes: &[Option<Vec<usize>>]) -> Self {
        let mut bound = HashMap::new();
        for (info, shape) in body.inputs.iter().zip(shapes) {
            let (
                Some(ValueType::Tensor {
                    shape: Some(dims), ..
                }),
                Some(shape),
            ) = (&info.value_type, shape)
            else {
                continue;
            };
            for (dim, &extent) in dims.iter().zip(shape) {
                if let Dim::Named(name) = dim {
                    bound.insert(name.clone(), extent);
                }
            }
        }
        Dimensions(bound)
    }

    /// Element type and shape that output `index` of `body` declares. An unknown extent is 0, and an
    /// undeclared shape has rank 0 (deviation `loop-without-shape`).
    pub(super) fn declared(
        &self,
        call: &Call<'_>,
        body: &Graph,
        index: usize,
    ) -> Result<(DType, Vec<usize>), OpError> {
        let unknown = |what: &str| {
            let name = body.outputs.get(index).map_or("", |info| &info.name);
            OpError::undefined(format!(
                "no iteration made output `{name}` of the body, and its {what} is not declared"
            ))
        };
        let declared = body.outputs.get(index).and_then(|info| info.value_type.as_ref());
        let Some(ValueType::Tensor { dtype, shape }) = declared else {
            return Err(unknown("type"));
        };
        let Some(dims) = shape else {
            call.deviate(Deviation::LoopWithoutShape, unknown("rank"))?;
            return Ok((*dtype, Vec::new()));
        };
        let extent = |dim: &Dim| match dim {
            Dim::Fixed(extent) => Some(*extent),
            Dim::Named(name) => self.0.get(name).copied(),
            Dim::Unknown => None,
        };
        let shape: Vec<Option<usize>> = dims.iter().map(extent).collect();
        if shape.contains(&None) {
            call.deviate(Deviation::LoopWithoutShape, unknown("shape"))?;
        }
        Ok((*dtype, shape.into_iter().map(Option::unwrap_or_default).collect()))
    }
}

/// The shape of a tensor; `None` for any other value.
pub(super) fn shape(value: &Value) -> Option<Vec<usize>> {
    value.as_tensor().map(|tensor| tensor.shape().to_vec())
}
