//! Values at which the operators that read an input behave differently: thresholds, ties, values without a
//! result.
//!
//! A normal number is never on a threshold, never NaN, and seldom above 4: a comparison with the wrong
//! direction, a missing branch of a tree, or a clip at 250 do not show. Part of the elements of an input is
//! drawn from these values in place of the usual ones.

mod readers;
mod trees;
mod values;

use onnx_model::ValueInfo;
use onnx_tensor::ValueType;

use super::reach::{Line, Reach};
use readers::Reader;
pub use values::Probes;

/// The steps of a diffusion model.
const TIMESTEPS: f64 = 999.0;

/// The values for an input of a graph.
pub(super) fn probes(reach: &Reach<'_>, info: &ValueInfo) -> Probes {
    let Some(ValueType::Tensor { dtype, .. }) = &info.value_type else {
        return Probes::default();
    };
    let mut found = Probes::default();
    if info.name.to_lowercase().contains("timestep") {
        found.range = Some((0.0, TIMESTEPS));
    }
    for (node, place, line) in reach.reached(&info.name) {
        let reader = Reader {
            graph: reach.graph,
            node,
            place,
            dtype: *dtype,
        };
        if line == Line::SAME {
            reader.tell(&mut found);
        } else if dtype.is_float() || line.keeps() {
            let mut behind = Probes::default();
            reader.tell(&mut behind);
            found.add_behind(behind, line);
        }
    }
    let range = found.range;
    let fits = |number: &f64| {
        let is_within = range.is_none_or(|(least, most)| (least..=most).contains(number));
        is_within && (dtype.is_float() || number.fract() == 0.0)
    };
    found.numbers.retain(fits);
    found
        .columns
        .values_mut()
        .for_each(|numbers| numbers.retain(fits));
    found
}

#[cfg(test)]
mod tests {
    use onnx_model::{Attribute, AttributeValue, Graph, Node};
    use onnx_tensor::{DType, Tensor, Value};

    use super::*;

    fn node(operator: &str, inputs: &[&str], attributes: Vec<(&str, AttributeValue)>) -> Node {
        let attribute = |(name, value): (&str, AttributeValue)| Attribute {
            name: name.to_owned(),
            value,
        };
        Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: vec!["y".to_owned()],
            attributes: attributes.into_iter().map(attribute).collect(),
            ..Node::default()
        }
    }

    fn of(dtype: DType, node: Node) -> Probes {
        let graph = Graph {
            nodes: vec![node],
            initializers: vec![
                ("c".to_owned(), Value::from(Tensor::vector(vec![250.0_f32, -8.0]))),
                ("s".to_owned(), Value::from(Tensor::scalar(0.5_f32))),
            ],
            ..Graph::default()
        };
        let info = ValueInfo {
            name: "x".to_owned(),
            value_type: Some(ValueType::tensor(dtype)),
        };
        probes(&Reach::new(&graph), &info)
    }

    /// Each family of operators names the numbers that it distinguishes.
    #[test]
    fn operators_name_the_numbers_that_they_distinguish() {
        let check = |node: Node, expected: &[f64]| {
            let name = node.operator.clone();
            let Probes {
                numbers, near_ties, ..
            } = of(DType::Float, node);
            let found = [numbers, near_ties].concat();
            for number in expected {
                let is = |other: &f64| other.to_bits() == number.to_bits();
                assert!(found.iter().any(is), "{name}: {number} is not in {found:?}");
            }
        };
        for operator in ["Greater", "LessOrEqual", "Equal", "Max", "Clip"] {
            check(
                node(operator, &["x", "c"], vec![]),
                &[250.0, 218.75, 281.25, -8.0],
            );
        }
        let bound = AttributeValue::Float(6.0);
        check(node("Clip", &["x"], vec![("max", bound)]), &[6.0, 5.25]);
        check(node("Round", &["x"], vec![]), &[0.5, -1.5, 2.0]);
        check(node("QuantizeLinear", &["x", "s"], vec![]), &[0.25, -0.75, 150.0]);
        check(node("Sign", &["x"], vec![]), &[0.0, -0.0]);
        check(node("HardSwish", &["x"], vec![]), &[3.0, -3.0]);
        let slope = AttributeValue::Float(0.25);
        check(node("HardSigmoid", &["x"], vec![("alpha", slope)]), &[2.0, -2.0]);
        check(node("IsInf", &["x"], vec![]), &[f64::INFINITY, f64::NEG_INFINITY]);
        let replaced = AttributeValue::Float(-1.0);
        check(
            node("Imputer", &["x"], vec![("replaced_value_float", replaced)]),
            &[-1.0],
        );
        assert!(of(DType::Float, node("IsNaN", &["x"], vec![])).numbers[0].is_nan());
        let equal = |node: Node| of(DType::Float, node).equal.into_iter().collect::<Vec<_>>();
        assert_eq!(equal(node("Greater", &["x", "z"], vec![])), [-1]);
        assert_eq!(equal(node("ArgMax", &["x"], vec![])), [0]);
        let axis = AttributeValue::Int(2);
        assert_eq!(equal(node("TopK", &["x"], vec![("axis", axis)])), [2]);
        assert!(of(DType::Float, node("Relu", &["x"], vec![])).is_empty());
        // Integers have no numbers between two.
        let found = of(DType::Int64, node("Greater", &["x", "c"], vec![])).numbers;
        assert_eq!(found, [250.0, -8.0, -9.0, -7.0, -6.0]);
    }

    #[test]
    fn trees_name_the_thresholds_of_each_feature() {
        let tree = node(
            "TreeEnsembleRegressor",
            &["x"],
            vec![
                ("nodes_featureids", AttributeValue::Ints(vec![2, 0])),
                ("nodes_values", AttributeValue::Floats(vec![80.0, 2.0])),
                (
                    "nodes_missing_value_tracks_true",
                    AttributeValue::Ints(vec![0, 1]),
                ),
            ],
        );
        let found = of(DType::Float, tree).columns;
        assert_eq!(found[&2], [80.0, 70.0, 90.0, 100.0]);
        assert_eq!(found[&0][..4], [2.0, 1.75, 2.25, 2.5]);
        assert!(found[&0][4].is_nan());
    }

    #[test]
    fn boxes_have_positive_sizes() {
        use rand::SeedableRng;
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let found = of(DType::Float, node("NonMaxSuppression", &["x", "s"], vec![]));
        let boxes = found.boxes.expect("boxes");
        for _ in 0..50 {
            let mut row = [7.0; 5];
            boxes.fill(&mut row, &mut rng);
            let [image, top, left, bottom, right] = row;
            assert!(
                image == 0.0 && bottom > top && right > left && right <= 1.0,
                "{row:?}"
            );
        }
    }
}
