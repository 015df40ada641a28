//! Mutants and their recipes.

use std::fmt;
use std::str::FromStr;

use onnx_model::{Limits, decode_tensor};
use onnx_tensor::Value;
use prost::Message;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::edit::{self, Subject};
use crate::seed::{Fed, Seed};

/// The number of a seed, and the edits in order. The number of an edit determines the place and the
/// change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// The index in the list of seeds.
    pub seed: usize,
    pub edits: Vec<u64>,
}

/// A model with the values of its inputs.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The bytes of the file.
    pub model: Vec<u8>,
    /// The values of its inputs. A value that cannot be decoded is omitted.
    pub inputs: Vec<(String, Value)>,
    /// A description of each edit.
    pub edits: Vec<&'static str>,
}

impl Recipe {
    /// Recipe number `number` of the campaign with this seed: one to five edits of one of `seeds` seeds.
    pub fn nth(campaign: u64, number: u64, seeds: usize) -> Recipe {
        let mut rng = ChaCha8Rng::seed_from_u64(campaign);
        rng.set_stream(number);
        let count = rng.random_range(1..=5);
        Recipe {
            seed: rng.random_range(0..seeds.max(1)),
            edits: (0..count).map(|_| rng.random()).collect(),
        }
    }

    /// The mutant; `None` if there is no seed of this number.
    pub fn make(&self, seeds: &[Seed]) -> Option<Mutant> {
        let seed = seeds.get(self.seed)?;
        let mut subject = Subject::new(seed);
        let edits = self
            .edits
            .iter()
            .map(|&edit| edit::apply(&mut subject, edit))
            .collect();
        let mut model = subject.model.encode_to_vec();
        subject.flips.iter().for_each(|flip| flip.apply(&mut model));
        Some(Mutant {
            model,
            inputs: subject.inputs.into_iter().filter_map(value).collect(),
            edits,
        })
    }

    /// The recipe without the edit at this position.
    pub fn without(&self, position: usize) -> Recipe {
        let mut edits = self.edits.clone();
        edits.remove(position);
        Recipe {
            seed: self.seed,
            edits,
        }
    }
}

fn value((name, fed): (String, Fed)) -> Option<(String, Value)> {
    let value = match fed {
        Fed::Tensor(proto) => Value::Tensor(decode_tensor(&proto.encode_to_vec(), &Limits::default()).ok()?),
        Fed::Other(value) => value,
    };
    Some((name, value))
}

/// `12:9f,a3`: the seed, and the edits in hexadecimal.
impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edits: Vec<String> = self.edits.iter().map(|edit| format!("{edit:x}")).collect();
        write!(f, "{}:{}", self.seed, edits.join(","))
    }
}

/// A text that is not a recipe.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a recipe; expected the form `12:9f,a3`: a seed and its edits in hexadecimal")]
pub struct InvalidRecipe(String);

impl FromStr for Recipe {
    type Err = InvalidRecipe;

    fn from_str(text: &str) -> Result<Recipe, InvalidRecipe> {
        let read = || {
            let (seed, edits) = text.split_once(':')?;
            let edits = edits.split(',').filter(|edit| !edit.is_empty());
            let edits: Result<_, _> = edits.map(|edit| u64::from_str_radix(edit, 16)).collect();
            Some(Recipe {
                seed: seed.parse().ok()?,
                edits: edits.ok()?,
            })
        };
        read().ok_or_else(|| InvalidRecipe(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds;

    #[test]
    fn a_recipe_gives_the_same_mutant_again() {
        let seeds = seeds(&[]).expect("the own cases are sound");
        for number in 0..200 {
            let recipe = Recipe::nth(7, number, seeds.len());
            let again: Recipe = recipe.to_string().parse().expect("its own text");
            let [first, second] = [recipe, again].map(|recipe| recipe.make(&seeds).expect("a known seed"));
            assert_eq!(first.model, second.model, "number {number}");
            assert_eq!(first.edits, second.edits, "number {number}");
        }
    }

    #[test]
    fn mutants_differ_from_their_seeds() {
        let seeds = seeds(&[]).expect("the own cases are sound");
        let same = (0..1000).filter(|&number| {
            let recipe = Recipe::nth(1, number, seeds.len());
            let plain = Recipe {
                edits: Vec::new(),
                ..recipe.clone()
            };
            let [mutant, plain] = [recipe, plain].map(|recipe| recipe.make(&seeds).expect("a known seed"));
            mutant.model == plain.model && mutant.inputs.len() == plain.inputs.len()
        });
        assert!(same.count() < 250, "most edits must change the model");
    }
}
