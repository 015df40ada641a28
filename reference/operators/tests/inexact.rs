//! Where the reference makes an integer of a real number, and why no rounding before it changes the integer.
//!
//! A real number that was rounded on the way may lie on the other side of an integer. The list names every
//! file in which a real number is rounded to an integer, with the number of such places and the reason why
//! each is right. A new place fails this test until it is listed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// File, places, reason.
const PLACES: &[(&str, usize, &str)] = &[
    ("contrib/crop_and_resize.rs", 2, "a rational number"),
    (
        "contrib/mat_mul_n_bits.rs",
        1,
        "a reading: the runtime multiplies and rounds in float",
    ),
    (
        "generator/range.rs",
        1,
        "the specification computes the count in the type of the operands: every operation is rounded to it",
    ),
    (
        "math/gemm.rs",
        1,
        "compares an attribute with its integer part, which is exact",
    ),
    ("math/mel_weight_matrix.rs", 1, "the text of an error"),
    (
        "math/pow.rs",
        1,
        "a power below 1 is 0, and 0 and 1 are their own powers; all others are decided by integers or in 320 bits",
    ),
    ("math/shrink.rs", 3, "attributes of the node, not rounded before"),
    (
        "ml/binarizer.rs",
        1,
        "an attribute of the node, not rounded before",
    ),
    (
        "nn/deform_conv.rs",
        1,
        "selects the pixels around a coordinate: the interpolated value is continuous there",
    ),
    (
        "nn/max_roi_pool.rs",
        3,
        "the ends of a region are rational; the borders of bins are quotients of integers below 2^26, which f64 rounds to \
         an integer only if they are one",
    ),
    ("objectdetection/roi_align.rs", 1, "a rational number"),
    (
        "quantization/dynamic_quantize_linear.rs",
        1,
        "the function body divides and rounds in float",
    ),
    (
        "shared/convert/number.rs",
        2,
        "an element of the input; a decimal text is rounded to odd, which is no integer unless the text is one",
    ),
    ("shared/number.rs", 1, "the remainder of a rational number"),
    (
        "shared/quantize.rs",
        1,
        "a quotient of two floats: one that is not a tie differs from a tie by more than f64 resolves",
    ),
    (
        "shared/wide.rs",
        2,
        "f64 decides only if it is farther from an integer than its error; otherwise 320 bits do",
    ),
    (
        "tensor/grid_sample.rs",
        3,
        "positions that select one element, and all positions of integers, are rational; for floats the interpolated value \
         is continuous",
    ),
    (
        "tensor/integer_sums.rs",
        1,
        "an attribute of the node, not rounded before",
    ),
    (
        "tensor/integral.rs",
        1,
        "an element of the input, not rounded before",
    ),
    (
        "tensor/resampling.rs",
        8,
        "coordinates that select an element are rational, or float where the implementations agree on float (question \
         `resize-nearest`); for floats the interpolated value is continuous",
    ),
    (
        "tensor/resized_extents.rs",
        1,
        "a product in float where the implementations agree on float (question `resize-extent`), otherwise rational",
    ),
];

/// The operations that make an integer of a real number; the last adds and takes away 1.5 · 2⁵².
const OPERATIONS: [&str; 6] = [
    ".floor()",
    ".ceil()",
    ".round()",
    ".round_ties_even()",
    ".trunc()",
    "+ SHIFT) - SHIFT",
];

#[test]
fn every_place_is_listed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    collect(&source, &source, &mut found);
    let listed: BTreeMap<String, usize> = PLACES
        .iter()
        .map(|(file, places, _)| ((*file).to_owned(), *places))
        .collect();
    assert_eq!(found, listed, "found, and listed in {}", file!());
}

fn collect(folder: &Path, source: &Path, found: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
    {
        if entry.is_dir() {
            collect(&entry, source, found);
            continue;
        }
        if entry.extension().is_none_or(|extension| extension != "rs") || entry.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&entry).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let places = lines.map(|line| {
            OPERATIONS
                .iter()
                .map(|operation| line.matches(operation).count())
                .sum::<usize>()
        });
        let places: usize = places.sum();
        if places > 0 {
            let name = entry.strip_prefix(source).expect("below the sources");
            found.insert(name.to_string_lossy().into_owned(), places);
        }
    }
}
