//! Tests of a backend that is served over memory.

use std::collections::BTreeMap;

use onnx_model::{Bytes, encode_value};
use onnx_tensor::{DType, I4, Map, MapKey, Sequence, SparseTensor, Tensor, Value, ValueType, bf16};

use super::answer_all;
use super::service::Service;
use super::store::Store;
use crate::protocol::{
    Answer, ExternalFile, Frame, Load, MIN_NAMED, Payload, Request, Sending, decode_answer, decode_request,
    encode_request, encode_request_with, sha256,
};
use crate::{Backend, BackendError, Description, LoadRequest, Named, Session};

/// Returns the inputs of each run and the number of runs so far; refuses the model `bad`, and with the model
/// `deep` that number has more axes than a message can carry.
struct Echo;

struct EchoSession(i64);

/// From this number of runs on, it has 65 axes.
const DEEP: i64 = 1 << 40;

impl Backend for Echo {
    fn describe(&self) -> Description {
        Description {
            name: "echo".to_owned(),
            ..Description::default()
        }
    }

    fn load(&mut self, model: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let file = model
            .folder
            .as_ref()
            .map(|folder| std::fs::read(folder.join("sub/w.bin")));
        match (&model.model[..], file) {
            (b"bad", _) => Err(BackendError::unsupported("bad models")),
            (b"deep", _) => Ok(Box::new(EchoSession(DEEP))),
            (b"with file", Some(Ok(bytes))) if bytes == b"weights" => Ok(Box::new(EchoSession(100))),
            (b"with file", file) => Err(BackendError::load(format!("{file:?}"))),
            _ => Ok(Box::new(EchoSession(0))),
        }
    }
}

impl Session for EchoSession {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        self.0 += 1;
        let rank = if self.0 > DEEP { 65 } else { 0 };
        let runs = Tensor::new(&vec![1; rank], vec![self.0]).map_err(BackendError::run)?;
        Ok(inputs.iter().cloned().chain([named("runs", runs)]).collect())
    }
}

/// Returns the JSON header of the answer to each frame, and the answers.
fn serve(frames: Vec<Frame>) -> Vec<(String, Answer)> {
    serve_with(frames, || None)
}

/// Like [`serve`], with a store.
fn serve_with(frames: Vec<Frame>, store: impl Fn() -> Option<Store>) -> Vec<(String, Answer)> {
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for frame in frames {
        frame.write(&mut sent).expect("a frame that fits");
    }
    let mut service = Service::new(Echo);
    answer_all(&mut sent.as_slice(), &mut received, store, |request| {
        service.answer(request)
    })
    .expect("a clean end");
    let mut rest = received.as_slice();
    let mut answers = Vec::new();
    while let Some(frame) = Frame::read(&mut rest).expect("whole frames") {
        let header = String::from_utf8(frame.header.clone()).expect("UTF-8");
        let (id, answer) = decode_answer(frame).expect("an answer");
        assert_eq!(id, answers.len() as u64);
        answers.push((header, answer));
    }
    answers
}

fn named(name: &str, value: impl Into<Value>) -> Named {
    (name.to_owned(), value.into())
}

fn load(model: &[u8]) -> Load {
    Load {
        model: model.to_vec().into(),
        ..Load::default()
    }
}

#[test]
fn requests_get_their_answers() {
    let inputs = || vec![named("x", Tensor::scalar(1.5_f32))];
    let file = |location: &str| ExternalFile {
        location: location.to_owned(),
        bytes: Bytes::from_static(b"weights"),
    };
    let hello = |version| Request::Hello {
        versions: vec![9, version],
        harness: String::new(),
        store: false,
    };
    let run = |session, outputs| Request::Run {
        session,
        inputs: inputs(),
        outputs,
    };
    let cases = vec![
        (
            hello(1),
            r#""answer":"hello","version":1,"backend":{"name":"echo""#,
        ),
        (hello(8), r#""answer":"refused","reason":"version""#),
        (Request::Capabilities, r#""answer":"capabilities","opsets":{}"#),
        (Request::Probe(load(b"m")), r#""answer":"probed""#),
        (
            Request::Probe(load(b"bad")),
            r#""answer":"failed","error":{"kind":"unsupported""#,
        ),
        (Request::Load(load(b"m")), r#""answer":"loaded","session":1"#),
        (
            run(1, None),
            r#""outputs":[{"name":"x","type":"tensor(float)","bytes":11},{"name":"runs""#,
        ),
        (
            run(1, Some(vec!["runs".to_owned()])),
            r#""answer":"ran","outputs":[{"name":"runs""#,
        ),
        (run(2, None), r#""answer":"refused","reason":"unknown_session""#),
        (
            Request::Placement { session: 1 },
            r#""answer":"placed","placement":[]"#,
        ),
        (
            Request::Load(Load {
                files: vec![file("sub/w.bin")],
                ..load(b"with file")
            }),
            r#""session":2"#,
        ),
        (
            Request::Load(Load {
                files: vec![file("../w.bin")],
                ..load(b"with file")
            }),
            r#""kind":"load""#,
        ),
        (Request::Unload { session: 1 }, r#""answer":"unloaded""#),
        (run(1, None), r#""answer":"refused","reason":"unknown_session""#),
        (Request::Shutdown, r#""answer":"bye""#),
        (Request::Capabilities, "never answered"),
    ];
    let mut expected: Vec<&str> = cases.iter().map(|(_, header)| *header).collect();
    expected.pop();
    let frames = cases.into_iter().enumerate();
    let frames = frames.map(|(id, (request, _))| encode_request(id as u64, request).expect("a request"));
    let answers = serve(frames.collect());
    assert_eq!(answers.len(), expected.len());
    for ((header, _), expected) in answers.iter().zip(expected) {
        assert!(header.contains(expected), "{header} has no {expected}");
    }
}

#[test]
fn an_output_that_no_message_carries_is_unsupported() {
    let run = Request::Run {
        session: 1,
        inputs: Vec::new(),
        outputs: None,
    };
    let requests = [Request::Load(load(b"deep")), run];
    let frames = requests.into_iter().enumerate();
    let frames = frames.map(|(id, request)| encode_request(id as u64, request).expect("a request"));
    let answers = serve(frames.collect());
    let said = r#""kind":"unsupported","message":"output `runs` has 65 axes"#;
    assert!(answers[1].0.contains(said), "{}", answers[1].0);
}

#[test]
fn a_profile_has_a_number_of_runs_and_a_backend_may_have_none() {
    let profile = |runs| Request::Profile {
        runs,
        load: load(b"m"),
    };
    let requests = [profile(0), profile(1001), profile(1000)];
    let frames = requests.into_iter().enumerate();
    let answers = serve(
        frames
            .map(|(id, request)| encode_request(id as u64, request).expect("a request"))
            .collect(),
    );
    for ((header, _), expected) in answers.iter().zip([
        r#""reason":"malformed","message":"expected 1 to 1000 runs, got 0""#,
        r#""reason":"malformed","message":"expected 1 to 1000 runs, got 1001""#,
        r#""answer":"failed","error":{"kind":"unsupported""#,
    ]) {
        assert!(header.contains(expected), "{header} has no {expected}");
    }
}

#[test]
fn a_bench_rotates_over_the_inputs() {
    let sets = ["a", "b"]
        .map(|name| vec![named(name, Tensor::scalar(0_i64))])
        .to_vec();
    let bench = |iterations, sets| Request::Bench {
        session: 1,
        warmup: 3,
        iterations,
        sets,
    };
    let requests = [
        Request::Load(load(b"m")),
        bench(4, sets.clone()),
        bench(0, sets),
        bench(1, vec![]),
    ];
    let frames = requests.into_iter().enumerate();
    let answers = serve(
        frames
            .map(|(id, request)| encode_request(id as u64, request).expect("a request"))
            .collect(),
    );
    let [
        _,
        (_, Answer::Benched(benched)),
        (_, Answer::Refused(_)),
        (_, Answer::Refused(_)),
    ] = answers.as_slice()
    else {
        panic!("{answers:?}");
    };
    assert_eq!(
        (benched.warmup_nanoseconds.len(), benched.nanoseconds.len()),
        (3, 4)
    );
    // Three warm-up runs, then a b a b.
    for (outputs, set, runs) in [(&benched.first, "a", 4_i64), (&benched.last, "b", 7)] {
        let [(name, _), (_, Value::Tensor(count))] = outputs.as_slice() else {
            panic!("{outputs:?}")
        };
        assert!(
            name == set && count.same_bits(&Tensor::scalar(runs)),
            "{outputs:?}"
        );
    }
}

#[test]
fn unknown_and_malformed_requests_are_refused() {
    let cases: [(&str, &[u8], &str); 6] = [
        (
            r#"{"id":0,"request":"load","model":1,"colour":"red"}"#,
            b"m",
            r#""answer":"loaded""#,
        ),
        (
            r#"{"id":1,"request":"dance"}"#,
            b"",
            r#""reason":"unknown_message","message":"message `dance` is unknown""#,
        ),
        (
            r#"{"id":2,"request":"run","inputs":[]}"#,
            b"",
            r#""reason":"malformed","message":"message `run`: missing field `session`"#,
        ),
        (
            r#"{"id":3,"request":"load","model":2}"#,
            b"m",
            "`model` has 2 bytes in the header, but the payload has 1 left",
        ),
        (
            r#"{"id":4,"request":"load","model":1}"#,
            b"mm",
            "the payload has 1 bytes that the header does not describe",
        ),
        (
            r#"{"id":5,"request":"run","session":1,"inputs":[{"name":"x","type":"tensor(flat)","bytes":0}]}"#,
            b"",
            "value `x`: unknown element type `flat`",
        ),
    ];
    let frame = |(header, payload, _): &(&str, &[u8], &str)| Frame {
        header: header.as_bytes().to_vec(),
        payload: payload.to_vec().into(),
    };
    for ((header, _), (_, _, expected)) in serve(cases.iter().map(frame).collect()).iter().zip(cases) {
        assert!(header.contains(expected), "{header} has no {expected}");
    }
    for header in [
        "",
        "[]",
        r#"{"request":"hello"}"#,
        r#"{"id":-1,"request":"hello"}"#,
    ] {
        let frame = Frame {
            header: header.into(),
            payload: Payload::default(),
        };
        assert!(decode_request(frame).is_err(), "{header}");
    }
}

#[test]
fn every_kind_of_value_arrives_unchanged() {
    let tensor = ValueType::tensor;
    let nan = Tensor::vector(vec![
        f32::from_bits(0x7fc0_1234),
        f32::from_bits(0xff80_0001),
        -0.0,
    ]);
    let text = Tensor::vector(vec!["".to_owned(), "a\0ü".to_owned()]);
    let sequence = |element, values| Value::Sequence(Sequence { element, values });
    let map = |key, entries: Vec<(MapKey, Value)>| {
        Value::Map(Map {
            key,
            element: tensor(DType::Float),
            entries: BTreeMap::from_iter(entries),
        })
    };
    let one = || Value::from(Tensor::scalar(1.0_f32));
    let strings = ValueType::Sequence(Box::new(tensor(DType::String)));
    let values = vec![
        nan.into(),
        text.clone().into(),
        Tensor::vector(vec![bf16::from_bits(0x7f81)]).into(),
        Tensor::new(&[3, 1], vec![I4::wrap(-8), I4::wrap(7), I4::wrap(0)])
            .expect("three")
            .into(),
        Tensor::new(&[0, 3], Vec::<i64>::new()).expect("none").into(),
        sequence(tensor(DType::Int64), vec![]),
        sequence(strings.clone(), vec![]),
        sequence(tensor(DType::String), vec![text.into()]),
        map(DType::Int64, vec![(MapKey::Int(-7), one())]),
        map(DType::String, vec![(MapKey::String("k".to_owned()), one())]),
        Value::Optional {
            element: strings,
            value: None,
        },
        Value::Optional {
            element: tensor(DType::Float),
            value: None,
        },
        Value::Optional {
            element: tensor(DType::Float),
            value: Some(Box::new(one())),
        },
        Value::Sparse(SparseTensor {
            values: Tensor::vector(vec![2.0_f64]),
            indices: Tensor::vector(vec![5_i64]),
            shape: vec![2, 3],
        }),
    ];
    let inputs: Vec<Named> = values.into_iter().map(|value| named("x", value)).collect();
    let request = Request::Run {
        session: 1,
        inputs: inputs.clone(),
        outputs: None,
    };
    let frame = encode_request(1, request).expect("a request");
    let (_, Request::Run { inputs: arrived, .. }) = decode_request(frame).expect("the same") else {
        panic!("another request")
    };
    assert_eq!(arrived.len(), inputs.len());
    for ((_, sent), (_, arrived)) in inputs.iter().zip(&arrived) {
        assert_eq!(arrived.value_type(), sent.value_type());
        assert_eq!(
            encode_value(arrived, "x"),
            encode_value(sent, "x"),
            "{sent:?} arrived as {arrived:?}"
        );
    }
}

/// The header of `load` with a model that is named by its digest.
fn named_model(id: u64, sha256: &str, bytes: usize, sent: bool) -> String {
    format!(r#"{{"id":{id},"request":"load","model":{{"sha256":"{sha256}","bytes":{bytes},"sent":{sent}}}}}"#)
}

#[test]
fn a_model_is_sent_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let digest = sha256(b"model");
    let hello = |store: bool| format!(r#"{{"id":0,"request":"hello","versions":[1],"store":{store}}}"#);
    let missing = format!(r#""answer":"missing","sha256":["{digest}"]"#);
    #[rustfmt::skip]
    let cases: Vec<(String, &[u8], &str)> = vec![
        (hello(true), b"", r#""store":true"#),
        (named_model(1, &digest, 5, false), b"", &missing),
        (named_model(2, &digest, 5, true), b"model", r#""answer":"loaded""#),
        (named_model(3, &digest, 5, false), b"", r#""answer":"loaded""#),
        (named_model(4, &digest, 5, true), b"medol", "`model` has the SHA-256"),
        (named_model(5, &digest, 6, true), b"model", "the payload has 5 left"),
        (named_model(6, "../../../../etc/passwd", 5, false), b"", "expected a SHA-256 of 64"),
        (named_model(7, &digest.to_uppercase(), 5, false), b"", "expected a SHA-256 of 64"),
        // A wrong length removes the file: it is asked for again.
        (named_model(8, &digest, 6, false), b"", &missing),
        (named_model(9, &digest, 5, false), b"", &missing),
    ];
    let frame = |(header, payload, _): &(String, &[u8], &str)| Frame {
        header: header.as_bytes().to_vec(),
        payload: payload.to_vec().into(),
    };
    let store = || Store::at(folder.path().to_owned(), 100);
    let answers = serve_with(cases.iter().map(frame).collect(), store);
    assert_eq!(answers.len(), cases.len());
    for ((header, _), (_, _, expected)) in answers.iter().zip(&cases) {
        assert!(header.contains(expected), "{header} has no {expected}");
    }
    // A worker that was not asked has no store.
    let frames = [
        (hello(false), &b""[..], ""),
        (named_model(1, &digest, 5, false), b"", ""),
    ];
    let answers = serve_with(frames.iter().map(frame).collect(), store);
    assert!(!answers[0].0.contains("store"), "{}", answers[0].0);
    assert!(answers[1].0.contains("has offered no store"), "{}", answers[1].0);
}

#[test]
fn one_answer_names_all_missing_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = || Store::at(folder.path().to_owned(), 1 << 20);
    let long = |byte: u8| Bytes::from(vec![byte; MIN_NAMED]);
    let request = || {
        let file = |location: &str, bytes| ExternalFile {
            location: location.to_owned(),
            bytes,
        };
        Request::Load(Load {
            model: long(1),
            files: vec![
                file("a", long(2)),
                file("b", long(3)),
                file("c", long(4).slice(1..)),
            ],
            inputs: vec![named("x", Tensor::scalar(1.5_f32))],
            ..Load::default()
        })
    };
    let hello = Request::Hello {
        versions: vec![1],
        harness: String::new(),
        store: true,
    };
    let digests = [1, 2, 3].map(|byte| sha256(&long(byte)));
    let sending = |sent: &[String]| Sending::Digests(sent.iter().cloned().collect());
    let frames = vec![
        encode_request(0, hello).expect("a request"),
        encode_request_with(1, request(), sending(&[])).expect("a request"),
        encode_request_with(2, request(), sending(&digests[1..2])).expect("a request"),
        encode_request_with(3, request(), sending(&digests)).expect("a request"),
        encode_request_with(4, request(), sending(&[])).expect("a request"),
        encode_request(5, request()).expect("a request"),
    ];
    // What is shorter than the limit is sent each time.
    let sizes: Vec<usize> = frames
        .iter()
        .map(|frame| frame.payload.len() / MIN_NAMED)
        .collect();
    assert_eq!(sizes, [0, 1, 2, 4, 1, 4]);
    let answers = serve_with(frames, store);
    let missing = |answer: &Answer| match answer {
        Answer::Missing { sha256 } => sha256.clone(),
        Answer::Loaded(_) => Vec::new(),
        answer => panic!("{answer:?}"),
    };
    let found: Vec<Vec<String>> = answers[1..].iter().map(|(_, answer)| missing(answer)).collect();
    let [one, two, three] = digests;
    assert_eq!(
        found,
        [
            vec![one.clone(), two, three.clone()],
            vec![one, three],
            vec![],
            vec![],
            vec![]
        ]
    );
}
