//! For each rule, minimal models that violate it, and similar models that do not.

use std::collections::BTreeSet;

use onnx_checker::{Rule, check};

use crate::text::model;

/// A rule, models that violate only it, and models without violations.
struct Case {
    rule: Rule,
    broken: &'static [&'static str],
    sound: &'static [&'static str],
}

const fn case(rule: Rule, broken: &'static [&'static str], sound: &'static [&'static str]) -> Case {
    Case { rule, broken, sound }
}

/// Rules that only bytes can violate; `files.rs` tests them.
const OF_FILES: [Rule; 6] = [
    Rule::AttributeTwice,
    Rule::ExternalData,
    Rule::Format,
    Rule::ImportTwice,
    Rule::SparseData,
    Rule::TensorData,
];

/// `hostile.rs` tests it.
const OF_LIMITS: [Rule; 1] = [Rule::TooDeep];

#[rustfmt::skip]
const CASES: &[Case] = &[
    case(Rule::IrVersion,
        &["model 0 \"\"=13\ngraph x:float -> y:float\ny = Relu(x)", "model 15 \"\"=13\ngraph x:float -> y:float\ny = Relu(x)"],
        &["model 1 \"\"=13\ngraph x:float -> y:float\ny = Relu(x)", "model 14 \"\"=13\ngraph x:float -> y:float\ny = Relu(x)"]),
    case(Rule::IrFeature,
        &["model 7 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) defaults(k=1) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)",
          "model 9 d=1\ngraph x:float -> y:float\nfunction d.f:o(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f:o(x)"],
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)",
          "model 10 d=1\ngraph x:float -> y:float\nfunction d.f:o(a) defaults(k=1) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f:o(x)"]),
    case(Rule::ImportMissing,
        &["model 8\ngraph x:float -> y:float\ny = Relu(x)",
          "graph x:float -> y:float\ny = ai.onnx.ml::Scaler(x)",
          "graph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)",
          "model 8 \"\"=13 d=1\ngraph x:float -> y:float\nfunction d.f(a) -> b\nb = Relu(a)\nend\ny = d::f(x)"],
        &["model 8 ai.onnx.ml=1\ngraph x:float -> y:float\ny = ai.onnx.ml::Scaler(x)", "model 8 mine=7\ngraph x:float -> y:float\ny = mine::Own(x)"]),
    case(Rule::OpsetUnknown,
        &["model 8 \"\"=29\ngraph x:float -> y:float\ny = Relu(x)", "model 8 \"\"=0\ngraph x:float -> y:float\ny = Relu(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) ai.onnx.ml=6 -> b\nb = ai.onnx.ml::Scaler(a)\nend\ny = d::f(x)"],
        &["model 8 \"\"=28 mine=999\ngraph x:float -> y:float\ny = Relu(x)"]),

    case(Rule::FunctionTwice,
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\nfunction d.f(a) \"\"=13 -> b\nb = Neg(a)\nend\ny = d::f(x)"],
        &["model 10 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\nfunction d.f:o(a) \"\"=13 -> b\nb = Neg(a)\nend\ny = d::f(x)"]),
    case(Rule::FunctionRecursion,
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) d=1 -> b\nb = d::f(a)\nend\ny = d::f(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) d=1 -> b\nb = d::g(a)\nend\nfunction d.g(a) d=1 -> b\nb = d::f(a)\nend\ny = d::f(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) d=1 \"\"=13 -> b\nbody t -> u\nu = d::f(a)\nend\nc = Constant() value_int=1\nd = Cast(c) to=9\nb = If(d) then_branch={t} else_branch={t}\nend\ny = d::f(x)"],
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) d=1 -> b\nc = d::g(a)\nb = d::g(c)\nend\nfunction d.g(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)"]),
    case(Rule::FunctionAttributeTwice,
        &["model 9 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) defaults(k=1) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)"],
        &["model 9 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) defaults(l=1) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)"]),

    case(Rule::GraphName,
        &["graph x:float -> y:float\nunnamed\ny = Relu(x)"],
        &["graph x:float -> y:float\ny = Relu(x)"]),
    case(Rule::ValueName,
        &["graph x:float -:float -> y:float\ny = Relu(x)", "graph x:float -> y:float\ninit - float 1\ny = Relu(x)", "graph x:float -> y:float -:float\ny = Relu(x)"],
        &[]),
    case(Rule::ValueTypeMissing,
        &["graph x -> y:float\ny = Relu(x)", "graph x:float -> y\ny = Relu(x)"],
        &["graph c:bool -> y:float\nbody b -> r\nr = Constant() value=<float>\nend\ny = If(c) then_branch={b} else_branch={b}"]),
    case(Rule::ValueShapeMissing,
        &["graph x:float* -> y:float\ny = Relu(x)", "graph x:float -> y:float*\ny = Relu(x)"],
        &["graph x:float[] -> y:float[]\ny = Relu(x)", "graph x:seq(float*) -> y:float\ni = Constant() value_int=0\ny = SequenceAt(x, i)"]),
    case(Rule::ValueTwice,
        &["graph x:float -> y:float\ny = Relu(x)\ny = Neg(x)", "graph x:float x:float -> y:float\ny = Relu(x)", "graph x:float -> x:float\nx = Relu(x)",
          "graph x:float -> w:float\ninit w float 1\nw = Relu(x)", "graph x:float -> a:float\na, a = Split(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> a\na = Relu(a)\nend\ny = d::f(x)"],
        &["graph x:float w:float -> y:float\ninit w float 1\ny = Add(x, w)"]),
    case(Rule::ValueShadowed,
        &["graph c:bool x:float -> z:float\ny = Relu(x)\nbody b -> y\ny = Neg(x)\nend\nz = If(c) then_branch={b} else_branch={b}"],
        &["graph c:bool x:float -> y:float\nbody b -> y\ny = Neg(x)\nend\ny = If(c) then_branch={b} else_branch={b}"]),
    case(Rule::ValueUndefined,
        &["graph x:float -> y:float\ny = Add(x, q)",
          "graph c:bool -> z:float\nbody b -> y\ny = Neg(q)\nend\nz = If(c) then_branch={b} else_branch={b}",
          "model 8 \"\"=13 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Add(a, x)\nend\ny = d::f(x)"],
        &["graph c:bool q:float -> z:float\nbody b -> y\ny = Neg(q)\nend\nz = If(c) then_branch={b} else_branch={b}"]),
    case(Rule::OutputUndefined,
        &["graph x:float -> y:float\nz = Relu(x)",
          "graph c:bool x:float -> z:float\nbody b -> x\nend\nz = If(c) then_branch={b} else_branch={b}"],
        &["graph x:float -> x:float\nz = Relu(x)", "graph c:bool x:float -> w:float\ninit w float 1\nz = Relu(x)"]),
    case(Rule::NodeOrder,
        &["graph x:float -> y:float\ny = Relu(r)\nr = Neg(x)",
          "graph c:bool x:float -> z:float\nbody b -> y\ny = Neg(r)\nend\nz = If(c) then_branch={b} else_branch={b}\nr = Relu(x)"],
        &["graph x:float -> y:float\nr = Neg(x)\ny = Relu(r)"]),
    case(Rule::Cycle,
        &["graph x:float -> y:float\ny = Add(x, r)\nr = Neg(y)", "graph x:float -> y:float\ny = Add(x, y)",
          "graph c:bool x:float -> z:float\nbody b -> y\ny = Neg(z)\nend\nz = If(c) then_branch={b} else_branch={b}"],
        &["graph x:float -> y:float\nr = Neg(x)\ny = Add(r, r)"]),
    case(Rule::NodeNameTwice,
        &["graph x:float -> y:float\nz = Relu(x) name=n\ny = Relu(z) name=n"],
        &["graph c:bool x:float -> z:float\nbody b -> y\ny = Neg(x) name=n\nend\nz = If(c) then_branch={b} else_branch={b} name=n"]),

    case(Rule::InitializerTwice,
        &["graph x:float -> y:float\ninit w float 1\ninit w float 1\ny = Add(x, w)", "graph x:float -> y:float\ninit w float 1\nsparse w float 1\ny = Add(x, w)"],
        &["graph x:float -> y:float\ninit w float 1\ninit v float 1\ny = Add(x, w)"]),
    case(Rule::InitializerNotInput,
        &["model 3 \"\"=7\ngraph x:float -> y:float\ninit w float 1\ny = Add(x, w)"],
        &["model 3 \"\"=7\ngraph x:float w:float -> y:float\ninit w float 1\ny = Add(x, w)", "model 4 \"\"=7\ngraph x:float -> y:float\ninit w float 1\ny = Add(x, w)"]),
    case(Rule::InitializerIsBodyInput,
        &["graph s:seq(float) -> z:seq(float)\nbody b e w -> y\ninit w float 1\ny = Add(e, w)\nend\nmodel 8 \"\"=17\nz = SequenceMap(s, s) body={b}"],
        &["graph s:seq(float) -> z:seq(float)\nbody b e -> y\ninit w float 1\ny = Add(e, w)\nend\nmodel 8 \"\"=17\nz = SequenceMap(s) body={b}"]),
    case(Rule::InitializerType,
        &["graph x:float w:double -> y:float\ninit w float 2\ny = Relu(x)", "graph x:float w:float[3] -> y:float\ninit w float 2\ny = Relu(x)",
          "graph x:float w:float[2,1] -> y:float\ninit w float 2\ny = Relu(x)"],
        &["graph x:float w:float[2] -> y:float\ninit w float 2\ny = Add(x, w)", "graph x:float w:float[n] -> y:float\ninit w float 2\ny = Add(x, w)"]),

    case(Rule::OperatorUnknown,
        &["graph x:float -> y:float\ny = Nonsense(x)", "model 8 \"\"=5\ngraph x:float -> y:float\ny = Sin(x)"],
        &["model 8 \"\"=7\ngraph x:float -> y:float\ny = Sin(x)"]),
    case(Rule::OperatorDeprecated,
        &["model 8 \"\"=10\ngraph x:float s:float -> y:float\ny = Upsample(x, s)"],
        &["model 8 \"\"=9\ngraph x:float s:float -> y:float\ny = Upsample(x, s)"]),
    case(Rule::InputCount,
        &["graph x:float -> y:float\ny = Add(x)", "graph x:float -> y:float\ny = Relu(x, x)", "graph -> y:float\ny = Concat() axis=0",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x, x)"],
        &["graph x:float -> y:float\ny = Concat(x) axis=0", "graph x:float -> y:float\ny = Clip(x)"]),
    case(Rule::OutputCount,
        &["graph x:float -> y:float\ny, z = Relu(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny, z = d::f(x)"],
        &["graph x:float -> y:float\ny, z = Split(x)"]),
    case(Rule::ParameterOmitted,
        &["graph x:float -> y:float\ny = Add(x, -)", "graph x:float -> y:float\ny = Sum(x, -, x)", "graph x:float k:int64 -> i:int64\n-, i = TopK(x, k)"],
        &["graph x:float m:float[] -> y:float\ny = Clip(x, -, m)"]),
    case(Rule::AttributeUnknown,
        &["graph x:float -> y:float\ny = Relu(x) alpha=1.5", "graph x:float -> y:float\ny = Relu(x) __hint=1",
          "model 8 \"\"=7\ngraph x:float -> y:float\ny = Relu(x) consumed_inputs=[0]",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x) k=1"],
        &["model 8 \"\"=5\ngraph x:float -> y:float\ny = Relu(x) consumed_inputs=[0]"]),
    case(Rule::AttributeMissing,
        &["graph x:float -> y:float\ny = Concat(x)", "graph x:float -> y:float\ny = Cast(x)",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) \"\"=13 -> b\nb = Concat(a) axis=@k\nend\ny = d::f(x)"],
        &["graph x:float -> y:float\ny = Cast(x) to=1"]),
    case(Rule::AttributeKind,
        &["graph x:float -> y:float\ny = Concat(x) axis=0.5", "graph x:float -> y:float\ny = Transpose(x) perm=0",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) \"\"=13 -> b\nb = Concat(a) axis=@k\nend\ny = d::f(x) k=0.5"],
        &["graph x:float -> y:float\ny = Transpose(x) perm=[0]",
          "model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) \"\"=13 -> b\nb = Concat(a) axis=@k\nend\ny = d::f(x) k=0"]),
    case(Rule::AttributeElementType,
        &["graph x:float -> y:float\ny = Cast(x) to=99", "model 8 \"\"=5\ngraph x:float -> y:float\ny = Cast(x) to=NUMBER"],
        &["model 8 \"\"=5\ngraph x:double -> y:float\ny = Cast(x) to=FLOAT"]),
    case(Rule::ReferenceOutside,
        &["graph x:float -> y:float\ny = Transpose(x) perm=@k"],
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) \"\"=13 -> b\nb = Transpose(a) perm=@k\nend\ny = d::f(x) k=[0]"]),
    case(Rule::ReferenceUndeclared,
        &["model 8 d=1\ngraph x:float -> y:float\nfunction d.f(a) attrs(k) \"\"=13 -> b\nb = Transpose(a) perm=@l\nend\ny = d::f(x) k=[0]"],
        &["model 9 d=1\ngraph x:float -> y:float\nfunction d.f(a) defaults(l=[0]) \"\"=13 -> b\nb = Transpose(a) perm=@l\nend\ny = d::f(x)"]),
    case(Rule::BodyArity,
        &["graph c:bool x:float -> z:float\nbody b e -> y\ny = Neg(x)\nend\nz = If(c) then_branch={b} else_branch={b}",
          "graph c:bool x:float -> z:float\nbody b -> y w\ny = Neg(x)\nw = Neg(x)\nend\nz = If(c) then_branch={b} else_branch={b}",
          "graph m:int64 x:float -> z:float\nbody b i c -> d y\nd = Not(c)\ny = Neg(x)\nend\nz = Loop(m, -, x) body={b}",
          "graph m:int64 x:float -> z:float\nbody b i c s -> s\nend\nz = Loop(m, -, x) body={b}"],
        &["graph m:int64 x:float -> z:float w:float\nbody b i c s -> d y w\nd = Not(c)\ny = Neg(s)\nw = Neg(s)\nend\nz, w = Loop(m, -, x) body={b}"]),

    case(Rule::TypeNotAllowed,
        &["graph x:string -> y:string\ny = Relu(x)", "model 8 \"\"=5\ngraph x:int64 -> y:int64\ny = Add(x, x)", "graph x:float -> y:float8e5m2\ny = Cast(x) to=19",
          "model 8 d=1\ngraph x:string -> y:string\nfunction d.f(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f(x)"],
        &["model 8 \"\"=6\ngraph x:int64 -> y:int64\ny = Add(x, x)", "model 8 \"\"=19\ngraph x:float -> y:float8e5m2\ny = Cast(x) to=19"]),
    case(Rule::TypeConflict,
        &["graph x:float y:double -> z:float\nz = Add(x, y)", "graph x:float -> z:float\nc = Constant() value=<double>\nz = Mul(x, c)", "graph x:float y:double -> z:float\nz = Concat(x, y) axis=0"],
        &["graph x:float y:double -> z:float\nw = Cast(y) to=1\nz = Add(x, w)", "graph c:bool x:float y:double -> s:float\nbody b i g p q -> g p q\nend\ns, t = Loop(-, c, x, y) body={b}"]),
    case(Rule::DeclaredType,
        &["graph x:float -> y:double\ny = Relu(x)", "graph x:float -> y:float\ninfo r:int64\nr = Relu(x)\ny = Neg(r)",
          "graph m:int64 x:float -> z:float\nbody b i c s:double -> d y\nd = Not(c)\ny = Neg(s)\nend\nz = Loop(m, -, x) body={b}"],
        &["graph x:float -> y:float\ninfo r:float\nr = Relu(x)\ny = Neg(r)"]),
    case(Rule::BranchType,
        &["graph c:bool -> z:float\nbody t -> a\na = Constant() value=<float>\nend\nbody e -> b\nb = Constant() value=<double>\nend\nz = If(c) then_branch={t} else_branch={e}"],
        &["graph c:bool -> z:float\nbody t -> a\na = Constant() value=<float>\nend\nbody e -> b\nb = Constant() value_float=0.5\nend\nz = If(c) then_branch={t} else_branch={e}"]),
];

/// The rules that a model violates.
#[track_caller]
fn broken(text: &str) -> BTreeSet<Rule> {
    check(&model(text))
        .list
        .iter()
        .map(|finding| finding.rule())
        .collect()
}

#[test]
fn models_violate_exactly_their_rule() {
    let mut wrong = Vec::new();
    for Case {
        rule,
        broken: texts,
        sound,
    } in CASES
    {
        let expectations = texts.iter().map(|text| (text, BTreeSet::from([*rule])));
        for (text, expected) in expectations.chain(sound.iter().map(|text| (text, BTreeSet::new()))) {
            let found = broken(text);
            if found != expected {
                wrong.push(format!("{}: found {found:?} in\n{text}\n", rule.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case_and_a_unique_name() {
    let cases: BTreeSet<Rule> = CASES
        .iter()
        .map(|case| case.rule)
        .chain(OF_FILES)
        .chain(OF_LIMITS)
        .collect();
    assert_eq!(cases, Rule::ALL.iter().copied().collect());
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
}

#[test]
fn a_finding_names_graph_node_version_and_expected_type() {
    let check = |text: &str, expected: &str| {
        let found = check(&model(text));
        assert_eq!(
            found.list.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [expected]
        );
    };
    check(
        "graph x:float y:double -> z:float\nz = Add(x, y) name=sum",
        "main graph: node `sum` (Add-13): input 1 (`B`) is tensor(double), but type parameter T is already tensor(float)",
    );
    check(
        "graph c:bool x:float -> z:float\nbody b -> y\ny = Neg(q)\nend\nbody e -> y\ny = Neg(x)\nend\nz = If(c) then_branch={b} else_branch={e}",
        "main graph, `then_branch` of node `z`: node `#0 → y` (Neg-13): input 0 reads `q`, which is not defined",
    );
}
