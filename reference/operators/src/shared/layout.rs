//! Rearranges elements of any type without reading their values.

use std::borrow::Cow;

use ndarray::{ArrayD, Axis, IxDyn, Slice};
use onnx_tensor::{Array, DType, Element, Real, Tensor, dispatch};

use crate::frame::{Call, OpError};

/// For each position along an axis of the result, the position along that axis of the source, or `None` for
/// the fill value.
pub type AxisMap = Vec<Option<usize>>;

/// The map that keeps an axis of `extent` unchanged.
pub fn identity(extent: usize) -> AxisMap {
    (0..extent).map(Some).collect()
}

/// Axis `i` of the result is axis `order[i]` of `x`; a view. `order` names each axis once.
pub fn permute(x: &Tensor, order: &[usize]) -> Result<Tensor, OpError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..x.rank()) {
        return Err(OpError::invalid(format!(
            "{order:?} is not a permutation of the {} axes",
            x.rank()
        )));
    }
    dispatch!(all, x.dtype(), T => Ok(Tensor::from(x.array::<T>()?.clone().permuted_axes(IxDyn(order)))))
}

/// Whether the elements lie in memory in row-major order.
pub fn is_dense(x: &Tensor) -> Result<bool, OpError> {
    dispatch!(all, x.dtype(), T => Ok(x.array::<T>()?.as_slice().is_some()))
}

/// `count` positions along `axis`: `start`, `start + step`, …. All must exist. A view.
pub fn slice(x: &Tensor, axis: usize, start: usize, count: usize, step: isize) -> Result<Tensor, OpError> {
    let range = range(extent(x, axis)?, start, count, step)?;
    dispatch!(all, x.dtype(), T => {
        let mut array = x.array::<T>()?.clone();
        array.slice_axis_inplace(Axis(axis), range);
        Ok(Tensor::from(array))
    })
}

/// The same positions as an `ndarray` slice: a range that runs backwards if the step is negative.
fn range(extent: usize, start: usize, count: usize, step: isize) -> Result<Slice, OpError> {
    let outside = || {
        OpError::invalid(format!(
            "{count} positions from {start} by {step} are outside an axis of {extent}"
        ))
    };
    let Some(steps) = count.checked_sub(1) else {
        return Ok(Slice::from(0..0));
    };
    let last = isize::try_from(steps)
        .ok()
        .and_then(|steps| steps.checked_mul(step))
        .and_then(|distance| start.checked_add_signed(distance))
        .filter(|&last| last < extent && start < extent && step != 0)
        .ok_or_else(outside)?;
    let (low, high) = if step < 0 { (last, start) } else { (start, last) };
    // A single position needs no step, and a large step would overflow the stride.
    let step = if steps == 0 { 1 } else { step };
    Ok(Slice::from(low..high + 1).step_by(step))
}

/// Concatenates `parts` along `axis`; all other extents must agree. The result is reserved, because one
/// tensor can be many of the parts.
pub fn concat(call: &Call<'_>, parts: &[&Tensor], axis: usize) -> Result<Tensor, OpError> {
    let Some(first) = parts.first() else {
        return Err(OpError::invalid("nothing to concatenate"));
    };
    extent(first, axis)?;
    let mut shape = first.shape().to_vec();
    for part in &parts[1..] {
        shape[axis] = shape[axis].saturating_add(extent(part, axis)?);
        let alike = part.rank() == shape.len()
            && (0..shape.len()).all(|at| at == axis || part.shape()[at] == shape[at]);
        if !alike {
            let shapes: Vec<_> = parts.iter().map(|part| part.shape()).collect();
            return Err(OpError::invalid(format!(
                "shapes {shapes:?} do not agree outside axis {axis}"
            )));
        }
    }
    call.reserve(&shape, first.dtype())?;
    if shape.contains(&0) {
        return empty(first.dtype(), &shape);
    }
    joined(parts, axis, &shape)
}

/// The elements of `parts`, which agree outside `axis` and are at least one, as a tensor of `shape`.
fn joined(parts: &[&Tensor], axis: usize, shape: &[usize]) -> Result<Tensor, OpError> {
    let extents = parts[0].shape();
    let (outer, inner) = (count(&extents[..axis]), count(&extents[axis + 1..]));
    dispatch!(all, parts[0].dtype(), T => {
        let sources = parts.iter().map(|part| elements::<T>(part)).collect::<Result<Vec<_>, OpError>>()?;
        let mut joined = Vec::with_capacity(count(shape));
        for row in 0..outer {
            for (source, part) in sources.iter().zip(parts) {
                let length = part.shape()[axis] * inner;
                joined.extend_from_slice(&source[row * length..(row + 1) * length]);
            }
        }
        Ok(Tensor::new(shape, joined)?)
    })
}

/// The extent of an axis of `x`.
pub fn extent(x: &Tensor, axis: usize) -> Result<usize, OpError> {
    let found = x.shape().get(axis).copied();
    found.ok_or_else(|| OpError::invalid(format!("a tensor of shape {:?} has no axis {axis}", x.shape())))
}

/// The value that the specification calls zero: 0, false, the empty string. E8M0 has no zero.
pub fn zero(dtype: DType) -> Result<Tensor, OpError> {
    if dtype == DType::Float8E8M0 {
        return Err(OpError::undefined(
            "float8e8m0 has no zero; set the value explicitly",
        ));
    }
    dispatch!(all, dtype, T => Ok(Tensor::scalar(T::default())))
}

/// A scalar of a numeric type, rounded or truncated as [`Real::from_f64`] does.
pub fn number(dtype: DType, value: f64) -> Result<Tensor, OpError> {
    dispatch!(real, dtype, T => Ok(Tensor::scalar(<T as Real>::from_f64(value))))
}

/// A tensor of `shape` with every element equal to that of `value`, a tensor with one element.
pub fn filled(shape: &[usize], value: &Tensor) -> Result<Tensor, OpError> {
    dispatch!(all, value.dtype(), T => {
        Ok(Tensor::from(ArrayD::from_elem(IxDyn(shape), only(value.array::<T>()?)?)))
    })
}

/// A tensor without elements; `shape` has an extent of 0.
pub fn empty(dtype: DType, shape: &[usize]) -> Result<Tensor, OpError> {
    dispatch!(all, dtype, T => Ok(Tensor::new::<T>(shape, Vec::new())?))
}

/// The result takes its element at `[i, j, …]` from `x` at `[maps[0][i], maps[1][j], …]`, or from `fill` (a
/// tensor with one element) if one of these is `None`. Without `fill` all must exist.
pub fn remap(x: &Tensor, maps: &[AxisMap], fill: Option<&Tensor>) -> Result<Tensor, OpError> {
    let shape: Vec<usize> = maps.iter().map(Vec::len).collect();
    let (offsets, last) = offsets(x.shape(), maps)?;
    dispatch!(all, x.dtype(), T => {
        let fill = fill.map(|fill| only(fill.array::<T>()?)).transpose()?.unwrap_or_default();
        Ok(Tensor::new(&shape, picked::<T>(&elements(x)?, &offsets, &last, &fill))?)
    })
}

/// The elements at the sums of two positions, or `fill` if one of the positions is `None`.
fn picked<T: Element>(source: &[T], outer: &AxisMap, inner: &AxisMap, fill: &T) -> Vec<T> {
    let mut elements = Vec::with_capacity(outer.len().saturating_mul(inner.len()));
    for &base in outer {
        for &step in inner {
            let at = base.zip(step).map(|(base, step)| base + step);
            elements.push(at.and_then(|at| source.get(at)).unwrap_or(fill).clone());
        }
    }
    elements
}

/// The combined row-major positions of the maps of all axes except the last, and those of the last.
fn offsets(shape: &[usize], maps: &[AxisMap]) -> Result<(AxisMap, AxisMap), OpError> {
    if shape.len() != maps.len() {
        return Err(OpError::invalid(format!(
            "expected {} axes, got a tensor of shape {shape:?}",
            maps.len()
        )));
    }
    let mut levels: Vec<AxisMap> = Vec::with_capacity(maps.len());
    let mut stride = 1_usize;
    for (map, &extent) in maps.iter().zip(shape).rev() {
        levels.push(map.iter().map(|at| at.map(|at| at * stride)).collect());
        // Only an empty tensor can overflow here, and its positions are not read.
        stride = stride.saturating_mul(extent);
    }
    let mut levels = levels.into_iter();
    let last = levels.next().unwrap_or_else(|| vec![Some(0)]);
    let combine = |inner: AxisMap, outer: AxisMap| -> AxisMap {
        let pairs = outer
            .iter()
            .flat_map(|&outer| inner.iter().map(move |&inner| (outer, inner)));
        pairs
            .map(|(outer, inner)| outer.zip(inner).map(|(outer, inner)| outer + inner))
            .collect()
    };
    Ok((levels.fold(vec![Some(0)], combine), last))
}

/// Runs of `length` consecutive elements of `x` in row-major order, one from each position of `starts`, as
/// a tensor of `shape`.
pub fn runs(x: &Tensor, shape: &[usize], starts: &[usize], length: usize) -> Result<Tensor, OpError> {
    dispatch!(all, x.dtype(), T => {
        let source: Cow<'_, [T]> = elements(x)?;
        let mut runs = Vec::with_capacity(starts.len().saturating_mul(length));
        if length == 1 && starts.iter().all(|&start| start < source.len()) {
            runs.extend(starts.iter().map(|&start| &source[start]).cloned());
            return Ok(Tensor::new(shape, runs)?);
        }
        for &start in starts {
            let run = start.checked_add(length).and_then(|end| source.get(start..end));
            let run = run.ok_or_else(|| OpError::invalid(format!("no {length} elements from {start} on")))?;
            runs.extend_from_slice(run);
        }
        Ok(Tensor::new(shape, runs)?)
    })
}

/// The parts of `x` at `positions` along an axis, all below its extent, as a tensor of `shape`. Only these
/// parts are brought into order.
pub fn select(x: &Tensor, shape: &[usize], axis: usize, positions: &[usize]) -> Result<Tensor, OpError> {
    if shape.contains(&0) {
        return empty(x.dtype(), shape);
    }
    let part = |&position: &usize| slice(x, axis, position, 1, 1);
    let parts = positions.iter().map(part).collect::<Result<Vec<_>, OpError>>()?;
    joined(&parts.iter().collect::<Vec<_>>(), axis, shape)
}

/// `x` with the elements at row-major `positions` replaced by those of `values`, one for each position or
/// one for all.
pub fn put(x: &Tensor, positions: &[usize], values: &Tensor) -> Result<Tensor, OpError> {
    if values.len() != positions.len() && values.len() != 1 {
        return Err(OpError::invalid(format!(
            "{} values for {} positions",
            values.len(),
            positions.len()
        )));
    }
    dispatch!(all, x.dtype(), T => {
        let mut elements = x.to_vec::<T>()?;
        replace(&mut elements, positions, &values.to_vec()?)?;
        Ok(Tensor::new(x.shape(), elements)?)
    })
}

fn replace<T: Element>(elements: &mut [T], positions: &[usize], values: &[T]) -> Result<(), OpError> {
    for (&position, value) in positions.iter().zip(values.iter().cycle()) {
        let place = elements.get_mut(position);
        let missing = || OpError::invalid(format!("there is no element at {position}"));
        *place.ok_or_else(missing)? = value.clone();
    }
    Ok(())
}

/// The elements in row-major order, copied only if they are stored in another one.
fn elements<T: Element>(x: &Tensor) -> Result<Cow<'_, [T]>, OpError> {
    Ok(match x.array::<T>()?.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(x.to_vec()?),
    })
}

/// The element of an array with one element.
pub fn only<T: Element>(array: &Array<T>) -> Result<T, OpError> {
    match (array.len(), array.first()) {
        (1, Some(value)) => Ok(value.clone()),
        (count, _) => Err(OpError::invalid(format!("expected one element, got {count}"))),
    }
}

/// The product of extents. The tensor must exist, or the budget must have granted it.
pub fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// `values` as extents. A negative value is an error.
pub fn extents(values: &[i64]) -> Result<Vec<usize>, OpError> {
    let extent = |&value: &i64| {
        usize::try_from(value)
            .map_err(|_| OpError::invalid(format!("{value} in {values:?} is not an extent")))
    };
    values.iter().map(extent).collect()
}

/// The slices at `positions` along `axis`, concatenated.
pub fn pick(x: &Tensor, axis: usize, positions: impl Iterator<Item = usize>) -> Result<Tensor, OpError> {
    extent(x, axis)?;
    let positions: AxisMap = positions.map(Some).collect();
    let map = |(at, &extent): (usize, &usize)| {
        if at == axis {
            positions.clone()
        } else {
            identity(extent)
        }
    };
    let maps: Vec<AxisMap> = x.shape().iter().enumerate().map(map).collect();
    remap(x, &maps, None)
}
