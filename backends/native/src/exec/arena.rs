//! Placement of values between kernels in one buffer. Values that are never live at the same time share
//! memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

use crate::error::{Problem, invalid};

/// The alignment of a value in words: one cache line.
const ALIGNMENT: usize = 16;

/// Up to this number, values are placed by size, which compares all pairs. More are placed in the order of
/// steps.
const MAX_COMPARED: usize = 2048;

/// A value to be placed.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The size in words of four bytes.
    pub length: usize,
    /// The step that writes the value.
    pub first: usize,
    /// The last step that reads the value.
    pub last: usize,
    /// The allocation that contains it, and its offset there; used for the inputs of a Concat.
    pub inside: Option<(usize, usize)>,
}

impl Allocation {
    /// Makes an allocation that is not part of another.
    pub fn new(length: usize, first: usize, last: usize) -> Allocation {
        Allocation {
            length,
            first,
            last,
            inside: None,
        }
    }
}

/// Places an allocation inside of another, which then lives as long as both.
pub fn place_inside(allocations: &mut [Allocation], part: usize, whole: usize, begins: usize) {
    debug_assert!(part < whole);
    allocations[part].inside = Some((whole, begins));
    let (first, last) = (allocations[part].first, allocations[part].last);
    allocations[whole].first = allocations[whole].first.min(first);
    keep_until(allocations, whole, last);
}

/// Extends the life of an allocation, and of all that contain it, until a step.
pub fn keep_until(allocations: &mut [Allocation], mut at: usize, step: usize) {
    loop {
        allocations[at].last = allocations[at].last.max(step);
        match allocations[at].inside {
            Some((whole, _)) => at = whole,
            None => return,
        }
    }
}

/// Returns the offset of each allocation and the total size in words.
pub fn place(allocations: &[Allocation]) -> (Vec<usize>, usize) {
    let whole: Vec<usize> = (0..allocations.len())
        .filter(|&at| allocations[at].inside.is_none())
        .collect();
    let (mut offsets, total) = match whole.len() {
        ..=MAX_COMPARED => place_by_size(allocations, whole),
        _ => place_by_step(allocations, whole),
    };
    // An allocation comes before the one that contains it.
    for at in (0..allocations.len()).rev() {
        if let Some((whole, begins)) = allocations[at].inside {
            offsets[at] = offsets[whole] + begins;
        }
    }
    (offsets, total)
}

/// Places the largest first, each at the lowest offset that is free during its life.
fn place_by_size(allocations: &[Allocation], mut order: Vec<usize>) -> (Vec<usize>, usize) {
    order.sort_by_key(|&at| (Reverse(allocations[at].length), allocations[at].first));
    let mut offsets = vec![0; allocations.len()];
    let mut placed: Vec<usize> = Vec::with_capacity(allocations.len());
    let mut total = 0;
    for at in order {
        let one = &allocations[at];
        let room = one.length.next_multiple_of(ALIGNMENT);
        let mut taken: Vec<Range<usize>> = placed
            .iter()
            .filter(|&&other| allocations[other].first <= one.last && one.first <= allocations[other].last)
            .map(|&other| {
                offsets[other]..offsets[other] + allocations[other].length.next_multiple_of(ALIGNMENT)
            })
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

/// Places in the order of the writing steps, each in the smallest gap that is large enough, or at the end.
/// The time is proportional to the number of values; the total is somewhat larger than by size.
fn place_by_step(allocations: &[Allocation], mut order: Vec<usize>) -> (Vec<usize>, usize) {
    order.sort_by_key(|&at| (allocations[at].first, Reverse(allocations[at].length)));
    let mut offsets = vec![0; allocations.len()];
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut gaps = Gaps::default();
    let mut total = 0;
    for at in order {
        let one = &allocations[at];
        while let Some(&Reverse((_, gone))) = ends.peek().filter(|Reverse((last, _))| *last < one.first) {
            ends.pop();
            gaps.free(
                offsets[gone],
                allocations[gone].length.next_multiple_of(ALIGNMENT),
            );
        }
        let room = one.length.next_multiple_of(ALIGNMENT);
        offsets[at] = gaps.take(room).unwrap_or_else(|| {
            total += room;
            total - room
        });
        ends.push(Reverse((one.last, at)));
    }
    (offsets, total)
}

/// Free ranges of the arena. None is empty, and no two are adjacent.
#[derive(Default)]
struct Gaps {
    /// The length of each range, by its start.
    by_start: BTreeMap<usize, usize>,
    /// The length and start of each range.
    by_length: BTreeSet<(usize, usize)>,
}

impl Gaps {
    /// Takes `room` words from the smallest gap that is large enough; returns their start.
    fn take(&mut self, room: usize) -> Option<usize> {
        if room == 0 {
            return Some(0);
        }
        let &(length, start) = self.by_length.range((room, 0)..).next()?;
        self.remove(start, length);
        self.insert(start + room, length - room);
        Some(start)
    }

    /// Frees a range and merges it with adjacent gaps.
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

/// The operands and results of a step.
pub type Borrowed<'a> = (Vec<&'a [f32]>, Vec<&'a mut [f32]>);

/// Borrows the ranges that a step reads and writes. Ranges in `reads` may overlap each other; ranges in
/// `writes` overlap nothing.
///
/// # Errors
/// If a range in `writes` overlaps another, or a range is outside of the arena. The plan is wrong then.
pub fn borrow<'a>(
    arena: &'a mut [f32],
    reads: &[Range<usize>],
    writes: &[Range<usize>],
) -> Result<Borrowed<'a>, Problem> {
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
            return invalid("a result is outside of the arena");
        };
        let Some((own, after)) = after.split_at_mut_checked(length) else {
            return invalid("a result is outside of the arena");
        };
        gaps.push((at, gap));
        taken[number] = Some(own);
        at = range.end;
        rest = after;
    }
    gaps.push((at, rest));
    let find = |range: &Range<usize>| {
        // An empty range overlaps nothing.
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
    fn values_that_live_at_different_times_share_memory() {
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

    /// Checks that values of these lengths, steps and last readers do not overlap while both live, and need
    /// at most `max` words.
    #[track_caller]
    fn check_apart(values: &[(usize, usize, usize)], max: usize) {
        let allocations: Vec<Allocation> = values
            .iter()
            .map(|&(length, first, last)| Allocation::new(length, first, last))
            .collect();
        for (name, (offsets, total)) in [
            (
                "size",
                place_by_size(&allocations, (0..allocations.len()).collect()),
            ),
            (
                "step",
                place_by_step(&allocations, (0..allocations.len()).collect()),
            ),
        ] {
            assert!(total <= max, "by {name}: {total} words");
            for (a, one) in allocations.iter().enumerate() {
                assert!(offsets[a] + one.length <= total, "by {name}: {a}");
                for (b, other) in allocations.iter().enumerate().skip(a + 1) {
                    let together = one.first <= other.last && other.first <= one.last;
                    let apart =
                        offsets[a] + one.length <= offsets[b] || offsets[b] + other.length <= offsets[a];
                    assert!(!together || apart, "by {name}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn values_that_live_at_the_same_time_do_not_overlap() {
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
    fn parts_are_inside_of_their_whole() {
        // The second contains the first, the last contains the second and the third; another lives as long as
        // all.
        let mut allocations = [
            (16, 0, 1),
            (32, 1, 2),
            (48, 2, 3),
            (16, 3, 4),
            (64, 4, 5),
            (16, 0, 5),
        ]
        .map(|(length, first, last)| Allocation::new(length, first, last));
        place_inside(&mut allocations, 0, 2, 0);
        place_inside(&mut allocations, 1, 2, 16);
        place_inside(&mut allocations, 2, 4, 0);
        place_inside(&mut allocations, 3, 4, 48);
        let (offsets, total) = place(&allocations);
        assert_eq!(offsets, [0, 16, 0, 48, 0, 64]);
        assert_eq!(total, 80);
        assert_eq!((allocations[4].first, allocations[4].last), (0, 5));
    }

    #[test]
    fn operands_and_results_do_not_overlap() {
        let mut arena = vec![0.0; 8];
        let (reads, mut writes) = borrow(&mut arena, &[0..2, 1..2, 6..8], &[4..6, 2..4]).unwrap();
        assert_eq!(reads.iter().map(|read| read.len()).collect::<Vec<_>>(), [2, 1, 2]);
        writes[0].fill(1.0);
        writes[1].fill(2.0);
        assert_eq!(arena, [0.0, 0.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
        let one = std::slice::from_ref::<Range<usize>>;
        assert!(borrow(&mut arena, one(&(1..3)), one(&(2..4))).is_err());
        assert!(borrow(&mut arena, &[], &[2..4, 3..5]).is_err());
        // An empty range inside of a result: an empty operand of a concatenation.
        let (reads, _) = borrow(&mut arena, one(&(3..3)), one(&(2..5))).unwrap();
        assert_eq!(reads, [&[0.0; 0]]);
    }
}
