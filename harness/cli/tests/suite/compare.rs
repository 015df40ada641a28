//! Tests of `compare`, `locate`, `reduce` and `keep`: results on test backends, and one clear line for
//! invalid input.
//!
//! The worker of the reference beside the program is an interpreter without a fault.

use std::fs;
use std::sync::Arc;

use crate::keep_baseline;
use crate::models::*;
use onnx_model::{Graph, encode_value};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

#[test]
fn right_and_wrong_answers_are_distinguished() {
    let bench = Bench::new();
    check(
        &bench,
        "compare net.onnx --backend RIGHT",
        0,
        &[
            "the expected outputs are those of the reference",
            "right, exact",
            "dimension batch = 256 (default)",
            "drawn input x: normal, some large, float[256,3] (seed 0)",
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
            "right, exact: error 0",
        ],
    );
    check(
        &bench,
        "locate net.onnx --backend RIGHT",
        0,
        &["nothing to locate"],
    );
    let line = "locate net.onnx --backend FAULTY --out located --growth 2";
    let parts = ["wrote located/growth.csv", "wrote located/growth.svg", "█"];
    check(&bench, line, 1, &parts);
    let table = fs::read_to_string(bench.at("located/growth.csv")).expect("a table");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[..2], ["node,name,operator,error", "0,first,Relu-13,0"]);
    assert!(
        rows[2].starts_with("1,second,Sub-13,") && rows[3].starts_with("2,third,"),
        "{table}"
    );
    let picture = fs::read_to_string(bench.at("located/growth.svg")).expect("a picture");
    assert_eq!(picture.matches("<circle").count(), 3, "{picture}");
    check(
        &bench,
        "reduce net.onnx --backend FAULTY --out small",
        0,
        &["1 of 3 nodes remain", "= Sub ("],
    );
    // A report is written only if the backend still fails in the same way.
    let ended = check(
        &bench,
        "keep small --to unchecked",
        0,
        &["the report is not written: give --on BACKEND"],
    );
    assert!(
        !bench.at("unchecked/issues").exists() && bench.at("unchecked/cases").exists(),
        "{}",
        ended.stderr
    );
    check(
        &bench,
        "keep small --to unchecked --baseline b.toml",
        2,
        &["give --on BACKEND"],
    );
    for (now, said) in [
        ("none", "failed with mismatch (numeric)"),
        (
            "second:error",
            "now with error (load): load failed: cannot compile",
        ),
    ] {
        let line = format!("keep small --to gone --on 'cmd:{FAULTY} --opt fault={now}'");
        check(&bench, &line, 4, &["`small` is not kept", said]);
    }
    assert!(!bench.at("gone").exists());
    let kept = check(
        &bench,
        "keep small --on FAULTY --to kept",
        0,
        &["wrote kept/issues/"],
    );
    let id = kept.stdout.trim();
    let repeat = format!("conformance --cases kept/cases --filter '{id}' --policy bound --noise 0 --backend");
    check(&bench, &format!("{repeat} RIGHT --floor RIGHT=1"), 0, &[]);
    // The failure becomes a line of a baseline, so that a gate closes only on another failure.
    let gate = "gate --cases kept/cases --policy bound --baseline known.toml --backend";
    check(
        &bench,
        &format!("{gate} FAULTY --accept '{id}'"),
        0,
        &["wrote known.toml"],
    );
    check(&bench, &format!("{gate} FAULTY"), 0, &["0 regressions"]);
    keep_baseline::kept_in_a_baseline(&bench, id);
    check(
        &bench,
        &format!("{repeat} FAULTY --floor 'FAULTY=1'"),
        1,
        &["passes 0 cases"],
    );
}

#[test]
fn a_file_has_its_own_name_and_a_folder_that_of_the_folder() {
    let bench = Bench::new();
    fs::create_dir(bench.at("case")).expect("a folder");
    fs::copy(bench.at("net.onnx"), bench.at("case/model.onnx")).expect("a model");
    check(
        &bench,
        "compare case/model.onnx --noise 0 --backend RIGHT",
        0,
        &["model: the expected"],
    );
    check(
        &bench,
        "compare case --noise 0 --backend RIGHT",
        0,
        &["case: the expected"],
    );
}

#[test]
fn stored_outputs_are_judged_like_those_of_a_backend() {
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
    // The backend is right, and the stored outputs are wrong, which does not affect the backend.
    let ended = check(
        &bench,
        "compare case --backend RIGHT",
        9,
        &[
            "stored outputs",
            "WRONG",
            "right, exact",
            "the conversion to ONNX, or the stored data, differs",
        ],
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
        "the expected outputs are those on which {}, {} agree",
        backend("RIGHT"),
        backend("AGAIN")
    );
    check(&bench, line, 1, &["no answer of the reference", &agree, "WRONG"]);
    // Two backends of one runtime have one vote.
    for line in [
        "compare net.onnx --backend RIGHT",
        "compare net.onnx --backend RIGHT --backend b=RIGHT",
    ] {
        check(&bench, line, 4, &["the right outputs are unknown", "no kernel"]);
    }
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
    fs::write(bench.at("text.npy"), npy("<U1", "(1, 3)", &[0; 12])).expect("a file");
    let fits = npy("<f4", "(1, 3)", &[0; 12]);
    fs::write(bench.at("fits.npy"), &fits).expect("a file");
    fs::create_dir(bench.at("many")).expect("a folder");
    for name in ["many/a.npy", "many/b.npy"] {
        fs::write(bench.at(name), &fits).expect("a file");
    }
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
            "torn.npy: it is not in NumPy's format",
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
            "expected tensor(float)[batch, 3], short.json holds tensor(float)[1, 2]",
        ),
        (
            "compare net.onnx --input x=x.npy",
            2,
            "expected tensor(float)[batch, 3], x.npy holds tensor(double)[1, 3]",
        ),
        (
            "compare net.onnx --input x=text.npy",
            2,
            "its elements are strings: give them as .json",
        ),
        (
            "compare net.onnx --input x=fits.npy --input x=fits.npy",
            2,
            "input `x` is given twice",
        ),
        (
            "compare net.onnx --input x=many --shapes 2",
            2,
            "a folder of samples: give one of them",
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
fn the_value_with_which_an_answer_becomes_wrong_is_found() {
    let bench = Bench::new();
    let plain = format!("bisect net.onnx --backend 'cmd:{FAULTY}'");
    let line = format!("{plain} --over fault=none,nobody:swap,second:swap,second:constant");
    let ended = check(
        &bench,
        &line,
        1,
        &["right with fault=nobody:swap, wrong with fault=second:swap"],
    );
    assert!(
        ended
            .stderr
            .lines()
            .filter(|line| line.starts_with("fault="))
            .count()
            <= 3,
        "{}",
        ended.stderr
    );
    check(
        &bench,
        &format!("{plain} --over fault=none,nobody:swap"),
        0,
        &["right with fault=nobody:swap"],
    );
    check(
        &bench,
        &format!("{plain} --over fault=second:swap"),
        1,
        &["wrong with fault=second:swap already"],
    );
    check(
        &bench,
        &format!("{plain} --over fault"),
        2,
        &["is not of the form KEY=VALUES"],
    );
    check(
        &bench,
        &format!("{plain} --over colour=red"),
        2,
        &["option `colour`: unknown"],
    );
}

#[test]
fn an_invalid_model_does_not_affect_others() {
    let bench = Bench::new();
    fs::write(bench.at("torn.onnx"), "no model").expect("a file");
    let ended = check(
        &bench,
        "compare torn.onnx net.onnx --backend RIGHT",
        2,
        &["cannot decode the model", "right, exact"],
    );
    assert!(
        ended
            .stdout
            .contains("net: the expected outputs are those of the reference"),
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
        &["a: the expected", "b: the expected", "net: "],
    );
    let again = check(
        &bench,
        "compare net.onnx --backend RIGHT --out report",
        0,
        &["net: the expected"],
    );
    assert!(
        !again.stdout.contains("a: the expected") && again.stderr.contains("1 of 1 cases"),
        "{}",
        again.stderr
    );
}

#[test]
fn given_values_are_used() {
    let bench = Bench::new();
    fs::write(bench.at("x.json"), "[[1, 2, 3], [-1, 0.5, 4]]").expect("a file");
    let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(bench.at("x.npy"), npy("<f4", "(1, 3)", &bytes)).expect("a file");
    let value = Value::from(Tensor::new(&[3, 3], vec![0.5_f32; 9]).expect("a tensor"));
    fs::write(bench.at("x.pb"), encode_value(&value, "x")).expect("a file");
    let mut archive = zip::ZipWriter::new(fs::File::create(bench.at("all.npz")).expect("a file"));
    archive
        .start_file("x.npy", zip::write::SimpleFileOptions::default())
        .expect("an entry");
    std::io::Write::write_all(&mut archive, &npy("<f4", "(1, 3)", &bytes)).expect("an array");
    archive.finish().expect("an archive");
    check(
        &bench,
        "compare net.onnx --backend RIGHT --input all.npz",
        0,
        &["right, exact", "batch = 1 (an input)"],
    );
    for (file, batch) in [("x.json", 2), ("x.npy", 1), ("x.pb", 3), ("all.npz", 1)] {
        let line = format!("compare net.onnx --backend RIGHT --input x={file}");
        check(
            &bench,
            &line,
            0,
            &["right, exact", &format!("dimension batch = {batch} (an input)")],
        );
    }
}

/// A picture of 2×2 pixels in the layout of a model: channels first, in [0, 1].
#[test]
fn an_image_gets_the_layout_of_the_input() {
    let bench = Bench::new();
    let shape = [1, 3, 2, 2].map(Dim::Fixed);
    let mut picture = model();
    picture.graph = Arc::new(Graph {
        inputs: vec![info("x", &shape)],
        outputs: vec![info("y", &shape)],
        nodes: vec![node("only", "Relu", &["x"], "y")],
        ..Graph::default()
    });
    fs::write(bench.at("picture.onnx"), picture.encode()).expect("a model");
    // Rows from the bottom, each pixel blue, green, red, each row filled to four bytes.
    let header = [
        &b"BM"[..],
        &[
            70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0,
        ],
    ]
    .concat();
    let rows = [[0, 0, 255, 0, 255, 0, 0, 0], [255, 0, 0, 255, 255, 255, 0, 0]].concat();
    fs::write(bench.at("x.bmp"), [header, vec![0; 24], rows].concat()).expect("an image");
    check(
        &bench,
        "compare picture.onnx --backend RIGHT --input x=x.bmp --out report",
        0,
        &["right, exact"],
    );
    let stored =
        fs::read(bench.at("report/cases/models/picture/test_data_set_0/input_0.pb")).expect("a value");
    let value = onnx_model::decode_value(
        &stored,
        &ValueType::tensor(DType::Float),
        &onnx_model::Limits::default(),
    );
    let expected = vec![0.0_f32, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    let expected = Tensor::new(&[1, 3, 2, 2], expected).expect("a tensor");
    assert!(
        matches!(&value, Ok(Value::Tensor(found)) if found.same_bits(&expected)),
        "{value:?}"
    );
}
