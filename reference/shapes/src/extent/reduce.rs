//! Functions of integers, as simple as they can be written.

use std::rc::Rc;

use super::expr::Expr;
use super::operation::Operation;
use super::symbols::{Kind, Symbols};
/// A function of more symbols and functions becomes unknown.
const MAX_SIZE: u32 = 100;
/// A scale that is a small whole number. Products with it, and quotients by a power of two, are exact in
/// float for every extent that occurs.
fn whole(scale: f32) -> Option<i64> {
    let is_whole = (1.0..=4096.0).contains(&scale) && scale.fract() == 0.0;
    is_whole.then_some(scale as i64)
}

impl Symbols {
    /// A function of integers, as simple as it can be written.
    pub fn apply(&mut self, operation: Operation, mut arguments: Vec<Expr>) -> Expr {
        let constants: Option<Vec<i64>> = arguments.iter().map(Expr::constant).collect();
        if let Some(constants) = constants {
            return match operation.evaluate(&constants) {
                Some(value) => value.into(),
                None => self.unknown(i64::MIN, i64::MAX),
            };
        }
        if let Some(known) = self.reduced(operation, &arguments) {
            return known;
        }
        if matches!(
            operation,
            Operation::Broadcast | Operation::Max | Operation::Min | Operation::Equal
        ) {
            arguments.sort_unstable();
        }
        let arguments: Rc<[Expr]> = arguments.into();
        let key = (operation, arguments);
        if let Some(&atom) = self.applied.get(&key) {
            return atom.into();
        }
        let inner = key.1.iter().flat_map(Expr::atoms);
        let size = inner.filter_map(|atom| self.data(atom)).map(|data| data.size);
        let size = size.fold(1, u32::saturating_add);
        let (least, most) = self.range(operation, &key.1);
        if size > MAX_SIZE {
            self.lost = true;
            return self.unknown(least, most);
        }
        let kind = Kind::Applied(operation, Rc::clone(&key.1));
        let atom = self.push(kind, least, most, size);
        self.applied.insert(key, atom);
        atom.into()
    }

    /// A function written without itself, where that is possible.
    pub(super) fn reduced(&mut self, operation: Operation, arguments: &[Expr]) -> Option<Expr> {
        match (operation, arguments) {
            (Operation::FloorDiv, [a, b]) => self.quotient(a, b),
            (Operation::TruncDiv, [a, b]) => match self.bounds(a).0 {
                0.. => Some(self.apply(Operation::FloorDiv, vec![a.clone(), b.clone()])),
                _ => a.exact_quotient(b),
            },
            (Operation::Remainder, [a, b]) => {
                let divisor = b.constant().filter(|&divisor| divisor > 0)?;
                let divides = a.content() % divisor == 0;
                divides.then(|| a.constant.rem_euclid(divisor).into())
            }
            (Operation::Max | Operation::Min, [a, b]) => {
                let (least, most) = self.bounds(&a.minus(b)?);
                let greater = operation == Operation::Max;
                match (least >= 0, most <= 0) {
                    (true, _) => Some(if greater { a.clone() } else { b.clone() }),
                    (_, true) => Some(if greater { b.clone() } else { a.clone() }),
                    _ => None,
                }
            }
            (Operation::Broadcast, [a, b]) => {
                let fixed = |extent: &Expr| self.bounds(extent).0 > 1 || extent.is(0);
                if a == b || b.is(1) || fixed(a) {
                    return Some(a.clone());
                }
                if a.is(1) || fixed(b) {
                    return Some(b.clone());
                }
                self.absorbed(a, b).map(|(extent, _)| extent)
            }
            (Operation::AtLeast, [a, b]) => match self.bounds(&a.minus(b)?) {
                (0.., _) => Some(1.into()),
                (_, ..0) => Some(0.into()),
                _ => None,
            },
            (Operation::Equal, [a, b]) => {
                let difference = a.minus(b)?;
                if self.nonzero(&difference) {
                    Some(0.into())
                } else {
                    difference.is(0).then(|| 1.into())
                }
            }
            (Operation::Select, [condition, a, b]) => match condition.constant() {
                Some(0) => Some(b.clone()),
                Some(_) => Some(a.clone()),
                None => (a == b).then(|| a.clone()),
            },
            (Operation::FromEnd, [value, extent]) => match self.bounds(value) {
                (0.., _) => Some(value.clone()),
                (_, ..0) => value.plus(extent),
                _ => None,
            },
            (Operation::Slice, [extent, start, end, step]) => self.slice(extent, start, end, step),
            (Operation::Scaled, [a, bits]) => {
                let scale = f32::from_bits(u32::try_from(bits.constant()?).ok()?);
                let is_inverse = |by: &i64| by & (by - 1) == 0 && scale * *by as f32 == 1.0;
                match (whole(scale), whole(scale.recip()).filter(is_inverse)) {
                    (Some(by), _) => a.scaled(by),
                    (None, Some(by)) => Some(self.apply(Operation::FloorDiv, vec![a.clone(), by.into()])),
                    (None, None) => None,
                }
            }
            _ => None,
        }
    }

    /// The extent to which two broadcast where one is in the other, and what it is then at most: a slice of
    /// at most 32 elements of N broadcasts with N only if it is all of them.
    pub(crate) fn absorbed(&self, a: &Expr, b: &Expr) -> Option<(Expr, Option<i64>)> {
        let inside = |a: &Expr, b: &Expr| match &self.data(b.atom()?)?.kind {
            Kind::Applied(Operation::Broadcast, parts) => parts.contains(a).then(|| (b.clone(), None)),
            Kind::Applied(Operation::Min, parts) if parts.contains(a) => {
                let most = parts.iter().find_map(Expr::constant).filter(|&most| most > 1)?;
                Some((a.clone(), Some(most)))
            }
            _ => None,
        };
        inside(a, b).or_else(|| inside(b, a))
    }

    pub(super) fn quotient(&mut self, a: &Expr, b: &Expr) -> Option<Expr> {
        if b.constant().is_some_and(|divisor| divisor <= 0) {
            return None;
        }
        if let Some(quotient) = a.exact_quotient(b) {
            return Some(quotient);
        }
        let Some(divisor) = b.constant() else {
            let common = a.common_factor(b);
            if common.is(1) {
                return None;
            }
            let (a, b) = (a.exact_quotient(&common)?, b.exact_quotient(&common)?);
            return Some(self.apply(Operation::FloorDiv, vec![a, b]));
        };
        // What the divisor divides leaves the quotient.
        let (mut whole, mut rest) = (Expr::from(a.constant.div_euclid(divisor)), Expr::default());
        rest.constant = a.constant.rem_euclid(divisor);
        for term in &a.terms {
            let (side, coefficient) = match term.coefficient % divisor {
                0 => (&mut whole, term.coefficient / divisor),
                _ => (&mut rest, term.coefficient),
            };
            let mut term = term.clone();
            term.coefficient = coefficient;
            side.terms.push(term);
        }
        if rest.terms.is_empty() {
            return Some(whole);
        }
        // ⌊(⌊x / a⌋ + c) / b⌋ = ⌊(x + a·c) / (a·b)⌋
        if let [term] = rest.terms.as_slice()
            && let (1, [atom]) = (term.coefficient, term.factors.as_slice())
            && let Some(Kind::Applied(Operation::FloorDiv, inner)) = self.data(*atom).map(|data| &data.kind)
            && let [x, by] = &**inner
            && let Some(by) = by.constant()
            && let (Some(shift), Some(product)) = (rest.constant.checked_mul(by), divisor.checked_mul(by))
            && let Some(x) = x.plus(&shift.into())
        {
            let nested = self.apply(Operation::FloorDiv, vec![x, product.into()]);
            return whole.plus(&nested);
        }
        let trivial = whole.is(0);
        if trivial && rest == *a {
            return None;
        }
        let rest = self.apply(Operation::FloorDiv, vec![rest, divisor.into()]);
        whole.plus(&rest)
    }

    /// A slice with a step of 1 and known ends.
    pub(super) fn slice(&mut self, extent: &Expr, start: &Expr, end: &Expr, step: &Expr) -> Option<Expr> {
        if !step.is(1) || self.bounds(extent).0 < 0 {
            return None;
        }
        let start = start.constant()?;
        // An end that no extent exceeds.
        let open = end.constant().is_some_and(|end| end >= i64::from(i32::MAX)) || end == extent;
        let zero = Expr::from(0);
        match (start, open) {
            (0, true) => Some(extent.clone()),
            (1.., true) => {
                let rest = extent.plus(&start.checked_neg()?.into())?;
                Some(self.apply(Operation::Max, vec![rest, zero]))
            }
            (..0, true) => {
                Some(self.apply(Operation::Min, vec![start.checked_neg()?.into(), extent.clone()]))
            }
            (0, false) => match self.bounds(end) {
                (0.., _) => Some(self.apply(Operation::Min, vec![end.clone(), extent.clone()])),
                (_, ..0) => {
                    let rest = extent.plus(end)?;
                    Some(self.apply(Operation::Max, vec![rest, zero]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the expression is not 0 for any value of its atoms.
    pub(super) fn nonzero(&self, expr: &Expr) -> bool {
        let (least, most) = self.bounds(expr);
        let content = expr.content();
        least > 0 || most < 0 || (content > 1 && expr.constant % content != 0)
    }
}
