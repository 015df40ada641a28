//! Texts of the words that a model knows.

use onnx_model::{AttributeValue, Model, Node};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The most words that are read.
const MOST: usize = 1 << 12;

/// The attributes that list words, whatever node has them.
const LISTS: [&str; 6] = [
    "pool_strings",
    "keys_strings",
    "classes_strings",
    "cats_strings",
    "string_vocabulary",
    "stopwords",
];

/// The operators that divide a text into words.
const DIVIDING: [&str; 3] = ["Tokenizer", "StringSplit", "RegexSplitWithOffsets"];

/// The words that a model knows.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Texts {
    words: Vec<String>,
    /// What nodes divide texts at; empty if none does.
    delimiters: Vec<String>,
}

/// The words in the attributes of a model.
pub(super) fn texts(model: &Model) -> Texts {
    let nodes = || {
        let functions = model.functions.iter().flat_map(|function| &function.nodes);
        model.graph.nodes.iter().chain(functions)
    };
    let lists = nodes().flat_map(|node| &node.attributes);
    let listed = lists.filter_map(|attribute| match &attribute.value {
        AttributeValue::Strings(words) if LISTS.contains(&attribute.name.as_str()) => Some(words),
        _ => None,
    });
    let mut words: Vec<String> = listed
        .flatten()
        .take(MOST)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    words.sort_unstable();
    words.dedup();
    let dividing = nodes().filter(|node| DIVIDING.contains(&node.operator.as_str()));
    let mut delimiters: Vec<String> = dividing.flat_map(delimiters).collect();
    delimiters.sort_unstable();
    delimiters.dedup();
    Texts { words, delimiters }
}

/// What a node divides texts at: whitespace if it says nothing else.
fn delimiters(node: &Node) -> Vec<String> {
    let given = node
        .attributes
        .iter()
        .flat_map(|attribute| match &attribute.value {
            AttributeValue::String(text) if attribute.name == "delimiter" => std::slice::from_ref(text),
            AttributeValue::Strings(texts) if attribute.name == "separators" => texts,
            _ => &[],
        });
    let texts = given.map(|text| String::from_utf8_lossy(text).into_owned());
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        vec![" ".to_owned()]
    } else {
        texts
    }
}

impl Texts {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.delimiters.is_empty()
    }

    /// A word, some with a capital; where texts are divided a sentence of up to 12 words with a full stop, of
    /// which some are empty. One word in eight is unknown.
    pub fn draw(&self, unknown: &[&str], rng: &mut ChaCha8Rng) -> String {
        let count = if self.delimiters.is_empty() {
            1
        } else {
            rng.random_range(3..=12)
        };
        let mut text = String::new();
        for place in 0..count {
            let word = if self.words.is_empty() || rng.random_bool(0.125) {
                unknown[rng.random_range(0..unknown.len())]
            } else {
                &self.words[rng.random_range(0..self.words.len())]
            };
            if place > 0 {
                self.divide(&mut text, rng);
            }
            let mut letters = word.chars();
            match letters.next() {
                Some(first) if rng.random_bool(0.25) => text.extend(first.to_uppercase().chain(letters)),
                _ => text.push_str(word),
            }
        }
        if !self.delimiters.is_empty() {
            text.push('.');
        }
        text
    }

    fn divide(&self, text: &mut String, rng: &mut ChaCha8Rng) {
        let delimiter = &self.delimiters[rng.random_range(0..self.delimiters.len())];
        match rng.random_range(0..16) {
            0 => text.push_str(", "),
            1 => text.push_str(&delimiter.repeat(2)),
            _ => text.push_str(delimiter),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{Attribute, Graph};
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn texts_have_the_words_of_the_model() {
        let check = |operators: &[&str], is_sentence: bool| {
            let node = |operator: &&str| Node {
                operator: (*operator).to_owned(),
                attributes: vec![Attribute {
                    name: "pool_strings".to_owned(),
                    value: AttributeValue::Strings(vec![b"cat".to_vec(), b"dog".to_vec()]),
                }],
                ..Node::default()
            };
            let graph = Graph {
                nodes: operators.iter().map(node).collect(),
                ..Graph::default()
            };
            let texts = texts(&Model::new(21, graph));
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let drawn: Vec<String> = (0..100).map(|_| texts.draw(&["none"], &mut rng)).collect();
            for word in ["cat", "dog", "Cat", "none"] {
                assert!(drawn.iter().any(|text| text.contains(word)), "{word}: {drawn:?}");
            }
            assert_eq!(
                drawn.iter().all(|text| text.contains(' ')),
                is_sentence,
                "{drawn:?}"
            );
        };
        check(&["TfIdfVectorizer"], false);
        check(&["Tokenizer", "TfIdfVectorizer"], true);
    }

    #[test]
    fn texts_have_the_delimiter_of_the_model() {
        let node = Node {
            operator: "StringSplit".to_owned(),
            attributes: vec![Attribute {
                name: "delimiter".to_owned(),
                value: AttributeValue::String(b"-".to_vec()),
            }],
            ..Node::default()
        };
        let graph = Graph {
            nodes: vec![node],
            ..Graph::default()
        };
        let texts = texts(&Model::new(20, graph));
        assert!(!texts.is_empty());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let drawn: Vec<String> = (0..20).map(|_| texts.draw(&["some", "more"], &mut rng)).collect();
        assert!(drawn.iter().all(|text| text.contains('-')), "{drawn:?}");
        assert!(drawn.iter().any(|text| text.contains("--")), "{drawn:?}");
    }
}
