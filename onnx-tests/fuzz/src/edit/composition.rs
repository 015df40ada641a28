//! Edits of larger structures: additional nodes, functions, replaced bodies.

use onnx_model::proto::{FunctionProto, ModelProto, NodeProto, OperatorSetIdProto, ValueInfoProto};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Subject, place};

/// Operators that are often fused or folded, each with its number of inputs.
const COMMON: [(&str, usize); 40] = [
    ("Relu", 1),
    ("Identity", 1),
    ("Transpose", 1),
    ("Shape", 1),
    ("Softmax", 1),
    ("Sigmoid", 1),
    ("Tanh", 1),
    ("Erf", 1),
    ("Neg", 1),
    ("Sqrt", 1),
    ("Flatten", 1),
    ("Squeeze", 1),
    ("ReduceSum", 1),
    ("ReduceMean", 1),
    ("Cast", 1),
    ("Size", 1),
    ("Add", 2),
    ("Mul", 2),
    ("Sub", 2),
    ("Div", 2),
    ("MatMul", 2),
    ("Gemm", 2),
    ("Conv", 2),
    ("Concat", 2),
    ("Gather", 2),
    ("Reshape", 2),
    ("Expand", 2),
    ("Unsqueeze", 2),
    ("Tile", 2),
    ("Pow", 2),
    ("Equal", 2),
    ("Slice", 3),
    ("Where", 3),
    ("Pad", 2),
    ("TopK", 2),
    ("Clip", 3),
    ("Split", 1),
    ("NonZero", 1),
    ("ConstantOfShape", 1),
    ("Range", 3),
];

/// Appends a node that reads values of the graph, and makes its output a graph output.
pub fn append(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng) else {
        return false;
    };
    let names = place::names(graph);
    let (operator, count) = if rng.random_bool(0.7) {
        *COMMON.choose(rng).unwrap_or(&("Relu", 1))
    } else {
        any_operator(rng)
    };
    let Some(inputs) = (0..count).map(|_| names.choose(rng).cloned()).collect() else {
        return false;
    };
    let output = place::fresh(graph, rng);
    graph.node.push(NodeProto {
        op_type: Some(operator.as_bytes().to_vec()),
        input: inputs,
        output: vec![output.clone()],
        ..NodeProto::default()
    });
    // An output of the main graph needs a type, so a declared output is replaced by the new value.
    match graph.output.first_mut() {
        Some(first) if rng.random_bool(0.5) => first.name = Some(output),
        first => {
            let r#type = first.and_then(|info| info.r#type.clone());
            graph.output.push(ValueInfoProto {
                name: Some(output),
                r#type,
                ..ValueInfoProto::default()
            });
        }
    }
    true
}

fn any_operator(rng: &mut ChaCha8Rng) -> (&'static str, usize) {
    let Some(operator) = onnx_schema::operators().choose(rng) else {
        return ("Relu", 1);
    };
    let newest = operator.versions.last();
    let least = newest.map_or(1, |schema| schema.min_inputs);
    let most = newest.map_or(1, |schema| schema.max_inputs.min(least + 3));
    (operator.name, rng.random_range(least..=most.max(least)))
}

const DOMAIN: &[u8] = b"fuzz";

fn import(model: &mut ModelProto) {
    let known = model
        .opset_import
        .iter()
        .any(|import| import.domain.as_deref() == Some(DOMAIN));
    if !known {
        model.opset_import.push(OperatorSetIdProto {
            domain: Some(DOMAIN.to_vec()),
            version: Some(1),
        });
    }
}

/// Moves a node into a function of the model and calls it; occasionally the function calls itself.
pub fn function(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let imports = subject.model.opset_import.clone();
    let name = format!("f{}", subject.model.functions.len()).into_bytes();
    let Some(node) = place::node(&mut subject.model, rng) else {
        return false;
    };
    let mut body = node.clone();
    let mut call = NodeProto {
        op_type: Some(name.clone()),
        domain: Some(DOMAIN.to_vec()),
        input: node.input.clone(),
        output: node.output.clone(),
        ..NodeProto::default()
    };
    call.input.retain(|name| !name.is_empty());
    call.output.retain(|name| !name.is_empty());
    if rng.random_bool(0.1) {
        body.op_type = Some(name.clone());
        body.domain = Some(DOMAIN.to_vec());
    }
    let function = FunctionProto {
        name: Some(name),
        domain: Some(DOMAIN.to_vec()),
        input: call.input.clone(),
        output: call.output.clone(),
        node: vec![body],
        opset_import: imports,
        ..FunctionProto::default()
    };
    *node = call;
    subject.model.functions.push(function);
    import(&mut subject.model);
    subject.model.ir_version = subject.model.ir_version.max(Some(10));
    true
}

/// A chain of functions each of which calls the next one twice: 2·n nodes that expand to 2^n.
pub fn doubling(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    // A deep chain takes as long as the budgets of the backends allow, so it is rare.
    let depth = if rng.random_ratio(1, 20) {
        rng.random_range(12..50)
    } else {
        rng.random_range(2..12)
    };
    let called = |at: usize| format!("twice{at}").into_bytes();
    let call = |operator: Vec<u8>, domain: &[u8], input: &[u8], output: &[u8]| NodeProto {
        op_type: Some(operator),
        domain: Some(domain.to_vec()),
        input: vec![input.to_vec()],
        output: vec![output.to_vec()],
        ..NodeProto::default()
    };
    let mut imports = subject.model.opset_import.clone();
    imports.push(OperatorSetIdProto {
        domain: Some(DOMAIN.to_vec()),
        version: Some(1),
    });
    for at in 0..depth {
        let (operator, domain) = if at + 1 < depth {
            (called(at + 1), DOMAIN)
        } else {
            (b"Identity".to_vec(), &b""[..])
        };
        subject.model.functions.push(FunctionProto {
            name: Some(called(at)),
            domain: Some(DOMAIN.to_vec()),
            input: vec![b"x".to_vec()],
            output: vec![b"z".to_vec()],
            node: vec![
                call(operator.clone(), domain, b"x", b"y"),
                call(operator, domain, b"y", b"z"),
            ],
            opset_import: imports.clone(),
            ..FunctionProto::default()
        });
    }
    import(&mut subject.model);
    subject.model.ir_version = subject.model.ir_version.max(Some(10));
    let Some(graph) = &mut subject.model.graph else {
        return false;
    };
    let Some(name) = place::names(graph).choose(rng).cloned() else {
        return false;
    };
    let output = place::fresh(graph, rng);
    graph.node.push(call(called(0), DOMAIN, &name, &output));
    match graph.output.first_mut() {
        Some(first) => first.name = Some(output),
        None => return false,
    }
    true
}

/// Replaces the body in one attribute by another, or by the main graph.
pub fn bodies(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = &mut subject.model.graph else {
        return false;
    };
    let found = place::bodies(&graph.node);
    let (Some(&(node, attribute)), Some(&(other, from))) = (found.choose(rng), found.choose(rng)) else {
        return false;
    };
    let body = if rng.random_bool(0.2) {
        Some(Box::new(graph.clone()))
    } else {
        graph.node[other].attribute[from].g.clone()
    };
    graph.node[node].attribute[attribute].g = body;
    true
}
