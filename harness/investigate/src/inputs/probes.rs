//! Values at which the operators that read an input behave differently: thresholds, ties, values without a
//! result.
//!
//! A normal number is never on a threshold, never NaN, and seldom above 4: a comparison with the wrong
//! direction, a missing branch of a tree, or a clip at 250 do not show. Part of the elements of an input is
//! drawn from these values in place of the usual ones.

use std::collections::BTreeMap;

use onnx_model::{AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Real, Tensor, ValueType, dispatch};
use rand::RngExt;

use super::roles::{constant, readers};

/// The extent of the features on which regions are drawn.
const PIXELS: f64 = 8.0;

/// The steps of a diffusion model.
const TIMESTEPS: f64 = 999.0;

/// The most numbers of one constant.
const MOST: usize = 256;

/// Values for some elements of an input.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Probes {
    /// Numbers for any element.
    pub numbers: Vec<f64>,
    /// Numbers for the elements of a column, the place in the last axis.
    pub columns: BTreeMap<usize, Vec<f64>>,
    /// Whether it matters that elements are equal.
    pub ties: bool,
    /// The range of all elements, where others have no result.
    pub range: Option<(f64, f64)>,
    /// Whether few elements have such numbers.
    pub rare: bool,
    /// Whether words that no attribute lists are drawn as well.
    pub others: bool,
    /// Whether indices may count from the end.
    pub negative: bool,
    /// The form of boxes, if every row is one.
    pub boxes: Option<Boxes>,
}

/// Rows that are boxes, many of which overlap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Boxes {
    /// The extent of the picture in which they are.
    extent: f64,
    /// Whether a row is a center and a size, not two corners.
    is_centered: bool,
}

impl Boxes {
    /// Writes a box into the last four elements of a row; what is before it, the number of an image, is 0.
    pub fn fill(self, row: &mut [f64], rng: &mut impl RngExt) {
        let Some(before) = row.len().checked_sub(4) else {
            return;
        };
        row[..before].fill(0.0);
        // Few places and sizes, so that boxes overlap.
        let mut axis = || {
            let low = self.extent * f64::from(rng.random_range(0..4)) / 8.0;
            (low, self.extent * rng.random_range(0.2..0.5))
        };
        let (y, x) = (axis(), axis());
        row[before..].copy_from_slice(&if self.is_centered {
            [y.0 + y.1 / 2.0, x.0 + x.1 / 2.0, y.1, x.1]
        } else {
            [y.0, x.0, y.0 + y.1, x.0 + x.1]
        });
    }
}

impl Probes {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        *self == Probes::default()
    }

    /// The numbers for an element in this column.
    pub fn of_column(&self, column: usize) -> impl Iterator<Item = f64> {
        let own = self.columns.get(&column).into_iter().flatten();
        self.numbers.iter().chain(own).copied()
    }

    /// A threshold, and numbers on both sides.
    fn threshold(&mut self, value: f64) {
        self.numbers.extend(beside(value));
    }
}

/// The number itself, one below, and two above.
fn beside(value: f64) -> [f64; 4] {
    let step = (value.abs() / 8.0).max(0.25);
    [value, value - step, value + step, value + 2.0 * step]
}

/// The values for an input of `model`.
pub(super) fn probes(model: &Model, info: &ValueInfo) -> Probes {
    let Some(ValueType::Tensor { dtype, .. }) = &info.value_type else {
        return Probes::default();
    };
    let mut found = Probes::default();
    if info.name.to_lowercase().contains("timestep") {
        found.range = Some((0.0, TIMESTEPS));
    }
    for (node, place) in readers(&model.graph, &info.name) {
        let reader = Reader {
            graph: &model.graph,
            node,
            place,
        };
        reader.tell(*dtype, &mut found);
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

/// A node that reads the input, with the place of the operand.
struct Reader<'g> {
    graph: &'g Graph,
    node: &'g Node,
    place: usize,
}

impl Reader<'_> {
    /// Adds the values that matter to the node.
    fn tell(&self, dtype: DType, found: &mut Probes) {
        match (self.node.operator.as_str(), self.place) {
            ("Greater" | "Less" | "GreaterOrEqual" | "LessOrEqual" | "Equal" | "Max" | "Min" | "Clip", _) => {
                self.compared(found);
            }
            ("Binarizer", 0) => found.threshold(self.float("threshold").unwrap_or(0.0)),
            ("ThresholdedRelu", 0) => found.threshold(self.float("alpha").unwrap_or(1.0)),
            ("Shrink", 0) => {
                let limit = self.float("lambd").unwrap_or(0.5);
                found.threshold(limit);
                found.threshold(-limit);
            }
            ("Round" | "Floor" | "Ceil", 0) => found
                .numbers
                .extend((-5..=5).map(|number| f64::from(number) / 2.0)),
            ("Cast", 0) if dtype.is_float() && self.casts_to_integer() => {
                found.numbers.extend([-2.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0]);
            }
            ("QuantizeLinear", 0) => self.quantized(found),
            ("Sign", 0) => found.numbers.extend([0.0, -0.0]),
            ("IsNaN", 0) => found.numbers.push(f64::NAN),
            ("IsInf", 0) => found.numbers.extend([f64::INFINITY, f64::NEG_INFINITY]),
            ("Imputer", 0) => {
                let given = self.numbers(&["replaced_value_float", "replaced_value_int64"]);
                found.numbers.extend(given);
            }
            ("ArgMax" | "ArgMin" | "TopK" | "Hardmax", 0) => found.ties = true,
            ("Asin" | "Acos" | "Atanh", 0) => found.range = Some((-0.9, 0.9)),
            ("Acosh", 0) => found.range = Some((1.0, 8.0)),
            ("Dropout", 1) => found.range = Some((0.0, 0.9)),
            ("NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss", 2) => found.range = Some((0.1, 2.0)),
            // No text says what a product of integers beyond the type is.
            ("Pow", 0) if dtype.is_integer() => found.range = Some((-8.0, 8.0)),
            ("Pow", 1) | ("ReduceProd", 0) if dtype.is_integer() => found.range = Some((0.0, 2.0)),
            ("NonMaxSuppression", 0) => {
                let is_centered = self.numbers(&["center_point_box"]) == [1.0];
                found.boxes = Some(Boxes {
                    extent: 1.0,
                    is_centered,
                });
            }
            ("RoiAlign" | "MaxRoiPool", 1) => {
                let scale = self.float("spatial_scale").filter(|scale| *scale > 0.0);
                found.boxes = Some(Boxes {
                    extent: PIXELS / scale.unwrap_or(1.0),
                    is_centered: false,
                });
            }
            // The rows of a table of weights are counted from the first.
            ("Gather" | "GatherElements" | "GatherND", 1) if self.is_of_values() => found.negative = true,
            ("Scaler", 0) => self.scaled(found),
            ("TreeEnsembleClassifier" | "TreeEnsembleRegressor" | "TreeEnsemble", 0) => self.tree(found),
            _ => {}
        }
    }

    /// The constants with which the input is compared; equal operands matter if both are computed.
    fn compared(&self, found: &mut Probes) {
        let others = self.node.inputs.iter().enumerate();
        for (_, name) in others.filter(|(place, name)| *place != self.place && !name.is_empty()) {
            match constant(self.graph, name) {
                Some(tensor) => reals(tensor).into_iter().for_each(|value| found.threshold(value)),
                None => found.ties = true,
            }
        }
        // Clip before version 11.
        for bound in ["min", "max"].into_iter().filter_map(|name| self.float(name)) {
            found.threshold(bound);
        }
    }

    /// Whether the node reads the input itself, and its data is no constant.
    fn is_of_values(&self) -> bool {
        let data = self.node.inputs.first();
        data.is_some_and(|data| constant(self.graph, data).is_none())
    }

    fn casts_to_integer(&self) -> bool {
        let Some(AttributeValue::Int(to)) = self.node.attribute("to") else {
            return false;
        };
        let to = i32::try_from(*to).ok().and_then(|to| DType::from_onnx(to).ok());
        to.is_some_and(DType::is_integer)
    }

    /// Ties of the rounding, and numbers beyond the range.
    fn quantized(&self, found: &mut Probes) {
        let scale = self
            .node
            .inputs
            .get(1)
            .and_then(|name| constant(self.graph, name));
        for scale in scale.map(reals).into_iter().flatten().take(4) {
            let steps = [-300.0, -1.5, -0.5, 0.5, 1.5, 2.5, 300.0];
            found.numbers.extend(steps.map(|steps| steps * scale));
        }
    }

    /// Numbers of which the results are about 1.
    fn scaled(&self, found: &mut Probes) {
        let (offsets, scales) = (self.numbers(&["offset"]), self.numbers(&["scale"]));
        for (column, &offset) in offsets.iter().enumerate() {
            let scale = scales.get(column).or(scales.first()).copied().unwrap_or(1.0);
            let unit = if scale == 0.0 { 1.0 } else { 1.0 / scale };
            let values = [-1.3, -0.4, 0.0, 0.7, 1.6].map(|part| offset + part * unit);
            match offsets.len() {
                1 => found.numbers.extend(values),
                _ => found.columns.entry(column).or_default().extend(values),
            }
        }
    }

    /// The thresholds of each feature, and NaN where a tree asks for it.
    fn tree(&self, found: &mut Probes) {
        let features = self.numbers(&["nodes_featureids"]);
        let thresholds = self.numbers(&["nodes_values", "nodes_values_as_tensor", "nodes_splits"]);
        let missing = self.numbers(&["nodes_missing_value_tracks_true"]);
        // A leaf of TreeEnsembleClassifier has a feature, too, and a threshold of 0.
        for (node, (&feature, &threshold)) in features.iter().zip(&thresholds).enumerate() {
            let column = found.columns.entry(feature.max(0.0) as usize).or_default();
            if column.len() < MOST {
                column.extend(beside(threshold));
            }
            if missing.get(node).is_some_and(|tracks| *tracks != 0.0) {
                column.push(f64::NAN);
            }
        }
    }

    fn float(&self, name: &str) -> Option<f64> {
        match self.node.attribute(name)? {
            AttributeValue::Float(value) => Some((*value).into()),
            _ => None,
        }
    }

    /// The numbers in these attributes.
    fn numbers(&self, names: &[&str]) -> Vec<f64> {
        let values = names.iter().filter_map(|name| self.node.attribute(name));
        values
            .flat_map(|value| match value {
                AttributeValue::Float(value) => vec![(*value).into()],
                AttributeValue::Int(value) => vec![*value as f64],
                AttributeValue::Floats(values) => values.iter().map(|value| f64::from(*value)).collect(),
                AttributeValue::Ints(values) => values.iter().map(|value| *value as f64).collect(),
                AttributeValue::Tensor(tensor) => reals(tensor),
                _ => Vec::new(),
            })
            .collect()
    }
}

/// The elements of a small constant as numbers.
fn reals(tensor: &Tensor) -> Vec<f64> {
    if tensor.len() > 1 << 16 {
        return Vec::new();
    }
    let numbers = dispatch!(real, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>();
        elements.map(|elements| elements.into_iter().map(Real::to_f64).collect())
    });
    numbers.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::Value;

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
        probes(&Model::new(21, graph), &info)
    }

    /// Each family of operators names the numbers that it distinguishes.
    #[test]
    fn operators_name_the_numbers_that_they_distinguish() {
        let check = |node: Node, expected: &[f64]| {
            let name = node.operator.clone();
            let found = of(DType::Float, node).numbers;
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
        check(node("IsInf", &["x"], vec![]), &[f64::INFINITY, f64::NEG_INFINITY]);
        let replaced = AttributeValue::Float(-1.0);
        check(
            node("Imputer", &["x"], vec![("replaced_value_float", replaced)]),
            &[-1.0],
        );
        assert!(of(DType::Float, node("IsNaN", &["x"], vec![])).numbers[0].is_nan());
        assert!(of(DType::Float, node("Greater", &["x", "z"], vec![])).ties);
        assert!(of(DType::Float, node("ArgMax", &["x"], vec![])).ties);
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
