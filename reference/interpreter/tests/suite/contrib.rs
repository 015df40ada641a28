//! Models with operators that ONNX Runtime adds: in its domain they run like those of ONNX; in the domain of
//! ONNX they are a deviation; what has no semantics is named.

use approx::assert_abs_diff_eq;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, Program, implemented, run, run_bounded};
use onnx_model::{AttributeValue, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

fn contrib(node: Node) -> Node {
    Node {
        domain: "com.microsoft".to_owned(),
        ..node
    }
}

/// A model whose inputs and outputs are vectors of two floats.
fn of(inputs: &str, outputs: &str, nodes: &[Node]) -> Model {
    let mut main = graph(inputs, outputs, nodes);
    main.name = "g".to_owned();
    let vector = |info: &mut ValueInfo| {
        info.value_type = Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(2)]),
        });
    };
    main.inputs.iter_mut().for_each(vector);
    main.outputs.iter_mut().for_each(vector);
    let mut model = model(17, main);
    let domains = ["com.microsoft", "com.microsoft.nchwc", "ai.onnx.contrib", "mine"];
    for domain in domains {
        model.opset_imports.insert(domain.to_owned(), 1);
    }
    model
}

fn vector(values: [f32; 2]) -> Value {
    Value::Tensor(Tensor::vector(values.to_vec()))
}

fn floats(value: &Value) -> Vec<f32> {
    let tensor = value.as_tensor().expect("a tensor");
    tensor.to_vec().expect("floats")
}

/// FastGelu of −1 and 1 (`fast_gelu.rs`), between operators of ONNX, with a bound.
#[test]
fn operators_of_both_domains_in_one_model() {
    let nodes = [
        node("Neg", "x", "a", &[]),
        contrib(node("FastGelu", "a", "b", &[])),
        node("Add", "b b", "y", &[]),
    ];
    let model = of("x", "y", &nodes);
    let inputs = [("x".to_owned(), vector([1.0, -1.0]))];
    let outputs = run_bounded(&model, &inputs, Limits::default()).expect("a result");
    let (_, y, radius) = &outputs[0];
    assert_abs_diff_eq!(y, &vector([-0.317_616, 1.682_384]), epsilon = 1e-5);
    let radii = radius.array(&[2]).expect("a bound");
    assert!(
        radii.iter().all(|radius| *radius > 0.0 && *radius < 1e-5),
        "{radii:?}"
    );
}

/// Random rounding moves the result of an operator without a rule too, by a few units of its row.
#[test]
fn random_rounding() {
    let model = of("x s", "y", &[contrib(node("GatedRMSNorm", "x s x", "y", &[]))]);
    let inputs = [
        ("x".to_owned(), vector([1.0, 3.0])),
        ("s".to_owned(), vector([1.0, 1.0])),
    ];
    let with = |noise| {
        let limits = Limits {
            noise,
            ..Limits::default()
        };
        floats(&run(&model, &inputs, limits).expect("a result")[0].1)
    };
    let settled = with(None);
    let seeds = (0..20).map(|seed| with(Some(seed))).collect::<Vec<_>>();
    assert!(seeds.iter().any(|moved| *moved != settled));
    for moved in seeds {
        assert_abs_diff_eq!(moved[..], settled[..], epsilon = 4e-6);
    }
}

#[test]
fn an_operator_in_the_domain_of_onnx_is_a_deviation() {
    let model = of(
        "x s",
        "y",
        &[node("SimplifiedLayerNormalization", "x s", "y", &[])],
    );
    let inputs = [
        ("x".to_owned(), vector([3.0, 4.0])),
        ("s".to_owned(), vector([1.0, 2.0])),
    ];
    let y = floats(&run(&model, &inputs, Limits::default()).expect("a result")[0].1);
    // √12.5 is the root mean square; epsilon is 1e−5.
    assert_abs_diff_eq!(y[..], [0.848_528, 2.262_741], epsilon = 1e-5);
    let strict = Limits {
        strict: true,
        ..Limits::default()
    };
    let error = run(&model, &inputs, strict).expect_err("strict").to_string();
    assert!(error.contains("operator-of-runtime"), "{error}");
}

/// The table checks types and attributes as it does for ONNX.
#[test]
fn violations_of_the_table() {
    let text = |value: &str| AttributeValue::String(value.into());
    for (node, part) in [
        (node("QuickGelu", "x x", "y", &[]), "2 inputs"),
        (
            node("QuickGelu", "x", "y", &[("beta", AttributeValue::Float(1.0))]),
            "no attribute `beta`",
        ),
        (
            node("QuickGelu", "x", "y", &[("alpha", text("1"))]),
            "attribute `alpha`",
        ),
        (node("QLinearAdd", "x x x x x x x", "y", &[]), "tensor(float)"),
        (
            node("MatMulNBits", "x x x", "y", &[]),
            "attribute `K` is required",
        ),
    ] {
        let error = Program::load(of("x", "y", &[contrib(node)]))
            .expect_err(part)
            .to_string();
        assert!(error.contains(part), "`{error}` does not contain `{part}`");
    }
}

/// What cannot run is named, with the reason.
#[test]
fn unsupported_operators_and_domains() {
    let in_domain = |domain: &str, operator: &str| Node {
        domain: domain.to_owned(),
        ..node(operator, "x", "y", &[])
    };
    for (node, part) in [
        (
            in_domain("com.microsoft", "Rfft"),
            "com.microsoft.Rfft-1): not implemented by the reference",
        ),
        (
            in_domain("com.microsoft", "Nonsense"),
            "ONNX Runtime 1.32.0 has no operator of this name",
        ),
        (
            in_domain("com.microsoft.nchwc", "Conv"),
            "write the optimized model again",
        ),
        (in_domain("ai.onnx.contrib", "Solve"), "onnxruntime-extensions"),
        (in_domain("mine", "Own"), "`mine` is not a domain of ONNX"),
    ] {
        let mut attributes = node;
        if attributes.operator == "Rfft" {
            for name in ["signal_ndim", "normalized", "onesided"] {
                attributes.attributes.push(onnx_model::Attribute {
                    name: name.to_owned(),
                    value: AttributeValue::Int(1),
                });
            }
        }
        let error = Program::load(of("x", "y", &[attributes]))
            .expect_err(part)
            .to_string();
        assert!(error.contains(part), "`{error}` does not contain `{part}`");
    }
}

/// Every operator with semantics has generated cases, and each of them has a result; no other operator has
/// cases.
#[test]
fn generated_cases_have_results() {
    let mut wrong = BTreeMap::new();
    for schema in onnx_schema::contrib() {
        let implemented = implemented().any(|known| std::ptr::eq(known, schema));
        let Ok(mut plan) = onnx_generator::plan(schema, 0) else {
            if implemented {
                wrong.insert(schema.to_string(), "no declaration".to_owned());
            }
            continue;
        };
        plan.extend(onnx_generator::Phase::Pair, 150);
        if !implemented || plan.cases().count() == 0 {
            wrong.insert(
                schema.to_string(),
                format!("no semantics, or no cases: {}", plan.reasons()),
            );
        }
        for case in plan.cases() {
            if let Err(error) = run(&case.model, &case.inputs, Limits::default()) {
                wrong.insert(schema.to_string(), format!("{}: {error}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A function of the model has priority over a contrib operator of the same name.
#[test]
fn functions_of_the_model_come_first() {
    let mut model = of("x", "y", &[contrib(node("QuickGelu", "x", "y", &[]))]);
    model.functions.push(Arc::new(onnx_model::Function {
        name: "QuickGelu".to_owned(),
        domain: "com.microsoft".to_owned(),
        inputs: vec!["a".to_owned()],
        outputs: vec!["b".to_owned()],
        opset_imports: BTreeMap::from([(String::new(), 17)]),
        nodes: vec![node("Neg", "a", "b", &[])],
        ..onnx_model::Function::default()
    }));
    let inputs = [("x".to_owned(), vector([1.0, -2.0]))];
    let y = floats(&run(&model, &inputs, Limits::default()).expect("a result")[0].1);
    assert_eq!(y, [-1.0, 2.0]);
}
