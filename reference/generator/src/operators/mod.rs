//! The declarations, one for each operator, by chapter.

mod activations;
mod arithmetic;
mod attention;
mod contrib;
mod controlflow;
mod convolution;
mod gathering;
mod learned;
mod logical;
mod matrices;
mod movement;
mod normalization;
mod pooling;
mod quantization;
mod random;
mod recurrent;
mod reduction;
mod sequences;
mod signal;
mod text;
mod training;
mod trees;
mod types;

use crate::{Draft, Made};

/// The generator of an operator's cases.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    pub operator: &'static str,
    /// Builds a case: inputs, attributes, outputs.
    pub build: fn(&mut Draft) -> Made,
}

/// A declaration for an operator of ai.onnx.
const fn of(operator: &'static str, build: fn(&mut Draft) -> Made) -> Declaration {
    Declaration {
        domain: "",
        operator,
        build,
    }
}

const CHAPTERS: [&[Declaration]; 22] = [
    activations::OPERATORS,
    arithmetic::OPERATORS,
    attention::OPERATORS,
    controlflow::OPERATORS,
    convolution::OPERATORS,
    gathering::OPERATORS,
    learned::OPERATORS,
    logical::OPERATORS,
    matrices::OPERATORS,
    movement::OPERATORS,
    normalization::OPERATORS,
    pooling::OPERATORS,
    quantization::OPERATORS,
    random::OPERATORS,
    recurrent::OPERATORS,
    reduction::OPERATORS,
    sequences::OPERATORS,
    signal::OPERATORS,
    text::OPERATORS,
    training::OPERATORS,
    trees::OPERATORS,
    types::OPERATORS,
];

/// The declaration of an operator.
pub fn declaration(domain: &str, operator: &str) -> Option<&'static Declaration> {
    let chapters = CHAPTERS.iter().chain(&contrib::CHAPTERS);
    let mut all = chapters.flat_map(|chapter| chapter.iter());
    all.find(|declaration| declaration.domain == domain && declaration.operator == operator)
}
