//! Bounds of integers.

use super::expr::{Atom, Expr};
use super::operation::Operation;
use super::symbols::Symbols;
impl Symbols {
    /// The least and the greatest value, as far as they are known.
    pub fn bounds(&self, expr: &Expr) -> (i64, i64) {
        let (mut least, mut most) = (i128::from(expr.constant), i128::from(expr.constant));
        for term in &expr.terms {
            let (low, high) = self.product_bounds(&term.factors);
            let ends = [low, high].map(|end| end.map(|end| end.saturating_mul(i128::from(term.coefficient))));
            let [low, high] = if term.coefficient > 0 {
                ends
            } else {
                [ends[1], ends[0]]
            };
            least = low.map_or(i128::MIN, |low| least.saturating_add(low));
            most = high.map_or(i128::MAX, |high| most.saturating_add(high));
            if low.is_none() {
                least = i128::MIN / 2;
            }
            if high.is_none() {
                most = i128::MAX / 2;
            }
        }
        let clamp = |end: i128| end.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        (clamp(least), clamp(most))
    }

    /// The bounds of a product; `None` where there is none.
    pub(super) fn product_bounds(&self, factors: &[Atom]) -> (Option<i128>, Option<i128>) {
        let bounds = |atom: &Atom| {
            self.data(*atom)
                .map_or((i64::MIN, i64::MAX), |data| (data.least, data.most))
        };
        let low = |end: i64| (end != i64::MIN).then_some(i128::from(end));
        let high = |end: i64| (end != i64::MAX).then_some(i128::from(end));
        if let [atom] = factors {
            let (least, most) = bounds(atom);
            return (low(least), high(most));
        }
        let (mut least, mut most) = (Some(1_i128), Some(1_i128));
        for atom in factors {
            let (l, m) = bounds(atom);
            if l < 0 {
                return (None, None);
            }
            least = least.map(|known| known.saturating_mul(i128::from(l)));
            most = high(m).zip(most).map(|(m, known)| known.saturating_mul(m));
        }
        (least, most)
    }

    /// The bounds of a function that is no constant.
    pub(super) fn range(&self, operation: Operation, arguments: &[Expr]) -> (i64, i64) {
        let bounds: Vec<(i64, i64)> = arguments.iter().map(|argument| self.bounds(argument)).collect();
        match (operation, bounds.as_slice()) {
            (Operation::FloorDiv, &[(least, most), (divisor, _)]) => match least {
                // A quotient by at least 1 is nearer to 0.
                0.. => (0, most),
                _ if divisor >= 1 => (least, most.max(0)),
                _ => (i64::MIN, i64::MAX),
            },
            (Operation::TruncDiv, &[(least, most), _]) => (least.min(0), most.max(0)),
            (Operation::Remainder, &[_, (_, most)]) => (0, most.saturating_sub(1).max(0)),
            (Operation::Max, &[a, b]) => (a.0.max(b.0), a.1.max(b.1)),
            (Operation::Min, &[a, b]) => (a.0.min(b.0), a.1.min(b.1)),
            (Operation::Broadcast, &[a, b]) => (a.0.min(b.0), a.1.max(b.1)),
            (Operation::Slice, &[(_, most), ..]) => (0, most),
            (Operation::AtLeast | Operation::Equal, _) => (0, 1),
            (Operation::Select, &[_, a, b]) => (a.0.min(b.0), a.1.max(b.1)),
            (Operation::Scaled, _) => (0, i64::MAX),
            _ => (i64::MIN, i64::MAX),
        }
    }
}
