//! Properties of all random graphs: they are valid, reproducible, and have the patterns that backends
//! fuse.

use std::collections::BTreeSet;

use onnx_generator::graphs::{graph, graphs};
use onnx_model::encode_value;

const COUNT: usize = 1500;

/// The witness determines the types of outputs.
fn is_type_of_output(finding: &str) -> bool {
    finding.contains("declares no")
}

#[test]
fn every_graph_is_a_valid_model() {
    let mut findings = BTreeSet::new();
    for case in graphs(0, COUNT) {
        let found = onnx_checker::check(&case.model).list;
        let found = found.iter().map(ToString::to_string);
        findings.extend(
            found
                .filter(|text| !is_type_of_output(text))
                .map(|text| format!("{}: {text}", case.name)),
        );
    }
    assert_eq!(findings, BTreeSet::new());
}

#[test]
fn a_graph_depends_only_on_seed_and_number() {
    let bytes = |seed: u64| -> Vec<Vec<u8>> {
        let cases = (0..60).filter_map(|number| graph(seed, number));
        let fed = |case: &onnx_generator::Case| {
            case.inputs
                .iter()
                .flat_map(|(name, value)| encode_value(value, name))
                .collect::<Vec<u8>>()
        };
        cases
            .map(|case| [case.model.encode(), fed(&case)].concat())
            .collect()
    };
    assert_eq!(bytes(3), bytes(3));
    assert_ne!(bytes(3), bytes(4));
}

/// Almost every draw gives a graph, most have many nodes, and every pattern occurs.
#[test]
fn graphs_have_the_patterns_that_backends_fuse() {
    let cases: Vec<_> = graphs(1, COUNT).collect();
    assert!(cases.len() > COUNT * 98 / 100, "{} of {COUNT}", cases.len());
    let nodes = |least: usize| {
        cases
            .iter()
            .filter(|case| case.model.graph.nodes.len() >= least)
            .count()
    };
    assert!(
        nodes(5) == cases.len() && nodes(20) > COUNT / 4,
        "{} {}",
        nodes(5),
        nodes(20)
    );
    let used: BTreeSet<&str> = cases
        .iter()
        .flat_map(|case| &case.model.graph.nodes)
        .map(|node| node.operator.as_str())
        .collect();
    let wanted = "Conv BatchNormalization Relu Add MatMul Gemm Erf Tanh Pow Gelu Softmax Transpose Reshape Slice Concat Split Pad \
        Gather GlobalAveragePool HardSigmoid Resize ConvTranspose LSTM GRU RNN If Loop Expand Where Cast ArgMax TopK \
        Mod Div Range Shape And Not Xor BitShift EyeLike Einsum GatherElements GatherND ScatterElements ScatterND OneHot Compress \
        NonZero Unique ReverseSequence SplitToSequence SequenceAt SequenceInsert SequenceErase SequenceConstruct SequenceEmpty \
        SequenceLength ConcatFromSequence SequenceMap Optional OptionalHasElement Scan StringConcat \
        LayerNormalization GroupNormalization InstanceNormalization ReduceMean Sqrt Reciprocal QuantizeLinear \
        DequantizeLinear DynamicQuantizeLinear MatMulInteger MaxPool AveragePool DepthToSpace SpaceToDepth CumSum PRelu";
    let missing: Vec<&str> = wanted
        .split_whitespace()
        .filter(|name| !used.contains(name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
    let opsets: BTreeSet<i64> = cases
        .iter()
        .filter_map(|case| case.model.opset_imports.get("").copied())
        .collect();
    assert!((11..=28).all(|opset| opsets.contains(&opset)), "{opsets:?}");
}
