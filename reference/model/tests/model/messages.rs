//! Checks that the messages are those of `onnx.proto`: fields, numbers, types.

use onnx_model::proto::{ModelProto, SequenceProto};
use prost::Message;

/// Decodes and encodes a message in which every field is set. prost drops unknown fields and refuses or
/// changes wrongly declared ones, so the bytes are the same only if every field is declared correctly. Their
/// order is ignored, because prost writes a oneof at the position of its lowest number. The bytes are from
/// the `onnx` package 1.23.2 (data/every_field.py).
fn check<M: Message + Default>(bytes: &[u8]) {
    let sorted = |mut bytes: Vec<u8>| {
        bytes.sort_unstable();
        bytes
    };
    let message = M::decode(bytes).expect("a message that the onnx package wrote");
    let again = message.encode_to_vec();
    assert_eq!(again.len(), bytes.len(), "a field is missing");
    assert!(
        sorted(again) == sorted(bytes.to_vec()),
        "a field is declared differently"
    );
}

#[test]
fn every_field_of_a_model_is_declared() {
    check::<ModelProto>(include_bytes!("data/model.bin"));
}

#[test]
fn every_field_of_a_value_is_declared() {
    check::<SequenceProto>(include_bytes!("data/sequence.bin"));
}
