//! Strings: operators whose elements are UTF-8 texts.

mod join;
mod ngrams;
mod normalizer;
mod regex;
mod split;
mod vectorizer;

use super::Row;

pub const ROWS: &[&[Row]] = &[
    join::ROWS,
    normalizer::ROWS,
    regex::ROWS,
    split::ROWS,
    vectorizer::ROWS,
];
