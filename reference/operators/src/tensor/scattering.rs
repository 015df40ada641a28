//! The core of the Scatter family: writes runs of updates to a copy of the data, with or without a
//! reduction.
//!
//! A reduction is applied update by update, in row-major order of the updates, and rounded (or wrapped) to
//! the element type each time, as the specification writes: `output[i] = f(output[i], update)`. Without a
//! reduction the specification leaves the order of updates open and forbids two updates of one element; two
//! equal updates are accepted, two different ones are an error.

use std::collections::HashMap;

use onnx_tensor::{Complex32, Complex64, Element, Real, Tensor, dispatch};

use crate::frame::{Call, Deviation, OpError};
use crate::shared::extremum::{Extremum, NanOrder, of_two};
use crate::shared::layout;

/// How an updated element is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduction {
    None,
    Add,
    Mul,
    Max,
    Min,
}

impl Reduction {
    /// The attribute `reduction` of version 16, which has `none`, `add` and `mul`; `max` and `min` are a
    /// deviation.
    pub(super) fn of_version_16(call: &Call<'_>) -> Result<Reduction, OpError> {
        let name = call.string("reduction")?;
        Reduction::sums(name).or_else(|refusal| {
            let reduction = Reduction::all(name)?;
            call.deviate(Deviation::ScatterExtremum, refusal)?;
            Ok(reduction)
        })
    }

    /// `none`, `add` and `mul`: the names of version 16.
    fn sums(name: &str) -> Result<Reduction, OpError> {
        match name {
            "none" => Ok(Reduction::None),
            "add" => Ok(Reduction::Add),
            "mul" => Ok(Reduction::Mul),
            _ => Err(OpError::invalid(format!(
                "`reduction` is {name:?}, which this version does not have"
            ))),
        }
    }

    /// `max` and `min` as well: the names of version 18.
    pub(super) fn all(name: &str) -> Result<Reduction, OpError> {
        match name {
            "max" => Ok(Reduction::Max),
            "min" => Ok(Reduction::Min),
            _ => Reduction::sums(name),
        }
    }
}

/// A copy of `data` with runs of `length` elements of `updates` written at each position of `starts`.
pub(super) fn scatter(
    call: &Call<'_>,
    data: &Tensor,
    (starts, length): (&[usize], usize),
    updates: &Tensor,
    reduction: Reduction,
) -> Result<Tensor, OpError> {
    let targets = targets(starts, length, updates)?;
    let nan = NanOrder::of(call);
    match (reduction, data) {
        // Equal updates differ by their rounding: one of them.
        (Reduction::None, _) if call.rounding_seed().is_some() => layout::put(data, &targets, updates),
        (Reduction::None, _) => replace(data, &targets, updates),
        (_, Tensor::Complex64(_)) => {
            let f = complex(reduction, |a: Complex32, b| a + b, |a, b| a * b)?;
            apply(data, &targets, updates, &f)
        }
        (_, Tensor::Complex128(_)) => {
            let f = complex(reduction, |a: Complex64, b| a + b, |a, b| a * b)?;
            apply(data, &targets, updates, &f)
        }
        _ => dispatch!(real, data.dtype(), T => {
            let (greater, lesser) = (of_two(Extremum::Max, nan), of_two(Extremum::Min, nan));
            let f: &dyn Fn(T, T) -> T = match reduction {
                Reduction::Add => &Real::add,
                Reduction::Mul => &Real::mul,
                Reduction::Max => &greater,
                Reduction::Min | Reduction::None => &lesser,
            };
            apply(data, &targets, updates, f)
        }),
    }
}

/// Complex numbers have sums and products, but no order.
fn complex<T>(
    reduction: Reduction,
    add: fn(T, T) -> T,
    mul: fn(T, T) -> T,
) -> Result<fn(T, T) -> T, OpError> {
    match reduction {
        Reduction::Add => Ok(add),
        Reduction::Mul => Ok(mul),
        _ => Err(OpError::undefined("complex numbers have no order")),
    }
}

/// The position in the data of each update.
fn targets(starts: &[usize], length: usize, updates: &Tensor) -> Result<Vec<usize>, OpError> {
    if starts.len().checked_mul(length) != Some(updates.len()) {
        let (places, found) = (starts.len(), updates.len());
        return Err(OpError::invalid(format!(
            "got {found} updates for {places} positions of {length} elements"
        )));
    }
    Ok(starts.iter().flat_map(|&start| start..start + length).collect())
}

fn replace(data: &Tensor, targets: &[usize], updates: &Tensor) -> Result<Tensor, OpError> {
    if is_repeated(targets, data.len()) {
        let mut first: HashMap<usize, usize> = HashMap::new();
        let (mut earlier, mut later) = (Vec::new(), Vec::new());
        for (number, &target) in targets.iter().enumerate() {
            if let Some(before) = first.insert(target, number) {
                earlier.push(before);
                later.push(number);
            }
        }
        let pick = |numbers: &[usize]| layout::runs(updates, &[numbers.len()], numbers, 1);
        if !pick(&earlier)?.same_bits(&pick(&later)?) {
            return Err(OpError::undefined(
                "two different updates of one element, whose order is not specified",
            ));
        }
    }
    layout::put(data, targets, updates)
}

/// Whether two positions of `count` are equal.
fn is_repeated(positions: &[usize], count: usize) -> bool {
    let mut seen = vec![false; count];
    // A position outside is refused by whoever reads there.
    let mut places = positions.iter().filter(|&&position| position < count);
    places.any(|&position| std::mem::replace(&mut seen[position], true))
}

fn apply<T: Element + Copy>(
    data: &Tensor,
    targets: &[usize],
    updates: &Tensor,
    f: &dyn Fn(T, T) -> T,
) -> Result<Tensor, OpError> {
    let (mut elements, updates) = (data.to_vec::<T>()?, updates.to_vec::<T>()?);
    for (&target, &update) in targets.iter().zip(&updates) {
        let element = elements.get_mut(target);
        let element = element.ok_or_else(|| OpError::invalid(format!("there is no element at {target}")))?;
        *element = f(*element, update);
    }
    Ok(Tensor::new(data.shape(), elements)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, f16};

    use crate::frame::testing::{attribute, exact, refused, refused_strictly, values};

    fn inputs<T: onnx_tensor::Element>(data: &[T], indices: &[i64], updates: &[T]) -> [Tensor; 3] {
        let vector = |elements: &[T]| Tensor::vector(elements.to_vec());
        [vector(data), Tensor::vector(indices.to_vec()), vector(updates)]
    }

    #[test]
    fn two_updates_of_one_element() {
        let differing = inputs(&[1_u8, 2], &[0, 0], &[7, 8]);
        refused(("", "ScatterElements", 18), &values(&differing), &[], "order");
        let alike = inputs(&[1_u8, 2], &[0, -2], &[7, 7]);
        exact(
            ("", "ScatterElements", 18),
            &alike,
            &[],
            &[Tensor::vector(vec![7_u8, 2])],
        );
    }

    #[test]
    fn reductions_round_and_wrap_at_each_update() {
        let add = [attribute("reduction", "add")];
        // 2048 + 1 is a tie that rounds to 2048, each time.
        let halves = inputs(&[2048.0, 0.0].map(f16::from_f32), &[0, 0], &[f16::ONE; 2]);
        let expected = [Tensor::vector([2048.0, 0.0].map(f16::from_f32).to_vec())];
        exact(("", "ScatterElements", 16), &halves, &add, &expected);
        let bytes = inputs(&[250_u8], &[0, 0], &[5, 5]);
        exact(
            ("", "ScatterElements", 16),
            &bytes,
            &add,
            &[Tensor::vector(vec![4_u8])],
        );
        refused_strictly(
            ("", "ScatterElements", 16),
            &values(&bytes),
            &[attribute("reduction", "max")],
            "version",
        );
        refused(
            ("", "ScatterElements", 18),
            &values(&inputs(&[true], &[0], &[true])),
            &add,
            "bool",
        );
    }

    #[test]
    fn updates_beyond_a_cache_are_rejected() {
        let row = |elements: &[u8]| Tensor::new(&[1, elements.len(), 1], elements.to_vec()).unwrap();
        let cache = |at: i64| [row(&[0, 0, 0]), row(&[7, 8]), Tensor::vector(vec![at])];
        refused(
            ("", "TensorScatter", 24),
            &values(&cache(2)),
            &[],
            "outside a cache",
        );
        exact(
            ("", "TensorScatter", 24),
            &cache(2),
            &[attribute("mode", "circular")],
            &[row(&[8, 0, 7])],
        );
    }
}
