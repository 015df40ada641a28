//! What a model declares of values is held against what its nodes give, and decides nothing that inputs leave
//! open.

use onnx_rejections::model;
use onnx_shapes::infer;

/// The extents of `value`, and the first finding.
#[track_caller]
fn check(text: &str, value: &str, extents: &[&str], finding: &str) {
    let mut inference = infer(&model(text));
    let shape = inference.shape(value).expect("a tensor");
    let shape: Vec<String> = shape
        .iter()
        .map(|extent| inference.symbols.text(extent))
        .collect();
    assert_eq!(shape, extents, "{text}");
    let found = inference.findings.first().map(ToString::to_string);
    let found = found.unwrap_or_default();
    assert!(
        found.contains(finding) && found.is_empty() == finding.is_empty(),
        "{text}\n{found:?} does not say {finding:?}"
    );
}

/// LightGBM's converter declares one label for any number of rows.
#[test]
fn an_output_does_not_narrow_what_an_input_leaves_open() {
    let two = |y: &str, z: &str| {
        format!("graph x:float[?,5] -> y:float{y} z:float{z}\ny = Relu(x)\nz = Softmax(x) axis=1")
    };
    for value in ["x", "y", "z"] {
        check(&two("[1,5]", "[?,5]"), value, &["?", "5"], "");
        check(&two("[1,5]", "[1,5]"), value, &["?", "5"], "");
        check(&two("[n,5]", "[n,5]"), value, &["n", "5"], "");
    }
    check(
        &two("[1,5]", "[3,5]"),
        "z",
        &["?", "5"],
        "output `z` is declared as [3, 5], but is [?, 5]: extent 0 is 1 by the declaration of `y`, not 3",
    );
    check(
        &two("[1,5]", "[?,6]"),
        "y",
        &["?", "5"],
        "output `z` is declared as [?, 6], but is [?, 5]: extent 1 is 5, not 6",
    );
}

#[test]
fn an_inner_value_does_not_narrow_an_input_either() {
    let inner = "graph x:float[?,5] -> y:float[?,5]\ninfo h:float[1,5]\nh = Relu(x)\ny = Relu(h)";
    for value in ["x", "h", "y"] {
        check(inner, value, &["?", "5"], "");
    }
    check(
        "graph x:float[?,5] -> y:float[4,5]\ninfo h:float[1,5]\nh = Relu(x)\ny = Relu(h)",
        "y",
        &["?", "5"],
        "output `y` is declared as [4, 5], but is [?, 5]: extent 0 is 1 by the declaration of `h`, not 4",
    );
    // What a body declares holds where the body runs.
    check(
        "graph c:bool x:float[?,5] -> y:float[?,5]\nbody t -> p:float[1,5]\np = Relu(x)\nend\n\
         body e -> q:float[2,5]\nq = Identity(x)\nend\ny = If(c) then_branch={t} else_branch={e}",
        "x",
        &["?", "5"],
        "",
    );
}

/// The extents of a trace are not those of every run.
#[test]
fn what_depends_on_values_is_not_what_an_output_declares() {
    let places = |outputs: &str, info: &str| {
        format!("graph x:float[3,4] -> {outputs}\n{info}i = NonZero(x)\nt = Transpose(i)\nu = Identity(t)")
    };
    check(&places("t:int64[7,2] u:int64[?,2]", ""), "u", &["?", "2"], "");
    check(
        &places("t:int64[7,2] u:int64[6,2]", ""),
        "u",
        &["?", "2"],
        "extent 0 is 7 by the declaration of `t`, not 6",
    );
    // Nothing else gives the extent of an inner value.
    check(
        &places("t:int64[?,2] u:int64[?,2]", "info i:int64[2,7]\n"),
        "u",
        &["7", "2"],
        "",
    );
}

#[test]
fn factors_are_numbers_and_what_a_broadcast_repeats_is_left_out() {
    let resized = |scales: &str| {
        format!(
            "graph x:float[1,h] -> y:float[a,b]\ns = Constant() value_floats={scales}\ny = Resize(x, -, s)"
        )
    };
    check(&resized("[1.0,1.5]"), "y", &["1", "scaled(h, 1.5)"], "");
    check(&resized("[1.0,2.0]"), "y", &["1", "2*h"], "");
    check(&resized("[1.0,0.25]"), "y", &["1", "floor(h, 4)"], "");
    let table = "graph x:float[n] t:float[32] -> y:float[a]\nh = Shape(x)\nz = Constant() value_ints=[0]\n\
        s = Slice(t, z, h)\np = Add(s, x)\nq = Add(x, p)\ny = Add(q, s)";
    check(table, "y", &["n"], "");
    let inference = infer(&model(table));
    let texts = inference.constraints.iter().map(|it| it.text(&inference.symbols));
    assert!(
        texts.clone().any(|text| text == "n <= 32"),
        "{:?}",
        texts.collect::<Vec<_>>()
    );
}
