//! Decodes `SparseTensorProto`.

use onnx_tensor::{SparseTensor, Tensor};

use super::Decoder;
use super::layout::Layout;
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::limits::Limit;
use crate::proto::SparseTensorProto;
use crate::scan::within;

impl Decoder<'_> {
    pub(super) fn sparse(&mut self, proto: SparseTensorProto) -> Result<SparseTensor, ModelError> {
        let missing = |field| ModelErrorKind::Missing { field };
        if proto.dims.is_empty() || proto.dims.iter().any(|&extent| extent <= 0) {
            return Err(ModelErrorKind::SparseShape(proto.dims).into());
        }
        let values = proto.values.ok_or(missing("values"))?;
        let values = self.tensor(values).within(|| "values".to_owned())?;
        let indices = proto.indices.ok_or(missing("indices"))?;
        let indices = self.tensor(indices).within(|| "indices".to_owned())?;
        // The limits also hold for the dense tensor.
        let dense = Layout::new(values.dtype(), self.shape(&proto.dims)?)?;
        within(
            Limit::TensorElements,
            dense.footprint as u64,
            self.limits.tensor_elements,
        )?;
        check_indices(&values, &indices, &dense)?;
        Ok(SparseTensor {
            values,
            indices,
            shape: dense.shape,
        })
    }
}

/// Checks that indices are in range and strictly ascending: positions, or coordinates in lexicographic order
/// (onnx.proto, "indices").
fn check_indices(values: &Tensor, indices: &Tensor, dense: &Layout) -> Result<(), ModelErrorKind> {
    let shape = dense.shape.as_slice();
    let &[nnz] = values.shape() else {
        return Err(ModelErrorKind::SparseValues(values.shape().to_vec()));
    };
    let extents = match *indices.shape() {
        [count] if count == nnz => vec![dense.count],
        [count, rank] if count == nnz && rank == shape.len() => shape.to_vec(),
        _ => Vec::new(),
    };
    let Ok(numbers) = indices.to_vec::<i64>() else {
        return Err(bad_indices(indices, nnz, shape));
    };
    if extents.is_empty() {
        return Err(bad_indices(indices, nnz, shape));
    }
    let mut previous: Option<&[i64]> = None;
    for (position, index) in numbers.chunks_exact(extents.len()).enumerate() {
        let inside = index
            .iter()
            .zip(&extents)
            .all(|(&at, &extent)| usize::try_from(at).is_ok_and(|at| at < extent));
        if !inside || previous.is_some_and(|previous| previous >= index) {
            return Err(ModelErrorKind::SparseIndex {
                position,
                index: index.to_vec(),
                shape: shape.to_vec(),
            });
        }
        previous = Some(index);
    }
    Ok(())
}

fn bad_indices(indices: &Tensor, nnz: usize, shape: &[usize]) -> ModelErrorKind {
    let (dtype, found) = (indices.dtype(), indices.shape().to_vec());
    ModelErrorKind::SparseIndices {
        dtype,
        shape: found,
        nnz,
        rank: shape.len(),
    }
}
