//! Models that break a sentence on shapes or values: inference finds those that it can see.

use onnx_rejections::{OPERATORS, model};
use onnx_shapes::infer;

/// Sentences on values that inference does not follow.
const BEYOND: &[&str] = &[];

#[test]
fn operators_are_held_to_their_sentences() {
    let missed: Vec<&str> = OPERATORS
        .iter()
        .filter(|case| infer(&model(case.text)).findings.is_empty())
        .map(|case| case.sentence)
        .collect();
    assert_eq!(missed, BEYOND);
}
