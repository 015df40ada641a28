//! The inputs and attributes of an operator, with checks.

use std::borrow::Cow;

use onnx_tensor::{DType, SparseTensor, Tensor, Value};

use super::numbers::slice;
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::size::{self, has_room};

/// One call of an operator.
pub struct Call<'a> {
    /// The schema version.
    pub since: u32,
    /// The attributes with defaults.
    pub attributes: &'a Attributes,
    /// The inputs. An omitted optional one is `None`; tensors are in row-major order.
    pub inputs: &'a [Option<&'a Value>],
    /// The number of outputs of the node, including unused ones.
    pub outputs: usize,
}

/// The outputs of an operator.
pub type Outcome = Result<Vec<Value>, Problem>;

/// Returns a single tensor as the outputs.
pub fn one(tensor: Tensor) -> Outcome {
    Ok(vec![Value::Tensor(tensor)])
}

impl<'a> Call<'a> {
    /// Returns an input, if it is given.
    pub fn find(&self, position: usize) -> Option<&'a Value> {
        self.inputs.get(position).copied().flatten()
    }

    /// Returns a required input.
    pub fn value(&self, position: usize) -> Result<&'a Value, Problem> {
        let missing = || Problem::Invalid(format!("input {position} is missing"));
        self.find(position).ok_or_else(missing)
    }

    /// Returns a required tensor.
    pub fn tensor(&self, position: usize) -> Result<&'a Tensor, Problem> {
        as_tensor(position, self.value(position)?)
    }

    /// Returns a tensor, if it is given.
    pub fn find_tensor(&self, position: usize) -> Result<Option<&'a Tensor>, Problem> {
        self.find(position)
            .map(|value| as_tensor(position, value))
            .transpose()
    }

    /// Returns all inputs from a position on, which must be tensors.
    pub fn tensors(&self, from: usize) -> Result<Vec<&'a Tensor>, Problem> {
        (from..self.inputs.len())
            .map(|position| self.tensor(position))
            .collect()
    }

    /// Returns the elements of an integer tensor, if it is given.
    pub fn find_ints(&self, position: usize) -> Result<Option<Vec<i64>>, Problem> {
        self.find_tensor(position)?.map(int64s).transpose()
    }

    /// Returns the elements of an integer tensor.
    pub fn ints(&self, position: usize) -> Result<Vec<i64>, Problem> {
        int64s(self.tensor(position)?)
    }

    /// Returns the elements of an integer tensor, borrowed if they are int64.
    pub fn wide_ints(&self, position: usize) -> Result<Cow<'a, [i64]>, Problem> {
        let tensor = self.tensor(position)?;
        match tensor.dtype() {
            DType::Int64 => Ok(Cow::Borrowed(slice::<i64>(tensor)?)),
            _ => Ok(Cow::Owned(int64s(tensor)?)),
        }
    }

    /// Returns the only element of an integer tensor.
    pub fn int(&self, position: usize) -> Result<i64, Problem> {
        match self.ints(position)?[..] {
            [value] => Ok(value),
            ref other => invalid(format!(
                "expected one element in input {position}, got {}",
                other.len()
            )),
        }
    }

    /// Returns integers from an input, or in older versions from an attribute.
    pub fn ints_or_attribute(&self, position: usize, name: &str) -> Result<Option<Vec<i64>>, Problem> {
        match self.find_ints(position)? {
            Some(values) => Ok(Some(values)),
            None => Ok(self.attributes.ints(name)?.map(<[i64]>::to_vec)),
        }
    }
}

fn as_tensor(position: usize, value: &Value) -> Result<&Tensor, Problem> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Optional {
            value: Some(inside), ..
        } => as_tensor(position, inside),
        other => invalid(format!(
            "input {position}: expected a tensor, got {}",
            other.value_type()
        )),
    }
}

/// Returns the elements of an integer tensor as i64.
pub fn int64s(tensor: &Tensor) -> Result<Vec<i64>, Problem> {
    if tensor.dtype() == DType::Int64 {
        return Ok(tensor.to_vec::<i64>()?);
    }
    let wide = super::numbers::ints(tensor)?;
    let fits = |value: i128| {
        let error = || Problem::Invalid(format!("{value} does not fit into 64 bits"));
        i64::try_from(value).map_err(|_| error())
    };
    wide.into_iter().map(fits).collect()
}

/// Returns the number of elements of a result.
///
/// # Errors
/// If it exceeds the limit of a value, or if there is no memory to work on it.
pub fn count(shape: &[usize]) -> Result<usize, Problem> {
    let total = size::count(shape)?;
    has_room(total)?;
    Ok(total)
}

/// Converts a sparse tensor to a dense one.
pub fn densified(sparse: &SparseTensor) -> Result<Tensor, Problem> {
    count(&sparse.shape)?;
    Ok(sparse.to_dense()?)
}

/// Resolves an axis, which counts from the end if negative.
pub fn axis(axis: i64, rank: usize) -> Result<usize, Problem> {
    let resolved = if axis < 0 {
        axis.checked_add_unsigned(rank as u64)
    } else {
        Some(axis)
    };
    let resolved = resolved.and_then(|axis| usize::try_from(axis).ok());
    match resolved.filter(|&axis| axis < rank) {
        Some(axis) => Ok(axis),
        None => invalid(format!("axis {axis} is out of range for rank {rank}")),
    }
}

/// Resolves several axes; the result is sorted. A duplicate is an error.
pub fn axes(list: &[i64], rank: usize) -> Result<Vec<usize>, Problem> {
    let mut resolved = list
        .iter()
        .map(|&one| axis(one, rank))
        .collect::<Result<Vec<_>, _>>()?;
    resolved.sort_unstable();
    if resolved.windows(2).any(|pair| pair[0] == pair[1]) {
        invalid(format!("axes {list:?} have a duplicate"))
    } else {
        Ok(resolved)
    }
}

/// Converts an integer to an extent.
pub fn extent(value: i64) -> Result<usize, Problem> {
    usize::try_from(value).map_err(|_| Problem::Invalid(format!("{value} is not an extent")))
}

/// Converts integers to extents.
pub fn extents(values: &[i64]) -> Result<Vec<usize>, Problem> {
    values.iter().map(|&value| extent(value)).collect()
}
