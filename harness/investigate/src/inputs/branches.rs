//! Inputs with which another branch of an If runs.

use std::collections::{HashMap, HashSet};

use backend_api::Named;
use onnx_model::{Graph, Model, Node};
use onnx_tensor::{Tensor, Value};

use super::reach::Reach;
use super::roles::compared;

/// The values of an input that decides which branch runs.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The input, with its drawn value if it is one: `use_cache=true`.
    pub drawn: String,
    /// The same inputs with another value of it, and that value.
    pub others: Vec<(String, Vec<Named>)>,
}

/// Other values of an input on which the condition of an If depends: of the first of one element, or else of
/// the first of floats; `None` if there is no such input.
pub fn branches(model: &Model, drawn: &[Named]) -> Option<Branches> {
    let deciding = deciding(&model.graph);
    let tensors = || {
        let named = drawn.iter().filter(|(name, _)| deciding.contains(name.as_str()));
        named.filter_map(|(name, value)| Some((name, value.as_tensor()?)))
    };
    let of_one = || tensors().find(|(_, tensor)| tensor.len() == 1);
    let of_floats = || tensors().find(|(_, tensor)| tensor.len() > 1 && negated(tensor).is_some());
    let (name, tensor) = of_one().or_else(of_floats)?;
    let others = others(&model.graph, name, tensor)?;
    let with = |other: &Tensor| {
        let values = drawn.iter().map(|(known, value)| {
            if known == name {
                (known.clone(), Value::from(other.clone()))
            } else {
                (known.clone(), value.clone())
            }
        });
        (said(name, other), values.collect())
    };
    Some(Branches {
        drawn: if tensor.len() == 1 {
            said(name, tensor)
        } else {
            name.clone()
        },
        others: others.iter().map(with).collect(),
    })
}

/// The numbers of the other sign: what a sum of them decides is then decided otherwise.
fn negated(tensor: &Tensor) -> Option<Tensor> {
    match tensor {
        Tensor::Float(array) => Some(array.mapv(|value| -value).into_shared().into()),
        Tensor::Double(array) => Some(array.mapv(|value| -value).into_shared().into()),
        _ => None,
    }
}

/// `name=value`.
fn said(name: &str, tensor: &Tensor) -> String {
    if tensor.len() != 1 {
        return format!("{name} of the other sign");
    }
    let value = match tensor {
        Tensor::Bool(array) => array.first().map(bool::to_string),
        Tensor::Int64(array) => array.first().map(i64::to_string),
        Tensor::Int32(array) => array.first().map(i32::to_string),
        _ => None,
    };
    format!("{name}={}", value.unwrap_or_default())
}

/// The other values: the other boolean; of an integer those with which the model compares it, or else its
/// half.
fn others(graph: &Graph, name: &str, tensor: &Tensor) -> Option<Vec<Tensor>> {
    if tensor.len() != 1 {
        return negated(tensor).map(|other| vec![other]);
    }
    let shape = tensor.shape();
    let integers = |drawn: i64| -> Vec<i64> {
        let reach = Reach::new(graph);
        let mut found: Vec<i64> = compared(&reach, name).filter(|value| *value != drawn).collect();
        found.sort_unstable();
        found.dedup();
        if found.is_empty() { vec![drawn / 2] } else { found }
    };
    let all: Result<Vec<Tensor>, _> = match tensor {
        Tensor::Bool(array) => {
            let drawn = *array.first()?;
            vec![Tensor::new(shape, vec![!drawn])].into_iter().collect()
        }
        Tensor::Int64(array) => {
            let values = integers(*array.first()?).into_iter();
            values.map(|value| Tensor::new(shape, vec![value])).collect()
        }
        Tensor::Int32(array) => {
            let values = integers((*array.first()?).into()).into_iter();
            let narrow = values.filter_map(|value| i32::try_from(value).ok());
            narrow.map(|value| Tensor::new(shape, vec![value])).collect()
        }
        _ => return None,
    };
    all.ok()
}

/// The values on which the condition of an If of the main graph depends, through nodes that read no more than
/// a few operands.
fn deciding(graph: &Graph) -> HashSet<&str> {
    let mut makers: HashMap<&str, &Node> = HashMap::new();
    for node in &graph.nodes {
        makers.extend(node.outputs.iter().map(|output| (output.as_str(), node)));
    }
    let ifs = graph.nodes.iter().filter(|node| node.operator == "If");
    let mut open: Vec<&str> = ifs
        .filter_map(|node| Some(node.inputs.first()?.as_str()))
        .collect();
    let mut found = HashSet::new();
    while let Some(name) = open.pop() {
        if !found.insert(name) {
            continue;
        }
        if let Some(node) = makers.get(name).filter(|node| node.inputs.len() <= 3) {
            open.extend(node.inputs.iter().map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
        Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    #[test]
    fn the_value_that_decides_a_branch_gets_its_other_values() {
        let check = |nodes: Vec<Node>, drawn: Tensor, expected: Option<(&str, &[&str])>| {
            let initializers = [("rate", 16_000_i64), ("narrow", 8_000)];
            let graph = Graph {
                nodes,
                initializers: initializers
                    .map(|(name, value)| (name.to_owned(), Tensor::scalar(value).into()))
                    .into(),
                ..Graph::default()
            };
            let drawn = [
                ("x".to_owned(), Tensor::scalar(1.0_f32).into()),
                ("c".to_owned(), drawn.into()),
            ];
            let found = branches(&Model::new(17, graph), &drawn);
            let names = found.as_ref().map(|found| {
                let others = found.others.iter().map(|(name, _)| name.as_str());
                (found.drawn.as_str(), others.collect::<Vec<&str>>())
            });
            assert_eq!(names, expected.map(|(drawn, others)| (drawn, others.to_vec())));
        };
        let decided = |condition: Vec<Node>| [condition, vec![node("If", &["d"], "y")]].concat();
        let not = || decided(vec![node("Not", &["c"], "d")]);
        check(not(), Tensor::scalar(true), Some(("c=true", &["c=false"])));
        check(not(), Tensor::vector(vec![true, false]), None);
        let sum = || {
            decided(vec![
                node("ReduceSum", &["c"], "s"),
                node("Greater", &["s", "rate"], "d"),
            ])
        };
        let other = "c of the other sign";
        check(sum(), Tensor::vector(vec![1.0_f32, 2.0]), Some(("c", &[other])));
        check(sum(), Tensor::vector(vec![1_i64, 2]), None);
        check(vec![node("Not", &["c"], "d")], Tensor::scalar(true), None);
        let equal = decided(vec![
            node("Equal", &["c", "rate"], "d"),
            node("Equal", &["narrow", "c"], "e"),
        ]);
        check(equal, Tensor::scalar(16_000_i64), Some(("c=16000", &["c=8000"])));
        let one = decided(vec![node("Equal", &["c", "rate"], "d")]);
        check(one, Tensor::scalar(16_000_i32), Some(("c=16000", &["c=8000"])));
    }
}
