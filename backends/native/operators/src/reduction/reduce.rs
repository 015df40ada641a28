//! ReduceSum and the other reductions.

use native_kernels::reduce::Reduction;
use onnx_tensor::{DType, Tensor, dispatch};

use super::super::call::{axes, count, one};
use super::super::fast::Fast;
use super::super::movement::{positions, strides};
use super::super::numbers::{floats, from_floats, from_ints, int_range, ints, is_whole_bytes, slice, sum};
use super::super::{Call, Outcome, Row, row};
use super::lines::{cut, folded};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("ReduceSum", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::Sum)
    })
    .fast(Fast::Reduce(Reduction::Sum)),
    row("ReduceMean", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::Mean)
    })
    .fast(Fast::Reduce(Reduction::Mean)),
    row("ReduceMax", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::Max)
    })
    .fast(Fast::Reduce(Reduction::Max)),
    row("ReduceMin", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::Min)
    })
    .fast(Fast::Reduce(Reduction::Min)),
    row("ReduceProd", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::Product)
    })
    .fast(Fast::Reduce(Reduction::Product)),
    row("ReduceL1", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::L1)
    })
    .fast(Fast::Reduce(Reduction::L1)),
    row("ReduceL2", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::L2)
    })
    .fast(Fast::Reduce(Reduction::L2)),
    row("ReduceLogSum", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::LogSum)
    })
    .fast(Fast::Reduce(Reduction::LogSum)),
    row("ReduceLogSumExp", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::LogSumExp)
    })
    .fast(Fast::Reduce(Reduction::LogSumExp)),
    row("ReduceSumSquare", 1, First(|known| known.reduce()), |call| {
        reduce(call, Kind::SumSquare)
    })
    .fast(Fast::Reduce(Reduction::SumSquare)),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Mean,
    Max,
    Min,
    Product,
    L1,
    L2,
    LogSum,
    LogSumExp,
    SumSquare,
}

fn reduce(call: &Call, kind: Kind) -> Outcome {
    let tensor = call.tensor(0)?;
    let listed = call.ints_or_attribute(1, "axes")?.unwrap_or_default();
    // With no axes each element is its own group; the functions before and after the sum still apply.
    let by_element = listed.is_empty() && call.attributes.flag("noop_with_empty_axes")?;
    let listed = match listed.is_empty() {
        true if by_element => Vec::new(),
        true => (0..tensor.rank()).collect(),
        false => axes(&listed, tensor.rank())?,
    };
    let keep = call.attributes.int("keepdims")? != 0;
    if let Some(result) = of_adjacent_ints(tensor, &listed, keep, kind)? {
        return one(result);
    }
    let groups = Groups::new(tensor.shape(), &listed, keep);
    if tensor.dtype().is_integer() || tensor.dtype() == DType::Bool {
        return of_ints(tensor, &groups, kind);
    }
    let values = floats(tensor)?;
    let results = groups.map(|members| float_result(kind, members.map(|at| values[at])));
    one(from_floats(tensor.dtype(), &groups.shape, results)?)
}

fn float_result(kind: Kind, values: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    let min = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
    match kind {
        Kind::Sum => sum(values),
        Kind::Mean => {
            let count = values.clone().count() as f64;
            sum(values) / count
        }
        Kind::Max => values.fold(f64::NEG_INFINITY, max),
        Kind::Min => values.fold(f64::INFINITY, min),
        Kind::Product => values.product(),
        Kind::L1 => sum(values.map(f64::abs)),
        Kind::L2 => sum(values.map(|x| x * x)).sqrt(),
        Kind::LogSum => sum(values).ln(),
        Kind::LogSumExp => {
            let most = values.clone().fold(f64::NEG_INFINITY, max);
            if most.is_infinite() {
                return most;
            }
            most + sum(values.map(|x| (x - most).exp())).ln()
        }
        Kind::SumSquare => sum(values.map(|x| x * x)),
    }
}

/// Reduces integers of 8 bits and more along adjacent axes, if the low bits of the result depend only on
/// those of the elements, or if the result is an element. Each type has its own loop.
fn of_adjacent_ints(
    tensor: &Tensor,
    listed: &[usize],
    keep: bool,
    kind: Kind,
) -> Result<Option<Tensor>, Problem> {
    let dtype = tensor.dtype();
    let (Some((least, most)), Some(cut)) = (int_range(dtype), cut(tensor.shape(), listed)) else {
        return Ok(None);
    };
    let shape = result_shape(tensor.shape(), listed, keep);
    count(&shape)?;
    macro_rules! along {
        ($start:expr, $combine:expr) => {
            dispatch!(int, dtype, T => {
                let combine = |a: T, x: T| $combine(i128::from(a), i128::from(x)) as T;
                let results = folded(slice::<T>(tensor)?, cut, $start as T, combine);
                Ok(Some(Tensor::new(&shape, results)?))
            })
        };
    }
    match kind {
        _ if !is_whole_bytes(dtype) => Ok(None),
        Kind::Sum => along!(0, |a: i128, x: i128| a + x),
        Kind::Product => along!(1, i128::wrapping_mul),
        Kind::L1 => along!(0, |a: i128, x: i128| a + x.abs()),
        Kind::SumSquare => along!(0, |a: i128, x: i128| a + x.wrapping_mul(x)),
        Kind::Max => along!(least, i128::max),
        Kind::Min => along!(most, i128::min),
        Kind::Mean | Kind::L2 | Kind::LogSum | Kind::LogSumExp => Ok(None),
    }
}

/// Returns the shape without the listed axes, or with an extent of 1 for each.
fn result_shape(shape: &[usize], axes: &[usize], keep: bool) -> Vec<usize> {
    let extents = shape.iter().enumerate();
    let extents = extents.filter_map(|(axis, &extent)| {
        if axes.contains(&axis) {
            keep.then_some(1)
        } else {
            Some(extent)
        }
    });
    extents.collect()
}

fn of_ints(tensor: &Tensor, groups: &Groups, kind: Kind) -> Outcome {
    let values = ints(tensor)?;
    let (least, most) = int_range(tensor.dtype()).unwrap_or((0, 1));
    let result = |members: &mut dyn Iterator<Item = i128>| match kind {
        Kind::Sum => Some(members.sum::<i128>()),
        Kind::Max => Some(members.fold(least, i128::max)),
        Kind::Min => Some(members.fold(most, i128::min)),
        Kind::Product => Some(members.fold(1_i128, i128::wrapping_mul)),
        Kind::L1 => Some(members.map(i128::abs).sum()),
        Kind::SumSquare => Some(members.map(|x| x.wrapping_mul(x)).sum()),
        // Truncated toward zero, as in a division of integers.
        Kind::Mean => {
            let (sum, count) = members.fold((0, 0), |(sum, count), x| (sum + x, count + 1));
            i128::checked_div(sum, count)
        }
        // The root of the exact sum, truncated.
        Kind::L2 => {
            let add = |sum: Option<u128>, x: i128| sum?.checked_add(x.unsigned_abs().pow(2));
            i128::try_from(members.fold(Some(0), add)?.isqrt()).ok()
        }
        Kind::LogSum | Kind::LogSumExp => None,
    };
    let exact = groups.map(|members| result(&mut members.map(|at| values[at])));
    if let Some(exact) = exact.into_iter().collect::<Option<Vec<_>>>() {
        return one(from_ints(tensor.dtype(), &groups.shape, exact)?);
    }
    if matches!(kind, Kind::Mean | Kind::L2) {
        return invalid("the mean of no integers, or a sum of squares beyond 128 bits, is undefined");
    }
    let logarithm = |members: Members| match kind {
        // The sum wraps, as all sums of integers do.
        Kind::LogSum => {
            let sum: i128 = members.map(|at| values[at]).sum();
            let wrapped = (sum - least).rem_euclid(most - least + 1) + least;
            (wrapped as f64).ln()
        }
        _ => float_result(kind, members.map(|at| values[at] as f64)),
    };
    let results = groups.map(logarithm);
    if results.iter().any(|x| !x.is_finite()) {
        return invalid("the logarithm is not an integer");
    }
    one(from_floats(tensor.dtype(), &groups.shape, results)?)
}

/// The groups of elements that are reduced to one result each.
pub struct Groups {
    /// The shape of the results.
    pub shape: Vec<usize>,
    starts: Vec<usize>,
    offsets: Vec<usize>,
}

impl Groups {
    /// Returns the groups along these axes (ascending) of a tensor of this shape.
    pub fn new(shape: &[usize], axes: &[usize], keep: bool) -> Groups {
        let own = strides(shape);
        let select = |reduced: bool| {
            let chosen = (0..shape.len()).filter(|axis| axes.contains(axis) == reduced);
            chosen
                .map(|axis| (shape[axis], own[axis]))
                .unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let ((kept, kept_strides), (along, along_strides)) = (select(false), select(true));
        Groups {
            shape: result_shape(shape, axes, keep),
            starts: positions(&kept, &kept_strides, 0),
            offsets: positions(&along, &along_strides, 0),
        }
    }

    /// Computes the result of each group from the positions of its members.
    pub fn map<R>(&self, of: impl Fn(Members) -> R) -> Vec<R> {
        let group = |&start: &usize| Members {
            start,
            offsets: self.offsets.iter(),
        };
        self.starts.iter().map(|start| of(group(start))).collect()
    }
}

/// An iterator over the positions of the members of a group.
#[derive(Clone)]
pub struct Members<'a> {
    start: usize,
    offsets: std::slice::Iter<'a, usize>,
}

impl Iterator for Members<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.offsets.next().map(|offset| self.start + offset)
    }
}
