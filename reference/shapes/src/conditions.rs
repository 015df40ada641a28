//! Arithmetic of extents, and the conditions that they must meet.

use crate::call::Call;
use crate::constraint::Relation;
use crate::extent::{Compared, Expr, Operation};
use crate::fact::Shape;
use crate::finding::{Outcome, Stop, conflict, parameter, wrong_rank};

impl Call<'_, '_> {
    // Arithmetic. What is not followed is unknown.

    pub fn unknown(&mut self) -> Expr {
        self.state.symbols.extent()
    }

    /// An unknown extent of at most this.
    pub fn up_to(&mut self, most: &Expr) -> Expr {
        let (_, most) = self.state.symbols.bounds(most);
        self.state.symbols.unknown(0, most)
    }

    pub fn unknowns(&mut self, count: usize) -> Shape {
        (0..count).map(|_| self.unknown()).collect()
    }

    pub fn simple(&mut self, expr: &Expr) -> Expr {
        self.state.symbols.simplified(expr)
    }

    /// An unknown integer in place of one that is too large to be followed.
    fn or_any(&mut self, result: Option<Expr>) -> Expr {
        result.unwrap_or_else(|| self.state.symbols.unknown(i64::MIN, i64::MAX))
    }

    pub fn add(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.or_any(a.plus(b))
    }

    pub fn sub(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.or_any(a.minus(b))
    }

    pub fn mul(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.or_any(a.times(b))
    }

    pub fn product<'e>(&mut self, factors: impl IntoIterator<Item = &'e Expr>) -> Expr {
        factors
            .into_iter()
            .fold(1.into(), |known, factor| self.mul(&known, factor))
    }

    pub fn sum<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Expr {
        parts
            .into_iter()
            .fold(0.into(), |known, part| self.add(&known, part))
    }

    pub fn apply<const N: usize>(&mut self, operation: Operation, arguments: [Expr; N]) -> Expr {
        self.state.symbols.apply(operation, arguments.into())
    }

    /// ⌊a / b⌋ for a positive b.
    pub fn floor_div(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.apply(Operation::FloorDiv, [a.clone(), b.clone()])
    }

    /// ⌈a / b⌉ for a positive constant.
    pub fn ceil_div(&mut self, a: &Expr, b: i64) -> Expr {
        let more = self.add(a, &(b - 1).into());
        self.floor_div(&more, &b.into())
    }

    // Conditions.

    /// Both must be equal: ``inner extents 3 and 4 differ``. Returns the simpler one.
    pub fn equal(&mut self, a: &Expr, b: &Expr, what: &'static str) -> Outcome<Expr> {
        let held = self.state.symbols.compare(a, b) == Compared::Equal;
        match self.state.symbols.equate(a, b, &self.cause) {
            // What a body binds is undone after it, and is a condition for inputs.
            Compared::Equal if !held && self.state.conditional > 0 => {
                let relation = Relation::Equal(a.clone(), b.clone());
                self.state.require(&self.cause, what, relation);
            }
            Compared::Equal => {}
            Compared::Open => {
                let relation = Relation::Equal(a.clone(), b.clone());
                self.state.require(&self.cause, what, relation);
            }
            Compared::Different => {
                let text = format!("{what} {} and {} differ", self.shown(a), self.shown(b));
                return conflict(text);
            }
        }
        let (a, b) = (self.simple(a), self.simple(b));
        Ok(if b.constant().is_some() { b } else { a })
    }

    /// All extents must be equal.
    pub fn same_shape(&mut self, a: &[Expr], b: &[Expr], what: &'static str) -> Outcome<Shape> {
        if a.len() != b.len() {
            return wrong_rank(format!("{what} of rank {} and {} differ", a.len(), b.len()));
        }
        a.iter().zip(b).map(|(a, b)| self.equal(a, b, what)).collect()
    }

    /// The value of an expression as text, with symbols replaced.
    pub fn shown(&mut self, expr: &Expr) -> String {
        let simple = self.simple(expr);
        self.state.symbols.text(&simple)
    }

    /// The first must be at least the second; `what` is said if not.
    pub fn at_least(&mut self, a: &Expr, b: &Expr, what: &'static str) -> Outcome<()> {
        let (a, b) = (self.simple(a), self.simple(b));
        let Some(difference) = a.minus(&b) else {
            return Ok(());
        };
        match self.state.symbols.bounds(&difference) {
            (0.., _) => Ok(()),
            (_, ..0) => parameter(format!(
                "{what}: {} is less than {}",
                self.shown(&a),
                self.shown(&b)
            )),
            _ => {
                self.state.require(&self.cause, what, Relation::AtLeast(a, b));
                Ok(())
            }
        }
    }

    /// The first must be a multiple of the second.
    pub fn multiple(&mut self, a: &Expr, b: &Expr, what: &'static str) -> Outcome<Expr> {
        let (a, b) = (self.simple(a), self.simple(b));
        if b.is(0) {
            return match a.constant() {
                Some(0) | None => Err(Stop::Unknown),
                Some(_) => conflict(format!("{what}: {} is no multiple of 0", self.shown(&a))),
            };
        }
        if let (Some(x), Some(y)) = (a.constant(), b.constant())
            && x.checked_rem(y).is_none_or(|rest| rest != 0)
        {
            return conflict(format!("{what}: {x} is no multiple of {y}"));
        }
        if a.exact_quotient(&b).is_none() {
            self.state
                .require(&self.cause, what, Relation::Multiple(a.clone(), b.clone()));
        }
        Ok(self.floor_div(&a, &b))
    }

    /// The extents to which these broadcast.
    pub fn broadcast(&mut self, shapes: &[Shape]) -> Outcome<Shape> {
        let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let mut result = Vec::with_capacity(rank);
        for from_end in (0..rank).rev() {
            let mut extent = Expr::from(1);
            for shape in shapes {
                if let Some(at) = shape.len().checked_sub(from_end + 1) {
                    extent = self.broadcast_extent(&extent, &shape[at])?;
                }
            }
            result.push(extent);
        }
        Ok(result)
    }

    /// The extent to which two broadcast.
    pub fn broadcast_extent(&mut self, a: &Expr, b: &Expr) -> Outcome<Expr> {
        let (a, b) = (self.simple(a), self.simple(b));
        if a == b || b.is(1) {
            return Ok(a);
        }
        if a.is(1) {
            return Ok(b);
        }
        let never_one = |expr: &Expr, symbols: &crate::Symbols| {
            let (least, _) = symbols.bounds(expr);
            least > 1 || expr.is(0)
        };
        let symbols = &self.state.symbols;
        let (of_a, of_b) = (never_one(&a, symbols), never_one(&b, symbols));
        if of_a && of_b {
            return self.equal(&a, &b, "extents that must broadcast,");
        }
        match self.state.symbols.absorbed(&a, &b) {
            Some((extent, most)) => {
                if let Some(most) = most {
                    let relation = Relation::AtLeast(most.into(), extent.clone());
                    self.state.require(&self.cause, "broadcast", relation);
                }
                Ok(extent)
            }
            None => {
                let relation = Relation::Broadcast(a.clone(), b.clone());
                self.state.require(&self.cause, "broadcast", relation);
                Ok(self.apply(Operation::Broadcast, [a, b]))
            }
        }
    }

    /// The second must broadcast to the first without changing it.
    pub fn broadcast_to(&mut self, to: &[Expr], from: &[Expr]) -> Outcome<()> {
        if from.len() > to.len() {
            return wrong_rank(format!(
                "rank {} does not broadcast to rank {}",
                from.len(),
                to.len()
            ));
        }
        for (to, from) in to.iter().rev().zip(from.iter().rev()) {
            let from = self.simple(from);
            let (least, _) = self.state.symbols.bounds(&from);
            if from.is(1) {
                continue;
            }
            if least > 1 || from.is(0) || self.state.symbols.compare(to, &from) == Compared::Equal {
                self.equal(to, &from, "extents that must broadcast,")?;
            } else {
                let relation = Relation::Broadcast(to.clone(), from);
                self.state.require(&self.cause, "broadcast", relation);
            }
        }
        Ok(())
    }
}
