//! Where the values between kernels lie in one buffer: those that never live at the same time share their place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

use crate::error::{Problem, invalid};

/// A value begins on a cache line.
const GRAIN: usize = 16;

/// Up to so many values are placed by size, which compares each with each; more are placed in the order of steps.
const MAX_COMPARED: usize = 2048;

/// A value that wants a place.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Words: of four bytes, an f32 each, or whatever else of that size.
    pub length: usize,
    /// The step that writes it.
    pub first: usize,
    /// The last step that reads it.
    pub last: usize,
    /// The tenant that it is a part of, and where it begins there: a value that a Concat would otherwise copy.
    pub inside: Option<(usize, usize)>,
}

impl Allocation {
    /// One that is no part of another.
    pub fn new(length: usize, first: usize, last: usize) -> Allocation {
        Allocation {
            length,
            first,
            last,
            inside: None,
        }
    }
}

/// Makes a tenant a part of another, which then lives as long as both.
pub fn settle_inside(tenants: &mut [Allocation], part: usize, whole: usize, begins: usize) {
    debug_assert!(part < whole);
    tenants[part].inside = Some((whole, begins));
    let (first, last) = (tenants[part].first, tenants[part].last);
    tenants[whole].first = tenants[whole].first.min(first);
    keep_until(tenants, whole, last);
}

/// Makes a tenant, and all that it is a part of, live until a step.
pub fn keep_until(tenants: &mut [Allocation], mut at: usize, step: usize) {
    loop {
        tenants[at].last = tenants[at].last.max(step);
        match tenants[at].inside {
            Some((whole, _)) => at = whole,
            None => return,
        }
    }
}

/// Places for all, and the words needed; the parts of others lie in their place.
pub fn place(tenants: &[Allocation]) -> (Vec<usize>, usize) {
    let whole: Vec<usize> = (0..tenants.len())
        .filter(|&at| tenants[at].inside.is_none())
        .collect();
    let (mut offsets, total) = match whole.len() {
        ..=MAX_COMPARED => place_by_size(tenants, whole),
        _ => place_by_step(tenants, whole),
    };
    // What a part lies in comes after it.
    for at in (0..tenants.len()).rev() {
        if let Some((whole, begins)) = tenants[at].inside {
            offsets[at] = offsets[whole] + begins;
        }
    }
    (offsets, total)
}

/// The largest first, each at the lowest place that is free for as long as it lives.
fn place_by_size(tenants: &[Allocation], mut order: Vec<usize>) -> (Vec<usize>, usize) {
    order.sort_by_key(|&at| (Reverse(tenants[at].length), tenants[at].first));
    let mut offsets = vec![0; tenants.len()];
    let mut placed: Vec<usize> = Vec::with_capacity(tenants.len());
    let mut total = 0;
    for at in order {
        let one = &tenants[at];
        let room = one.length.next_multiple_of(GRAIN);
        let mut taken: Vec<Range<usize>> = placed
            .iter()
            .filter(|&&other| tenants[other].first <= one.last && one.first <= tenants[other].last)
            .map(|&other| offsets[other]..offsets[other] + tenants[other].length.next_multiple_of(GRAIN))
            .collect();
        taken.sort_by_key(|range| range.start);
        let mut offset = 0;
        for range in taken {
            if range.start >= offset + room {
                break;
            }
            offset = offset.max(range.end);
        }
        offsets[at] = offset;
        total = total.max(offset + room);
        placed.push(at);
    }
    (offsets, total)
}

/// In the order in which they are written, each in the smallest gap that is free then and large enough, or behind all. This
/// takes time in proportion to the number of values, and some more room than the order by size.
fn place_by_step(tenants: &[Allocation], mut order: Vec<usize>) -> (Vec<usize>, usize) {
    order.sort_by_key(|&at| (tenants[at].first, Reverse(tenants[at].length)));
    let mut offsets = vec![0; tenants.len()];
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut gaps = Gaps::default();
    let mut total = 0;
    for at in order {
        let one = &tenants[at];
        while let Some(&Reverse((_, gone))) = ends.peek().filter(|Reverse((last, _))| *last < one.first) {
            ends.pop();
            gaps.free(offsets[gone], tenants[gone].length.next_multiple_of(GRAIN));
        }
        let room = one.length.next_multiple_of(GRAIN);
        offsets[at] = gaps.take(room).unwrap_or_else(|| {
            total += room;
            total - room
        });
        ends.push(Reverse((one.last, at)));
    }
    (offsets, total)
}

/// Free parts of the arena: none is empty, and no two are neighbours.
#[derive(Default)]
struct Gaps {
    /// Start to length.
    by_start: BTreeMap<usize, usize>,
    /// Length and start.
    by_length: BTreeSet<(usize, usize)>,
}

impl Gaps {
    /// The start of so much room, in the smallest gap that has it.
    fn take(&mut self, room: usize) -> Option<usize> {
        if room == 0 {
            return Some(0);
        }
        let &(length, start) = self.by_length.range((room, 0)..).next()?;
        self.remove(start, length);
        self.insert(start + room, length - room);
        Some(start)
    }

    /// Makes room free, together with the gaps beside it.
    fn free(&mut self, mut start: usize, mut length: usize) {
        if let Some((&before, &own)) = self.by_start.range(..start).next_back()
            && before + own == start
        {
            self.remove(before, own);
            (start, length) = (before, length + own);
        }
        if let Some((&after, &own)) = self.by_start.range(start + length..).next()
            && start + length == after
        {
            self.remove(after, own);
            length += own;
        }
        self.insert(start, length);
    }

    fn insert(&mut self, start: usize, length: usize) {
        if length > 0 {
            self.by_start.insert(start, length);
            self.by_length.insert((length, start));
        }
    }

    fn remove(&mut self, start: usize, length: usize) {
        self.by_start.remove(&start);
        self.by_length.remove(&(length, start));
    }
}

/// Operands and results.
pub type Lent<'a> = (Vec<&'a [f32]>, Vec<&'a mut [f32]>);

/// What a step reads and writes of the arena: `reads` may overlap each other, `writes` overlap nothing.
///
/// # Errors
/// When they do overlap, or leave the arena: the plan is wrong then.
pub fn borrow<'a>(
    arena: &'a mut [f32],
    reads: &[Range<usize>],
    writes: &[Range<usize>],
) -> Result<Lent<'a>, Problem> {
    let mut order: Vec<usize> = (0..writes.len()).collect();
    order.sort_by_key(|&at| writes[at].start);
    let mut taken: Vec<Option<&mut [f32]>> = writes.iter().map(|_| None).collect();
    let mut gaps: Vec<(usize, &[f32])> = Vec::with_capacity(writes.len() + 1);
    let (mut rest, mut at) = (arena, 0);
    for number in order {
        let range = &writes[number];
        let (Some(skip), length) = (range.start.checked_sub(at), range.len()) else {
            return invalid("two results of one step overlap in the arena");
        };
        let Some((gap, after)) = rest.split_at_mut_checked(skip) else {
            return invalid("a result lies outside of the arena");
        };
        let Some((own, after)) = after.split_at_mut_checked(length) else {
            return invalid("a result lies outside of the arena");
        };
        gaps.push((at, gap));
        taken[number] = Some(own);
        at = range.end;
        rest = after;
    }
    gaps.push((at, rest));
    let find = |range: &Range<usize>| {
        // Nothing overlaps with no words, wherever they lie.
        if range.is_empty() {
            return Ok(&[][..]);
        }
        let before = gaps.partition_point(|&(start, _)| start <= range.start);
        let inside = before.checked_sub(1).and_then(|last| {
            let (start, gap) = gaps[last];
            gap.get(range.start - start..range.end.checked_sub(start)?)
        });
        inside.ok_or_else(|| Problem::Invalid("an operand overlaps with a result in the arena".to_owned()))
    };
    let reads = reads.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok((reads, taken.into_iter().flatten().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_live_at_different_times_share_their_place() {
        let chain = [
            Allocation::new(100, 0, 1),
            Allocation::new(50, 1, 2),
            Allocation::new(100, 2, 3),
        ];
        let (offsets, total) = place(&chain);
        assert_eq!(offsets[0], offsets[2]);
        assert_ne!(offsets[0], offsets[1]);
        assert_eq!(total, 112 + 64);
    }

    /// Values of these lengths, steps and last readers lie apart as long as both live, and need no more room than this.
    #[track_caller]
    fn check_apart(values: &[(usize, usize, usize)], most: usize) {
        let tenants: Vec<Allocation> = values
            .iter()
            .map(|&(length, first, last)| Allocation::new(length, first, last))
            .collect();
        for (name, (offsets, total)) in [
            ("size", place_by_size(&tenants, (0..tenants.len()).collect())),
            ("step", place_by_step(&tenants, (0..tenants.len()).collect())),
        ] {
            assert!(total <= most, "by {name}: {total} words");
            for (a, one) in tenants.iter().enumerate() {
                assert!(offsets[a] + one.length <= total, "by {name}: {a}");
                for (b, other) in tenants.iter().enumerate().skip(a + 1) {
                    let together = one.first <= other.last && other.first <= one.last;
                    let apart =
                        offsets[a] + one.length <= offsets[b] || offsets[b] + other.length <= offsets[a];
                    assert!(!together || apart, "by {name}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn values_that_live_together_lie_apart() {
        let chain: Vec<_> = (0..50).map(|step| (16, step, step + 1)).collect();
        check_apart(&chain, 32);
        let wide: Vec<_> = (0..50).map(|step| (16 + step, step, 50)).collect();
        check_apart(&wide, 50 * 80);
        let mixed: Vec<_> = (0..200)
            .map(|step| (step * 37 % 101, step, step + step * 13 % 7))
            .collect();
        check_apart(&mixed, 1000);
    }

    #[test]
    fn parts_lie_in_their_whole() {
        // Of two values one, which with a third makes the last; another lives beside all.
        let mut tenants = [
            (16, 0, 1),
            (32, 1, 2),
            (48, 2, 3),
            (16, 3, 4),
            (64, 4, 5),
            (16, 0, 5),
        ]
        .map(|(length, first, last)| Allocation::new(length, first, last));
        settle_inside(&mut tenants, 0, 2, 0);
        settle_inside(&mut tenants, 1, 2, 16);
        settle_inside(&mut tenants, 2, 4, 0);
        settle_inside(&mut tenants, 3, 4, 48);
        let (offsets, total) = place(&tenants);
        assert_eq!(offsets, [0, 16, 0, 48, 0, 64]);
        assert_eq!(total, 80);
        assert_eq!((tenants[4].first, tenants[4].last), (0, 5));
    }

    #[test]
    fn operands_and_results_are_lent_apart() {
        let mut arena = vec![0.0; 8];
        let (reads, mut writes) = borrow(&mut arena, &[0..2, 1..2, 6..8], &[4..6, 2..4]).unwrap();
        assert_eq!(reads.iter().map(|read| read.len()).collect::<Vec<_>>(), [2, 1, 2]);
        writes[0].fill(1.0);
        writes[1].fill(2.0);
        assert_eq!(arena, [0.0, 0.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
        let one = std::slice::from_ref::<Range<usize>>;
        assert!(borrow(&mut arena, one(&(1..3)), one(&(2..4))).is_err());
        assert!(borrow(&mut arena, &[], &[2..4, 3..5]).is_err());
        // No words in the middle of a result: the place of an empty operand of a concatenation.
        let (reads, _) = borrow(&mut arena, one(&(3..3)), one(&(2..5))).unwrap();
        assert_eq!(reads, [&[0.0; 0]]);
    }
}
