//! OneHotEncoder — each element becomes a row of zeros with a one at the position of its category.
//!
//! Strings are looked up in `cats_strings`, numbers, truncated to integers, in `cats_int64s`. An element
//! that is not a category becomes zeros, or with `zeros` = 0 it is an error. Interpretation: floats are
//! truncated toward zero, and one outside int64 is not a category; the last position of a repeated category
//! is used (ONNX Runtime).

use onnx_tensor::{DType, Tensor};

use super::features::to_f64;
use super::labels::Labels;
use super::lookup::Lookup;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "OneHotEncoder", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let categories = Labels::read(call, "cats_int64s", "cats_strings")?;
    let count = categories.len();
    let x = call.tensor(0)?;
    let places = places(x, categories)?;
    if !call.flag("zeros")? && places.contains(&None) {
        return Err(OpError::invalid(
            "an element of `X` is not a category, and `zeros` is 0",
        ));
    }
    let shape: Vec<usize> = x.shape().iter().copied().chain([count]).collect();
    call.reserve(&shape, DType::Float)?;
    let mut y = vec![0.0_f32; places.len() * count];
    for (row, place) in y.chunks_exact_mut(count).zip(places) {
        if let Some(cell) = place.and_then(|place| row.get_mut(place)) {
            *cell = 1.0;
        }
    }
    one(Tensor::new(&shape, y)?)
}

/// The position of the category of each element of `x`.
fn places(x: &Tensor, categories: Labels<'_>) -> Result<Vec<Option<usize>>, OpError> {
    let positions = |len: usize| (0..len as i64).collect::<Vec<_>>();
    let found = |place: i64| usize::try_from(place).ok();
    match (x, categories) {
        (Tensor::String(x), Labels::Strings(names)) => {
            let lookup = Lookup::last(
                names
                    .iter()
                    .map(|&name| name.to_owned())
                    .zip(positions(names.len())),
            );
            Ok(x.iter().map(|name| found(lookup.get(name, &-1))).collect())
        }
        (Tensor::String(_), Labels::Ints(_)) | (_, Labels::Strings(_)) => Err(OpError::invalid(
            "strings require `cats_strings`, numbers require `cats_int64s`",
        )),
        (x, Labels::Ints(numbers)) => {
            let places = positions(numbers.len());
            let lookup = Lookup::last(numbers.into_iter().zip(places));
            Ok(integers(x)?
                .iter()
                .map(|number| found(number.as_ref().map_or(-1, |number| lookup.get(number, &-1))))
                .collect())
        }
    }
}

/// The elements truncated to integers; `None` if outside int64.
fn integers(x: &Tensor) -> Result<Vec<Option<i64>>, OpError> {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    match x {
        Tensor::Int64(array) => Ok(array.iter().copied().map(Some).collect()),
        _ => {
            let cut = |value: f64| (-BOUND..BOUND).contains(&value).then_some(value as i64);
            Ok(to_f64(x)?.into_iter().map(cut).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows, strings};

    /// The first two are as in ONNX Runtime 1.31.1; the third is worked by hand.
    #[test]
    fn encodes() {
        let op = ("ai.onnx.ml", "OneHotEncoder", 1);
        let cats = [attribute("cats_int64s", [1, 2, 1])];
        let x = Tensor::vector(vec![1_i64, 2, 9]);
        check(
            op,
            &[x.clone().into()],
            &cats,
            &[rows(&[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0; 3]]).into()],
        );
        let floats = Tensor::vector(vec![1.9_f32, -1.5, f32::NAN]);
        let cats = [attribute("cats_int64s", [1, -1])];
        check(
            op,
            &[floats.into()],
            &cats,
            &[rows(&[[1.0, 0.0], [0.0, 1.0], [0.0; 2]]).into()],
        );
        let names = strings(&["b", "c"]).reshape(&[1, 2]).unwrap();
        let expected = rows(&[[0.0, 1.0], [0.0, 0.0]]).reshape(&[1, 2, 2]).unwrap();
        let cats = attribute("cats_strings", ["a", "b"]);
        check(
            op,
            &[names.clone().into()],
            std::slice::from_ref(&cats),
            &[expected.into()],
        );
        refused(
            op,
            &[names.into()],
            &[cats.clone(), attribute("zeros", 0)],
            "not a category",
        );
        refused(op, &[x.into()], &[cats], "require `cats_int64s`");
    }
}
