//! Shape rules against the results of operators, on generated cases of every operator version.

mod agreement;

use std::collections::{BTreeMap, BTreeSet};

use onnx_generator::Case;
use onnx_model::AttributeValue::{self, Int, Ints, String as Text};
use onnx_tensor::{DType, Dim, Value, ValueType};

use super::super::infer;
use crate::exec::evaluate;
use crate::fixture::{Fixture, node};
use crate::import::import;
use crate::ir::{Graph, dtype, shape};
use crate::ops::shapes::Shapes;

/// Returns the outputs of a case by the general code; `None` if this backend refuses it.
fn outputs(graph: &Graph, case: &Case) -> Option<Vec<Value>> {
    let mut values: Vec<Option<Value>> = graph.values.iter().map(|value| value.constant.clone()).collect();
    for &id in &graph.inputs {
        let name = &graph.value(id).name;
        values[id.index()] = Some(case.inputs.iter().find(|(named, _)| named == name)?.1.clone());
    }
    for node in &graph.nodes {
        let inputs: Vec<Option<&Value>> = node
            .inputs
            .iter()
            .map(|id| values[id.as_ref()?.index()].as_ref())
            .collect();
        let results = evaluate(node, &inputs).ok()?;
        for (id, value) in node.outputs.iter().zip(results) {
            if let Some(id) = id {
                values[id.index()] = Some(value);
            }
        }
    }
    graph
        .outputs
        .iter()
        .map(|id| values[id.index()].clone())
        .collect()
}

/// Holds the types inferred for a graph against its outputs; returns whether the shape of the first is known.
fn check(mut graph: Graph, outputs: &[Value], case: &Case, faults: &mut Vec<String>) -> bool {
    for &id in &graph.outputs {
        graph.values[id.index()].known = None;
    }
    infer::run(&mut graph).unwrap_or_else(|error| panic!("{} {}: {error}", case.suite, case.name));
    for (&id, value) in graph.outputs.iter().zip(outputs) {
        let (Some(known), Value::Tensor(tensor)) = (graph.known(id), value) else {
            continue;
        };
        assert_eq!(
            dtype(Some(known)),
            Some(tensor.dtype()),
            "{} {}",
            case.suite,
            case.name
        );
        let Some(dims) = shape(Some(known)) else { continue };
        let allowed = |(dim, extent): (&Dim, &usize)| match dim {
            Dim::Fixed(fixed) => fixed == extent,
            Dim::Named(_) | Dim::Unknown => true,
        };
        let allowed = dims.len() == tensor.rank() && dims.iter().zip(tensor.shape()).all(allowed);
        if !allowed {
            faults.push(format!(
                "{} {}: output `{}` has shape {:?}, but {known} is inferred",
                case.suite,
                case.name,
                graph.value(id).name,
                tensor.shape()
            ));
        }
    }
    graph
        .outputs
        .first()
        .is_some_and(|&id| graph.shape_of(id).is_some())
}

/// Replaces the extents of the inputs by unknown ones.
fn opened(mut graph: Graph) -> Graph {
    for id in graph.inputs.clone() {
        if let Some(ValueType::Tensor {
            shape: Some(dims), ..
        }) = &mut graph.values[id.index()].known
        {
            dims.fill(Dim::Unknown);
        }
    }
    graph
}

/// Makes the inputs of a case constants.
fn closed(mut graph: Graph, case: &Case) -> Graph {
    for id in graph.inputs.clone() {
        let value = &mut graph.values[id.index()];
        let given = case.inputs.iter().find(|(name, _)| *name == value.name);
        value.constant = given.map(|(_, value)| value.clone());
    }
    graph
}

/// Whether a node has an operator whose rule says that its shape is never known.
fn is_open(graph: &Graph) -> bool {
    let reason = |node: &crate::ir::Node| node.op.operator()?.row.shapes.reason();
    graph.nodes.iter().any(|node| reason(node).is_some())
}

#[test]
fn a_rule_knows_the_shape_if_all_inputs_are_constants() {
    let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in onnx_generator::cases(0, 6000) {
        let Ok(imported) = import(&case.model) else {
            continue;
        };
        let Some(outputs) = outputs(&imported.graph, &case) else {
            continue;
        };
        let tensor = matches!(outputs.first(), Some(Value::Tensor(_)));
        let graph = closed(imported.graph, &case);
        // Import expands FlexAttention into nodes that compute shapes; constant folding evaluates them.
        let expanded = case.suite.contains("FlexAttention");
        if tensor && !expanded && !is_open(&graph) && !check(graph, &outputs, &case, &mut Vec::new()) {
            unknown
                .entry(case.suite.clone())
                .or_default()
                .push(case.name.clone());
        }
    }
    assert!(unknown.is_empty(), "the shape is not known: {unknown:#?}");
}

#[test]
fn inferred_types_are_those_of_the_results() {
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    let (mut checked, mut faults) = (0, Vec::new());
    let contrib = onnx_generator::contrib_cases(0, 1500);
    for case in onnx_generator::cases(0, 6000).into_iter().chain(contrib) {
        let Ok(imported) = import(&case.model) else {
            continue;
        };
        let Some(outputs) = outputs(&imported.graph, &case) else {
            continue;
        };
        checked += 1;
        let fixed = check(imported.graph.clone(), &outputs, &case, &mut faults);
        check(opened(imported.graph), &outputs, &case, &mut faults);
        let name = case.suite.rsplit_once('-').map_or("", |(name, _)| name);
        *known.entry(name.to_owned()).or_default() |= fixed;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 3000, "{checked} cases");
    let without: BTreeSet<&str> = known
        .iter()
        .filter(|(_, known)| !**known)
        .map(|(name, _)| name.as_str())
        .collect();
    // The nodes of a composition have rules of their own.
    let open = |schema: &&onnx_schema::OperatorSchema| {
        let row = crate::ops::find(schema.domain, schema.name, schema.since);
        row.is_some_and(|row| row.shapes.reason().is_some() || matches!(row.shapes, Shapes::Composed))
    };
    let named =
        |schema: &onnx_schema::OperatorSchema| Some(schema.to_string().rsplit_once('-')?.0.to_owned());
    let reasons: BTreeSet<String> = crate::ops::implemented().filter(open).filter_map(named).collect();
    // Import expands FlexAttention into nodes that compute shapes; constant folding evaluates them.
    let expanded = "ai.onnx.preview.FlexAttention";
    let unexplained: Vec<_> = without
        .iter()
        .filter(|name| !reasons.contains(**name) && **name != expanded)
        .collect();
    assert!(
        unexplained.is_empty(),
        "the shape is never known, but the rule is not `Open`: {unexplained:?}"
    );
    let implemented: BTreeSet<String> = crate::ops::implemented().filter_map(named).collect();
    let never: Vec<_> = implemented
        .iter()
        .filter(|name| !known.contains_key(*name) && !reasons.contains(*name))
        .collect();
    assert!(never.is_empty(), "no case runs: {never:?}");
}

/// Checks the known type of the result of an operator over an input whose first two extents are named.
#[track_caller]
fn check_named(operator: &str, w: &[usize], attributes: &[(&str, AttributeValue)], expected: &str) {
    let inputs = if operator == "ConvTranspose" {
        "x w"
    } else {
        "x w w"
    };
    let fixture = Fixture::new(&[2, 3, 4, 5], vec![node(operator, inputs, "y", attributes)]);
    let fixture = fixture.varied("w", w);
    let named = |graph: &mut crate::ir::Graph| {
        let name = |name: &str| Dim::Named(name.to_owned());
        let mut shape = vec![name("first"), name("second"), Dim::Fixed(5)];
        if graph.nodes[0].op.plain("ConvTranspose").is_some() {
            shape = vec![name("first"), Dim::Fixed(4), Dim::Fixed(7), Dim::Fixed(6)];
        }
        let input = graph.inputs[0].index();
        graph.values[input].known = Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(shape),
        });
        infer::run(graph)
    };
    let text = fixture.text(&[named]).expect("types fit");
    assert!(text.contains(expected), "{operator}: {text}");
}

#[test]
fn named_extents_pass_through() {
    let both = ("direction", Text(b"bidirectional".to_vec()));
    let batch_first = ("layout", Int(1));
    check_named("LSTM", &[1, 20, 5], &[], "y: float[first, 1, second, 5]");
    check_named(
        "GRU",
        &[2, 15, 5],
        std::slice::from_ref(&both),
        "y: float[first, 2, second, 5]",
    );
    check_named(
        "RNN",
        &[2, 5, 5],
        &[both, batch_first],
        "y: float[first, second, 2, 5]",
    );
    let strides = ("strides", Ints(vec![2, 3]));
    check_named(
        "ConvTranspose",
        &[4, 6, 3, 2],
        &[strides],
        "y: float[first, 6, 15, 17]",
    );
}
