//! The elements of a small tensor in another order, or some of them: how pads and shapes are turned and cut.

use crate::call::Call;
use crate::extent::Expr;
use crate::fact::Content;

/// The extents, if each is a number.
pub(super) fn numbers(shape: &[Expr]) -> Option<Vec<i64>> {
    shape.iter().map(Expr::constant).collect()
}

/// The elements of the first input at the positions that `place` gives for each position of the result.
pub(super) fn rearranged(
    call: &mut Call<'_, '_>,
    to: &[Expr],
    place: impl Fn(&[i64]) -> Vec<i64>,
) -> Option<Content> {
    let count = call.is_short(to)?;
    let from = numbers(&call.shape(0).ok()?)?;
    let to = numbers(to)?;
    let at = |position: usize| flat(&place(&unflat(position, &to)?), &from);
    let places: Vec<usize> = (0..count).map(at).collect::<Option<_>>()?;
    if let Ok(list) = call.list(0) {
        let elements = places.iter().map(|&place| list.get(place).cloned());
        return elements.collect::<Option<_>>().map(Content::Integers);
    }
    let list = call.reals(0).ok()?;
    let elements = places.iter().map(|&place| list.get(place).copied());
    elements.collect::<Option<_>>().map(Content::Reals)
}

/// The index along each axis of an element in row-major order.
fn unflat(position: usize, shape: &[i64]) -> Option<Vec<i64>> {
    let mut rest = i64::try_from(position).ok()?;
    let mut index = vec![0; shape.len()];
    for (index, extent) in index.iter_mut().zip(shape).rev() {
        *index = rest.checked_rem(*extent)?;
        rest = rest.checked_div(*extent)?;
    }
    Some(index)
}

/// The place of an index in row-major order; `None` outside of the tensor.
fn flat(index: &[i64], shape: &[i64]) -> Option<usize> {
    let mut place = 0_i64;
    for (index, extent) in index.iter().zip(shape) {
        if !(0..*extent).contains(index) {
            return None;
        }
        place = place.checked_mul(*extent)?.checked_add(*index)?;
    }
    usize::try_from(place).ok()
}
