//! Formulas, and where a graph computes them.
//!
//! A fusion states what it replaces as a formula of values: `0.5 * x() * (1.0 + erf(x() / SQRT_2))`. The
//! terms of a sum and the factors of a product match in every order and grouping, [`either`] lists
//! alternatives, and a number matches the constant that is nearest to it in its type. A name stands for the
//! same value wherever it occurs.

mod search;

use std::ops::{Add, Div, Mul, Sub};

use onnx_tensor::Tensor;

use super::Report;
use super::pattern::{Around, Links};
use crate::ir::{Graph, Node, Op, Operator, ValueId};
use search::Search;

/// What decides whether a node fits beyond its operator and operands.
pub type Test = fn(&Around, &Node) -> bool;

/// What computes a value.
#[derive(Clone)]
pub enum Formula {
    Any,
    Constant,
    /// A constant of one element, which adds no axes to the operands beside it.
    Scalar,
    /// The scalar that is nearest to this number in its type.
    Number(f64),
    Named(&'static str, Box<Formula>),
    /// A value that only one node reads.
    Once(Box<Formula>),
    /// The first of these that fits.
    Either(Vec<Formula>),
    /// An operator over its first operands.
    Call(Call),
    /// The sum (`Add`) or product (`Mul`) of these in any order and grouping.
    Terms(&'static str, Vec<Formula>),
}

/// An operator over its first operands.
#[derive(Clone)]
pub struct Call {
    operator: &'static str,
    operands: Vec<Formula>,
    test: Option<Test>,
}

/// An operator and its operands.
pub type Made = (Operator, Vec<ValueId>);

/// An operator that computes a formula at once.
pub struct Fusion {
    /// What it replaces.
    pub formula: Formula,
    /// The operator and its operands, where they fit.
    pub make: fn(&Around, &Found) -> Option<Made>,
}

/// Replaces each node that computes the formula of a fusion. The other nodes of the formula are then dead.
pub fn fuse(graph: &mut Graph, fusions: &[Fusion]) -> Report {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let around = links.around(graph);
        let made = fusions
            .iter()
            .find_map(|fusion| (fusion.make)(&around, &fusion.formula.of_node(&around, node)?));
        let Some((operator, operands)) = made else {
            continue;
        };
        report.push(format!(
            "`{}` and the nodes before it become a {}",
            node.name, operator.schema.name
        ));
        let replacement = Node {
            op: Op::Plain(operator),
            inputs: operands.into_iter().map(Some).collect(),
            ..node.clone()
        };
        links.replace(graph, at, replacement);
    }
    report
}

impl Formula {
    /// The same formula of a node that passes a test.
    pub fn when(self, test: Test) -> Formula {
        match self {
            Formula::Call(call) => Formula::Call(Call {
                test: Some(test),
                ..call
            }),
            other => other,
        }
    }

    /// Returns the values of the names where this node computes the formula.
    pub fn of_node<'a, 'g>(&self, around: &'a Around<'g>, node: &Node) -> Option<Found<'a, 'g>> {
        Search::new(around).run(|search, found| search.node(self, node, found))
    }

    /// Returns the values of the names where this value is computed by the formula.
    pub fn of_value<'a, 'g>(&self, around: &'a Around<'g>, id: ValueId) -> Option<Found<'a, 'g>> {
        Search::new(around).run(|search, found| search.value(self, id, 0, found))
    }

    /// The place among the terms of a sum or product: what few values fit is tried first.
    fn width(&self) -> usize {
        match self {
            Formula::Number(_) => 0,
            Formula::Scalar | Formula::Constant => 1,
            Formula::Named(_, inner) | Formula::Once(inner) => inner.width(),
            Formula::Call(_) | Formula::Either(_) | Formula::Terms(..) => 2,
            Formula::Any => 3,
        }
    }
}

/// The values of the names of a formula.
pub struct Found<'a, 'g> {
    around: &'a Around<'g>,
    values: Vec<(&'static str, ValueId)>,
}

impl<'g> Found<'_, 'g> {
    /// Returns the value of a name.
    pub fn value(&self, name: &str) -> Option<ValueId> {
        self.values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, id)| *id)
    }

    /// Returns the values of names.
    pub fn values<const N: usize>(&self, names: [&str; N]) -> Option<[ValueId; N]> {
        let values: Option<Vec<ValueId>> = names.iter().map(|name| self.value(name)).collect();
        values?.try_into().ok()
    }

    /// Returns the only element of the constant with a name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.around.scalar(self.value(name)?)
    }

    /// Returns the node that computes the value of a name.
    pub fn node(&self, name: &str) -> Option<&'g Node> {
        Some(self.around.producer(self.value(name)?)?.1)
    }

    /// Returns the constant with a name.
    pub fn tensor(&self, name: &str) -> Option<&'g Tensor> {
        self.around.graph.constant(self.value(name)?)
    }

    /// Returns the extents of the value of a name, if all are known.
    pub fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.around.graph.shape_of(self.value(name)?)
    }
}

/// Any value, the same wherever this name occurs.
pub fn value(name: &'static str) -> Formula {
    named(name, Formula::Any)
}

/// A constant with a name.
pub fn constant(name: &'static str) -> Formula {
    named(name, Formula::Constant)
}

/// A constant of one element with a name.
pub fn scalar(name: &'static str) -> Formula {
    named(name, Formula::Scalar)
}

/// Gives the value of a formula a name.
pub fn named(name: &'static str, formula: Formula) -> Formula {
    Formula::Named(name, Box::new(formula))
}

/// A value that only one node reads.
pub fn once(formula: Formula) -> Formula {
    Formula::Once(Box::new(formula))
}

/// The first of these formulas that fits.
pub fn either<const N: usize>(all: [Formula; N]) -> Formula {
    Formula::Either(all.into())
}

/// An operator over its first operands.
pub fn call<const N: usize>(operator: &'static str, operands: [Formula; N]) -> Formula {
    Formula::Call(Call {
        operator,
        operands: operands.into(),
        test: None,
    })
}

/// `f²`.
pub fn square(f: Formula) -> Formula {
    either([call("Pow", [f.clone(), 2.0.into()]), f.clone() * f])
}

/// `f / n`, also as a product with `1 / n`.
pub fn over(f: Formula, n: f64) -> Formula {
    either([f.clone() / n, f * (1.0 / n)])
}

/// `1 / f`.
pub fn inverse(f: Formula) -> Formula {
    either([call("Reciprocal", [f.clone()]), call("Div", [1.0.into(), f])])
}

/// The sum or product of two formulas, whose own terms become terms of it.
fn terms(operator: &'static str, a: Formula, b: Formula) -> Formula {
    let of = |formula| match formula {
        Formula::Terms(same, terms) if same == operator => terms,
        other => vec![other],
    };
    let mut terms = [of(a), of(b)].concat();
    terms.sort_by_key(Formula::width);
    Formula::Terms(operator, terms)
}

impl From<f64> for Formula {
    fn from(number: f64) -> Formula {
        Formula::Number(number)
    }
}

impl<F: Into<Formula>> Add<F> for Formula {
    type Output = Formula;

    fn add(self, other: F) -> Formula {
        terms("Add", self, other.into())
    }
}

impl<F: Into<Formula>> Mul<F> for Formula {
    type Output = Formula;

    fn mul(self, other: F) -> Formula {
        terms("Mul", self, other.into())
    }
}

impl Add<Formula> for f64 {
    type Output = Formula;

    fn add(self, other: Formula) -> Formula {
        other + self
    }
}

impl Mul<Formula> for f64 {
    type Output = Formula;

    fn mul(self, other: Formula) -> Formula {
        other * self
    }
}

impl Sub for Formula {
    type Output = Formula;

    fn sub(self, other: Formula) -> Formula {
        call("Sub", [self, other])
    }
}

impl<F: Into<Formula>> Div<F> for Formula {
    type Output = Formula;

    fn div(self, other: F) -> Formula {
        call("Div", [self, other.into()])
    }
}

#[cfg(test)]
pub mod tests;
