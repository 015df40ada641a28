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

/// Whether the specification defines the sign of the zeros that an operator of ai.onnx returns, given those
/// that it reads.
pub fn has_signed_zeros(name: &str) -> bool {
    SIGNED.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_operators() {
        assert!(SIGNED.is_sorted());
        let unknown: Vec<_> = SIGNED
            .iter()
            .filter(|name| crate::versions("", name).is_empty())
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
