//! Checks that the examples in `docs/protocol.md` are messages of this protocol.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use backend_api::protocol::{Frame, Request, WireAnswer, WireRequest, decode_request};
use onnx_tensor::{Tensor, Value};

/// The contents of the code blocks in this language.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fence = format!("```{language}\n");
    let fences = text.split(&fence).skip(1);
    fences
        .map(|rest| rest.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn every_message_has_a_valid_example() {
    let mut seen = BTreeSet::new();
    for block in blocks("json") {
        let name = match serde_json::from_str::<WireRequest>(&block) {
            Ok(request) => format!("request {}", request.name()),
            Err(no_request) => match serde_json::from_str::<WireAnswer>(&block) {
                Ok(answer) => format!("answer {}", answer.name()),
                Err(no_answer) => {
                    panic!("{block}\nis not a request ({no_request}) and not an answer ({no_answer})")
                }
            },
        };
        seen.insert(name);
    }
    let requests = WireRequest::NAMES.iter().map(|name| format!("request {name}"));
    let answers = WireAnswer::NAMES.iter().map(|name| format!("answer {name}"));
    assert_eq!(seen, requests.chain(answers).collect());
}

#[test]
fn the_example_of_a_frame_is_valid() {
    let dump = blocks("hex").concat();
    let pairs = dump
        .lines()
        .filter_map(|line| line.get(6..53))
        .flat_map(str::split_whitespace);
    let bytes: Vec<u8> = pairs
        .map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal"))
        .collect();
    let mut rest = bytes.as_slice();
    let frame = Frame::read(&mut rest).expect("a good frame").expect("a frame");
    let (id, request) = decode_request(frame).expect("a request");
    let Request::Run {
        session,
        inputs,
        outputs: None,
    } = request
    else {
        panic!("{request:?}")
    };
    let [(name, Value::Tensor(tensor))] = inputs.as_slice() else {
        panic!("{inputs:?}")
    };
    assert_eq!((id, session, name.as_str(), rest.len()), (3, 1, "x", 0));
    assert!(tensor.same_bits(&Tensor::vector(vec![1.0_f32, -2.0])));
}
