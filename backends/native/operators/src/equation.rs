//! The equations of Einsum.

use std::collections::BTreeMap;

use crate::error::{Problem, invalid};

/// An index of an equation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Label {
    /// An axis of the ellipsis; the last one is 0.
    Ellipsis(usize),
    Letter(char),
}

/// Returns the indices of a term. The ellipsis covers the axes of `rank` that have no letter.
fn labels(term: &str, rank: Option<usize>, ellipsis: usize) -> Result<Vec<Label>, Problem> {
    let letters = term.chars().filter(|c| c.is_ascii_alphabetic()).count();
    let hidden = rank.map_or(ellipsis, |rank| rank.saturating_sub(letters));
    let mut all = Vec::new();
    let mut rest = term;
    let mut found = false;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if found {
                return invalid(format!("the term `{term}` has more than one ellipsis"));
            }
            found = true;
            all.extend((0..hidden).rev().map(Label::Ellipsis));
            rest = after;
        } else if c.is_ascii_alphabetic() {
            all.push(Label::Letter(c));
            rest = &rest[1..];
        } else {
            return invalid(format!("`{term}` is not a term of an equation"));
        }
    }
    if rank.is_some_and(|rank| rank != all.len()) {
        return invalid(format!(
            "the term `{term}` does not match a tensor of {rank:?} axes"
        ));
    }
    Ok(all)
}

/// The indices of an equation.
pub struct Equation {
    /// Those of each operand, one for each axis.
    pub terms: Vec<Vec<Label>>,
    /// Those of the result.
    pub output: Vec<Label>,
}

impl Equation {
    /// Reads an equation for operands of these ranks.
    pub fn read(equation: &str, ranks: &[usize]) -> Result<Equation, Problem> {
        let equation: String = equation.chars().filter(|&c| c != ' ').collect();
        let (left, right) = match equation.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (equation.as_str(), None),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != ranks.len() {
            return invalid(format!(
                "the equation has {} terms for {} inputs",
                terms.len(),
                ranks.len()
            ));
        }
        let own = terms
            .iter()
            .zip(ranks)
            .map(|(term, &rank)| labels(term, Some(rank), 0));
        let terms = own.collect::<Result<Vec<_>, _>>()?;
        let ellipsis = ellipsis_axes(left.split(','), &terms)?;
        let output = match right {
            Some(term) => labels(term, None, ellipsis)?,
            None => implicit(&terms, ellipsis),
        };
        if (1..output.len()).any(|at| output[..at].contains(&output[at])) {
            return invalid("an index occurs twice in the result of an equation");
        }
        Ok(Equation { terms, output })
    }
}

/// Returns the number of axes of the ellipsis, which is the same in all terms that have one.
fn ellipsis_axes<'t>(texts: impl Iterator<Item = &'t str>, terms: &[Vec<Label>]) -> Result<usize, Problem> {
    let hidden = |term: &Vec<Label>| {
        let axes = term.iter().filter(|label| matches!(label, Label::Ellipsis(_)));
        axes.count()
    };
    let with = texts.zip(terms).filter(|(text, _)| text.contains("..."));
    let mut counts = with.map(|(_, term)| hidden(term));
    let first = counts.next().unwrap_or(0);
    match counts.find(|&other| other != first) {
        Some(other) => invalid(format!(
            "an ellipsis has {first} axes, and {other} in another term"
        )),
        None => Ok(first),
    }
}

/// Returns the output of an equation without an arrow: the ellipsis, then the letters that occur once, in
/// alphabetical order.
fn implicit(terms: &[Vec<Label>], ellipsis: usize) -> Vec<Label> {
    let mut occurrences: BTreeMap<Label, usize> = BTreeMap::new();
    for &label in terms.iter().flatten() {
        *occurrences.entry(label).or_default() += 1;
    }
    let once = occurrences
        .into_iter()
        .filter(|(label, times)| matches!(label, Label::Letter(_)) && *times == 1);
    (0..ellipsis)
        .rev()
        .map(Label::Ellipsis)
        .chain(once.map(|(label, _)| label))
        .collect()
}
