//! What is known of a value that is one of several.

use std::collections::HashSet;

use crate::extent::{Atom, Expr, Symbols};
use crate::fact::{Content, Fact, SequenceFact, TensorFact};

/// The extents that all of these values have, if they are tensors of one rank.
pub(crate) fn joined_elements(symbols: &mut Symbols, items: &[Fact]) -> Option<Vec<Option<Expr>>> {
    let (first, others) = items.split_first()?;
    let mut element: Vec<Option<Expr>> = first.shape()?.iter().cloned().map(Some).collect();
    for other in others {
        let shape = other.shape().filter(|shape| shape.len() == element.len())?;
        for (known, extent) in element.iter_mut().zip(shape) {
            let (a, b) = (
                known.clone().map(|known| symbols.simplified(&known)),
                symbols.simplified(extent),
            );
            if a.as_ref() != Some(&b) {
                *known = None;
            }
        }
    }
    Some(element)
}

/// Some element of a sequence.
pub(crate) fn element_of(symbols: &mut Symbols, sequence: &SequenceFact) -> Fact {
    match &sequence.element {
        None => Fact::Unknown,
        Some(extents) => {
            let extent = |extent: &Option<Expr>| extent.clone().unwrap_or_else(|| symbols.extent());
            Fact::of(extents.iter().map(extent).collect())
        }
    }
}

/// Joins values that are one of two. A symbol that stands for an extent that differs stays the same when
/// it is joined again, so that a repetition ends.
#[derive(Default)]
pub(crate) struct Join {
    open: HashSet<Atom>,
    /// Whether something was forgotten.
    pub changed: bool,
}

impl Join {
    /// What is known of a value that is `known` or `other`.
    pub fn fact(&mut self, symbols: &mut Symbols, known: &Fact, other: &Fact) -> Fact {
        match (known, other) {
            (Fact::Tensor(a), Fact::Tensor(b)) if a.shape.len() == b.shape.len() => {
                let extents = a.shape.iter().zip(&b.shape);
                Fact::Tensor(TensorFact {
                    shape: extents.map(|(a, b)| self.extent(symbols, a, b)).collect(),
                    content: self.content(symbols, &a.content, &b.content),
                })
            }
            (Fact::Sequence(a), Fact::Sequence(b)) => {
                let length = self.extent(symbols, &a.length, &b.length);
                Fact::Sequence(Box::new(SequenceFact {
                    length,
                    element: self.element(symbols, a, b),
                    items: None,
                }))
            }
            (Fact::Optional(a), Fact::Optional(b)) => Fact::Optional(Box::new(self.fact(symbols, a, b))),
            (Fact::Unknown, _) => Fact::Unknown,
            _ => {
                self.changed = true;
                Fact::Unknown
            }
        }
    }

    fn extent(&mut self, symbols: &mut Symbols, known: &Expr, other: &Expr) -> Expr {
        if self.is_open(known) || symbols.simplified(known) == symbols.simplified(other) {
            return known.clone();
        }
        self.changed = true;
        let joined = symbols.extent();
        self.open.extend(joined.atom());
        joined
    }

    fn is_open(&self, extent: &Expr) -> bool {
        extent.atom().is_some_and(|atom| self.open.contains(&atom))
    }

    fn element(
        &mut self,
        symbols: &mut Symbols,
        known: &SequenceFact,
        other: &SequenceFact,
    ) -> Option<Vec<Option<Expr>>> {
        let mut settled = |extents: &Vec<Option<Expr>>| {
            let extent = |extent: &Option<Expr>| Some(symbols.simplified(extent.as_ref()?));
            extents.iter().map(extent).collect()
        };
        // An empty sequence says nothing of its elements.
        let merged = match (&known.element, &other.element) {
            (None, other) if known.length.is(0) => other.as_ref().map(&mut settled),
            (known, None) if other.length.is(0) => known.clone(),
            (Some(a), Some(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                let extent = |(a, b): (&Option<Expr>, &Option<Expr>)| {
                    let (a, b) = (a.as_ref()?, b.as_ref()?);
                    (symbols.simplified(a) == symbols.simplified(b)).then(|| a.clone())
                };
                Some(pairs.map(extent).collect())
            }
            _ => None,
        };
        self.changed |= merged != known.element;
        merged
    }

    fn content(&mut self, symbols: &mut Symbols, known: &Content, other: &Content) -> Content {
        match (known, other) {
            (Content::Unknown, _) => Content::Unknown,
            (Content::Constant(a), Content::Constant(b)) if a.same_bits(b) => known.clone(),
            (Content::Reals(a), Content::Reals(b)) if a == b => known.clone(),
            _ => {
                let simple = |symbols: &mut Symbols, content: &Content| {
                    let list = content.integers()?;
                    Some(
                        list.iter()
                            .map(|element| symbols.simplified(element))
                            .collect::<Vec<_>>(),
                    )
                };
                let (a, b) = (simple(symbols, known), simple(symbols, other));
                if a.is_some() && a == b {
                    return known.clone();
                }
                self.changed = true;
                Content::Unknown
            }
        }
    }

    /// The value with new symbols for the extents that differ.
    pub fn renamed(&self, symbols: &mut Symbols, fact: Fact) -> Fact {
        let mut rename = |extent: Expr| {
            if self.is_open(&extent) {
                symbols.extent()
            } else {
                extent
            }
        };
        match fact {
            Fact::Tensor(tensor) => Fact::Tensor(TensorFact {
                shape: tensor.shape.into_iter().map(rename).collect(),
                content: tensor.content,
            }),
            Fact::Sequence(mut sequence) => {
                sequence.length = rename(sequence.length);
                Fact::Sequence(sequence)
            }
            other => other,
        }
    }
}
