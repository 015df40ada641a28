//! What the nodes that read an input tell apart.

use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::super::roles::{constant, integer};
use super::trees::Trees;
use super::values::{Boxes, Probes, beside};

/// The extent of the features on which regions are drawn.
const PIXELS: f64 = 8.0;

/// The most operands of a Max that are looked at.
const MOST_OPERANDS: usize = 64;

/// The most values of a feature of trees.
const MOST_SPLITS: usize = 1 << 14;

/// Adds the values that matter to a node.
type Tell = fn(&Reader<'_>, &mut Probes);

/// The operators that tell values from others: their names, the place of the operand (any if `None`), and
/// what they add.
const TELLING: &[(&[&str], Option<usize>, Tell)] = &[
    (
        &[
            "Greater",
            "Less",
            "GreaterOrEqual",
            "LessOrEqual",
            "Equal",
            "Max",
            "Min",
            "Clip",
        ],
        None,
        |reader, found| reader.compared(found),
    ),
    (&["Binarizer"], Some(0), |reader, found| {
        found.threshold(reader.float("threshold").unwrap_or(0.0));
    }),
    (&["ThresholdedRelu"], Some(0), |reader, found| {
        found.threshold(reader.float("alpha").unwrap_or(1.0));
    }),
    (&["Shrink"], Some(0), |reader, found| {
        let limit = reader.float("lambd").unwrap_or(0.5);
        [limit, -limit].into_iter().for_each(|end| found.threshold(end));
    }),
    (&["HardSwish"], Some(0), |_, found| {
        [3.0, -3.0].into_iter().for_each(|end| found.threshold(end));
    }),
    (&["HardSigmoid"], Some(0), |reader, found| {
        let slope = reader.float("alpha").unwrap_or(0.2);
        let middle = reader.float("beta").unwrap_or(0.5);
        let ends = [-middle / slope, (1.0 - middle) / slope].into_iter();
        ends.filter(|end| end.is_finite())
            .for_each(|end| found.threshold(end));
    }),
    (&["Round", "Floor", "Ceil"], Some(0), |_, found| {
        found
            .numbers
            .extend((-5..=5).map(|number| f64::from(number) / 2.0));
    }),
    (&["Cast"], Some(0), |reader, found| {
        if reader.dtype.is_float() && reader.casts_to_integer() {
            found.numbers.extend([-2.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0]);
        }
    }),
    (&["QuantizeLinear"], Some(0), |reader, found| {
        reader.quantized(found)
    }),
    (&["Sign"], Some(0), |_, found| found.numbers.extend([0.0, -0.0])),
    (&["IsNaN"], Some(0), |_, found| found.numbers.push(f64::NAN)),
    (&["IsInf"], Some(0), |_, found| {
        found.numbers.extend([f64::INFINITY, f64::NEG_INFINITY]);
    }),
    (&["Imputer"], Some(0), |reader, found| {
        let replaced = reader.numbers(&["replaced_value_float", "replaced_value_int64"]);
        found.numbers.extend(replaced);
    }),
    (&["ArgMax", "ArgMin"], Some(0), |reader, found| {
        found.equal.insert(reader.int("axis").unwrap_or(0));
    }),
    (&["TopK", "Hardmax"], Some(0), |reader, found| {
        found.equal.insert(reader.int("axis").unwrap_or(-1));
    }),
    // Indices out of the range have no place (Operators.md, OneHot).
    (&["OneHot"], Some(0), |reader, found| {
        let depth = reader
            .node
            .inputs
            .get(1)
            .and_then(|name| integer(reader.graph, name));
        let ends = depth.map(|depth| depth as f64).into_iter();
        found
            .outside
            .extend(ends.flat_map(|depth| [-1.0, -depth, depth, -depth - 1.0]));
    }),
    (&["NonMaxSuppression"], Some(1), |reader, found| {
        let threshold = reader
            .node
            .inputs
            .get(4)
            .and_then(|name| constant(reader.graph, name));
        let scores = threshold.map(reals).into_iter().flatten();
        found
            .numbers
            .extend(scores.flat_map(|score| [0.5, 0.9, 1.1, 1.5].map(|part| part * score)));
    }),
    (&["Asin", "Acos", "Atanh"], Some(0), |_, found| {
        found.range = Some((-0.9, 0.9))
    }),
    (&["Acosh"], Some(0), |_, found| found.range = Some((1.0, 8.0))),
    (&["Dropout"], Some(1), |_, found| found.range = Some((0.0, 0.9))),
    (
        &["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"],
        Some(2),
        |_, found| found.range = Some((0.1, 2.0)),
    ),
    // No text says what a power or a product of integers beyond the type is.
    (&["Pow"], Some(0), |reader, found| {
        found.range = reader.dtype.is_integer().then_some((-8.0, 8.0)).or(found.range);
    }),
    (&["Pow"], Some(1), |reader, found| {
        found.range = reader.dtype.is_integer().then_some((0.0, 2.0)).or(found.range);
    }),
    (&["ReduceProd"], Some(0), |reader, found| {
        found.range = reader.dtype.is_integer().then_some((0.0, 2.0)).or(found.range);
    }),
    (&["NonMaxSuppression"], Some(0), |reader, found| {
        let is_centered = reader.numbers(&["center_point_box"]) == [1.0];
        found.boxes = Some(Boxes {
            extent: 1.0,
            is_centered,
        });
    }),
    (&["RoiAlign", "MaxRoiPool"], Some(1), |reader, found| {
        let scale = reader.float("spatial_scale").filter(|scale| *scale > 0.0);
        found.boxes = Some(Boxes {
            extent: PIXELS / scale.unwrap_or(1.0),
            is_centered: false,
        });
    }),
    // The rows of a table of weights are counted from the first.
    (
        &["Gather", "GatherElements", "GatherND"],
        Some(1),
        |reader, found| {
            found.negative |= reader.is_of_values();
        },
    ),
    (&["Scaler"], Some(0), |reader, found| reader.scaled(found)),
    (
        &["TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"],
        Some(0),
        |reader, found| reader.tree(found),
    ),
];

/// A node that reads the input, with the place of the operand.
pub struct Reader<'g> {
    pub graph: &'g Graph,
    pub node: &'g Node,
    pub place: usize,
    /// The type of the input.
    pub dtype: DType,
}

impl Reader<'_> {
    /// Adds the values that matter to the node.
    pub fn tell(&self, found: &mut Probes) {
        let tells = |(names, place, _): &&(&[&str], Option<usize>, Tell)| {
            names.contains(&self.node.operator.as_str()) && place.is_none_or(|place| place == self.place)
        };
        TELLING
            .iter()
            .filter(tells)
            .for_each(|(_, _, tell)| tell(self, found));
    }

    /// The constants with which the input is compared; equal operands matter if both are computed.
    fn compared(&self, found: &mut Probes) {
        let others = self.node.inputs.iter().take(MOST_OPERANDS).enumerate();
        for (_, name) in others.filter(|(place, name)| *place != self.place && !name.is_empty()) {
            match constant(self.graph, name) {
                Some(tensor) => reals(tensor).into_iter().for_each(|value| found.threshold(value)),
                None => {
                    found.equal.insert(-1);
                }
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
        let to = self.int("to").map(DType::from_onnx);
        to.is_some_and(|to| to.is_ok_and(DType::is_integer))
    }

    /// Ties of the rounding, and numbers beyond the range.
    fn quantized(&self, found: &mut Probes) {
        let scale = self
            .node
            .inputs
            .get(1)
            .and_then(|name| constant(self.graph, name));
        for scale in scale.map(reals).into_iter().flatten().take(4) {
            found.numbers.extend([-300.0, 300.0].map(|steps| steps * scale));
            let ties = [-1.5, -0.5, 0.5, 1.5, 2.5].map(|steps| steps * scale);
            found.near_ties.extend(ties);
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
        if found.trees.is_empty() {
            found.trees = Trees::of(self.node);
        }
        let features = self.numbers(&["nodes_featureids"]);
        let thresholds = self.numbers(&["nodes_values", "nodes_values_as_tensor", "nodes_splits"]);
        let missing = self.numbers(&["nodes_missing_value_tracks_true"]);
        // A leaf has a feature, too, and a threshold of 0.
        let modes = self.texts("nodes_modes");
        let is_leaf = |node: &usize| modes.get(*node).is_some_and(|mode| *mode == b"LEAF");
        for (node, (&feature, &threshold)) in features.iter().zip(&thresholds).enumerate() {
            let column = found.columns.entry(feature.max(0.0) as usize).or_default();
            if is_leaf(&node) || column.len() > MOST_SPLITS {
                continue;
            }
            column.extend(beside(threshold));
            if missing.get(node).is_some_and(|tracks| *tracks != 0.0) {
                column.push(f64::NAN);
            }
        }
    }

    fn texts(&self, name: &str) -> &[Vec<u8>] {
        match self.node.attribute(name) {
            Some(AttributeValue::Strings(texts)) => texts,
            _ => &[],
        }
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.node.attribute(name)? {
            AttributeValue::Int(value) => Some(*value),
            _ => None,
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
pub(super) fn reals(tensor: &Tensor) -> Vec<f64> {
    if tensor.len() > 1 << 16 {
        return Vec::new();
    }
    let numbers = dispatch!(real, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>();
        elements.map(|elements| elements.into_iter().map(Real::to_f64).collect())
    });
    numbers.unwrap_or_default()
}
