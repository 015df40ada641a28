//! Tests of the shapes in `check`: findings, the table, the written model.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use onnx_model::{Limits, Model};
use onnx_rejections::model;
use onnx_tensor::{Dim, ValueType};

/// Models with a wrong shape, the rule that is broken, and words of the message.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "graph x:float[2,3] w:float[4,5] -> y:float[a,b]\ny = MatMul(x, w)",
        "shape-conflict",
        "inner extents 3 and 4 differ; inputs: [2, 3], [4, 5]",
    ),
    (
        "graph x:float[2,3] w:float[2,4] -> y:float[a,b]\ny = Add(x, w)",
        "shape-conflict",
        "extents that must broadcast, 3 and 4 differ; inputs: [2, 3], [2, 4]",
    ),
    (
        "graph x:float[2,3] w:float[2,4] -> y:float[a,b]\ny = Concat(x, w) axis=0",
        "shape-conflict",
        "extents beside the axis 3 and 4 differ",
    ),
    (
        "graph x:float[2,3] -> y:float[a,b]\ns = Constant() value_ints=[2,4]\ny = Reshape(x, s)",
        "shape-conflict",
        "numbers of elements 6 and 8 differ; inputs: [2, 3], [2]",
    ),
    (
        "graph x:float[1,1,6,6] w:float[1,1,3,3] -> y:float[a,b,c,d]\ny = Conv(x, w) strides=[1,1,1,1]",
        "shape-parameter",
        "`strides` has 4 entries, expected 2 for 2 spatial axes",
    ),
    (
        "graph x:float[n,4,8,8] w:float[16,4,1,1] b:float[4] -> y:float[c,d,e,f]\ny = Conv(x, w, b)",
        "shape-conflict",
        "elements of the bias and channels of the result, 4 and 16 differ; inputs: [n, 4, 8, 8], [16, 4, 1, 1], [4]",
    ),
    (
        "graph x:float[2,3] -> y:float[a,b]\ny = Transpose(x) perm=[0,0]",
        "attribute-value",
        "expected each axis from 0 to 1 once",
    ),
    (
        "graph x:float[4,2,6] -> y:float[a,b]\ns = Constant() value_ints=[1]\ny = Squeeze(x, s)",
        "shape-parameter",
        "axis 1 has the extent 2, but only 1 can be removed",
    ),
    (
        "graph x:float[4,2] -> y:float[a,b] z:float[c,d] v:float[e,f]\ny, z, v = Split(x) axis=0",
        "shape-conflict",
        "4 is no multiple of 3",
    ),
    (
        "graph x:float[2,3] m:float[1,1,3] -> y:float[a,b]\ny = Clip(x, m)",
        "shape-rank",
        "`min` has rank 3, expected 0 (a scalar)",
    ),
    (
        "graph x:float[2,3] -> y:float[7,9]\ny = Relu(x)",
        "shape-declared",
        "output `y` is declared as [7, 9], but is [2, 3]: extent 0 is 2, not 7",
    ),
    (
        "graph x:float[1,1,6,6] w:float[1,1,3,3] -> y:float[1,1,6,6]\ny = Conv(x, w)",
        "shape-declared",
        "output `y` is declared as [1, 1, 6, 6], but is [1, 1, 4, 4]",
    ),
    (
        "graph x:float[2,3,4,5] -> y:float[2]\ny = Relu(x)",
        "shape-declared",
        "rank 1 instead of 4",
    ),
    (
        "graph x:float[2,k] w:float[3,5] v:float[4,5] -> y:float[a,b] z:float[c,d]\ny = MatMul(x, w) name=first\n\
         z = MatMul(x, v) name=second",
        "shape-conflict",
        "inner extents 3 and 4 differ; inputs: [2, 3], [4, 5], where k is 3 by node `first` (MatMul)",
    ),
    (
        "graph x:int32[4] -> y:float[4]\ns = Constant() value_float=0.5\nz = Constant() value_int=5\nt = Cast(z) to=6\n\
         y = DequantizeLinear(x, s, t)",
        "shape-parameter",
        "the zero point of int32 must be 0",
    ),
    (
        "graph c:bool x:float[2,3] w:float[4,5] -> y:float[a,b]\nbody t -> p:float[a,b]\np = MatMul(x, w)\nend\n\
         body e -> q:float[a,b]\nq = Identity(x)\nend\ny = If(c) then_branch={t} else_branch={e}",
        "shape-conflict",
        "inner extents 3 and 4 differ",
    ),
];

/// Models that are right, although a careless inference would report them.
const RIGHT: &[&str] = &[
    "graph x:float[?,k] w:float[3,5] -> y:float[a,5]\ny = MatMul(x, w)",
    "graph x:float[n,3] -> y:float[m,3]\ny = Relu(x)",
    "graph x:float[2,3] s:int64[2] -> y:float[a,b]\ny = Reshape(x, s)",
];

fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_onnx-conformance"))
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn wrong_shapes_are_findings_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, (text, rule, message)) in WRONG.iter().enumerate() {
        let name = format!("{at}.onnx");
        fs::write(folder.path().join(&name), model(text).encode()).expect("a model");
        let output = check(folder.path(), &[&name]);
        let found = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}\n{found}");
        assert!(
            found.contains("1 finding\n") && found.contains(rule) && found.contains(message),
            "{text}\n{found}"
        );
        let output = check(folder.path(), &[&name, "--format", "json"]);
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let finding = &found["models"][0]["findings"][0];
        assert_eq!(finding["rule"], *rule);
        assert!(
            finding["message"]
                .as_str()
                .is_some_and(|found| found.contains(message)),
            "{finding}"
        );
        let output = check(folder.path(), &[&name, "--format", "sarif"]);
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(found["runs"][0]["results"][0]["ruleId"], *rule);
    }
}

#[test]
fn right_shapes_are_no_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in RIGHT {
        fs::write(folder.path().join("right.onnx"), model(text).encode()).expect("a model");
        let output = check(folder.path(), &["right.onnx"]);
        assert_eq!(output.status.code(), Some(0), "{text}\n{}", said(&output));
    }
}

const OPEN: &str =
    "graph x:float[n,3,h] w:float[8,3,5] -> y:float[a,b,c]\nc = Conv(x, w) strides=[2]\ny = Relu(c)";

#[test]
fn the_table_has_expressions_and_conditions() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("open.onnx"), model(OPEN).encode()).expect("a model");
    let found = said(&check(folder.path(), &["open.onnx", "--shapes"]));
    let expected = "open.onnx: no findings\n  x  tensor(float)  [n, 3, h]\n  w  tensor(float)  [8, 3, 5]\n  \
        c  tensor(float)  [n, 8, floor(h + 1, 2) - 2]\n  y  tensor(float)  [n, 8, floor(h + 1, 2) - 2]\n  \
        requires h >= 3 (room for a window, node `c` (Conv))\n";
    assert_eq!(found, expected);
    let output = check(folder.path(), &["open.onnx", "--shapes", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let value = &found["models"][0]["values"][0];
    assert_eq!(value["name"], "x");
    assert_eq!(value["shape"], serde_json::json!(["n", "3", "h"]));
}

#[test]
fn the_written_model_declares_what_is_inferred() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "graph x:float[n,3,9] w:float[8,3,5] -> y:float[p,q,r]\nc = Conv(x, w)\ny = Relu(c)";
    fs::write(folder.path().join("open.onnx"), model(text).encode()).expect("a model");
    let output = check(folder.path(), &["open.onnx", "--infer", "out.onnx"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let written = Model::decode_file(folder.path().join("out.onnx"), &Limits::default()).expect("a model");
    let shape = |value_type: &Option<ValueType>| match value_type {
        Some(ValueType::Tensor { shape, .. }) => shape.clone(),
        _ => None,
    };
    let inner = written
        .graph
        .value_info
        .iter()
        .find(|info| info.name == "c")
        .expect("`c` is declared");
    let batch = Dim::Named("n".to_owned());
    let expected = Some(vec![batch.clone(), Dim::Fixed(8), Dim::Fixed(5)]);
    assert_eq!(shape(&inner.value_type), expected);
    assert_eq!(shape(&written.graph.outputs[0].value_type), expected);
    // A number is no extent where an input leaves it open, and the only word where values decide.
    let text = "graph x:float[n,3] -> y:float[1,3] v:float[1,3] w:int64[2,7]\ny = Relu(x)\nv = Neg(x)\n\
        w = NonZero(x)";
    let mut open = model(text);
    let graph = std::sync::Arc::make_mut(&mut open.graph);
    if let Some(ValueType::Tensor {
        shape: Some(shape), ..
    }) = &mut graph.inputs[0].value_type
    {
        shape[0] = Dim::Unknown;
    }
    fs::write(folder.path().join("rows.onnx"), open.encode()).expect("a model");
    check(folder.path(), &["rows.onnx", "--infer", "out.onnx"]);
    let written = Model::decode_file(folder.path().join("out.onnx"), &Limits::default()).expect("a model");
    let rows = Some(vec![Dim::Unknown, Dim::Fixed(3)]);
    let found: Vec<_> = written
        .graph
        .outputs
        .iter()
        .map(|output| shape(&output.value_type))
        .collect();
    assert_eq!(found, [rows.clone(), rows, Some([2, 7].map(Dim::Fixed).to_vec())]);
    // Two models cannot be written to one file.
    let output = check(folder.path(), &["open.onnx", "out.onnx", "--infer", "both.onnx"]);
    assert_eq!(output.status.code(), Some(2));
}
