//! Comparison of integers, and what follows from their equality.

use std::rc::Rc;

use super::expr::{Atom, Expr};
use super::symbols::{Kind, Symbols};
/// What a comparison of two integers says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compared {
    /// They are equal, now that a symbol is bound if that was needed.
    Equal,
    /// They may be equal.
    Open,
    /// They are not equal.
    Different,
}

impl Symbols {
    /// Compares two integers and binds a symbol if that makes them equal.
    pub(crate) fn equate(&mut self, a: &Expr, b: &Expr, cause: &Rc<str>) -> Compared {
        let (a, b) = (self.simplified(a), self.simplified(b));
        if a == b {
            return Compared::Equal;
        }
        let Some(difference) = a.minus(&b) else {
            return Compared::Open;
        };
        if self.nonzero(&difference) {
            return Compared::Different;
        }
        match self.solved(&difference) {
            Some((atom, to)) => {
                let (least, most) = self.bounds(&to);
                let data = self.data(atom).map_or((0, 0), |data| (data.least, data.most));
                if most < data.0 || least > data.1 {
                    return Compared::Different;
                }
                self.bind(atom, to, cause);
                Compared::Equal
            }
            None => Compared::Open,
        }
    }

    /// Whether two integers are surely different or surely equal; binds nothing.
    pub(crate) fn compare(&mut self, a: &Expr, b: &Expr) -> Compared {
        let (a, b) = (self.simplified(a), self.simplified(b));
        match a.minus(&b) {
            Some(difference) if difference.is(0) => Compared::Equal,
            Some(difference) if self.nonzero(&difference) => Compared::Different,
            _ => Compared::Open,
        }
    }

    /// The symbol whose value makes the expression 0: an unnamed one before a named one, a newer one
    /// before an older one.
    pub(super) fn solved(&self, difference: &Expr) -> Option<(Atom, Expr)> {
        let content = difference.content();
        let mut best: Option<(bool, Atom, i64)> = None;
        for term in &difference.terms {
            let &[atom] = term.factors.as_slice() else {
                continue;
            };
            let coefficient = term.coefficient / content.max(1);
            if !matches!(coefficient, 1 | -1) || !self.is_free(atom) || self.is_elsewhere(atom, difference) {
                continue;
            }
            let unnamed = self.name(atom).is_none();
            if best.is_none_or(|(known, before, _)| (unnamed, atom) > (known, before)) {
                best = Some((unnamed, atom, coefficient));
            }
        }
        let (_, atom, coefficient) = best?;
        let mut rest = difference.clone();
        rest.terms.retain(|term| term.factors.as_slice() != [atom]);
        for term in &mut rest.terms {
            term.coefficient = (term.coefficient / content.max(1)).checked_mul(-coefficient)?;
        }
        rest.constant = (rest.constant / content.max(1)).checked_mul(-coefficient)?;
        Some((atom, rest))
    }

    /// Whether the atom occurs in a product or inside of a function.
    pub(super) fn is_elsewhere(&self, atom: Atom, expr: &Expr) -> bool {
        expr.terms.iter().any(|term| match term.factors.as_slice() {
            [only] if *only == atom => false,
            factors => factors
                .iter()
                .any(|&other| other == atom || self.is_inside(atom, other)),
        })
    }

    pub(super) fn is_inside(&self, atom: Atom, other: Atom) -> bool {
        match self.data(other).map(|data| &data.kind) {
            Some(Kind::Applied(_, arguments)) => arguments
                .iter()
                .flat_map(Expr::atoms)
                .any(|inner| inner == atom || self.is_inside(atom, inner)),
            _ => false,
        }
    }

    /// Which nodes decided the symbols of these expressions: the symbol, what it is, and by what.
    pub(crate) fn causes(&mut self, exprs: &[&Expr]) -> Vec<String> {
        let mut atoms: Vec<Atom> = exprs.iter().flat_map(|expr| expr.atoms()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut texts = Vec::new();
        for atom in atoms {
            let Some((_, cause)) = self.data(atom).and_then(|data| data.bound.clone()) else {
                continue;
            };
            let value = self.simplified(&atom.into());
            let name = self.name(atom).unwrap_or("an extent").to_owned();
            texts.push(format!("{name} is {} by {cause}", self.text(&value)));
        }
        texts.truncate(3);
        texts
    }
}
