//! Shape rules against the results of operators, on generated cases of every operator version.

use std::collections::{BTreeMap, BTreeSet};

use onnx_generator::Case;
use onnx_tensor::{Dim, Value, ValueType};

use super::super::infer;
use crate::exec::evaluate;
use crate::import::import;
use crate::ir::{Graph, dtype, shape};

/// Why the shape of an operator's outputs never follows from the types of its inputs.
const WITHOUT_RULE: &[(&str, &str)] = &[
    ("Compress", "the condition decides how many elements are kept"),
    ("ConcatFromSequence", "the types of sequences have no shapes here"),
    ("Constant", "it is folded: its value is known"),
    ("Loop", "the number of rounds depends on values"),
    (
        "MelWeightMatrix",
        "the number of bands is a value; constants are folded",
    ),
    ("NonMaxSuppression", "the scores decide how many boxes are kept"),
    ("NonZero", "the elements decide how many are not zero"),
    ("Optional", "its result is an optional"),
    ("OptionalGetElement", "the types of optionals have no shapes here"),
    (
        "Range",
        "the number of elements depends on values; constants are folded",
    ),
    (
        "Scan",
        "the body runs once for each element of an axis; its outputs have no rule",
    ),
    ("SequenceAt", "the types of sequences have no shapes here"),
    ("SequenceConstruct", "its result is a sequence"),
    ("SequenceEmpty", "its result is a sequence"),
    ("SequenceErase", "its result is a sequence"),
    ("SequenceInsert", "its result is a sequence"),
    ("SequenceMap", "its result is a sequence"),
    ("SplitToSequence", "its result is a sequence"),
    (
        "StringNormalizer",
        "the stop words decide how many strings are kept",
    ),
    ("StringSplit", "the strings decide how many substrings there are"),
    ("Unique", "the elements decide how many differ"),
    ("ai.onnx.ml.ZipMap", "its result is a sequence"),
];

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

#[test]
fn inferred_types_are_those_of_the_results() {
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    let (mut checked, mut faults) = (0, Vec::new());
    for case in onnx_generator::cases(0, 6000) {
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
    let reasons: BTreeSet<&str> = WITHOUT_RULE.iter().map(|(name, _)| *name).collect();
    let unexplained: Vec<_> = without.difference(&reasons).collect();
    assert!(
        unexplained.is_empty(),
        "no shape rule and no reason: {unexplained:?}"
    );
    assert!(WITHOUT_RULE.iter().all(|(_, reason)| !reason.is_empty()));
    let implemented: BTreeSet<String> = crate::ops::implemented()
        .map(|schema| schema.to_string())
        .filter_map(|label| Some(label.rsplit_once('-')?.0.to_owned()))
        .collect();
    let never: Vec<_> = implemented
        .iter()
        .filter(|name| !known.contains_key(*name) && !reasons.contains(name.as_str()))
        .collect();
    assert!(never.is_empty(), "no case runs: {never:?}");
}
