//! OneHot, NonZero, EyeLike.

use onnx_tensor::{DType, Dim, Tensor};

use super::super::call::{axis, count, one};
use super::super::movement::{split_at, strides, take};
use super::super::numbers::{floats, from_ints, ints, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::SAME;
use crate::shapes::Shapes::{First, Open};

pub const ROWS: &[Row] = &[
    row("OneHot", 9, First(|known| known.one_hot()), |call| {
        one_hot(call, |index, depth| (0..depth).contains(&index).then_some(index))
    }),
    row("OneHot", 11, First(|known| known.one_hot()), |call| {
        one_hot(call, |index, depth| {
            (-depth..depth).contains(&index).then(|| index.rem_euclid(depth))
        })
    }),
    row(
        "NonZero",
        9,
        Open("the elements decide how many are not zero", |known| {
            Some(vec![Some(vec![Dim::Fixed(known.shape(0)?.len()), Dim::Unknown])])
        }),
        nonzero,
    ),
    row("EyeLike", 9, SAME, eye_like).of_type(|known| known.named_dtype("dtype").or(known.dtype(0))),
];

/// Values are off, then on. An index for which `place` returns `None` along the new axis is off everywhere.
fn one_hot(call: &Call, place: fn(i128, i128) -> Option<i128>) -> Outcome {
    let (indices, values) = (call.tensor(0)?, call.tensor(2)?);
    let depth = match whole(call.tensor(1)?)?[..] {
        [depth] => usize::try_from(depth).map_err(|_| Problem::Invalid(format!("depth is {depth}")))?,
        ref many => return invalid(format!("expected a depth of one element, got {}", many.len())),
    };
    if values.shape() != [2] {
        return invalid("expected two values: off and on");
    }
    let at = axis(call.attributes.int("axis")?, indices.rank() + 1)?;
    let mut shape = indices.shape().to_vec();
    shape.insert(at, depth);
    let (_, _, inner) = split_at(&shape, at);
    let mut choices = vec![0; count(&shape)?];
    for (number, index) in whole(indices)?.into_iter().enumerate() {
        if let Some(along) = place(index, depth as i128) {
            choices[(number / inner * depth + along as usize) * inner + number % inner] = 1;
        }
    }
    one(take(values, &shape, &choices)?)
}

/// Converts to integers; a float is truncated, as in a conversion to int64.
pub fn whole(tensor: &Tensor) -> Result<Vec<i128>, Problem> {
    if tensor.dtype().is_integer() {
        return ints(tensor);
    }
    let truncated = |x: f64| {
        let fits = x.is_finite() && x.abs() < 2_f64.powi(63);
        let wrong = || Problem::Invalid(format!("{x} does not fit into 64 bits"));
        fits.then_some(x as i128).ok_or_else(wrong)
    };
    floats(tensor)?.into_iter().map(truncated).collect()
}

fn nonzero(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let own = strides(tensor.shape());
    let found = match tensor.dtype() {
        DType::Bool => places(slice::<bool>(tensor)?, |&x| x),
        DType::Float => places(slice::<f32>(tensor)?, |&x| x != 0.0),
        DType::Int64 => places(slice::<i64>(tensor)?, |&x| x != 0),
        _ => places(&floats(tensor)?, |&x| x != 0.0),
    };
    let rank = tensor.rank();
    let mut coordinates = Vec::with_capacity(rank * found.len());
    for (&step, &extent) in own.iter().zip(tensor.shape()) {
        coordinates.extend(found.iter().map(|&at| ((at / step) % extent) as i64));
    }
    one(Tensor::new(&[rank, found.len()], coordinates)?)
}

/// Returns the positions of the elements that are not zero.
fn places<T>(values: &[T], is_set: impl Fn(&T) -> bool) -> Vec<usize> {
    let all = values.iter().enumerate();
    all.filter(|(_, value)| is_set(value)).map(|(at, _)| at).collect()
}

fn eye_like(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let &[rows, columns] = tensor.shape() else {
        return invalid("expected a matrix");
    };
    let dtype = call.attributes.dtype("dtype")?.unwrap_or(tensor.dtype());
    let diagonal = i128::from(call.attributes.int("k")?);
    let value = |linear: usize| {
        let (row, column) = ((linear / columns) as i128, (linear % columns) as i128);
        i128::from(column - row == diagonal)
    };
    one(from_ints(
        dtype,
        &[rows, columns],
        (0..tensor.len()).map(value).collect(),
    )?)
}
