//! Every operator of ONNX and of ONNX Runtime in a model all of whose operands are inputs: axes, shapes,
//! pads, counts, lengths, sequences. The inputs that are drawn without an option have an answer that says
//! something.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use backend_api::protocol::External;
use harness_investigate::inputs::{Answered, Drawn, Request, answered};
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_worker::{Cancel, WorkerSpec};
use onnx_generator::{Case, cases, contrib_cases};
use onnx_model::{Model, ValueInfo};
use onnx_tensor::{DType, ValueType};

/// Operators without an answer, each with the reason.
const REFUSED: &[(&str, &str)] = &[(
    "BifurcationDetector",
    "the tokens before must occur in the source",
)];

/// The number of cases of each operator.
const EACH: usize = 2;

#[test]
fn every_operator_has_inputs_that_fit_all_its_operands() {
    // Without a fault it is the reference.
    let spec = WorkerSpec::new("reference", env!("CARGO_BIN_EXE_faulty-worker"));
    let mut reference = Runner::start(spec, Cancel::default(), Duration::from_secs(120)).expect("a worker");
    let cases = newest();
    let (mut refused, mut empty) = (Vec::new(), Vec::new());
    for case in &cases {
        let operator = &case.model.graph.nodes.last().expect("a node").operator;
        if REFUSED.iter().any(|(known, _)| known == operator) {
            continue;
        }
        let name = format!("{} {}", case.suite, case.name);
        match differs(case, &mut reference) {
            Ok(true) => {}
            Ok(false) => empty.push(name),
            Err(reason) => refused.push(format!("{name}: {reason}")),
        }
    }
    assert!(cases.len() > 400, "{} cases", cases.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    // Comparisons of numbers that are never equal, thresholds above all numbers, windows of integers.
    assert!(empty.len() * 20 <= cases.len(), "{}", empty.join("\n"));
}

/// Models whose usual inputs the reference refuses, with what is drawn then, and inputs with what an option
/// puts into them.
#[test]
fn other_inputs_are_drawn_after_a_refusal() {
    let spec = WorkerSpec::new("reference", env!("CARGO_BIN_EXE_faulty-worker"));
    let reference = Runner::start(spec, Cancel::default(), Duration::from_secs(120)).expect("a worker");
    let mut reference = reference.settling();
    let mut check = |text: &str, is_special: bool, said: &str| {
        let request = Request {
            is_special,
            ..Request::default()
        };
        let found = answered(&subject(onnx_rejections::model(text)), &request, &mut reference);
        let found = found.expect("inputs");
        assert!(found.outputs.is_ok(), "{text}: {:?}", found.outputs);
        let drawn = found.drawn.drawn.join("\n");
        assert!(drawn.contains(said), "{text}: {drawn}");
    };
    // Edges of a graph without those from a node to itself.
    check(
        "graph x:float[6,5] e:int64[2,12] -> y:float[m,5]\nz = Constant() value_int=0\n\
         o = Constant() value_ints=[1]\na = Gather(e, z) axis=0\nb = Gather(e, o) axis=0\n\
         q = Equal(a, b)\nn = Not(q)\nl = Flatten(n)\nc = NonZero(l)\nk = Gather(c, o) axis=0\n\
         r = Flatten(k)\nt = Reshape(r, w)\nf = Gather(e, t) axis=1\ng = Gather(f, z) axis=0\n\
         y = Gather(x, g)\nw = Constant() value_ints=[-1]",
        false,
        "indices below 6",
    );
    // The sum of a mask is the place of the last token; its name does not say what it is.
    check(
        "graph x:float[2,16,3] in1:int64[2,16] -> y:float[2,16,3]\na = Constant() value_ints=[1]\n\
         s = ReduceSum(in1, a) keepdims=1\nl = Sub(s, a)\nr = Constant() value_ints=[2,1,1]\n\
         i = Reshape(l, r)\nh = Constant() value_ints=[2,1,3]\nj = Expand(i, h)\ng = GatherElements(x, j) axis=1\n\
         y = Add(x, g)",
        false,
        "in1: a mask of 0 and 1",
    );
    // Rows of edges, of which the second one is scattered to: no two edges end at one node.
    check(
        "graph x:float[8,4] e:int64[2,8] u:float[8,4] -> y:float[8,4]\no = Constant() value_int=1\n\
         d = Gather(e, o) axis=0\na = Constant() value_ints=[1]\nf = Unsqueeze(d, a)\n\
         h = Constant() value_ints=[8,4]\nj = Expand(f, h)\ny = ScatterElements(x, j, u) axis=0",
        false,
        "e: integers from 0 to 7",
    );
    // The place in a table follows from the size of a number.
    check(
        "graph x:float[8] t:float[2,3] -> y:float[8,3]\ns = Constant() value_float=2.0\nm = Mul(x, s)\n\
         a = Abs(m)\ni = Cast(a) to=7\ny = Gather(t, i)",
        false,
        "normal, float[8]",
    );
    // What a mask hides makes every element NaN, which no sentence converts to an integer.
    check(
        "graph x:float[2,8] attention_mask:int64[2,8] -> y:int8[2,8]\nf = Cast(attention_mask) to=1\n\
         l = Log(f)\ns = ReduceSum(l) keepdims=0\nd = Sub(s, s)\na = Add(x, d)\ny = Cast(a) to=3",
        false,
        "none 0",
    );
    // A mask that hides where it is true, with a row without a number that cannot be quantized.
    check(
        "graph x:float[2,8] padding_mask:bool[2,8] -> y:uint8[2,8]\nh = Constant() value_float=-1e30\n\
         i = Mul(h, h)\nn = Neg(i)\nw = Where(padding_mask, n, x)\ns = Softmax(w)\n\
         y, b, z = DynamicQuantizeLinear(s)",
        false,
        "that hides where it is 1",
    );
    // A number that a model looks for makes one of two outputs NaN.
    check(
        "graph x:float[4,9] -> y:bool[4,9] z:float[]\ny = IsNaN(x)\nz = ReduceSum(x) keepdims=0",
        false,
        "normal, float[4,9]",
    );
    // The noise of Gumbel, of numbers between 0 and 1.
    check(
        "graph x:float[4,9] u:float[4,9] -> y:float[4,9]\na = Log(u)\nb = Neg(a)\nc = Log(b)\n\
         d = Sub(x, c)\ny = Softmax(d)",
        false,
        "between 0 and 1",
    );
    // Most floats are beyond the range of the integers.
    check(
        "graph x:float[4,8] -> y:int8[4,8]\nc = Constant() value_float=30.0\na = Abs(x)\nm = Mul(a, c)\n\
         e = Exp(m)\ny = Cast(e) to=3",
        false,
        "normal, float[4,8]",
    );
    // A root that is NaN has no scale.
    check(
        "graph x:float[4,8] -> y:uint8[4,8]\na = Sin(x)\ns = Sqrt(a)\ny, b, z = DynamicQuantizeLinear(s)",
        false,
        "between 0 and 1",
    );
    // A square of an integer is a divisor.
    check(
        "graph x:int64[64,64] d:int64[64,64] -> y:int64[64,64]\ns = Mul(d, d)\ny = Div(x, s)",
        false,
        "none 0",
    );
    // The usual image needs more operations than a run may make.
    check(
        "graph x:float[n,3,h,w] f:float[3,64,128,128] -> y:float[a,b,c,d]\ny = ConvTranspose(x, f)",
        false,
        "x: normal, some large, float[2,3,6,6]",
    );
    check(
        "graph x:float[4,8] -> y:float[4,8]\ny = Relu(x)",
        true,
        "some NaN, infinite or zero",
    );
}

/// A number whose shape the model does not declare, and which only the node gives.
#[test]
fn an_operand_without_a_declared_shape_has_that_of_the_node() {
    let spec = WorkerSpec::new("reference", env!("CARGO_BIN_EXE_faulty-worker"));
    let mut reference = Runner::start(spec, Cancel::default(), Duration::from_secs(120)).expect("a worker");
    let mut model = onnx_rejections::model(
        "model 10 \"\"=21 com.microsoft=1\ngraph q:float[2,1,64] k:float[2,1,32] v:float[2,1,32] \
         pk:float[2,2,7,16] pv:float[2,2,7,16] s:int32[2] t:int32 -> y:float[2,1,64]\n\
         y = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, s, t) num_heads=4 kv_num_heads=2",
    );
    let inputs = &mut Arc::make_mut(&mut model.graph).inputs;
    inputs.last_mut().expect("`t`").value_type = Some(ValueType::tensor(DType::Int32));
    let found = answered(&subject(model), &Request::default(), &mut reference).expect("inputs");
    assert!(found.outputs.is_ok(), "{:?}", found.outputs);
    let drawn = found.drawn.drawn.join("\n");
    assert!(drawn.contains("t: what fits the node, int32[]"), "{drawn}");
    // At least half of the past is there.
    assert!(drawn.contains("s: integers from 4 to 7"), "{drawn}");
}

fn subject(model: Model) -> Subject {
    Subject {
        path: "case.onnx".into(),
        name: "case".to_owned(),
        bytes: model.encode().into(),
        model,
        external: External::default(),
        stored: Vec::new(),
        unfit: None,
    }
}

/// Cases of the newest version of each operator.
fn newest() -> Vec<Case> {
    let mut versions: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for schema in onnx_schema::all().chain(onnx_schema::contrib()) {
        let since = versions.entry((schema.domain, schema.name)).or_default();
        *since = schema.since.max(*since);
    }
    let suites: BTreeSet<String> = onnx_schema::all()
        .chain(onnx_schema::contrib())
        .filter(|schema| versions.get(&(schema.domain, schema.name)) == Some(&schema.since))
        .map(ToString::to_string)
        .collect();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let all = cases(11, 2000).into_iter().chain(contrib_cases(11, 600));
    all.filter(|case| {
        let count = count.entry(case.suite.clone()).or_default();
        *count += 1;
        *count <= EACH && suites.contains(&case.suite)
    })
    .collect()
}

/// Whether something differs in the outputs for drawn inputs, or nothing does for the inputs of the case
/// either.
fn differs(case: &Case, reference: &mut Runner) -> Result<bool, String> {
    let model = without_constants(case);
    let drawn =
        answered(&subject(model), &Request::default(), reference).map_err(|error| error.to_string())?;
    let is_constant = drawn.is_constant();
    drawn.outputs.map_err(|judgement| judgement.reason)?;
    Ok(!is_constant || own_is_constant(case, reference))
}

/// The case with an input in place of each constant.
fn without_constants(case: &Case) -> Model {
    let mut model = case.model.clone();
    let graph = Arc::make_mut(&mut model.graph);
    for (name, value) in std::mem::take(&mut graph.initializers) {
        if graph.inputs.iter().all(|input| input.name != name) {
            let value_type = Some(value.value_type());
            graph.inputs.push(ValueInfo { name, value_type });
        }
    }
    model
}

/// Whether the outputs of the case say nothing for its own inputs either.
fn own_is_constant(case: &Case, reference: &mut Runner) -> bool {
    let request = RunRequest {
        model: case.model.encode().into(),
        external: External::default(),
        inputs: case.inputs.clone(),
    };
    let outputs = reference.run(&request).expect("a worker");
    let answered = Answered {
        drawn: Drawn::default(),
        outputs: outputs.map(|outputs| outputs.values),
        refused: None,
    };
    answered.outputs.is_err() || answered.is_constant()
}
