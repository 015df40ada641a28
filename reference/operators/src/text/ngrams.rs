//! The n-grams of a pool and their counts in a sequence.

use std::collections::HashMap;
use std::hash::Hash;

use crate::frame::{Call, OpError};

/// The lengths of n-grams and the number of elements that may be skipped.
pub struct Lengths {
    least: usize,
    most: usize,
    skips: usize,
    /// The start of the n-grams of each length in the pool, followed by the end of the pool.
    starts: Vec<usize>,
}

impl Lengths {
    /// Reads the attributes `min_gram_length`, `max_gram_length`, `max_skip_count` and `ngram_counts`, for
    /// a pool of `pool` elements.
    pub fn read(call: &Call<'_>, pool: usize) -> Result<Lengths, OpError> {
        let number = |name: &str, least: usize| {
            let value = call.int(name)?;
            let fits = usize::try_from(value).ok().filter(|&value| value >= least);
            fits.ok_or_else(|| {
                OpError::invalid(format!("attribute `{name}` is {value}, must be at least {least}"))
            })
        };
        let (least, most) = (number("min_gram_length", 1)?, number("max_gram_length", 1)?);
        let skips = number("max_skip_count", 0)?;
        let starts = call
            .ints("ngram_counts")?
            .into_iter()
            .map(usize::try_from)
            .collect::<Result<Vec<_>, _>>();
        let mut starts = starts.unwrap_or_default();
        if starts.len() < most || least > most || starts.first() != Some(&0) {
            return Err(OpError::invalid(
                "`ngram_counts` must start with 0 and have an entry for each length up to `max_gram_length`, \
                 which must not be less than `min_gram_length`",
            ));
        }
        starts.push(pool);
        let mut sizes = starts.windows(2).enumerate();
        let whole = |(shorter, pair): (usize, &[usize])| {
            pair[0] <= pair[1] && (pair[1] - pair[0]) % (shorter + 1) == 0
        };
        if !sizes.all(whole) {
            return Err(OpError::invalid(
                "`ngram_counts` does not split the pool into whole n-grams",
            ));
        }
        Ok(Lengths {
            least,
            most,
            skips,
            starts,
        })
    }
}

impl Lengths {
    /// The maximum number of reads for each element of a row of `columns` elements: over all lengths and
    /// distances.
    pub fn reads(&self, columns: usize) -> usize {
        let most = self.most.min(columns);
        let distances = self.skips.min(columns).saturating_add(1);
        most.saturating_mul(most).saturating_mul(distances)
    }
}

/// The counted n-grams of a pool, each with its coordinate.
pub struct NgramIndex<'a, T> {
    lengths: Lengths,
    coordinates: HashMap<Vec<&'a T>, usize>,
}

impl<'a, T: Hash + Eq> NgramIndex<'a, T> {
    /// Splits the pool into n-grams; `coordinates` has one entry for each.
    pub fn new(lengths: Lengths, pool: &'a [T], coordinates: &[usize]) -> Result<NgramIndex<'a, T>, OpError> {
        let mut grams = HashMap::new();
        let mut coordinates = coordinates.iter();
        for (shorter, pair) in lengths.starts.windows(2).enumerate() {
            for gram in pool[pair[0]..pair[1]].chunks_exact(shorter + 1) {
                let missing =
                    || OpError::invalid("`ngram_indexes` has fewer entries than the pool has n-grams");
                let &coordinate = coordinates.next().ok_or_else(missing)?;
                let counted = (lengths.least..=lengths.most).contains(&(shorter + 1));
                if counted && grams.insert(gram.iter().collect(), coordinate).is_some() {
                    return Err(OpError::invalid("an n-gram is repeated in the pool"));
                }
            }
        }
        match coordinates.next() {
            None => Ok(NgramIndex {
                lengths,
                coordinates: grams,
            }),
            Some(_) => Err(OpError::invalid(
                "`ngram_indexes` has more entries than the pool has n-grams",
            )),
        }
    }

    /// Adds the occurrences in `row` to `counts`, which has an entry for each coordinate.
    pub fn count(&self, row: &'a [T], counts: &mut [u64]) {
        let lengths = &self.lengths;
        for length in lengths.least..=lengths.most.min(row.len()) {
            let skips = if length == 1 {
                0
            } else {
                lengths.skips.min(row.len())
            };
            for distance in 1..=skips + 1 {
                // One n-gram spans (length − 1)·distance + 1 elements.
                let Some(span) = (length - 1)
                    .checked_mul(distance)
                    .filter(|&span| span < row.len())
                else {
                    break;
                };
                for start in 0..row.len() - span {
                    let gram: Vec<&T> = row[start..].iter().step_by(distance).take(length).collect();
                    if let Some(&coordinate) = self.coordinates.get(&gram) {
                        counts[coordinate] += 1;
                    }
                }
            }
        }
    }
}
