//! Tests of `compare`, `locate`, `reduce` and `keep`: results on test backends, and one clear line for
//! invalid input.
//!
//! The worker of the reference beside the program is an interpreter without a fault.

use std::fs;
use std::time::Instant;

use crate::keep_baseline;
use crate::models::*;
use onnx_model::encode_value;
use onnx_tensor::{Tensor, Value};

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
            "now fails with error (load): load failed: cannot compile",
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
    // What a folder of cases would leave out.
    for (file, name) in [
        ("_net.onnx", "net: the expected"),
        (".onnx", "onnx: the expected"),
    ] {
        fs::copy(bench.at("net.onnx"), bench.at(file)).expect("a model");
        check(
            &bench,
            &format!("compare {file} --noise 0 --backend RIGHT"),
            0,
            &[name],
        );
    }
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
        let said = ["the right outputs are unknown", "no kernel", "--trust"];
        check(&bench, line, 4, &said);
    }
}

/// The limit of one answer is spent once: by the reference and then by all backends together, and not at all
/// by a backend with which no other can agree.
#[test]
fn backends_that_are_asked_in_place_of_the_reference_share_the_limit() {
    let mut bench = Bench::new();
    bench.reference = "first:hang";
    let hangs = |node: &str| format!("--backend 'cmd:{FAULTY} --opt fault={node}:hang'");
    let line = format!(
        "compare net.onnx --noise 0 --timeout 3 --dim batch=2 {}",
        hangs("first")
    );
    let alone = ["no answer within 3", "only if two other runtimes agree"];
    check(&bench, &line, 4, &alone);
    let began = Instant::now();
    let both = ["no other backend does (", ": no answer within 3"];
    check(&bench, &format!("{line} {}", hangs("third")), 4, &both);
    let took = began.elapsed().as_secs_f64();
    assert!(took < 8.9, "{took} s: one backend was asked after the other");
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
    // The answer is right without the option, so that the search alone would never ask for it.
    check(
        &bench,
        &format!("{plain} --parts colour=red+blue"),
        2,
        &["option `colour`: unknown"],
    );
    for above in ["nan", "inf", "-1", "1e999"] {
        let line = format!("{plain} --over fault=none --above={above}");
        check(&bench, &line, 2, &["is not a number of at least 0"]);
    }
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
