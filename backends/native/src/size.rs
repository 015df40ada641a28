//! How large a value may be: the one rule for whatever a model, its inputs or its attributes ask for.

use crate::error::Problem;

/// The most elements that a value may have, extents of 0 left aside: as many as one tensor of a file can have.
///
/// An empty value with a huge extent beside the 0 is refused too: no product of some of its extents overflows then, and no
/// loop over one of them takes longer than over a value of the most elements.
pub const MAX_ELEMENTS: usize = 1 << 30;

/// The most elements that an operator over whole values works on: in 64 bits they are the 2 GiB that the reference lets
/// one value take.
const MAX_WORKED_ON: usize = 1 << 28;

/// Bytes that such an operator needs for each element at most: a copy in 64 bits, where it comes from, and a run of one.
const WORKING_BYTES: usize = 40;

/// Less memory than this is not asked for beforehand.
const SMALL: usize = 64 << 20;

/// The elements that a shape has.
///
/// # Errors
/// Where it has more than [`MAX_ELEMENTS`], extents of 0 left aside.
pub fn count(shape: &[usize]) -> Result<usize, Problem> {
    if !is_bounded(shape) {
        return Err(Problem::TooLarge {
            shape: shape.to_vec(),
            limit: MAX_ELEMENTS,
        });
    }
    Ok(shape.iter().product())
}

/// Whether the product of these extents, those of 0 left aside, is one that a value may have.
pub fn is_bounded(extents: &[usize]) -> bool {
    onnx_tensor::footprint(extents).is_ok_and(|product| product <= MAX_ELEMENTS)
}

/// Fails where there is no memory to work on so many elements as whole values. A failed allocation would end the process; so
/// a large one is tried beforehand, and given back untouched.
pub fn has_room(elements: usize) -> Result<(), Problem> {
    let bytes = elements.saturating_mul(WORKING_BYTES);
    if bytes <= SMALL {
        return Ok(());
    }
    let tried = match elements {
        ..=MAX_WORKED_ON => Vec::<u8>::new().try_reserve_exact(bytes).ok(),
        _ => None,
    };
    tried.ok_or(Problem::Memory { bytes })
}

#[cfg(test)]
mod tests {
    use super::{MAX_ELEMENTS, count};

    #[test]
    fn extents_beside_a_zero_are_bounded_too() {
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
