//! Tensors of which only some elements are stored.

use crate::footprint::count;
use crate::{DType, Element, Tensor, TensorError, dispatch};

/// A tensor of which only the elements that differ from zero are held (`SparseTensorProto`).
#[derive(Clone, Debug)]
pub struct SparseTensor {
    /// Shape `[NNZ]`.
    pub values: Tensor,
    /// int64, shape `[NNZ]` (linear, ascending) or `[NNZ, rank]` (coordinates, lexicographic).
    pub indices: Tensor,
    /// The shape of the tensor it stands for.
    pub shape: Vec<usize>,
}

impl SparseTensor {
    /// The tensor that it stands for: zero (an empty string) where it holds nothing.
    ///
    /// Takes the memory of the whole shape; whoever has a budget asks it first.
    ///
    /// # Errors
    /// [`TensorError::SparseForm`] and [`TensorError::SparseIndex`] for indices that do not fit,
    /// [`TensorError::NoZero`] for float8e8m0, [`TensorError::TooLarge`] for a shape that cannot be addressed.
    pub fn to_dense(&self) -> Result<Tensor, TensorError> {
        let dtype = self.values.dtype();
        if dtype == DType::Float8E8M0 {
            return Err(TensorError::NoZero(dtype));
        }
        let total = count(&self.shape)?;
        let places = self.places()?;
        dispatch!(all, dtype, T => scattered::<T>(&self.values.to_vec()?, &places, total, &self.shape))
    }

    /// The position of each value in row-major order.
    fn places(&self) -> Result<Vec<usize>, TensorError> {
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
                let place = |&at: &i64| usize::try_from(at).map_err(|_| outside(&[at]));
                indices.iter().map(place).collect()
            }
            [count, axes] if count == values && axes == rank && rank > 0 => {
                let place = |at: &[i64]| linear(at, &self.shape).ok_or_else(|| outside(at));
                indices.chunks(rank).map(place).collect()
            }
            _ => Err(misfit()),
        }
    }
}

/// The row-major position of coordinates, if they lie within the shape.
fn linear(coordinates: &[i64], shape: &[usize]) -> Option<usize> {
    let mut pairs = coordinates.iter().zip(shape);
    pairs.try_fold(0_usize, |row, (&at, &extent)| {
        let at = usize::try_from(at).ok().filter(|&at| at < extent)?;
        row.checked_mul(extent)?.checked_add(at)
    })
}

fn scattered<T: Element>(
    values: &[T],
    places: &[usize],
    total: usize,
    shape: &[usize],
) -> Result<Tensor, TensorError> {
    let mut elements = vec![T::default(); total];
    for (value, &place) in values.iter().zip(places) {
        let slot = elements.get_mut(place).ok_or_else(|| TensorError::SparseIndex {
            index: vec![i64::try_from(place).unwrap_or(i64::MAX)],
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
    fn what_is_left_out_is_zero() {
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
    fn what_does_not_fit_is_refused() {
        let check = |values: Tensor, indices: Tensor, shape: &[usize], part: &str| {
            let refusal = dense(values, indices, shape).unwrap_err().to_string();
            assert!(refusal.contains(part), "{refusal}");
        };
        let one = || Tensor::vector(vec![1_f32]);
        check(one(), Tensor::vector(vec![4_i64]), &[2, 2], "no element at [4]");
        check(one(), Tensor::vector(vec![-1_i64]), &[2, 2], "no element at [-1]");
        let coordinates = Tensor::new(&[1, 2], vec![0_i64, 2]).unwrap();
        check(one(), coordinates.clone(), &[2, 2], "no element at [0, 2]");
        check(one(), coordinates, &[2, 2, 2], "indices of shape [1, 2]");
        check(one(), Tensor::vector(vec![0_i64, 1]), &[2, 2], "has 1 values");
        check(
            one(),
            Tensor::vector(vec![0_i64]),
            &[usize::MAX, 2],
            "more elements",
        );
        check(
            Tensor::vector(vec![F8E8M0(127)]),
            Tensor::vector(vec![0_i64]),
            &[1],
            "no zero",
        );
    }
}
