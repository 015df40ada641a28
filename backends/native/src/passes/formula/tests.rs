//! Fusions match their formula in whatever way a graph writes it: with operands exchanged, sums and products
//! in other groups, every alternative, and equal nodes shared or repeated.

use std::collections::{HashMap, HashSet};

use onnx_model::AttributeValue::{Float, Int, Ints};
use onnx_model::{AttributeValue, Node as FileNode};
use onnx_tensor::Tensor;

use super::super::{Rewrite, attention, dead, gelu, infer, layer_norm, rms_norm, silu};
use super::{Call, Formula};
use crate::fixture::{Fixture, node};

/// The ways that are tried for each formula.
const WAYS: u64 = 300;

/// One way to write a formula as nodes.
struct Writing {
    /// The state of the generator that chooses.
    state: u64,
    nodes: Vec<FileNode>,
    numbers: Vec<(String, f64)>,
    names: HashMap<&'static str, String>,
}

impl Writing {
    /// Chooses a number below `count`.
    fn choose(&mut self, count: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % count
    }

    /// Writes a formula; returns the value that it gives. `None` if it needs a Reshape.
    fn write(&mut self, formula: &Formula) -> Option<String> {
        match formula {
            Formula::Any | Formula::Constant | Formula::Scalar => None,
            Formula::Number(number) => {
                let name = format!("n{}", self.numbers.len());
                self.numbers.push((name.clone(), *number));
                Some(name)
            }
            Formula::Named(name, inner) => {
                if let Some(written) = self.names.get(name) {
                    return Some(written.clone());
                }
                let written = match **inner {
                    Formula::Any | Formula::Constant | Formula::Scalar => (*name).to_owned(),
                    _ => self.write(inner)?,
                };
                self.names.insert(name, written.clone());
                Some(written)
            }
            Formula::Once(inner) => self.write(inner),
            Formula::Either(all) => {
                let one = self.choose(all.len());
                self.write(&all[one])
            }
            Formula::Call(Call {
                operator, operands, ..
            }) => {
                // A name stands for what the last operand with it computes.
                let written: Option<Vec<String>> = operands.iter().rev().map(|one| self.write(one)).collect();
                let mut inputs: Vec<String> = written?.into_iter().rev().collect();
                let (more, attributes) = rest(operator)?;
                inputs.extend(more.map(str::to_owned));
                Some(self.push(operator, &inputs.join(" "), &attributes))
            }
            Formula::Terms(operator, terms) => {
                let mut written = terms
                    .iter()
                    .map(|one| self.write(one))
                    .collect::<Option<Vec<_>>>()?;
                while written.len() > 1 {
                    let a = self.choose(written.len());
                    let a = written.swap_remove(a);
                    let b = self.choose(written.len());
                    let b = written.swap_remove(b);
                    written.push(self.push(operator, &format!("{a} {b}"), &[]));
                }
                written.pop()
            }
        }
    }

    /// Adds a node, or takes an equal one.
    fn push(&mut self, operator: &str, inputs: &str, attributes: &[(&str, AttributeValue)]) -> String {
        let made = node(operator, inputs, &format!("v{}", self.nodes.len()), attributes);
        let equal = self
            .nodes
            .iter()
            .find(|other| other.operator == operator && other.inputs == made.inputs);
        let equal = equal.map(|other| other.outputs[0].clone());
        if let Some(equal) = equal.filter(|_| self.choose(2) == 0) {
            return equal;
        }
        self.nodes.push(made.clone());
        made.outputs[0].clone()
    }
}

/// The other inputs and the attributes of an operator.
type Rest = (Option<&'static str>, Vec<(&'static str, AttributeValue)>);

/// The other inputs and the attributes of an operator of a formula; `None` for one whose shape depends on the
/// formula.
fn rest(operator: &str) -> Option<Rest> {
    Some(match operator {
        "Reshape" => return None,
        "ReduceMean" => (Some("axes"), Vec::new()),
        "Softmax" => (None, vec![("axis", Int(-1))]),
        "Transpose" => (None, vec![("perm", Ints(vec![0, 1, 3, 2]))]),
        "HardSigmoid" => (None, vec![("alpha", Float(1.0 / 6.0)), ("beta", Float(0.5))]),
        _ => (None, Vec::new()),
    })
}

/// Returns the model of one way to write a formula of `x`, if it needs no Reshape.
fn written(formula: &Formula, seed: u64) -> Option<(Vec<FileNode>, Fixture)> {
    let mut writing = Writing {
        state: seed,
        nodes: Vec::new(),
        numbers: Vec::new(),
        names: HashMap::from([("q", "x".to_owned())]),
    };
    let last = writing.write(formula)?;
    let nodes = writing.nodes.iter_mut();
    for name in nodes.flat_map(|node| node.inputs.iter_mut().chain(&mut node.outputs)) {
        if *name == last {
            "y".clone_into(name);
        }
    }
    let fixture = Fixture::new(&[1, 4, 5, 4], writing.nodes.clone())
        .constant("axes", Tensor::vector(vec![-1_i64]))
        .constant("low", Tensor::scalar(f32::MIN))
        .constant(
            "hidden",
            Tensor::new(&[1, 5], vec![false, true, true, false, false]).ok()?,
        )
        .constant(
            "kept",
            Tensor::new(&[1, 5], vec![true, true, false, true, true]).ok()?,
        );
    let numbers = writing
        .numbers
        .iter()
        .map(|(name, number)| (name.as_str(), *number as f32));
    let scalars = ["alpha", "epsilon"]
        .into_iter()
        .chain(attention::FACTORS.into_iter().flatten());
    let numbers = numbers.chain(scalars.map(|name| (name, 0.75)));
    let fixture = numbers.fold(fixture, |all, (name, number)| {
        all.constant(name, Tensor::scalar(number))
    });
    let values: [(&str, &[usize]); 6] = [
        ("scale", &[4]),
        ("bias", &[4]),
        ("keys", &[1, 4, 5, 4]),
        ("v", &[1, 4, 5, 4]),
        ("mask", &[1, 1, 5, 5]),
        ("second", &[1, 4, 1, 5]),
    ];
    let fixture = values
        .into_iter()
        .fold(fixture, |all, (name, shape)| all.varied(name, shape));
    Some((writing.nodes, fixture))
}

/// Checks that every way to write a formula becomes this operator, which computes the same.
#[track_caller]
fn check(formula: &Formula, pass: Rewrite, operator: &str) {
    let passes: [Rewrite; 2] = [pass, dead::run];
    let mut seen = HashSet::new();
    for seed in 0..WAYS {
        let Some((nodes, fixture)) = written(formula, seed) else {
            continue;
        };
        if !seen.insert(format!("{nodes:?}")) {
            continue;
        }
        let mut graph = fixture.graph();
        infer::run(&mut graph).expect("types fit");
        for pass in passes {
            pass(&mut graph).expect("the pass succeeds");
        }
        let found: Vec<String> = graph.nodes.iter().map(|node| node.op.to_string()).collect();
        assert!(
            found.len() == 1 && found[0].starts_with(operator),
            "{graph} from {nodes:#?}"
        );
        fixture.check(&passes, &[found[0].split('{').next().unwrap_or_default()]);
    }
    assert!(seen.len() > 1, "{operator} has {} ways", seen.len());
}

#[test]
fn fusions_match_in_every_order_and_grouping_and_alternative() {
    for fusion in gelu::fusions() {
        check(&fusion.formula, gelu::run, "Gelu-20");
    }
    for (fusion, operator) in silu::fusions().into_iter().zip(["Swish-24", "HardSwish-14"]) {
        check(&fusion.formula, silu::run, operator);
    }
    for fusion in layer_norm::fusions() {
        check(&fusion.formula, layer_norm::run, "LayerNormalization-17");
    }
    for fusion in rms_norm::fusions() {
        check(&fusion.formula, rms_norm::run, "RMSNormalization-23");
    }
    check(&attention::formula(), attention::run, "Attention by");
}
