//! Operators that copy elements, for which the sign of zero counts.

/// Operators of ai.onnx whose floating-point outputs are elements of their inputs, bit for bit, or their
/// negatives or magnitudes. The specification defines their results including the sign of zero. An
/// arithmetic operator may return either zero, because a sum in another order can.
const COPYING: [&str; 39] = [
    "Abs",
    "Compress",
    "Concat",
    "ConcatFromSequence",
    "Constant",
    "DepthToSpace",
    "Expand",
    "Flatten",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "If",
    "Neg",
    "NonZero",
    "Optional",
    "OptionalGetElement",
    "OptionalHasElement",
    "Pad",
    "Reshape",
    "ReverseSequence",
    "SequenceAt",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SequenceLength",
    "Shape",
    "Size",
    "Slice",
    "SpaceToDepth",
    "Split",
    "SplitToSequence",
    "Squeeze",
    "Tile",
    "Transpose",
    "Trilu",
    "Unsqueeze",
    "Where",
];

/// Whether a model with these operators (such as `Transpose-13`) only copies elements, so that 0 instead of
/// −0 is wrong.
pub fn copies(operators: &[String]) -> bool {
    let copying = |operator: &String| {
        let name = operator
            .rsplit_once('-')
            .map_or(operator.as_str(), |(name, _)| name);
        COPYING.binary_search(&name).is_ok()
    };
    !operators.is_empty() && operators.iter().all(copying)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_that_copy_elements_keep_the_sign_of_zero() {
        assert!(COPYING.is_sorted());
        let check = |operators: &[&str], expected| {
            let operators: Vec<String> = operators.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(copies(&operators), expected, "{operators:?}");
        };
        check(&["Transpose-13", "Where-16"], true);
        check(&["Transpose-13", "Add-14"], false);
        check(&["ai.onnx.ml.Scaler-1"], false);
        check(&[], false);
    }
}
