//! Violations that keep a file from being decoded.

use onnx_model::ModelErrorKind as Kind;

use crate::rule::Rule;

/// The rule that an undecodable file violates. `None` if the file cannot be read, is no model or is too
/// large, so that nothing is known about its model.
pub(crate) fn rule(kind: &Kind) -> Option<Rule> {
    Some(match kind {
        Kind::Read(_)
        | Kind::NotAFile
        | Kind::Foreign { .. }
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
        | Kind::ExternalTwice { .. }
        | Kind::ExternalNumber { .. }
        | Kind::ExternalSize { .. }
        | Kind::External(_) => Rule::ExternalData,
        Kind::SparseValues(_)
        | Kind::SparseShape(_)
        | Kind::SparseIndices { .. }
        | Kind::SparseIndex { .. } => Rule::SparseData,
        _ => Rule::Format,
    })
}
