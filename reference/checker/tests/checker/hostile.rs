//! Models that are large, deep or nonsensical: the check terminates quickly and without a panic.

use std::sync::Arc;

use onnx_checker::{Limits, Rule, check, check_within, usage};
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};

use onnx_rejections::model;

fn relu(input: String, output: String) -> Node {
    Node {
        operator: "Relu".to_owned(),
        inputs: vec![input],
        outputs: vec![output],
        ..Node::default()
    }
}

fn rules(model: &Model) -> Vec<Rule> {
    check(model).list.iter().map(|finding| finding.rule()).collect()
}

/// A chain of nodes, each before the node that it reads.
#[test]
fn a_long_chain_in_either_order() {
    const LENGTH: usize = 20_000;
    let mut long = model(&format!("graph v0:float -> v{LENGTH}:float"));
    let nodes: Vec<Node> = (0..LENGTH)
        .map(|at| relu(format!("v{at}"), format!("v{}", at + 1)))
        .collect();
    let graph = Graph::clone(&long.graph);
    long.graph = Arc::new(Graph {
        nodes: nodes.clone(),
        ..graph.clone()
    });
    assert!(check(&long).is_empty());

    let nodes = nodes.into_iter().rev().collect();
    long.graph = Arc::new(Graph { nodes, ..graph });
    let found = check(&long);
    assert_eq!((found.list.len(), found.omitted), (1000, LENGTH - 1 - 1000));
}

/// Nested bodies, more than the stack could hold.
#[test]
fn nested_bodies() {
    let mut inner = Graph {
        name: "g".to_owned(),
        ..Graph::default()
    };
    for _ in 0..Limits::default().depth + 1 {
        let body = AttributeValue::Graph(Arc::new(inner));
        let node = Node {
            domain: "mine".to_owned(),
            operator: "Own".to_owned(),
            attributes: vec![Attribute {
                name: "body".to_owned(),
                value: body,
            }],
            ..Node::default()
        };
        inner = Graph {
            name: "g".to_owned(),
            nodes: vec![node],
            ..Graph::default()
        };
    }
    let mut deep = model("model 8 mine=1\ngraph -> ");
    deep.graph = Arc::new(inner);
    assert_eq!(rules(&deep), [Rule::TooDeep]);
    assert_eq!(usage(&deep).len(), Limits::default().depth + 1);
}

/// Functions that each call the next twice: 2^40 nodes if each call were followed.
#[test]
fn functions_that_multiply() {
    let text: String = (0..40)
        .map(|at| {
            format!(
                "function d.f{at}(a) d=1 \"\"=13 -> c\nb = d::f{}(a)\nc = d::f{}(b)\nend\n",
                at + 1,
                at + 1
            )
        })
        .collect();
    let text = format!(
        "model 8 d=1\ngraph x:float -> y:float\n{text}function d.f40(a) \"\"=13 -> b\nb = Relu(a)\nend\ny = d::f0(x)"
    );
    // Each function is traversed once, so that a small limit suffices to type all of them.
    let limits = Limits {
        nodes: 100,
        ..Limits::default()
    };
    assert!(check_within(&model(&text), limits).is_empty());
    let wrong = text.replace("y:float", "y:double");
    let found = check_within(&model(&wrong), limits);
    assert_eq!(
        found
            .list
            .iter()
            .map(|finding| finding.rule())
            .collect::<Vec<_>>(),
        [Rule::DeclaredType]
    );
}

/// Recursive functions, whose types are followed only up to the limit.
#[test]
fn recursive_functions_are_found_and_not_followed() {
    let body = relu("a".to_owned(), "b".to_owned());
    let call = Node {
        domain: "d".to_owned(),
        operator: "f".to_owned(),
        ..body
    };
    let function = Function {
        domain: "d".to_owned(),
        name: "f".to_owned(),
        inputs: vec!["a".to_owned()],
        outputs: vec!["b".to_owned()],
        opset_imports: [("d".to_owned(), 1)].into(),
        nodes: vec![call],
        ..Function::default()
    };
    let mut recursive = model("model 8 d=1\ngraph x:float -> y:float\ny = d::f(x)");
    recursive.functions.push(Arc::new(function));
    assert_eq!(rules(&recursive), [Rule::FunctionRecursion]);
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let nodes: String = (0..50).map(|at| format!("v{at} = Nonsense(x)\n")).collect();
    let limits = Limits {
        findings: 7,
        ..Limits::default()
    };
    let found = check_within(&model(&format!("graph x:float -> x:float\n{nodes}")), limits);
    assert_eq!((found.list.len(), found.omitted), (7, 43));
}
