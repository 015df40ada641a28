//! Functions of integers that are no polynomials.

/// A function of integers. [`Operation::evaluate`] defines each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// ⌊a / b⌋ for positive b.
    FloorDiv,
    /// a / b for positive b, truncated to an integer.
    TruncDiv,
    /// a − b·⌊a / b⌋ for positive b.
    Remainder,
    /// The greater of two.
    Max,
    /// The lesser of two.
    Min,
    /// The extent to which two broadcast: the other one if one of them is 1.
    Broadcast,
    /// The number of positions that a slice selects: extent, start, end, step.
    Slice,
    /// The number of windows with `ceil_mode`, without one that starts in the padding at the end:
    /// extent, begin, end, span, stride.
    CeilInside,
    /// ⌊a · scale⌋, computed in float; the second argument has the bits of the scale.
    Scaled,
    /// 1 if the first is at least the second, otherwise 0.
    AtLeast,
    /// 1 if both are equal, otherwise 0.
    Equal,
    /// The second if the first is not 0, otherwise the third.
    Select,
    /// An element or extent that is counted from the end if it is negative: value, extent.
    FromEnd,
}

impl Operation {
    /// The value; `None` where the function is not defined or the value does not fit.
    pub fn evaluate(self, arguments: &[i64]) -> Option<i64> {
        match (self, arguments) {
            (Operation::FloorDiv, &[a, b]) if b > 0 => Some(a.div_euclid(b)),
            (Operation::TruncDiv, &[a, b]) if b > 0 => Some(a / b),
            (Operation::Remainder, &[a, b]) if b > 0 => Some(a.rem_euclid(b)),
            (Operation::Max, &[a, b]) => Some(a.max(b)),
            (Operation::Min, &[a, b]) => Some(a.min(b)),
            (Operation::Broadcast, &[1, b]) => Some(b),
            (Operation::Broadcast, &[a, b]) => (a == b || b == 1).then_some(a),
            (Operation::Slice, &[extent, start, end, step]) => sliced(extent, start, end, step),
            (Operation::CeilInside, &[extent, begin, end, span, stride]) if stride > 0 => {
                let room = extent.checked_add(begin)?.checked_add(end)?.checked_sub(span)?;
                let count = room
                    .checked_add(stride)?
                    .checked_add(stride - 1)?
                    .div_euclid(stride);
                let outside = count > 0 && (count - 1).checked_mul(stride)? >= extent + begin;
                Some(count - i64::from(outside))
            }
            (Operation::Scaled, &[a, bits]) => {
                let scale = f32::from_bits(u32::try_from(bits).ok()?);
                let scaled = (a as f32 * scale).floor();
                (0.0..9e15).contains(&scaled).then_some(scaled as i64)
            }
            (Operation::AtLeast, &[a, b]) => Some(i64::from(a >= b)),
            (Operation::Equal, &[a, b]) => Some(i64::from(a == b)),
            (Operation::Select, &[condition, a, b]) => Some(if condition != 0 { a } else { b }),
            (Operation::FromEnd, &[value, extent]) if value < 0 => value.checked_add(extent),
            (Operation::FromEnd, &[value, _]) => Some(value),
            _ => None,
        }
    }

    /// The name in texts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::FloorDiv => "floor",
            Operation::TruncDiv => "trunc",
            Operation::Remainder => "mod",
            Operation::Max => "max",
            Operation::Min => "min",
            Operation::Broadcast => "broadcast",
            Operation::Slice => "slice",
            Operation::CeilInside => "windows",
            Operation::Scaled => "scaled",
            Operation::AtLeast => "at_least",
            Operation::Equal => "equal",
            Operation::Select => "select",
            Operation::FromEnd => "from_end",
        }
    }
}

/// The number of positions that a slice selects, as Slice-13 clamps start and end.
fn sliced(extent: i64, start: i64, end: i64, step: i64) -> Option<i64> {
    if extent < 0 || step == 0 {
        return None;
    }
    let from_front = |value: i64| {
        if value < 0 {
            value.saturating_add(extent)
        } else {
            value
        }
    };
    let (start, end) = (from_front(start), from_front(end));
    let distance = match step {
        1.. => end.clamp(0, extent) - start.clamp(0, extent),
        _ => start.min(extent - 1).max(0).min(extent - 1) - end.min(extent - 1).max(-1),
    };
    i64::try_from(distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs())).ok()
}
