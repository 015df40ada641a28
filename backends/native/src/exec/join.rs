//! Concatenations without copies: the inputs are computed in the memory of the result.

use std::ops::Range;

use super::arena::{Allocation, place_inside};

/// Places the operands of a concatenation inside of its result. Returns the positions of those that must be
/// copied: operands that are not in the arena, are already part of another value, or occur twice.
pub fn join(
    allocations: &mut [Allocation],
    whole: usize,
    operands: &[Option<usize>],
    places: &[Range<usize>],
) -> Vec<usize> {
    let mut copied = Vec::new();
    for (position, (operand, place)) in operands.iter().zip(places).enumerate() {
        match *operand {
            Some(part) if allocations[part].inside.is_none() && allocations[part].length == place.len() => {
                place_inside(allocations, part, whole, place.start);
            }
            _ => copied.push(position),
        }
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_that_cannot_be_computed_in_place_are_copied() {
        let mut allocations = [
            Allocation::new(16, 0, 3),
            Allocation::new(16, 1, 2),
            Allocation::new(64, 3, 4),
        ];
        let operands = [Some(0), None, Some(1), Some(0)];
        let places = [0..16, 16..32, 32..48, 48..64];
        assert_eq!(join(&mut allocations, 2, &operands, &places), [1, 3]);
        assert_eq!(allocations[1].inside, Some((2, 32)));
        assert_eq!(allocations[2].first, 0);
    }
}
