//! Operators for which the sign of zero counts.

/// Operators of ai.onnx whose results have a defined sign, also of zero: their floating-point outputs are
/// elements of their inputs, bit for bit, or their negatives or magnitudes; or they are one operation of
/// IEEE 754, rounded to nearest (§6.3: the sign of a product or quotient is that of the signs, a difference
/// of equal numbers is +0); or their text states it (Ceil, Floor, Round, Sign, Mod). Other operators may
/// return either zero, because a sum in another order can, and because two zeros are equal.
const SIGNED: [&str; 49] = [
    "Abs",
    "Add",
    "Ceil",
    "Compress",
    "Concat",
    "ConcatFromSequence",
    "Constant",
    "DepthToSpace",
    "Div",
    "Expand",
    "Flatten",
    "Floor",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "If",
    "Mod",
    "Mul",
    "Neg",
    "NonZero",
    "Optional",
    "OptionalGetElement",
    "OptionalHasElement",
    "Pad",
    "Reshape",
    "ReverseSequence",
    "Round",
    "SequenceAt",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SequenceLength",
    "Shape",
    "Sign",
    "Size",
    "Slice",
    "SpaceToDepth",
    "Split",
    "SplitToSequence",
    "Sqrt",
    "Squeeze",
    "Sub",
    "Tile",
    "Transpose",
    "Trilu",
    "Unsqueeze",
    "Where",
];

/// Whether a model with these operators (such as `Transpose-13`) defines the sign of every zero, so that 0
/// instead of −0 is wrong.
pub fn signed_zeros(operators: &[String]) -> bool {
    let signed = |operator: &String| {
        let name = operator
            .rsplit_once('-')
            .map_or(operator.as_str(), |(name, _)| name);
        SIGNED.binary_search(&name).is_ok()
    };
    !operators.is_empty() && operators.iter().all(signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_with_defined_signs_keep_the_sign_of_zero() {
        assert!(SIGNED.is_sorted());
        let check = |operators: &[&str], expected| {
            let operators: Vec<String> = operators.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(signed_zeros(&operators), expected, "{operators:?}");
        };
        check(&["Transpose-13", "Where-16"], true);
        check(&["Transpose-13", "Add-14"], true);
        check(&["Transpose-13", "ReduceSum-13"], false);
        check(&["ai.onnx.ml.Scaler-1"], false);
        check(&[], false);
    }
}
