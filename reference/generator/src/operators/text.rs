//! Strings.

use onnx_tensor::{DType, Tensor};

use super::{Declaration, of};
use crate::families::shape;
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("RegexFullMatch", |d| {
        let pattern = d.pick(
            "pattern",
            &["", "a*", "[A-Z]b", ".*", "(a|b)+", "-?[0-9]+(\\.[0-9]+)?"],
        );
        d.text("pattern", pattern);
        let shape = shape(d, 0, 3);
        d.input(&shape, Domain::ANY)?;
        Ok(())
    }),
    of("StringNormalizer", normalize),
    of("StringSplit", |d| {
        match d.pick("delimiter", &["absent", "empty", "space", "letter"]) {
            "empty" => d.text("delimiter", ""),
            "space" => d.text("delimiter", " "),
            "letter" => d.text("delimiter", "b"),
            _ => {}
        }
        if d.pick("maxsplit", &["absent", "one"]) == "one" {
            d.int("maxsplit", 1);
        }
        let shape = shape(d, 0, 3);
        d.input(&shape, Domain::ANY)?;
        Ok(())
    }),
    of("TfIdfVectorizer", grams),
];

/// `[C]` or `[1, C]`.
fn normalize(d: &mut Draft) -> Made {
    d.mode("case_change_action");
    d.flag("is_case_sensitive", false);
    if d.pick("stopwords", &["absent", "some"]) == "some" {
        d.texts("stopwords", &["a", "B"]);
    }
    let count = 1 + d.draws.below(5);
    let shape = match d.pick("form", &["C", "1 C"]) {
        "C" => vec![count],
        _ => vec![1, count],
    };
    d.input(&shape, Domain::ANY)?;
    Ok(())
}

/// Single words and pairs from a pool.
fn grams(d: &mut Draft) -> Made {
    d.mode("mode");
    d.int("max_gram_length", 2);
    for (name, least) in [("min_gram_length", 1), ("max_skip_count", 0)] {
        let value = least + d.draws.below(2) as i64;
        d.int(name, value);
    }
    d.ints("ngram_counts", &[0, 3]);
    d.ints("ngram_indexes", &[2, 0, 1, 3, 4]);
    if d.whether("weights") {
        d.floats("weights", &[1.0, 0.5, 2.0, 0.25, 3.0]);
    }
    let text = d.dtype("T")? == DType::String;
    if text {
        d.texts("pool_strings", &["a", "b", "ab", "a", "b", "b", "ab"]);
    } else {
        d.ints("pool_int64s", &[1, 2, 3, 1, 2, 2, 3]);
    }
    let columns = 2 + d.draws.below(5);
    let shape = match d.pick("form", &["C", "N C"]) {
        "C" => vec![columns],
        _ => vec![2, columns],
    };
    if text {
        let words = ["a", "b", "ab", ""];
        let count = shape.iter().product();
        let texts: Vec<String> = (0..count).map(|_| words[d.draws.below(4)].to_owned()).collect();
        d.give(Tensor::new(&shape, texts)?);
        return Ok(());
    }
    d.input(&shape, Domain::whole(0.0, 4.0))?;
    Ok(())
}
