//! Expressions as text, their symbols, and their values.

use std::collections::HashMap;

use super::expr::{Atom, Expr};
use super::operation::Operation;
use super::symbols::{Kind, Symbols};
impl Symbols {
    /// The expression as text: `2*N + 1`, `floor(H, 2)`. An unnamed symbol is `?`.
    pub fn text(&self, expr: &Expr) -> String {
        let mut text = String::new();
        for term in &expr.terms {
            let factors: Vec<String> = term.factors.iter().map(|&atom| self.atom_text(atom)).collect();
            let product = factors.join("*");
            let sign = match (text.is_empty(), term.coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text += sign;
            match term.coefficient.unsigned_abs() {
                1 => text += &product,
                other => text += &format!("{other}*{product}"),
            }
        }
        match (text.is_empty(), expr.constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant @ ..0) => format!("{text} - {}", constant.unsigned_abs()),
            (false, constant) => format!("{text} + {constant}"),
        }
    }

    pub(super) fn atom_text(&self, atom: Atom) -> String {
        match self.data(atom).map(|data| &data.kind) {
            Some(Kind::Named(name)) => name.to_string(),
            Some(Kind::Applied(operation, arguments)) => {
                let mut arguments: Vec<String> =
                    arguments.iter().map(|argument| self.text(argument)).collect();
                if let (Operation::Scaled, Some(scale)) = (operation, arguments.last_mut()) {
                    let bits = scale.parse().map(f32::from_bits);
                    bits.iter().for_each(|factor| *scale = factor.to_string());
                }
                format!("{}({})", operation.name(), arguments.join(", "))
            }
            Some(Kind::Unknown) | None => "?".to_owned(),
        }
    }

    /// Whether every symbol of the expression has a name of the model.
    pub fn is_named(&self, expr: &Expr) -> bool {
        expr.atoms()
            .all(|atom| match self.data(atom).map(|data| &data.kind) {
                Some(Kind::Named(_)) => true,
                Some(Kind::Applied(_, arguments)) => arguments.iter().all(|argument| self.is_named(argument)),
                Some(Kind::Unknown) | None => false,
            })
    }

    /// The free symbols of the expression, also inside of functions.
    pub fn free(&mut self, expr: &Expr) -> Vec<Atom> {
        let mut found = Vec::new();
        let simple = self.simplified(expr);
        self.collect_free(&simple, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn collect_free(&self, expr: &Expr, found: &mut Vec<Atom>) {
        for atom in expr.atoms() {
            match self.data(atom).map(|data| &data.kind) {
                Some(Kind::Applied(_, arguments)) => {
                    arguments
                        .iter()
                        .for_each(|argument| self.collect_free(argument, found));
                }
                Some(Kind::Named(_) | Kind::Unknown) => found.push(atom),
                None => {}
            }
        }
    }

    /// The value of the expression where the free symbols have these values; `None` if one has none, or
    /// if a function is not defined there.
    pub fn evaluate(&mut self, expr: &Expr, values: &HashMap<Atom, i64>) -> Option<i64> {
        let simple = self.simplified(expr);
        self.evaluated(&simple, values)
    }

    /// Like [`Symbols::evaluate`], for an expression without bound symbols.
    pub(crate) fn evaluated(&self, expr: &Expr, values: &HashMap<Atom, i64>) -> Option<i64> {
        let mut sum = expr.constant;
        for term in &expr.terms {
            let mut product = term.coefficient;
            for &atom in &term.factors {
                let value = match values.get(&atom) {
                    Some(value) => *value,
                    None => match &self.data(atom)?.kind {
                        Kind::Applied(operation, arguments) => {
                            let arguments: Option<Vec<i64>> = arguments
                                .iter()
                                .map(|argument| self.evaluated(argument, values))
                                .collect();
                            operation.evaluate(&arguments?)?
                        }
                        Kind::Named(_) | Kind::Unknown => return None,
                    },
                };
                product = product.checked_mul(value)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}
