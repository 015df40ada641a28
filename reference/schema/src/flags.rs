//! Attributes that are flags.

/// Integers of which the texts describe 0 and 1, in every operator that has them, those of ONNX Runtime
/// included.
///
/// Five names need a ruling, because their texts are less plain:
/// - `antialias` ("if set to 1", Resize): a flag; a reader that tests for 1 and one that tests for not 0
///   would differ.
/// - `exclude_outside` ("if set to 1", Resize): a flag, for the same reason.
/// - `layout` (RNN, GRU, LSTM): a choice of two, which the text numbers 0 and 1.
/// - `channels_last` ("1: channels last, 0: channels first", pooling of ONNX Runtime): a choice of two.
/// - `unidirectional` ("whether every token can only attend to previous tokens", attention of ONNX Runtime):
///   a flag.
const FLAGS: [&str; 34] = [
    "align_corners",
    "allowzero",
    "antialias",
    "broadcast",
    "ceil_mode",
    "center_point_box",
    "channels_last",
    "count_include_pad",
    "detect_negative",
    "detect_positive",
    "exclude_outside",
    "exclusive",
    "fmod",
    "input_forget",
    "inverse",
    "is_case_sensitive",
    "is_causal",
    "keepdims",
    "largest",
    "layout",
    "new_axis",
    "noop_with_empty_axes",
    "one_class",
    "onesided",
    "periodic",
    "reverse",
    "saturate",
    "select_last_index",
    "sorted",
    "storage_order",
    "training_mode",
    "unidirectional",
    "upper",
    "zeros",
];

/// Whether an integer attribute of this name is 0 or 1.
pub fn is_flag(attribute: &str) -> bool {
    FLAGS.binary_search(&attribute).is_ok()
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeKind;

    use super::*;
    use crate::{all, contrib};

    #[test]
    fn flags_are_sorted_and_integers_of_an_operator_with_a_default_of_0_or_1() {
        assert!(FLAGS.is_sorted());
        for flag in FLAGS {
            let mut attributes = all()
                .chain(contrib())
                .filter_map(|schema| schema.attribute(flag))
                .peekable();
            assert!(attributes.peek().is_some(), "no operator has `{flag}`");
            for attribute in attributes {
                let default = attribute.default;
                assert_eq!(attribute.kind, AttributeKind::Int, "{flag}");
                assert!(
                    matches!(default, None | Some(crate::DefaultValue::Int(0 | 1))),
                    "{flag}: {default:?}"
                );
            }
        }
    }
}
