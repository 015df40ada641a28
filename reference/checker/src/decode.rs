//! Files that break a rule so early that no model can be made of them.

use onnx_model::ModelErrorKind as Kind;

use crate::rule::Rule;

/// The rule that a file breaks which cannot be decoded; `None` where the file could not be read, is no message at all, or is
/// larger than allowed, so that nothing can be said of the model in it.
pub(crate) fn rule(kind: &Kind) -> Option<Rule> {
    Some(match kind {
        Kind::Read(_)
        | Kind::NotAFile
        | Kind::Limit { .. }
        | Kind::Wire { .. }
        | Kind::Protobuf(_)
        | Kind::Unsupported { .. } => return None,
        Kind::OpsetTwice { .. } => Rule::ImportTwice,
        Kind::AttributeTwice => Rule::AttributeTwice,
        Kind::NegativeDim { .. }
        | Kind::RawSize { .. }
        | Kind::FieldCount { .. }
        | Kind::FieldOfOther { .. }
        | Kind::StoredTwice { .. }
        | Kind::RawString
        | Kind::ElementRange { .. }
        | Kind::Tensor(_) => Rule::TensorData,
        Kind::DataLocation(_)
        | Kind::ExternalNumber { .. }
        | Kind::ExternalSize { .. }
        | Kind::External(_) => Rule::ExternalData,
        Kind::SparseValues(_) | Kind::SparseIndices { .. } | Kind::SparseIndex { .. } => Rule::SparseData,
        _ => Rule::Format,
    })
}
