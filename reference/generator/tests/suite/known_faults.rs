//! The default set has a case for each fault that was found in the reference and in the native
//! backend before there was a generator: the generator would have found them. The Concat of a KV cache
//! needs several nodes and is a pattern of the random graphs (`graphs::blocks::attention`). One is not
//! generated, because the specification defines no result: an integer without a near power of two, such
//! as 0, as float8e8m0; own cases have it.

use onnx_generator::{Case, cases};
use onnx_model::{AttributeValue, Node};
use onnx_tensor::{Tensor, Value};

/// A case with its last node, which is the operator under test.
struct View<'a> {
    case: &'a Case,
    node: &'a Node,
}

impl<'a> View<'a> {
    fn is(&self, operator: &str, versions: std::ops::RangeInclusive<u32>) -> bool {
        let since = self
            .case
            .suite
            .rsplit_once('-')
            .and_then(|(_, since)| since.parse().ok());
        self.node.operator == operator && since.is_some_and(|since: u32| versions.contains(&since))
    }

    fn attribute(&self, name: &str) -> Option<&'a AttributeValue> {
        self.node
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            AttributeValue::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        match self.attribute(name)? {
            AttributeValue::String(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    fn tensor(&self, index: usize) -> Option<&'a Tensor> {
        let name = self.node.inputs.get(index)?;
        let given = self.case.inputs.iter().chain(&self.case.model.graph.initializers);
        given
            .filter(|(known, _)| known == name)
            .find_map(|(_, value)| value.as_tensor())
    }

    fn is_constant(&self, index: usize) -> bool {
        let Some(name) = self.node.inputs.get(index) else {
            return false;
        };
        self.case
            .model
            .graph
            .initializers
            .iter()
            .any(|(known, value)| known == name && matches!(value, Value::Tensor(_)))
    }

    fn shape(&self, index: usize) -> &'a [usize] {
        self.tensor(index).map_or(&[], Tensor::shape)
    }

    fn floats(&self, index: usize) -> Vec<f32> {
        self.tensor(index)
            .and_then(|tensor| tensor.to_vec::<f32>().ok())
            .unwrap_or_default()
    }

    fn integers(&self, index: usize) -> Vec<i64> {
        self.tensor(index)
            .and_then(|tensor| tensor.to_vec::<i64>().ok())
            .unwrap_or_default()
    }

    fn omits(&self, index: usize) -> bool {
        self.node.inputs.get(index).is_none_or(String::is_empty)
    }
}

/// Whether a case could show a fault.
type Shows = fn(&View<'_>) -> bool;

const FAULTS: &[(&str, Shows)] = &[
    ("Gemm: a constant C of shape (M, 1) was transposed", |view| {
        let c = view.shape(2);
        view.is("Gemm", 7..=13) && view.is_constant(2) && c.len() == 2 && c[0] > 1 && c[1] == 1
    }),
    ("QuantizeLinear of a scalar", |view| {
        view.is("QuantizeLinear", 10..=25) && view.tensor(0).is_some_and(|x| x.shape().is_empty())
    }),
    ("DequantizeLinear of a scalar", |view| {
        view.is("DequantizeLinear", 10..=25) && view.tensor(0).is_some_and(|x| x.shape().is_empty())
    }),
    ("AffineGrid of one image", |view| {
        view.is("AffineGrid", 20..=20) && view.shape(0).first() == Some(&1)
    }),
    ("BatchNormalization with spatial = 0", |view| {
        view.is("BatchNormalization", 1..=7) && view.int("spatial") == Some(0)
    }),
    ("PRelu of int64 through double", |view| {
        let large = |x: &i64| x.unsigned_abs() > 1 << 53;
        view.is("PRelu", 9..=16) && view.integers(0).iter().any(large)
    }),
    ("Cast of an integer to float8 with saturate = 0", |view| {
        let float8 = matches!(view.int("to"), Some(17..=20));
        let integer = view
            .tensor(0)
            .is_some_and(|x| x.dtype().onnx_name().contains("int"));
        view.is("Cast", 19..=28) && float8 && integer && view.int("saturate") == Some(0)
    }),
    ("BlackmanWindow of integers", |view| {
        view.is("BlackmanWindow", 17..=17) && matches!(view.int("output_datatype"), Some(2..=7 | 12 | 13))
    }),
    ("Attention: softcap with the product as an output", |view| {
        let product = view.node.outputs.get(3).is_some_and(|name| !name.is_empty());
        let capped = matches!(view.attribute("softcap"), Some(AttributeValue::Float(cap)) if *cap > 0.0);
        view.is("Attention", 23..=25)
            && product
            && capped
            && view.int("qk_matmul_output_mode").unwrap_or(0) == 0
    }),
    ("Attention: a row that is masked completely", |view| {
        let mask = view
            .tensor(3)
            .and_then(|mask| mask.to_vec::<bool>().ok())
            .unwrap_or_default();
        let width = view.shape(3).last().copied().unwrap_or(1).max(1);
        view.is("Attention", 23..=25) && mask.chunks(width).any(|row| row.iter().all(|shown| !shown))
    }),
    (
        "Slice: a start far before the axis with a negative step",
        |view| {
            let extent = view.shape(0).iter().copied().max().unwrap_or(0) as i64;
            let far = view.integers(1).iter().any(|start| *start < -extent);
            view.is("Slice", 10..=13) && far && view.integers(4).iter().any(|step| *step < 0)
        },
    ),
    ("Loop without a condition, whose body gives false", |view| {
        view.is("Loop", 1..=25) && view.omits(1) && !view.omits(0)
    }),
    ("OneHot of an index beyond the depth", |view| {
        let depth = view.integers(1).first().copied().unwrap_or(i64::MAX);
        view.is("OneHot", 9..=11)
            && view
                .integers(0)
                .iter()
                .any(|index| *index >= depth || *index < -depth)
    }),
    ("LSTM with clip", |view| {
        view.is("LSTM", 1..=22) && view.attribute("clip").is_some()
    }),
    ("RoiAlign with mode max", |view| {
        view.is("RoiAlign", 10..=22) && view.text("mode") == Some("max")
    }),
    ("Clip of infinities without bounds", |view| {
        view.is("Clip", 11..=13) && view.omits(1) && view.floats(0).iter().any(|x| x.is_infinite())
    }),
    ("ConvTranspose-1 with generated padding", |view| {
        view.is("ConvTranspose", 1..=1) && view.text("auto_pad").is_some_and(|pad| pad.starts_with("SAME"))
    }),
    ("Pad: a negative pad with mode wrap", |view| {
        let negative = view.integers(1).iter().any(|pad| *pad < 0);
        view.is("Pad", 19..=25) && view.text("mode") == Some("wrap") && negative
    }),
    ("NonMaxSuppression: a score that equals its threshold", |view| {
        let threshold = view.floats(4);
        view.is("NonMaxSuppression", 10..=11)
            && threshold
                .first()
                .is_some_and(|least| view.floats(1).contains(least))
    }),
    ("Upsample-9: an extent that is whole only in float", |view| {
        view.is("Upsample", 9..=9) && view.floats(1).contains(&(25.0 / 13.0))
    }),
    ("Resize: an extent that is whole only in float", |view| {
        let scales = (1..=2)
            .flat_map(|index| view.floats(index))
            .any(|scale| scale == 0.7);
        view.is("Resize", 10..=19) && scales
    }),
    ("Upsample-9", |view| {
        view.is("Upsample", 9..=9) && view.floats(1).iter().any(|scale| *scale != 1.0)
    }),
    ("MaxUnpool with output_shape", |view| {
        view.is("MaxUnpool", 9..=22) && !view.omits(2)
    }),
    ("ConvTranspose: output_shape beyond the full result", |view| {
        view.is("ConvTranspose", 1..=22) && view.attribute("output_shape").is_some()
    }),
    ("LpPool with ceil_mode", |view| {
        view.is("LpPool", 18..=22) && view.int("ceil_mode") == Some(1)
    }),
    ("MaxPool with ceil_mode", |view| {
        view.is("MaxPool", 10..=11) && view.int("ceil_mode") == Some(1)
    }),
    ("AveragePool with ceil_mode", |view| {
        view.is("AveragePool", 10..=11) && view.int("ceil_mode") == Some(1)
    }),
];

#[test]
fn every_known_fault_has_a_case() {
    let all = cases(0, 60_000);
    let shown = |shows: &Shows| {
        all.iter().any(|case| {
            let node = case.model.graph.nodes.last();
            node.is_some_and(|node| shows(&View { case, node }))
        })
    };
    let missed: Vec<&str> = FAULTS
        .iter()
        .filter(|(_, shows)| !shown(shows))
        .map(|(fault, _)| *fault)
        .collect();
    assert!(missed.is_empty(), "no case of the default set shows {missed:#?}");
}
