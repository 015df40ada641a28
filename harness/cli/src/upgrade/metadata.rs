//! The metadata of a model file.

use onnx_model::proto::StringStringEntryProto;
use prost::Message;

/// The fields of `ModelProto` that decoding ignores and a converted model keeps; the numbers are those
/// of `onnx.proto`.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(bytes = "vec", optional, tag = "4")]
    domain: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "5")]
    model_version: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "6")]
    doc_string: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "14")]
    metadata_props: Vec<StringStringEntryProto>,
}

/// Adds the metadata of the original to the converted model. Two concatenated encoded messages are one
/// message with the fields of both.
pub(super) fn keep(original: &[u8], mut converted: Vec<u8>) -> Vec<u8> {
    if let Ok(metadata) = Metadata::decode(original) {
        converted.extend(metadata.encode_to_vec());
    }
    converted
}

#[cfg(test)]
mod tests {
    use onnx_model::proto::ModelProto;

    use super::*;

    #[test]
    fn metadata_is_kept() {
        let entry = |key: &str, value: &str| StringStringEntryProto {
            key: Some(key.into()),
            value: Some(value.into()),
        };
        let original = ModelProto {
            ir_version: Some(7),
            producer_name: Some("old".into()),
            model_version: Some(3),
            doc_string: Some("about".into()),
            metadata_props: vec![entry("names", "cat, dog")],
            ..ModelProto::default()
        };
        let converted = ModelProto {
            ir_version: Some(10),
            ..ModelProto::default()
        };
        let kept = keep(&original.encode_to_vec(), converted.encode_to_vec());
        let expected = ModelProto {
            ir_version: Some(10),
            producer_name: None,
            ..original
        };
        assert_eq!(ModelProto::decode(&kept[..]), Ok(expected));
        assert_eq!(keep(b"no model", vec![8, 10]), [8, 10]);
    }
}
