//! The equation of Einsum: terms of letters, `...` and blanks, with an optional `->`.

use std::collections::BTreeMap;
use std::fmt;

use crate::frame::OpError;

/// An index of the equation: a letter, or one axis of the ellipsis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Label {
    /// An axis of the ellipsis, counted from its first.
    Ellipsis(usize),
    Letter(char),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Ellipsis(axis) => write!(f, "axis {axis} of the ellipsis"),
            Label::Letter(letter) => write!(f, "label `{letter}`"),
        }
    }
}

/// An equation, resolved for operands of given ranks.
#[derive(PartialEq, Eq, Debug)]
pub struct Equation {
    /// The labels of each operand's axes.
    pub operands: Vec<Vec<Label>>,
    /// The labels of the result's axes.
    pub result: Vec<Label>,
}

/// A term with its ellipsis unexpanded (`None`).
type Term = Vec<Option<char>>;

impl Equation {
    /// Resolves `text` for operands of `ranks`.
    pub fn parse(text: &str, ranks: &[usize]) -> Result<Equation, OpError> {
        let problem = |what: &str| OpError::invalid(format!("equation `{text}`: {what}"));
        let (left, right) = match text.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (text, None),
        };
        let term = |text: &str| {
            term(text).ok_or_else(|| problem("a term must consist of letters and at most one `...`"))
        };
        let terms = left.split(',').map(term).collect::<Result<Vec<_>, _>>()?;
        if terms.len() != ranks.len() {
            return Err(problem(&format!(
                "{} terms for {} operands",
                terms.len(),
                ranks.len()
            )));
        }
        let ellipsis = ellipsis_rank(&terms, ranks).map_err(problem)?;
        let spread = |term: &Term| spread(term, ellipsis);
        let operands: Vec<Vec<Label>> = terms.iter().map(spread).collect();
        let result = match right {
            Some(right) => spread(&term(right)?),
            None => implicit(&operands, ellipsis),
        };
        if (1..result.len()).any(|index| result[..index].contains(&result[index])) {
            return Err(problem("a label is repeated in the result"));
        }
        if result
            .iter()
            .any(|label| !operands.iter().flatten().any(|other| other == label))
        {
            return Err(problem("a label of the result is in no operand"));
        }
        Ok(Equation { operands, result })
    }
}

fn term(text: &str) -> Option<Term> {
    let compact: String = text.chars().filter(|&c| c != ' ').collect();
    let letters = |part: &str| {
        part.chars()
            .map(|c| c.is_ascii_alphabetic().then_some(Some(c)))
            .collect::<Option<Term>>()
    };
    match compact.split_once("...") {
        None => letters(&compact),
        Some((before, after)) => Some([letters(before)?, vec![None], letters(after)?].concat()),
    }
}

/// The number of axes of the ellipsis, which must be the same in all terms.
fn ellipsis_rank(terms: &[Term], ranks: &[usize]) -> Result<usize, &'static str> {
    let mut found = None;
    for (term, &rank) in terms.iter().zip(ranks) {
        let letters = term.iter().flatten().count();
        let rest = rank
            .checked_sub(letters)
            .ok_or("an operand has fewer axes than its term has letters")?;
        if !term.contains(&None) {
            if rest != 0 {
                return Err("an operand has more axes than its term has letters");
            }
        } else if *found.get_or_insert(rest) != rest {
            return Err("the ellipses have different numbers of axes");
        }
    }
    Ok(found.unwrap_or(0))
}

fn spread(term: &Term, ellipsis: usize) -> Vec<Label> {
    term.iter()
        .flat_map(|entry| match entry {
            Some(letter) => vec![Label::Letter(*letter)],
            None => (0..ellipsis).map(Label::Ellipsis).collect(),
        })
        .collect()
}

/// The labels of an implicit result: the ellipsis, then the letters that appear exactly once, in ASCII
/// order.
fn implicit(operands: &[Vec<Label>], ellipsis: usize) -> Vec<Label> {
    let mut counts = BTreeMap::new();
    for label in operands.iter().flatten() {
        *counts.entry(*label).or_insert(0) += 1;
    }
    let letters = counts
        .into_iter()
        .filter(|(label, count)| matches!(label, Label::Letter(_)) && *count == 1)
        .map(|(label, _)| label);
    (0..ellipsis).map(Label::Ellipsis).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats an equation with the axes of the ellipsis as digits.
    fn check(text: &str, ranks: &[usize], expected: Result<&str, ()>) {
        let show = |labels: &Vec<Label>| -> String {
            labels
                .iter()
                .map(|label| match label {
                    Label::Letter(letter) => letter.to_string(),
                    Label::Ellipsis(axis) => axis.to_string(),
                })
                .collect()
        };
        let found = Equation::parse(text, ranks).map_err(|_| ()).map(|equation| {
            let operands: Vec<String> = equation.operands.iter().map(show).collect();
            format!("{}->{}", operands.join(","), show(&equation.result))
        });
        assert_eq!(found, expected.map(str::to_owned), "{text} {ranks:?}");
    }

    #[test]
    fn equations() {
        check("ij, jk", &[2, 2], Ok("ij,jk->ik"));
        check("ba,aB", &[2, 2], Ok("ba,aB->Bb"));
        check("i...j,...j", &[4, 3], Ok("i01j,01j->01i"));
        check("...ii ->...i", &[3], Ok("0ii->0i"));
        check("ii", &[2], Ok("ii->"));
        check(",i->i", &[0, 1], Ok(",i->i"));
        check("...", &[0], Ok("->"));
        for (text, ranks) in [
            ("ij", vec![1]),
            ("i", vec![2]),
            ("i,i", vec![1]),
            ("i->ii", vec![1]),
            ("i->j", vec![1]),
            ("i......", vec![1]),
            ("i1", vec![2]),
            ("...i,...j", vec![2, 3]),
        ] {
            check(text, &ranks, Err(()));
        }
    }
}
