//! Sparse tensors.

use crate::footprint::count;
use crate::{DType, Element, Tensor, TensorError, dispatch};

/// A tensor that stores only some of its elements (`SparseTensorProto`); all others are zero.
#[derive(Clone, Debug)]
pub struct SparseTensor {
    /// The stored values, shape `[NNZ]`.
    pub values: Tensor,
    /// Their positions: int64, shape `[NNZ]` (row-major positions, ascending) or `[NNZ, rank]` (coordinates
    /// in lexicographic order).
    pub indices: Tensor,
    /// The shape of the dense tensor.
    pub shape: Vec<usize>,
}

impl SparseTensor {
    /// Converts to a dense tensor. Elements that are not stored are zero, or the empty string.
    ///
    /// The result takes memory for the whole shape; a caller with a budget checks it first.
    ///
    /// # Errors
    /// [`TensorError::SparseForm`] and [`TensorError::SparseIndex`] for invalid indices,
    /// [`TensorError::NoZero`] for float8e8m0, [`TensorError::TooLarge`] for a shape that cannot be
    /// addressed.
    pub fn to_dense(&self) -> Result<Tensor, TensorError> {
        let dtype = self.values.dtype();
        if dtype == DType::Float8E8M0 {
            return Err(TensorError::NoZero(dtype));
        }
        let total = count(&self.shape)?;
        let positions = self.positions()?;
        dispatch!(all, dtype, T => scattered::<T>(&self.values.to_vec()?, &positions, total, &self.shape))
    }

    /// The row-major position of each value.
    fn positions(&self) -> Result<Vec<usize>, TensorError> {
        let indices = self.indices.to_vec::<i64>()?;
        let (values, rank) = (self.values.len(), self.shape.len());
        let misfit = || TensorError::SparseForm {
            shape: self.shape.clone(),
            values,
            indices: self.indices.shape().to_vec(),
        };
        let outside = |index: &[i64]| TensorError::SparseIndex {
            index: index.to_vec(),
            shape: self.shape.clone(),
        };
        match *self.indices.shape() {
            [count] if count == values => {
                let position = |&at: &i64| usize::try_from(at).map_err(|_| outside(&[at]));
                indices.iter().map(position).collect()
            }
            [count, axes] if count == values && axes == rank && rank > 0 => {
                let position = |at: &[i64]| linear(at, &self.shape).ok_or_else(|| outside(at));
                indices.chunks(rank).map(position).collect()
            }
            _ => Err(misfit()),
        }
    }
}

/// The row-major position of `coordinates`, if they are inside the shape.
fn linear(coordinates: &[i64], shape: &[usize]) -> Option<usize> {
    let mut pairs = coordinates.iter().zip(shape);
    pairs.try_fold(0_usize, |row, (&at, &extent)| {
        let at = usize::try_from(at).ok().filter(|&at| at < extent)?;
        row.checked_mul(extent)?.checked_add(at)
    })
}

fn scattered<T: Element>(
    values: &[T],
    positions: &[usize],
    total: usize,
    shape: &[usize],
) -> Result<Tensor, TensorError> {
    let mut elements = vec![T::default(); total];
    for (value, &position) in values.iter().zip(positions) {
        let slot = elements
            .get_mut(position)
            .ok_or_else(|| TensorError::SparseIndex {
                index: vec![i64::try_from(position).unwrap_or(i64::MAX)],
                shape: shape.to_vec(),
            })?;
        *slot = value.clone();
    }
    Tensor::new(shape, elements)
}

#[cfg(test)]
mod tests {
    use super::SparseTensor;
    use crate::{F8E8M0, Tensor, TensorError};

    fn dense(values: Tensor, indices: Tensor, shape: &[usize]) -> Result<Tensor, TensorError> {
        let shape = shape.to_vec();
        SparseTensor {
            values,
            indices,
            shape,
        }
        .to_dense()
    }

    #[test]
    fn elements_that_are_not_stored_are_zero() {
        let values = || Tensor::vector(vec![7_i8, 8]);
        let expected = Tensor::new(&[2, 2], vec![0_i8, 7, 8, 0]).unwrap();
        let coordinates = Tensor::new(&[2, 2], vec![0_i64, 1, 1, 0]).unwrap();
        for indices in [Tensor::vector(vec![1_i64, 2]), coordinates] {
            assert!(dense(values(), indices, &[2, 2]).unwrap().same_bits(&expected));
        }
        let none = dense(
            Tensor::vector(Vec::<f32>::new()),
            Tensor::vector(Vec::<i64>::new()),
            &[2],
        );
        assert!(none.unwrap().same_bits(&Tensor::vector(vec![0_f32; 2])));
    }

    #[test]
    fn invalid_indices_shapes_and_types_are_refused() {
        let check = |values: Tensor, indices: Tensor, shape: &[usize], part: &str| {
            let refusal = dense(values, indices, shape).unwrap_err().to_string();
            assert!(refusal.contains(part), "{refusal}");
        };
        let one = || Tensor::vector(vec![1_f32]);
        check(
            one(),
            Tensor::vector(vec![4_i64]),
            &[2, 2],
            "index [4] is outside",
        );
        check(
            one(),
            Tensor::vector(vec![-1_i64]),
            &[2, 2],
            "index [-1] is outside",
        );
        let coordinates = Tensor::new(&[1, 2], vec![0_i64, 2]).unwrap();
        check(one(), coordinates.clone(), &[2, 2], "index [0, 2] is outside");
        check(one(), coordinates, &[2, 2, 2], "indices of shape [1, 2]");
        check(one(), Tensor::vector(vec![0_i64, 1]), &[2, 2], "has 1 values");
        check(one(), Tensor::vector(vec![0_i64]), &[usize::MAX, 2], "too large");
        check(
            Tensor::vector(vec![F8E8M0(127)]),
            Tensor::vector(vec![0_i64]),
            &[1],
            "no zero",
        );
    }
}
