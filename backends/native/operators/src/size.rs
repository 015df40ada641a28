//! The limit of the size of a value, for all sizes that a model, its inputs or its attributes determine.

use crate::error::Problem;

/// The maximum number of elements of a value, extents of 0 not counted; the same as for one tensor of a file.
///
/// An empty value with a huge extent is refused too. So no product of some of its extents overflows, and no
/// loop over one of them takes longer than over the largest value.
pub const MAX_ELEMENTS: usize = 1 << 30;

/// The maximum number of elements for an operator over whole values. With 64 bits per element they take 2
/// GiB, the limit of one value in the reference.
const MAX_WORKED_ON: usize = 1 << 28;

/// The maximum number of bytes of the strings of a value: 2 GiB, the limit of one value in the reference.
const MAX_TEXT: usize = 1 << 31;

/// The maximum number of bytes that such an operator needs for each element: a copy of 64 bits, its source
/// position, and a run of one element.
const WORKING_BYTES: usize = 40;

/// Smaller sizes are not checked in advance.
const SMALL: usize = 64 << 20;

/// Returns the number of elements of a shape.
///
/// # Errors
/// If it exceeds [`MAX_ELEMENTS`], extents of 0 not counted.
pub fn count(shape: &[usize]) -> Result<usize, Problem> {
    if !is_bounded(shape) {
        return Err(Problem::TooLarge {
            shape: shape.to_vec(),
            limit: MAX_ELEMENTS,
        });
    }
    Ok(shape.iter().product())
}

/// Whether the product of the non-zero extents is at most [`MAX_ELEMENTS`].
pub fn is_bounded(extents: &[usize]) -> bool {
    onnx_tensor::footprint(extents).is_ok_and(|product| product <= MAX_ELEMENTS)
}

/// Fails if there is not enough memory to work on this number of elements as whole values. A failed
/// allocation would end the process, so a large one is tried in advance and freed untouched.
pub fn has_room(elements: usize) -> Result<(), Problem> {
    let bytes = elements.saturating_mul(WORKING_BYTES);
    match elements {
        ..=MAX_WORKED_ON => can_allocate(bytes),
        _ => Err(Problem::Memory { bytes }),
    }
}

/// Fails if a value of strings is too large: more than [`MAX_TEXT`] bytes of text, or more than there is
/// memory for. The number of elements does not bound it, because a string has any length.
pub fn has_room_for_text(bytes: usize) -> Result<(), Problem> {
    match bytes {
        ..=MAX_TEXT => can_allocate(bytes),
        _ => Err(Problem::Memory { bytes }),
    }
}

fn can_allocate(bytes: usize) -> Result<(), Problem> {
    if bytes <= SMALL {
        return Ok(());
    }
    let tried = Vec::<u8>::new().try_reserve_exact(bytes).ok();
    tried.ok_or(Problem::Memory { bytes })
}

#[cfg(test)]
mod tests {
    use super::{MAX_ELEMENTS, count};

    #[test]
    fn extents_next_to_a_zero_are_bounded_too() {
        assert_eq!(count(&[]).ok(), Some(1));
        assert_eq!(count(&[0, 7]).ok(), Some(0));
        assert_eq!(count(&[2, 3, 1]).ok(), Some(6));
        assert_eq!(count(&[0, MAX_ELEMENTS]).ok(), Some(0));
        for shape in [
            &[MAX_ELEMENTS + 1][..],
            &[0, MAX_ELEMENTS + 1],
            &[1 << 40, 0],
            &[1 << 20, 0, 1 << 20],
            &[usize::MAX, usize::MAX],
        ] {
            assert!(count(shape).is_err(), "{shape:?}");
        }
    }
}
