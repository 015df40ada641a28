//! A decoder layer with a cache: steps of one token with a growing past give what one run over all
//! tokens gives.
//!
//! Causal attention makes this an identity: a token sees itself and the tokens before it, whose
//! keys and values are the past.

use approx::abs_diff_eq;
use backend_api::{Backend, LoadRequest, Named, Session, Switch};
use backend_native::{Native, Settings};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

/// The number of tokens.
const TOKENS: usize = 8;
/// The size of a token: two heads of four elements.
const SIZE: usize = 8;

/// Queries, keys and values with rotary embeddings; `pos` are the positions of the tokens, as a column.
const OPERANDS: &str = "
    xs = Shape(x)
    ps = Shape(past_k)
    new = Gather(xs, one) axis=0
    past = Gather(ps, two) axis=0
    total = Add(past, new)
    row = Range(past, total, one)
    pos = Unsqueeze(row, column)
    place = Cast(pos) to=1
    angle = Mul(place, rates)
    angles = Concat(angle, angle) axis=-1
    cos = Cos(angles)
    sin = Sin(angles)
    q0 = MatMul(x, wq)
    q1 = Reshape(q0, q_heads)
    q2 = Transpose(q1) perm=[0,2,1,3]
    qa = Slice(q2, start, half, last)
    qb = Slice(q2, half, end, last)
    qn = Neg(qb)
    qr = Concat(qn, qa) axis=-1
    qc = Mul(q2, cos)
    qs = Mul(qr, sin)
    q = Add(qc, qs)
    k0 = MatMul(x, wk)
    k1 = Reshape(k0, kv_heads)
    k2 = Transpose(k1) perm=[0,2,1,3]
    ka = Slice(k2, start, half, last)
    kb = Slice(k2, half, end, last)
    kn = Neg(kb)
    kr = Concat(kn, ka) axis=-1
    kc = Mul(k2, cos)
    ks = Mul(kr, sin)
    k = Add(kc, ks)
    v0 = MatMul(x, wv)
    v1 = Reshape(v0, kv_heads)
    v = Transpose(v1) perm=[0,2,1,3]
";

/// Attention by primitives, with two query heads for one head of keys and values.
const PRIMITIVES: &str = "
    present_k = Concat(past_k, k) axis=2
    present_v = Concat(past_v, v) axis=2
    ku = Unsqueeze(present_k, two_axis)
    ke = Concat(ku, ku) axis=2
    kv_shape = Concat(batch, q_head_count, total_axis, four) axis=0
    kg = Reshape(ke, kv_shape)
    vu = Unsqueeze(present_v, two_axis)
    ve = Concat(vu, vu) axis=2
    vg = Reshape(ve, kv_shape)
    total_axis = Unsqueeze(total, start)
    kt = Transpose(kg) perm=[0,1,3,2]
    s0 = MatMul(q, kt)
    s1 = Mul(s0, scale)
    all = Range(zero, total, one)
    seen = LessOrEqual(all, pos)
    bias = Where(seen, nothing, hidden)
    s2 = Add(s1, bias)
    w = Softmax(s2) axis=-1
    a = MatMul(w, vg)
";

/// Attention by the operator.
const OPERATOR: &str = "
    a, present_k, present_v = Attention(q, k, v, , past_k, past_v) is_causal=1
";

/// Attention by the operator, with the heads of a token adjacent.
const FLAT: &str = "
    qt = Transpose(q) perm=[0,2,1,3]
    qf = Reshape(qt, merged)
    kt = Transpose(k) perm=[0,2,1,3]
    kf = Reshape(kt, kv_merged)
    vt = Transpose(v) perm=[0,2,1,3]
    vf = Reshape(vt, kv_merged)
    af, present_k, present_v = Attention(qf, kf, vf, , past_k, past_v) is_causal=1 q_num_heads=2 kv_num_heads=1
    ah = Reshape(af, q_heads)
    a = Transpose(ah) perm=[0,2,1,3]
";

const RESULT: &str = "
    a1 = Transpose(a) perm=[0,2,1,3]
    a2 = Reshape(a1, merged)
    a3 = MatMul(a2, wo)
    y = Add(x, a3)
";

fn nodes(text: &str) -> Vec<Node> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(node).collect()
}

/// Reads `output, … = Operator(input, …) attribute=value …`.
fn node(line: &str) -> Node {
    let (outputs, call) = line.split_once(" = ").expect("outputs");
    let (operator, rest) = call.split_once('(').expect("inputs");
    let (inputs, attributes) = rest.split_once(')').expect("inputs");
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect();
    let attribute = |text: &str| {
        let (name, value) = text.split_once('=').expect("a value");
        let number = |text: &str| text.parse::<i64>().expect("an integer");
        let value = match value.strip_prefix('[') {
            None => AttributeValue::Int(number(value)),
            Some(list) => AttributeValue::Ints(list.trim_end_matches(']').split(',').map(number).collect()),
        };
        Attribute {
            name: name.to_owned(),
            value,
        }
    };
    Node {
        operator: operator.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes: attributes.split_whitespace().map(attribute).collect(),
        ..Node::default()
    }
}

/// Returns numbers that vary with their position.
fn varied(shape: &[usize], seed: f32) -> Tensor {
    let count = shape.iter().product();
    let element = |at: usize| ((at as f32 + 1.0) * seed).sin();
    Tensor::new(shape, (0..count).map(element).collect::<Vec<f32>>()).expect("as many as the shape has")
}

fn constants() -> Vec<(String, Value)> {
    let ints = |values: &[i64]| Tensor::vector(values.to_vec());
    let scalar = |value: i64| Tensor::scalar(value);
    let all = [
        ("zero", scalar(0)),
        ("one", scalar(1)),
        ("two", scalar(2)),
        ("column", ints(&[1])),
        ("two_axis", ints(&[2])),
        ("start", ints(&[0])),
        ("half", ints(&[2])),
        ("end", ints(&[i64::MAX])),
        ("last", ints(&[3])),
        ("batch", ints(&[1])),
        ("q_head_count", ints(&[2])),
        ("four", ints(&[4])),
        ("q_heads", ints(&[0, 0, 2, 4])),
        ("kv_heads", ints(&[0, 0, 1, 4])),
        ("merged", ints(&[0, 0, 8])),
        ("kv_merged", ints(&[0, 0, 4])),
        (
            "rates",
            Tensor::new(&[1, 2], vec![1.0_f32, 0.1]).expect("two numbers"),
        ),
        ("scale", Tensor::scalar(0.5_f32)),
        ("nothing", Tensor::scalar(0.0_f32)),
        ("hidden", Tensor::scalar(f32::NEG_INFINITY)),
        ("wq", varied(&[SIZE, SIZE], 0.7)),
        ("wk", varied(&[SIZE, 4], 1.3)),
        ("wv", varied(&[SIZE, 4], 2.1)),
        ("wo", varied(&[SIZE, SIZE], 0.9)),
    ];
    all.map(|(name, tensor)| (name.to_owned(), Value::Tensor(tensor)))
        .to_vec()
}

/// Loads the layer. With `fixed`, the extents of the inputs are those of a step with this past.
fn session(attention: &str, fixed: Option<usize>, settings: Settings) -> Box<dyn Session> {
    let named = |name: &str, extent: usize| match fixed {
        Some(_) => Dim::Fixed(extent),
        None => Dim::Named(name.into()),
    };
    let info = |name: &str, dims: [Dim; 3]| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(dims.to_vec()),
        }),
    };
    let cache = |name: &str, length: Dim| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(1), Dim::Fixed(1), length, Dim::Fixed(4)]),
        }),
    };
    let past = fixed.unwrap_or_default();
    let token = || [Dim::Fixed(1), named("tokens", 1), Dim::Fixed(SIZE)];
    let text = [OPERANDS, attention, RESULT].concat();
    let graph = Graph {
        inputs: vec![
            info("x", token()),
            cache("past_k", named("past", past)),
            cache("past_v", named("past", past)),
        ],
        outputs: vec![
            info("y", token()),
            cache("present_k", named("total", past + 1)),
            cache("present_v", named("total", past + 1)),
        ],
        initializers: constants(),
        nodes: nodes(&text),
        ..Graph::default()
    };
    let model = Model {
        ir_version: 11,
        ..Model::new(24, graph)
    };
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    Native::new(settings).load(request).expect("it loads")
}

fn run(session: &mut dyn Session, x: &Tensor, past: &[Tensor; 2]) -> [Tensor; 3] {
    let fed: Vec<Named> = [("x", x), ("past_k", &past[0]), ("past_v", &past[1])]
        .map(|(name, tensor)| (name.to_owned(), Value::Tensor(tensor.clone())))
        .to_vec();
    let outputs = session.run(&fed).expect("it runs");
    let tensors: Vec<Tensor> = outputs
        .into_iter()
        .filter_map(|(_, value)| value.as_tensor().cloned())
        .collect();
    tensors.try_into().expect("three outputs")
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().expect("floats")
}

#[track_caller]
fn near(what: &str, found: &[f32], expected: &[f32]) {
    assert!(
        abs_diff_eq!(found, expected, epsilon = 1e-5),
        "{what}: expected {expected:?}, got {found:?}"
    );
}

/// Runs the layer over all tokens at once, and then token by token.
fn check(attention: &str, settings: &Settings) {
    let empty = || varied(&[1, 1, 0, 4], 0.0);
    let tokens = floats(&varied(&[1, TOKENS, SIZE], 0.37));
    let part = |from: usize, to: usize| {
        let elements = tokens[from * SIZE..to * SIZE].to_vec();
        Tensor::new(&[1, to - from, SIZE], elements).expect("whole tokens")
    };
    let mut open = session(attention, None, settings.clone());
    let [y, keys, values] = run(&mut *open, &part(0, TOKENS), &[empty(), empty()]);
    let whole = [floats(&y), floats(&keys), floats(&values)];
    for fixed in [false, true] {
        let mut past = [empty(), empty()];
        for at in 0..TOKENS {
            let what = format!("step {at}, fixed extents: {fixed}, {settings:?}");
            let mut own = fixed.then(|| session(attention, Some(at), settings.clone()));
            let session = own.as_mut().unwrap_or(&mut open);
            let [y, keys, values] = run(&mut **session, &part(at, at + 1), &past);
            near(&what, &floats(&y), &whole[0][at * SIZE..][..SIZE]);
            near(&what, &floats(&keys), &whole[1][..4 * (at + 1)]);
            near(&what, &floats(&values), &whole[2][..4 * (at + 1)]);
            past = [keys, values];
        }
        // Several tokens after a past: the last three in one run.
        let cut = |all: &[f32]| Tensor::new(&[1, 1, TOKENS - 3, 4], all[..4 * (TOKENS - 3)].to_vec());
        let before = [cut(&whole[1]), cut(&whole[2])].map(|past| past.expect("whole tokens"));
        let [y, ..] = run(&mut *open, &part(TOKENS - 3, TOKENS), &before);
        near("the last three", &floats(&y), &whole[0][(TOKENS - 3) * SIZE..]);
    }
}

#[test]
fn steps_with_a_growing_past_are_one_run_over_all_tokens() {
    for attention in [PRIMITIVES, OPERATOR, FLAT] {
        for optimize in [Switch::On, Switch::Off] {
            let settings = Settings {
                optimize,
                ..Settings::default()
            };
            check(attention, &settings);
        }
    }
}
