//! Where the sign of zero counts: operators that hand elements on as they are.

/// Operators of ai.onnx whose floating-point outputs are elements of their inputs, bit by bit, or their negatives or
/// magnitudes. Their results are fixed by the specification down to the sign of zero; an arithmetic operator may give either
/// zero, since a sum of another order can.
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

/// Whether a model of these operators (`Transpose-13`) only copies elements, so that 0 for −0 is wrong.
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
    fn only_models_of_copies_alone_keep_the_sign_of_zero() {
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
