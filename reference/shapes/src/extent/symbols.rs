//! The table of unknown integers: what they are equal to, and between which bounds they are.

use std::collections::HashMap;
use std::rc::Rc;

use super::expr::{Atom, Expr};
use super::operation::Operation;

/// What an atom stands for.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A name that the model gives to an extent.
    Named(Rc<str>),
    /// A number that the model does not name.
    Unknown,
    /// A function of other integers.
    Applied(Operation, Rc<[Expr]>),
}

#[derive(Clone, Debug)]
pub(super) struct Data {
    pub kind: Kind,
    pub least: i64,
    pub most: i64,
    /// The number of functions and symbols in it.
    pub size: u32,
    pub bound: Option<(Expr, Rc<str>)>,
    /// The value at a version of the table.
    pub cached: Option<(u64, Expr)>,
}

/// The state of the table to which [`Symbols::undo`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

/// The table of atoms. An atom that is found equal to an expression is bound to it.
#[derive(Clone, Default, Debug)]
pub struct Symbols {
    atoms: Vec<Data>,
    named: HashMap<Rc<str>, Atom>,
    pub(super) applied: HashMap<(Operation, Rc<[Expr]>), Atom>,
    trail: Vec<Atom>,
    version: u64,
    /// Whether a function became unknown because it has too many parts.
    pub(crate) lost: bool,
}

/// Chains of bound symbols that are longer are followed later.
const MAX_CHAIN: u32 = 100;

impl Symbols {
    /// A new unknown extent.
    pub fn extent(&mut self) -> Expr {
        self.unknown(0, i64::MAX)
    }

    /// A new unknown integer between two bounds.
    pub fn unknown(&mut self, least: i64, most: i64) -> Expr {
        self.push(Kind::Unknown, least, most, 1).into()
    }

    /// The extent of this name.
    pub fn named(&mut self, name: &str) -> Atom {
        if let Some(&atom) = self.named.get(name) {
            return atom;
        }
        let name: Rc<str> = name.into();
        let atom = self.push(Kind::Named(Rc::clone(&name)), 0, i64::MAX, 1);
        self.named.insert(name, atom);
        atom
    }

    /// The extent of this name, if the name occurred.
    pub fn lookup(&self, name: &str) -> Option<Atom> {
        self.named.get(name).copied()
    }

    /// The name of an atom, if the model gives it one.
    pub fn name(&self, atom: Atom) -> Option<&str> {
        match &self.data(atom)?.kind {
            Kind::Named(name) => Some(name),
            Kind::Unknown | Kind::Applied(..) => None,
        }
    }

    /// The number of atoms.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Whether there is no atom.
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// Whether nothing is known of the atom but its bounds and its uses.
    pub fn is_free(&self, atom: Atom) -> bool {
        self.data(atom)
            .is_some_and(|data| data.bound.is_none() && !matches!(data.kind, Kind::Applied(..)))
    }

    pub(super) fn data(&self, atom: Atom) -> Option<&Data> {
        self.atoms.get(atom.0 as usize)
    }

    pub(super) fn push(&mut self, kind: Kind, least: i64, most: i64, size: u32) -> Atom {
        let atom = Atom(self.atoms.len() as u32);
        self.atoms.push(Data {
            kind,
            least,
            most,
            size,
            bound: None,
            cached: None,
        });
        atom
    }

    /// The present state.
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets what was bound since then.
    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            if let Some(atom) = self.trail.pop()
                && let Some(data) = self.atoms.get_mut(atom.0 as usize)
            {
                data.bound = None;
            }
        }
        self.version += 1;
    }

    pub(super) fn bind(&mut self, atom: Atom, to: Expr, cause: &Rc<str>) {
        if let Some(data) = self.atoms.get_mut(atom.0 as usize) {
            data.bound = Some((to, Rc::clone(cause)));
            self.trail.push(atom);
            self.version += 1;
        }
    }

    /// The expression with every bound symbol replaced.
    pub fn simplified(&mut self, expr: &Expr) -> Expr {
        self.simplify(expr, 0)
    }

    fn simplify(&mut self, expr: &Expr, chain: u32) -> Expr {
        if expr.terms.is_empty() || self.trail.is_empty() || chain > MAX_CHAIN {
            return expr.clone();
        }
        let mut sum = Expr::from(expr.constant);
        let mut changed = false;
        for term in &expr.terms {
            let mut product = Expr::from(term.coefficient);
            for &atom in &term.factors {
                let value = self.value(atom, chain);
                changed |= value.atom() != Some(atom);
                match product.times(&value) {
                    Some(next) => product = next,
                    None => return expr.clone(),
                }
            }
            match sum.plus(&product) {
                Some(next) => sum = next,
                None => return expr.clone(),
            }
        }
        if changed { sum } else { expr.clone() }
    }

    fn value(&mut self, atom: Atom, chain: u32) -> Expr {
        let Some(data) = self.data(atom) else {
            return atom.into();
        };
        if let Some((version, value)) = &data.cached
            && *version == self.version
        {
            return value.clone();
        }
        let value = match (&data.bound, &data.kind) {
            (Some((to, _)), _) => {
                let to = to.clone();
                self.simplify(&to, chain + 1)
            }
            (None, Kind::Applied(operation, arguments)) => {
                let (operation, arguments) = (*operation, Rc::clone(arguments));
                let simple: Vec<Expr> = arguments
                    .iter()
                    .map(|argument| self.simplify(argument, chain + 1))
                    .collect();
                if simple.as_slice() == &*arguments {
                    atom.into()
                } else {
                    self.apply(operation, simple)
                }
            }
            (None, _) => atom.into(),
        };
        let version = self.version;
        if let Some(data) = self.atoms.get_mut(atom.0 as usize) {
            data.cached = Some((version, value.clone()));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extent::Compared;

    #[test]
    fn forms_are_canonical() {
        let mut symbols = Symbols::default();
        let [n, h] = ["N", "H"].map(|name| Expr::from(symbols.named(name)));
        let half =
            |symbols: &mut Symbols, x: &Expr| symbols.apply(Operation::FloorDiv, vec![x.clone(), 2.into()]);
        let one_more = h.plus(&1.into()).unwrap();
        let first = half(&mut symbols, &one_more);
        let second = half(&mut symbols, &first.plus(&1.into()).unwrap());
        assert_eq!(symbols.text(&second), "floor(H + 3, 4)");
        let product = n.times(&h).unwrap().scaled(6).unwrap();
        let quotient = symbols.apply(Operation::FloorDiv, vec![product, n.scaled(2).unwrap()]);
        assert_eq!(symbols.text(&quotient), "3*H");
        let even = n.scaled(4).unwrap().plus(&3.into()).unwrap();
        let even = half(&mut symbols, &even);
        assert_eq!(symbols.text(&even), "2*N + 1");
    }

    #[test]
    fn equal_symbols_are_bound_and_released() {
        let mut symbols = Symbols::default();
        let cause: Rc<str> = "node `a`".into();
        let [n, m] = ["N", "M"].map(|name| Expr::from(symbols.named(name)));
        let mark = symbols.mark();
        assert_eq!(
            symbols.equate(&n.scaled(2).unwrap(), &6.into(), &cause),
            Compared::Equal
        );
        assert_eq!(symbols.equate(&m, &n, &cause), Compared::Equal);
        assert_eq!(symbols.equate(&m, &4.into(), &cause), Compared::Different);
        assert_eq!(symbols.causes(&[&m]), ["M is 3 by node `a`"]);
        symbols.undo(mark);
        assert_eq!(symbols.compare(&m, &4.into()), Compared::Open);
        let odd = n.scaled(2).unwrap();
        assert_eq!(
            symbols.compare(&odd, &5.into()),
            Compared::Different,
            "an even number"
        );
        assert_eq!(
            symbols.compare(&n, &(-1).into()),
            Compared::Different,
            "no extent"
        );
    }

    #[test]
    fn functions_are_evaluated() {
        let mut symbols = Symbols::default();
        let n = symbols.named("N");
        let wide = symbols.apply(Operation::Broadcast, vec![n.into(), 1.into()]);
        assert_eq!(wide, n.into());
        let slice = |start: i64, end: i64| vec![n.into(), start.into(), end.into(), 1.into()];
        for (start, end, of_7) in [
            (2, i64::MAX, 5),
            (-3, i64::MAX, 3),
            (0, -2, 5),
            (0, 3, 3),
            (1, -1, 5),
        ] {
            let slice = symbols.apply(Operation::Slice, slice(start, end));
            assert_eq!(symbols.evaluate(&slice, &HashMap::from([(n, 7)])), Some(of_7));
            assert_eq!(symbols.evaluate(&slice, &HashMap::new()), None);
        }
    }
}
