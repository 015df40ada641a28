//! Concatenations without copies: what is put side by side is computed in its place.

use std::ops::Range;

use super::arena::{Allocation, settle_inside};

/// Makes the operands of a concatenation parts of its result, and gives those that have to be copied, by position: what is
/// not in the arena, a part of something else already, or there twice.
pub fn join(
    tenants: &mut [Allocation],
    whole: usize,
    operands: &[Option<usize>],
    places: &[Range<usize>],
) -> Vec<usize> {
    let mut copied = Vec::new();
    for (position, (operand, place)) in operands.iter().zip(places).enumerate() {
        match *operand {
            Some(part) if tenants[part].inside.is_none() && tenants[part].length == place.len() => {
                settle_inside(tenants, part, whole, place.start);
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
    fn what_cannot_be_computed_in_place_is_copied() {
        let mut tenants = [
            Allocation::new(16, 0, 3),
            Allocation::new(16, 1, 2),
            Allocation::new(64, 3, 4),
        ];
        let operands = [Some(0), None, Some(1), Some(0)];
        let places = [0..16, 16..32, 32..48, 48..64];
        assert_eq!(join(&mut tenants, 2, &operands, &places), [1, 3]);
        assert_eq!(tenants[1].inside, Some((2, 32)));
        assert_eq!(tenants[2].first, 0);
    }
}
