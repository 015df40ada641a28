//! The n-grams of a pool, and how often a row has them.

use std::collections::HashMap;
use std::hash::Hash;

use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// The lengths and distances of the n-grams that are counted.
#[derive(Clone, Copy, Debug)]
pub struct Grams {
    shortest: usize,
    longest: usize,
    /// The maximum number of elements between two neighbours of an n-gram.
    skips: usize,
}

impl Grams {
    /// Reads `min_gram_length`, `max_gram_length` and `max_skip_count`.
    pub fn read(attributes: &Attributes) -> Result<Grams, Problem> {
        let at_least = |name: &str, least: usize| {
            let value = attributes.int(name)?;
            match usize::try_from(value) {
                Ok(fits) if fits >= least => Ok(fits),
                _ => invalid(format!(
                    "attribute `{name}` is {value}, expected at least {least}"
                )),
            }
        };
        let grams = Grams {
            shortest: at_least("min_gram_length", 1)?,
            longest: at_least("max_gram_length", 1)?,
            skips: at_least("max_skip_count", 0)?,
        };
        if grams.shortest <= grams.longest {
            Ok(grams)
        } else {
            invalid("`min_gram_length` exceeds `max_gram_length`")
        }
    }

    /// Adds the number of occurrences of each n-gram of the pool in a row to its coordinate.
    pub fn count<T: Hash + Eq>(&self, pool: &HashMap<Vec<&T>, usize>, row: &[T], counts: &mut [u64]) {
        for length in self.shortest..=self.longest.min(row.len()) {
            // An n-gram of one element has no neighbours: it is found once.
            let distances = match length {
                1 => 1,
                _ => self.skips.min(row.len()) + 1,
            };
            for distance in 1..=distances {
                let reach = (length - 1).saturating_mul(distance);
                for start in 0..row.len().saturating_sub(reach) {
                    let gram: Vec<&T> = (0..length).map(|at| &row[start + at * distance]).collect();
                    if let Some(&coordinate) = pool.get(&gram) {
                        counts[coordinate] += 1;
                    }
                }
            }
        }
    }

    /// Returns the coordinate of each n-gram of a pool that is counted. `starts` has the position of the
    /// first n-gram of each length in the pool.
    pub fn pool<'a, T: Hash + Eq>(
        &self,
        pool: &'a [T],
        starts: &[i64],
        coordinates: &[usize],
    ) -> Result<HashMap<Vec<&'a T>, usize>, Problem> {
        if starts.len() < self.longest || starts.first() != Some(&0) {
            return invalid(
                "expected `ngram_counts` to start with 0 and to have an element for each length up to \
                 `max_gram_length`",
            );
        }
        let starts = starts.iter().map(|&start| usize::try_from(start).ok());
        let bounds: Vec<Option<usize>> = starts.chain([Some(pool.len())]).collect();
        let mut entries = HashMap::new();
        let mut coordinates = coordinates.iter();
        for (length, pair) in (1..).zip(bounds.windows(2)) {
            let range = pair[0].zip(pair[1]);
            let range = range.and_then(|(from, to)| pool.get(from..to));
            let Some(entries_of_length) = range.filter(|range| range.len() % length == 0) else {
                return invalid("`ngram_counts` does not divide the pool into n-grams");
            };
            for gram in entries_of_length.chunks_exact(length) {
                let Some(&coordinate) = coordinates.next() else {
                    return invalid("the pool has more n-grams than `ngram_indexes` has elements");
                };
                let counted = (self.shortest..=self.longest).contains(&length);
                if counted && entries.insert(gram.iter().collect(), coordinate).is_some() {
                    return invalid("an n-gram is repeated in the pool");
                }
            }
        }
        match coordinates.next() {
            None => Ok(entries),
            Some(_) => invalid("the pool has fewer n-grams than `ngram_indexes` has elements"),
        }
    }
}
