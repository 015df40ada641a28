//! Tests of `upgrade`: results on test backends, and one clear line for invalid input.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

use crate::models::*;
use onnx_model::{Attribute, AttributeValue, Graph, Limits, Model, Node, Source, ValueInfo, encode_value};
use onnx_tensor::{Dim, Tensor, Value};

/// y = softmax over the last two axes of squeeze(x, axis 0), at opset 11.
fn old() -> Model {
    let attribute = |name: &str, value| Attribute {
        name: name.to_owned(),
        value,
    };
    let with = |node: Node, attributes: Vec<Attribute>| Node { attributes, ..node };
    let mut old = model();
    old.opset_imports.insert(String::new(), 11);
    old.graph = Arc::new(Graph {
        inputs: vec![info(
            "x",
            &[
                Dim::Fixed(1),
                Dim::Fixed(2),
                Dim::Fixed(3),
                Dim::Named("n".to_owned()),
            ],
        )],
        outputs: vec![info(
            "y",
            &[Dim::Fixed(2), Dim::Fixed(3), Dim::Named("n".to_owned())],
        )],
        nodes: vec![
            with(
                node("narrow", "Squeeze", &["x"], "a"),
                vec![attribute("axes", AttributeValue::Ints(vec![0]))],
            ),
            node("second", "Softmax", &["a"], "y"),
        ],
        ..Graph::default()
    });
    old
}

fn bench() -> Bench {
    let bench = Bench::new();
    fs::write(bench.at("old.onnx"), old().encode()).expect("a model");
    bench
}

fn opset(bench: &Bench, file: &str) -> (i64, usize) {
    let bytes: onnx_model::Bytes = fs::read(bench.at(file)).expect("a model").into();
    let model = Model::decode(bytes, &Source::named(file), &Limits::default()).expect("a model");
    (model.opset_imports[""], model.graph.nodes.len())
}

#[test]
fn an_unproven_model_is_not_written() {
    let bench = bench();
    let mut odd = old();
    odd.opset_imports.insert("com.example".to_owned(), 1);
    let graph = Arc::make_mut(&mut odd.graph);
    graph.nodes[0].domain = "com.example".to_owned();
    fs::write(bench.at("odd.onnx"), odd.encode()).expect("a model");
    let line = "upgrade odd.onnx --to 13 --out new.onnx";
    check(&bench, line, 4, &["the reference does not answer"]);
    assert!(!bench.at("new.onnx").exists());
    check(&bench, &format!("{line} --unproven"), 4, &["wrote new.onnx"]);
    assert_eq!(opset(&bench, "new.onnx").0, 13);
}

#[test]
fn a_converted_model_is_written_and_judged() {
    let bench = bench();
    let line = "upgrade old.onnx --to 21 --backend RIGHT --dim n=4";
    let said = [
        "old: ai.onnx 11 to 21: 0 nodes unchanged, 2 steps rewritten",
        "main graph: node `narrow` (Squeeze-11) to version 13: an attribute becomes an input",
        "node `second` (Softmax-11) to version 13",
        "converted  equal",
    ];
    check(&bench, line, 0, &said);
    // Shape, Flatten, Softmax and Reshape replace the Softmax.
    assert_eq!(opset(&bench, "old-opset21.onnx"), (21, 5));
    check(
        &bench,
        "upgrade net.onnx --to 13 --out same.onnx",
        0,
        &["0 nodes unchanged", "equal"],
    );
    // A backend that is wrong before the conversion may be wrong after it.
    check(
        &bench,
        "upgrade net.onnx --to 21 --backend FAULTY",
        0,
        &["WRONG", "2 nodes unchanged"],
    );
}

#[test]
fn the_second_of_two_models_is_held_against_the_first() {
    let bench = Bench::new();
    let mut other = model();
    Arc::make_mut(&mut other.graph).initializers[0].1 = Tensor::vector(vec![0.5_f32, 0.25, 2.001]).into();
    fs::write(bench.at("other.onnx"), other.encode()).expect("a model");
    fs::write(bench.at("same.onnx"), model().encode()).expect("a model");
    // y = sigmoid(max(x, 0) - w) in other nodes, with and without the bound.
    for (name, operator) in [("fused", "Relu"), ("unbounded", "Identity")] {
        let mut fused = model();
        let nodes = &mut Arc::make_mut(&mut fused.graph).nodes;
        nodes[0] = node("kept", operator, &["x"], "kept");
        nodes[1].inputs[0] = "kept".to_owned();
        fs::write(bench.at(&format!("{name}.onnx")), fused.encode()).expect("a model");
    }
    let parted = "they part at `b`";
    for (second, code, said) in [
        ("same", 0, vec!["equal"]),
        (
            "other",
            1,
            vec!["WRONG", parted, "after `a`", "by Sub-13 `second` in other"],
        ),
        ("fused", 0, vec!["equal"]),
        (
            "unbounded",
            1,
            vec![
                parted,
                "by Relu-13 `first`, Sub-13 `second` in net",
                "by Identity-13 `kept`, Sub-13 `second` in unbounded",
            ],
        ),
    ] {
        let against = format!("{second} against net");
        let line = format!("compare net.onnx {second}.onnx --backend RIGHT");
        let said: Vec<&str> = said.into_iter().chain([against.as_str()]).collect();
        check(&bench, &line, code, &said);
    }
}

/// An optimizer removes an input that nothing uses.
#[test]
fn the_second_of_two_models_may_take_fewer_inputs() {
    let bench = Bench::new();
    let mut spare = model();
    let inputs = &mut Arc::make_mut(&mut spare.graph).inputs;
    inputs.extend(inputs.first().cloned().map(|info| ValueInfo {
        name: "spare".to_owned(),
        ..info
    }));
    fs::write(bench.at("spare.onnx"), spare.encode()).expect("a model");
    let line = "compare spare.onnx net.onnx --backend RIGHT";
    check(&bench, line, 0, &["net against spare", "equal"]);
}

#[test]
fn another_converter_is_judged_in_the_same_way() {
    let bench = bench();
    let mut swapped = model();
    let graph = Arc::make_mut(&mut swapped.graph);
    graph.nodes[1].inputs.reverse();
    fs::write(bench.at("swapped.onnx"), swapped.encode()).expect("a model");
    let line = "upgrade net.onnx --with swapped.onnx --backend RIGHT";
    check(
        &bench,
        line,
        1,
        &[
            "swapped   WRONG",
            "original  –",
            "swapped on reference: ",
            "they part at `b`",
        ],
    );
    check(
        &bench,
        "upgrade net.onnx --with net.onnx",
        0,
        &["net       equal"],
    );
}

/// Erf accepted integers up to version 12.
#[test]
fn every_node_without_an_adapter_is_named() {
    let bench = bench();
    let mut erf = model();
    erf.opset_imports.insert(String::new(), 9);
    let graph = Arc::make_mut(&mut erf.graph);
    graph.nodes = vec![node("first", "Erf", &["k"], "b"), node("", "Erf", &["k"], "y")];
    graph.initializers = vec![("k".to_owned(), Tensor::vector(vec![1_i32]).into())];
    graph.inputs.clear();
    graph.outputs[0].value_type = None;
    fs::write(bench.at("erf.onnx"), erf.encode()).expect("a model");
    let ended = check(
        &bench,
        "upgrade erf.onnx --to 21",
        1,
        &[
            "no exact adapter: main graph: node `first` (Erf-9) to version 13: elements of type int32 are no longer taken",
            "node `y` (Erf-9) to version 13",
        ],
    );
    assert!(!ended.stderr.contains("wrote"), "{}", ended.stderr);
}

#[test]
fn cases_are_converted_and_counted() {
    let bench = bench();
    let set = bench.at("cases/a/test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::write(bench.at("cases/a/model.onnx"), old().encode()).expect("a model");
    let values = |shape: &[usize]| Value::from(Tensor::new(shape, vec![0.5_f32; 6]).expect("a tensor"));
    fs::write(set.join("input_0.pb"), encode_value(&values(&[1, 2, 3, 1]), "x")).expect("a value");
    fs::write(set.join("output_0.pb"), encode_value(&values(&[2, 3, 1]), "y")).expect("a value");
    let line = "upgrade --suite --cases cases --to 21 --csv up.csv --backend RIGHT";
    let ended = check(
        &bench,
        line,
        0,
        &["1 case converted", ": 1 right before and after"],
    );
    let counts = |stdout: &str| -> Vec<String> {
        let line = stdout.lines().find(|line| line.starts_with("adapters"));
        line.unwrap_or_default()
            .split_whitespace()
            .skip(1)
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(counts(&ended.stdout), ["1", "1", "0", "0", "0"]);
    let csv = fs::read_to_string(bench.at("up.csv")).expect("a table");
    assert!(csv.starts_with("case,to,converter,reference,reason"), "{csv}");
    assert!(csv.contains("local/cases/a,ai.onnx 21,adapters,equal,"), "{csv}");
    // Version 13 changes both operators, version 21 only Squeeze.
    let ended = check(&bench, &format!("{line} --each"), 0, &[]);
    assert_eq!(counts(&ended.stdout), ["2", "2", "0", "0", "0"]);
    check(
        &bench,
        "upgrade --suite --cases cases --to 11",
        0,
        &["0 cases converted; omitted: 1 not older"],
    );
}

#[test]
fn every_step_is_listed() {
    let ended = check(&bench(), "upgrade --steps", 0, &[" steps: ", "Upsample-9"]);
    let steps = onnx_upgrade::steps().count();
    assert_eq!(
        ended.stdout.lines().count(),
        steps + 2,
        "a header, the steps, and their sum"
    );
}

#[test]
fn wrong_input_is_one_clear_line() {
    let bench = bench();
    fs::write(bench.at("torn.onnx"), "no model").expect("a file");
    fs::create_dir(bench.at("empty")).expect("a folder");
    write_external(&bench.at("external.onnx"));
    for (line, code, said) in [
        ("upgrade --to 21", 2, "required arguments"),
        (
            "upgrade net.onnx",
            2,
            "nothing to do: give --to OPSET, or --with FILE",
        ),
        (
            "upgrade net.onnx --to 7",
            2,
            "imports opset 13 of domain `ai.onnx`, and the target is 7",
        ),
        (
            "upgrade net.onnx --to 99",
            2,
            "opset 99 of domain `ai.onnx` does not exist: the newest is",
        ),
        (
            "upgrade net.onnx --to new",
            2,
            "`new` is not an opset: expected --to 21, or --to DOMAIN=OPSET",
        ),
        (
            "upgrade net.onnx --to 21 --to ai.onnx=20",
            2,
            "--to gives domain `ai.onnx` twice",
        ),
        (
            "upgrade net.onnx --to ai.onnx.ml=3",
            2,
            "does not import domain `ai.onnx.ml`",
        ),
        (
            "upgrade net.onnx --to com.microsoft=1",
            2,
            "domain `com.microsoft` is not one of ONNX",
        ),
        ("upgrade nothing.onnx --to 21", 2, "cannot read `nothing.onnx`"),
        ("upgrade torn.onnx --to 21", 2, "cannot decode the model"),
        ("upgrade empty --to 21", 4, "no model in `empty`"),
        (
            "upgrade external.onnx --to 21",
            2,
            "external data \"weights.bin\"",
        ),
        (
            "upgrade net.onnx --to 21 --with nothing.onnx",
            2,
            "cannot read `nothing.onnx`",
        ),
        (
            "upgrade net.onnx --to 21 --dim rows=2",
            2,
            "no symbolic dimension `rows`",
        ),
        ("upgrade net.onnx --to 21 --out empty", 73, "empty"),
        (
            "upgrade net.onnx --to 21 --backend nobody",
            6,
            "there is no executable",
        ),
        ("upgrade net.onnx --with onnx", 2, "--with onnx needs --to OPSET"),
        ("upgrade --suite", 2, "--suite needs --to OPSET"),
    ] {
        let ended = check(&bench, line, code, &[said]);
        ended.assert_one_error(line);
    }
}

/// A program in place of Python: its version is 1.0, and it returns each model unchanged, or ends.
#[test]
fn the_converter_of_the_package_is_a_process_of_its_own() {
    let bench = bench();
    let script = |name: &str, conversion: &str| {
        let text =
            format!("#!/bin/sh\nprintf '\\000\\003\\000\\000\\000\\000\\000\\000\\0001.0'\n{conversion}\n");
        let path = bench.at(name);
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    };
    let same = "head -c 4 >/dev/null\nhead -c 8 >size\nsize=$(od -An -tu4 -N4 size | tr -d ' ')\nprintf '\\000'\ncat size\nhead -c \"$size\"";
    let run = |python: &str, line: &str| {
        let mut command = Command::new(crate::models::program());
        command
            .args(line.split(' '))
            .current_dir(bench.folder.path())
            .env("MOCK_REFERENCE", "none")
            .env("ONNX_CONFORMANCE_PYTHON", python);
        crate::program::ended(&mut command)
    };
    let line = "upgrade net.onnx --to 21 --with onnx --timeout 5";
    let python = |path: std::path::PathBuf| path.display().to_string();
    for (python, code, said) in [
        (python(script("same", same)), 0, "onnx 1.0   equal"),
        (
            python(script("ends", "exit 1")),
            0,
            "onnx 1.0 does not convert the model: its process ended",
        ),
        (
            python(script("hangs", "sleep 60")),
            0,
            "onnx 1.0 does not convert the model: it took more than 5s",
        ),
        ("./nobody".to_owned(), 2, "cannot start Python"),
        ("/bin/false".to_owned(), 2, "Python has no package `onnx`"),
    ] {
        let ended = run(&python, line);
        let all = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(code), "{all}");
        assert!(all.contains(said), "{python}: wanted `{said}` in\n{all}");
    }
}
