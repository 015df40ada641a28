//! The search for the values of a formula.

use super::super::pattern::{Around, operator};
use super::{Formula, Found};
use crate::ir::{Node, ValueId, shape};

/// Values of names, found so far.
pub struct Search<'a, 'g> {
    around: &'a Around<'g>,
    values: Vec<(&'static str, ValueId)>,
}

/// What else has to fit. Where it does not, the search takes the next alternative.
type Rest<'r, 'a, 'g> = &'r mut dyn FnMut(&mut Search<'a, 'g>) -> bool;

impl<'a, 'g> Search<'a, 'g> {
    pub fn new(around: &'a Around<'g>) -> Search<'a, 'g> {
        Search {
            around,
            values: Vec::new(),
        }
    }

    /// Runs a search to its first result.
    pub fn run(mut self, fits: impl FnOnce(&mut Self, Rest<'_, 'a, 'g>) -> bool) -> Option<Found<'a, 'g>> {
        fits(&mut self, &mut |_| true).then_some(Found {
            around: self.around,
            values: self.values,
        })
    }

    /// Whether a value is computed by the formula, and the rest fits too. The operands beside it have up to
    /// `axes` axes.
    pub fn value(&mut self, formula: &Formula, id: ValueId, axes: usize, rest: Rest<'_, 'a, 'g>) -> bool {
        let around = self.around;
        match formula {
            Formula::Any => rest(self),
            Formula::Constant => around.graph.constant(id).is_some() && rest(self),
            Formula::Scalar => around.is_scalar(id, axes, None) && rest(self),
            Formula::Number(number) => around.is_scalar(id, axes, Some(*number)) && rest(self),
            Formula::Named(name, inner) => self.named(name, inner, id, axes, rest),
            Formula::Once(inner) => around.uses(id) == 1 && self.value(inner, id, axes, rest),
            Formula::Either(all) => all.iter().any(|one| self.value(one, id, axes, rest)),
            Formula::Call(_) | Formula::Terms(..) => {
                let producer = around.producer(id);
                producer.is_some_and(|(_, node)| self.node(formula, node, rest))
            }
        }
    }

    fn named(
        &mut self,
        name: &'static str,
        inner: &Formula,
        id: ValueId,
        axes: usize,
        rest: Rest<'_, 'a, 'g>,
    ) -> bool {
        let known = self.values.len();
        match self.values.iter().find(|(other, _)| *other == name) {
            Some((_, same)) if *same != id => return false,
            Some(_) => {}
            None => self.values.push((name, id)),
        }
        let fits = self.value(inner, id, axes, rest);
        if !fits {
            self.values.truncate(known);
        }
        fits
    }

    /// Whether a node computes the formula, and the rest fits too.
    pub fn node(&mut self, formula: &Formula, node: &Node, rest: Rest<'_, 'a, 'g>) -> bool {
        match formula {
            Formula::Either(all) => all.iter().any(|one| self.node(one, node, rest)),
            Formula::Call(call) => {
                let operands: Vec<ValueId> = node.inputs.iter().map_while(|input| *input).collect();
                is_named(node, call.operator)
                    && operands.len() >= call.operands.len()
                    && call.test.is_none_or(|test| test(self.around, node))
                    && self.in_order(&call.operands, &operands, 0, rest)
            }
            Formula::Terms(operator, terms) => {
                let groupings = self.groupings(node, operator, terms.len());
                groupings
                    .iter()
                    .any(|operands| self.in_any_order(terms, operands, &mut Vec::new(), rest))
            }
            _ => false,
        }
    }

    /// Whether the operands from a position on fit in their order.
    fn in_order(
        &mut self,
        formulas: &[Formula],
        operands: &[ValueId],
        at: usize,
        rest: Rest<'_, 'a, 'g>,
    ) -> bool {
        let Some(formula) = formulas.get(at) else {
            return rest(self);
        };
        let axes = self.axes_beside(operands, at);
        self.value(formula, operands[at], axes, &mut |search| {
            search.in_order(formulas, operands, at + 1, rest)
        })
    }

    /// Whether the operands that are not taken yet fit the other terms in some order.
    fn in_any_order(
        &mut self,
        terms: &[Formula],
        operands: &[ValueId],
        taken: &mut Vec<usize>,
        rest: Rest<'_, 'a, 'g>,
    ) -> bool {
        let Some(term) = terms.get(taken.len()) else {
            return rest(self);
        };
        (0..operands.len()).any(|at| {
            if taken.contains(&at) {
                return false;
            }
            let axes = self.axes_beside(operands, at);
            taken.push(at);
            let fits = self.value(term, operands[at], axes, &mut |search| {
                search.in_any_order(terms, operands, taken, rest)
            });
            taken.truncate(taken.len() - usize::from(!fits));
            fits
        })
    }

    /// Returns the most axes of the variable operands beside one.
    fn axes_beside(&self, operands: &[ValueId], at: usize) -> usize {
        let graph = self.around.graph;
        let variable = |&(other, id): &(usize, &ValueId)| other != at && graph.constant(*id).is_none();
        let axes = |(_, id): (usize, &ValueId)| shape(graph.known(*id)).map_or(0, <[_]>::len);
        operands
            .iter()
            .enumerate()
            .filter(variable)
            .map(axes)
            .max()
            .unwrap_or(0)
    }

    /// Returns the operands of every grouping of a sum or product of `count` terms.
    fn groupings(&self, node: &Node, operator: &str, count: usize) -> Vec<Vec<ValueId>> {
        let [Some(a), Some(b)] = node.inputs[..] else {
            return Vec::new();
        };
        if !is_named(node, operator) {
            return Vec::new();
        }
        let side = |id: ValueId, count: usize| match (count, self.around.sole_producer(id)) {
            (1, _) => vec![vec![id]],
            (_, Some((_, inner))) => self.groupings(inner, operator, count),
            (_, None) => Vec::new(),
        };
        let mut all = Vec::new();
        for left in 1..count {
            let rights = side(b, count - left);
            for left in side(a, left) {
                all.extend(rights.iter().map(|right| [&left[..], right].concat()));
            }
        }
        all
    }
}

/// Whether a node has this operator of `ai.onnx`, in a version that broadcasts.
fn is_named(node: &Node, name: &str) -> bool {
    let old = |since: u32| since < 7 && matches!(name, "Add" | "Sub" | "Mul" | "Div" | "Pow");
    operator(node).is_some_and(|found| found.schema.name == name && !old(found.schema.since))
}
