//! Hostile files: each is refused or decoded within the limits, without a panic.

use std::sync::Arc;

use onnx_model::{
    AttributeValue, Graph, Limit, Limits, Model, ModelError, ModelErrorKind, Node, Source, decode_value,
};
use onnx_tensor::{DType, Value, ValueType};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::sample;

fn decode(bytes: &[u8], limits: &Limits) -> Result<Model, ModelError> {
    Model::decode(bytes.to_vec(), &Source::named("hostile"), limits)
}

/// The limit that an error reports.
fn limit_of<T: std::fmt::Debug>(result: Result<T, ModelError>) -> Option<Limit> {
    match *result.expect_err("more than a limit").kind {
        ModelErrorKind::Limit { limit, .. } => Some(limit),
        _ => None,
    }
}

#[test]
fn a_truncated_file_is_refused_or_shorter() {
    let bytes = sample::everything().encode();
    let nodes = sample::everything().graph.nodes.len();
    for length in 0..bytes.len() {
        if let Ok(model) = decode(&bytes[..length], &Limits::default()) {
            assert!(model.graph.nodes.len() <= nodes, "{length}");
        }
    }
}

/// The number of elements of all initializers and tensor attributes of the main graph.
fn elements(model: &Model) -> usize {
    let count = |value: &Value| match value {
        Value::Sparse(sparse) => sparse.values.len() + sparse.indices.len(),
        other => other.as_tensor().map_or(0, |tensor| tensor.len()),
    };
    model
        .graph
        .initializers
        .iter()
        .map(|(_, value)| count(value))
        .sum()
}

#[test]
fn a_damaged_file_stays_within_the_limits() {
    let bytes = sample::everything().encode();
    let limits = Limits {
        total_elements: 64,
        nodes: 16,
        message_bytes: 64 << 10,
        ..Limits::default()
    };
    assert!(
        decode(&bytes, &limits).is_ok(),
        "the undamaged file is within the limits"
    );
    let mut random = ChaCha8Rng::seed_from_u64(20261120);
    let mut refused = 0;
    for _ in 0..5000 {
        let mut damaged = bytes.clone();
        for _ in 0..random.random_range(1..=4) {
            let at = random.random_range(0..damaged.len());
            damaged[at] ^= 1 << random.random_range(0..8);
        }
        match decode(&damaged, &limits) {
            Ok(model) => assert!(
                elements(&model) <= 64 && model.graph.nodes.len() <= 16,
                "{damaged:?}"
            ),
            Err(error) => refused += usize::from(!error.to_string().is_empty()),
        }
    }
    assert!(
        (1000..5000).contains(&refused),
        "{refused} of 5000: the damage did not reach what it should"
    );
}

/// A length-delimited field.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(content);
    bytes
}

#[test]
fn small_messages_with_a_large_memory_size_are_counted() {
    let million = |number: u8| [number << 3 | 2, 0].repeat(1_000_000);
    let limits = Limits::default();
    let in_graph = |content: Vec<u8>| decode(&field(7, &content), &limits);
    assert_eq!(limit_of(in_graph(million(1))), Some(Limit::Nodes));
    assert_eq!(limit_of(in_graph(million(5))), Some(Limit::Initializers));
    assert_eq!(limit_of(in_graph(million(15))), Some(Limit::Initializers));
    // A million messages of any type take at least 40 MB; a million strings would take 24 MB.
    let limits = Limits {
        message_bytes: 30 << 20,
        ..limits
    };
    let lists: [&[u8]; 8] = [
        &[7, 11],
        &[7, 13],
        &[7, 14],
        &[7, 1, 5],
        &[7, 1, 9],
        &[7, 1, 5, 10],
        &[7, 1, 5, 15],
        &[8],
    ];
    for path in lists {
        let (last, outer) = path.split_last().expect("a path");
        let bytes = outer
            .iter()
            .rev()
            .fold(million(*last), |content, &number| field(number, &content));
        assert_eq!(
            limit_of(decode(&bytes, &limits)),
            Some(Limit::MessageBytes),
            "{path:?}"
        );
    }
    // A number of one byte in the file takes eight bytes in memory.
    let packed = field(7, &field(1, &field(5, &field(8, &[1; 8_000_000]))));
    assert_eq!(limit_of(decode(&packed, &limits)), Some(Limit::MessageBytes));
}

/// `depth` nested graphs, as bodies of If.
fn nested(depth: usize) -> Model {
    let body = |inner: Graph, _| {
        let branch = sample::attribute("then_branch", AttributeValue::Graph(Arc::new(inner)));
        Graph {
            nodes: vec![sample::node("If", &["c"], "y", vec![branch])],
            ..Graph::default()
        }
    };
    let innermost = Graph {
        nodes: vec![Node::default()],
        ..Graph::default()
    };
    sample::model((1..depth).fold(innermost, body))
}

#[test]
fn nesting_is_bounded() {
    let limits = Limits::default();
    assert!(decode(&nested(32).encode(), &limits).is_ok());
    assert_eq!(
        limit_of(decode(&nested(34).encode(), &limits)),
        Some(Limit::GraphDepth)
    );
    let lifted = Limits {
        graph_depth: u64::MAX,
        ..limits.clone()
    };
    assert_eq!(
        limit_of(decode(&nested(200).encode(), &lifted)),
        Some(Limit::MessageDepth)
    );
    // A hundred nested SequenceProto.sequence_values.
    let bytes = (0..100).fold(Vec::new(), |content, _| field(5, &content));
    let mut value_type = ValueType::tensor(DType::Int8);
    for _ in 0..101 {
        value_type = ValueType::Sequence(Box::new(value_type));
    }
    assert_eq!(
        limit_of(decode_value(&bytes, &value_type, &limits)),
        Some(Limit::MessageDepth)
    );
}

#[test]
fn each_limit_can_be_set() {
    let bytes = sample::everything().encode();
    let limits = Limits::default();
    let check = |limits: Limits, limit| assert_eq!(limit_of(decode(&bytes, &limits)), Some(limit));
    check(
        Limits {
            file_bytes: 100,
            ..limits.clone()
        },
        Limit::FileBytes,
    );
    check(
        Limits {
            nodes: 2,
            ..limits.clone()
        },
        Limit::Nodes,
    );
    check(
        Limits {
            initializers: 1,
            ..limits.clone()
        },
        Limit::Initializers,
    );
    check(
        Limits {
            graph_depth: 1,
            ..limits.clone()
        },
        Limit::GraphDepth,
    );
    check(
        Limits {
            rank: 2,
            ..limits.clone()
        },
        Limit::Rank,
    );
    check(
        Limits {
            tensor_elements: 2,
            ..limits.clone()
        },
        Limit::TensorElements,
    );
    check(
        Limits {
            total_elements: 4,
            ..limits.clone()
        },
        Limit::TotalElements,
    );
    check(
        Limits {
            message_bytes: 1000,
            ..limits
        },
        Limit::MessageBytes,
    );
}

#[test]
fn invalid_protobuf_and_invalid_models_have_different_errors() {
    let refuse = |bytes: &[u8], message: &str| {
        assert_eq!(
            decode(bytes, &Limits::default()).expect_err(message).to_string(),
            message
        );
    };
    refuse(
        b"",
        "hostile: not an ONNX file, but an empty file: download or export the model again",
    );
    refuse(
        b"\x0b",
        "hostile: not an ONNX file, which is a protobuf message: a group, which ONNX does not use at byte 1",
    );
    for (bytes, said) in [
        (
            &b"<!DOCTYPE html>"[..],
            "a page of HTML or a file of XML: download the file itself",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1",
            "a pointer of Git LFS: fetch the file itself by `git lfs pull`",
        ),
        (
            b"PK\x03\x04\x00\x00",
            "a zip archive, as PyTorch saves a model: unpack it, or export the model by `torch.onnx.export`",
        ),
    ] {
        refuse(bytes, &format!("hostile: not an ONNX file, but {said}"));
    }
    refuse(
        &field(7, &[0x0A, 0x05, 0x00]),
        "hostile: graph: not an ONNX file, which is a protobuf message: a length beyond the end of the message at byte 4",
    );
    refuse(
        &[0x08, 0x80],
        "hostile: not an ONNX file, which is a protobuf message: an unterminated varint at byte 1",
    );
}

/// An extent of zero does not hide the others: code that allocates or loops over them would not end.
#[test]
fn a_huge_extent_next_to_a_zero_is_refused() {
    let tensor = |dims: &[i64]| {
        let value_type = ValueType::tensor(DType::Float);
        let mut bytes = vec![0x10, 1];
        for &dim in dims {
            bytes.push(0x08);
            let mut rest = dim as u64;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        decode_value(&bytes, &value_type, &Limits::default())
    };
    assert!(tensor(&[0, 1 << 20]).is_ok());
    for dims in [&[0, 1 << 31][..], &[1 << 31, 0]] {
        assert_eq!(limit_of(tensor(dims)), Some(Limit::TensorElements), "{dims:?}");
    }
    for dims in [&[0, i64::MAX][..], &[i64::MAX, i64::MAX, 0, i64::MAX]] {
        let error = tensor(dims).expect_err("a shape beyond memory");
        assert!(
            matches!(*error.kind, ModelErrorKind::Tensor(_)),
            "{dims:?}: {error}"
        );
    }
}

/// A thousand times the inputs and initializers take a thousand times as long, not a million times.
#[test]
fn required_inputs_are_found_in_linear_time() {
    let count = 200_000;
    let value = Value::Tensor(onnx_tensor::Tensor::scalar(1_i8));
    let info = |at: usize| onnx_model::ValueInfo {
        name: format!("x{at}"),
        value_type: None,
    };
    let graph = Graph {
        inputs: (0..=count).map(info).collect(),
        initializers: (0..count).map(|at| (format!("x{at}"), value.clone())).collect(),
        ..Graph::default()
    };
    let required: Vec<&str> = graph.required_inputs().map(|input| input.name.as_str()).collect();
    assert_eq!(required, [format!("x{count}")]);
}
