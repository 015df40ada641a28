//! `compare`, `locate`, `reduce` and `keep` as commands: their results on backends made for a test, and one clear line for wrong input.
//!
//! The program looks for the worker of the reference beside itself: there is the mock, as the interpreter without a fault.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use onnx_model::{Graph, Model, Node, ValueInfo, encode_value};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use program::{Ended, MOCK, ended};

/// A folder with models.
struct Bench {
    folder: tempfile::TempDir,
    /// The fault of the reference.
    reference: &'static str,
}

/// The program with a reference beside it, made once: a file that is being written cannot be executed, and every process that
/// another thread starts holds it open for a moment.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let made = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("onnx-conformance");
        fs::copy(env!("CARGO_BIN_EXE_onnx-conformance"), &program).expect("the program");
        symlink(MOCK, folder.path().join("onnx-worker-reference")).expect("the reference");
        (folder, program)
    });
    &made.1
}

impl Bench {
    fn new() -> Bench {
        let bench = Bench {
            folder: tempfile::tempdir().expect("a folder"),
            reference: "none",
        };
        fs::write(bench.at("net.onnx"), model().encode()).expect("a model");
        bench
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a line in which RIGHT, AGAIN and FAULTY are backends.
    fn run(&self, line: &str) -> Ended {
        let mut command = Command::new(program());
        let words = shlex::split(line).expect("a line");
        command
            .args(words.iter().map(|word| backend(word)))
            .current_dir(self.folder.path());
        ended(command.env("MOCK_REFERENCE", self.reference))
    }
}

/// What a word of a line stands for.
fn backend(word: &str) -> String {
    [
        ("RIGHT", "none"),
        ("AGAIN", "nobody:swap"),
        ("FAULTY", "second:swap"),
    ]
    .iter()
    .fold(word.to_owned(), |word, (name, fault)| {
        word.replace(name, &format!("cmd:{MOCK} --opt fault={fault}"))
    })
}

fn info(name: &str, shape: &[Dim]) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(shape.to_vec()),
        }),
    }
}

fn node(name: &str, operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        name: name.to_owned(),
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

/// y = sigmoid(relu(x) − w) of x: [batch, 3].
fn model() -> Model {
    let shape = [Dim::Named("batch".to_owned()), Dim::Fixed(3)];
    Model {
        ir_version: 8,
        opset_imports: BTreeMap::from([(String::new(), 13)]),
        graph: Arc::new(Graph {
            inputs: vec![info("x", &shape)],
            outputs: vec![info("y", &shape)],
            initializers: vec![("w".to_owned(), Tensor::vector(vec![0.5_f32, 0.25, 2.0]).into())],
            nodes: vec![
                node("first", "Relu", &["x"], "a"),
                node("second", "Sub", &["a", "w"], "b"),
                node("third", "Sigmoid", &["b"], "y"),
            ],
            ..Graph::default()
        }),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
    }
}

#[track_caller]
fn check(bench: &Bench, line: &str, code: i32, parts: &[&str]) -> Ended {
    let ended = bench.run(line);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(code), "{line}\n{said}");
    for part in parts {
        assert!(said.contains(part), "{line}: wanted `{part}` in\n{said}");
    }
    ended
}

#[test]
fn a_right_answer_is_told_from_a_wrong_one() {
    let bench = Bench::new();
    check(
        &bench,
        "compare net.onnx --backend RIGHT",
        0,
        &[
            "the reference says what is right",
            "right, exact",
            "dimension batch = 1 (default)",
            "drawn input x: normal, float[1,3] (seed 0)",
        ],
    );
    let line = "compare net.onnx --backend RIGHT --backend FAULTY --dim batch=2 --out report";
    check(
        &bench,
        line,
        1,
        &[
            "WRONG",
            "right, exact",
            "dimension batch = 2 (--dim)",
            "wrote report/report.html",
        ],
    );
    assert!(
        bench
            .at("report/cases/models/net/test_data_set_0/output_0.pb")
            .is_file()
    );
    check(
        &bench,
        "locate net.onnx --backend FAULTY --with RIGHT",
        1,
        &[
            "node 1 `second` (Sub-13) is wrong",
            "other backends on the same node",
            "right: error 0",
        ],
    );
    check(
        &bench,
        "locate net.onnx --backend RIGHT",
        0,
        &["nothing to locate"],
    );
    check(
        &bench,
        "reduce net.onnx --backend FAULTY --out small",
        0,
        &["1 of 3 nodes are left", "= Sub ("],
    );
    let kept = check(&bench, "keep small --to kept", 0, &["wrote kept/issues/"]);
    let id = kept.stdout.trim();
    let repeat = format!("conformance --cases kept/cases --filter '{id}' --policy bound --noise 0 --backend");
    check(&bench, &format!("{repeat} RIGHT --floor RIGHT=1"), 0, &[]);
    check(
        &bench,
        &format!("{repeat} FAULTY --floor 'FAULTY=1'"),
        1,
        &["passes 0 cases"],
    );
}

#[test]
fn stored_outputs_are_judged_like_a_backend() {
    let bench = Bench::new();
    let set = bench.at("case/test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::copy(bench.at("net.onnx"), bench.at("case/model.onnx")).expect("a model");
    let value = |values: [f32; 3]| Value::from(Tensor::new(&[1, 3], values.to_vec()).expect("a tensor"));
    fs::write(set.join("input_0.pb"), encode_value(&value([1.0, 2.0, 3.0]), "x")).expect("a value");
    fs::write(
        set.join("output_0.pb"),
        encode_value(&value([1.0, 2.0, 3.0]), "y"),
    )
    .expect("a value");
    // The backend is right, and the stored outputs are wrong: they say nothing of the backend.
    let ended = check(
        &bench,
        "compare case --backend RIGHT",
        1,
        &["stored outputs", "WRONG", "right, exact"],
    );
    let line = |name: &str| {
        ended
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(name))
            .map(str::to_owned)
    };
    assert!(
        line("stored outputs").is_some_and(|line| line.contains("WRONG")),
        "{}",
        ended.stdout
    );
    assert!(
        line(&backend("RIGHT")).is_some_and(|line| line.contains("right, exact")),
        "{}",
        ended.stdout
    );
}

#[test]
fn without_the_reference_agreement_counts() {
    let mut bench = Bench::new();
    bench.reference = "first:unsupported";
    let line = "compare net.onnx --noise 0 --backend RIGHT --backend AGAIN --backend FAULTY";
    let agree = format!(
        "right is what {}, {} agree on",
        backend("RIGHT"),
        backend("AGAIN")
    );
    check(&bench, line, 1, &["no answer of the reference", &agree, "WRONG"]);
    check(
        &bench,
        "compare net.onnx --backend RIGHT",
        4,
        &["nobody knows what is right", "no kernel"],
    );
}

#[test]
fn wrong_input_is_one_clear_line() {
    let bench = Bench::new();
    fs::write(bench.at("torn.onnx"), "no model").expect("a file");
    fs::create_dir(bench.at("empty")).expect("a folder");
    fs::write(bench.at("text.json"), "[[1, 2, \"three\"]]").expect("a file");
    fs::write(bench.at("short.json"), "[[1, 2]]").expect("a file");
    fs::write(bench.at("x.npy"), npy("<f8", "(1, 3)", &[0; 24])).expect("a file");
    fs::write(bench.at("torn.npy"), "no array").expect("a file");
    write_external(&bench.at("external.onnx"));
    for (line, code, said) in [
        ("compare", 2, "required arguments"),
        ("compare nothing.onnx", 2, "cannot read `nothing.onnx`"),
        ("compare empty", 4, "no model in `empty`"),
        ("compare torn.onnx", 2, "cannot decode the model"),
        ("compare external.onnx", 2, "external data \"weights.bin\""),
        (
            "compare net.onnx --dim batches=2",
            2,
            "no symbolic dimension `batches`; the inputs have `batch`",
        ),
        (
            "compare net.onnx --dim batch",
            2,
            "`batch` is not of the form NAME=EXTENT",
        ),
        (
            "compare net.onnx --input z=x.npy",
            2,
            "no input `z`; the inputs are `x`",
        ),
        (
            "compare net.onnx --input x=nothing.npy",
            2,
            "nothing.npy: No such file",
        ),
        (
            "compare net.onnx --input x=torn.npy",
            2,
            "torn.npy: it is no array",
        ),
        (
            "compare net.onnx --input x=net.onnx",
            2,
            "not of the form NAME=FILE",
        ),
        ("compare net.onnx --input x.npy", 2, "not of the form NAME=FILE"),
        (
            "compare net.onnx --input x=text.json",
            2,
            "\"three\" is not of type float",
        ),
        (
            "compare net.onnx --input x=short.json",
            2,
            "holds tensor(float)[1, 2], expected tensor(float)[batch, 3]",
        ),
        (
            "compare net.onnx --input x=x.npy",
            2,
            "holds tensor(double)[1, 3], expected tensor(float)[batch, 3]",
        ),
        ("locate empty --backend RIGHT", 4, "no model in `empty`"),
        ("locate net.onnx", 2, "--backend"),
        ("locate net.onnx --backend nobody", 6, "there is no executable"),
        ("reduce net.onnx --backend RIGHT", 4, "does not fail on the model"),
        ("keep empty", 2, "`empty` is not a folder that `reduce` wrote"),
        ("keep nothing", 2, "`nothing` is not a folder that `reduce` wrote"),
    ] {
        let ended = check(
            &bench,
            &line.replace("compare net.onnx", "compare net.onnx --backend RIGHT"),
            code,
            &[said],
        );
        if !ended.stderr.contains("Usage:") {
            let errors = ended
                .stderr
                .lines()
                .filter(|line| line.starts_with("error: "))
                .count();
            assert_eq!(errors, 1, "{line}: {}", ended.stderr);
        }
    }
}

#[test]
fn a_bad_model_costs_only_itself() {
    let bench = Bench::new();
    fs::write(bench.at("torn.onnx"), "no model").expect("a file");
    let ended = check(
        &bench,
        "compare torn.onnx net.onnx --backend RIGHT",
        2,
        &["cannot decode the model", "right, exact"],
    );
    assert!(
        ended.stdout.contains("net: the reference says"),
        "{}",
        ended.stdout
    );
    fs::create_dir(bench.at("models")).expect("a folder");
    for name in ["a.onnx", "b.onnx"] {
        fs::copy(bench.at("net.onnx"), bench.at("models").join(name)).expect("a model");
    }
    check(
        &bench,
        "compare models net.onnx --backend RIGHT --out report",
        0,
        &["a: the reference", "b: the reference", "net: "],
    );
    let again = check(
        &bench,
        "compare net.onnx --backend RIGHT --out report",
        0,
        &["net: the reference"],
    );
    assert!(
        !again.stdout.contains("a: the reference") && again.stderr.contains("1 of 1 cases"),
        "{}",
        again.stderr
    );
}

#[test]
fn given_values_are_fed() {
    let bench = Bench::new();
    fs::write(bench.at("x.json"), "[[1, 2, 3], [-1, 0.5, 4]]").expect("a file");
    let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(bench.at("x.npy"), npy("<f4", "(1, 3)", &bytes)).expect("a file");
    for (file, batch) in [("x.json", 2), ("x.npy", 1)] {
        let line = format!("compare net.onnx --backend RIGHT --input x={file}");
        check(
            &bench,
            &line,
            0,
            &["right, exact", &format!("dimension batch = {batch} (an input)")],
        );
    }
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A model whose weights lie in a file that is not there.
fn write_external(path: &Path) {
    use onnx_model::proto;
    use prost::Message;
    let mut model = proto::ModelProto::decode(model().encode().as_slice()).expect("a model");
    let entry = |key: &str, value: &str| proto::StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value.into()),
    };
    let graph = model.graph.as_mut().expect("a graph");
    graph.initializer.truncate(0);
    graph.initializer.push(proto::TensorProto {
        name: Some("w".into()),
        data_type: Some(1),
        dims: vec![3],
        data_location: Some(1),
        external_data: vec![
            entry("location", "weights.bin"),
            entry("offset", "0"),
            entry("length", "12"),
        ],
        ..proto::TensorProto::default()
    });
    fs::write(path, model.encode_to_vec()).expect("a file");
}
