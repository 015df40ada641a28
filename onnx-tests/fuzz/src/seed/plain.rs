//! Seeds for operators without an own case: one node on small tensors. They need no expected output, so
//! that a line is enough.

use onnx_model::encode_value;
use onnx_model::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, SequenceTypeProto, TensorProto,
    TensorTypeProto, TypeKind, TypeProto, ValueInfoProto,
};
use onnx_model::{AttributeKind, Limits, decode_tensor};
use onnx_tensor::{DType, Value};
use prost::Message;

use super::{Seed, SeedInput};

/// An operator with its opset, its inputs (`float 1,2,5,5 ; int64 2 = 1 0`, without values a ramp),
/// its lists of integers, and the types of its outputs.
struct Plain(
    &'static str,
    i64,
    &'static str,
    &'static [(&'static str, &'static [i64])],
    &'static str,
);

const PLAIN: [Plain; 62] = [
    Plain(
        "Conv",
        22,
        "float 1,2,5,5 ; float 3,2,3,3 ; float 3",
        &[("pads", &[1, 1, 1, 1])],
        "float",
    ),
    Plain(
        "Conv",
        11,
        "float 1,8,4,4 ; float 8,8,1,1",
        &[("strides", &[1, 2])],
        "float",
    ),
    Plain(
        "Conv",
        22,
        "float 1,4,6 ; float 4,1,3",
        &[("dilations", &[1]), ("group", &[4])],
        "float",
    ),
    Plain(
        "ConvTranspose",
        22,
        "float 1,2,3,3 ; float 2,2,3,3",
        &[("strides", &[2, 2])],
        "float",
    ),
    Plain(
        "ConvInteger",
        10,
        "uint8 1,1,4,4 ; uint8 1,1,2,2 ; uint8 = 1",
        &[],
        "int32",
    ),
    Plain(
        "DeformConv",
        22,
        "float 1,1,3,3 ; float 1,1,2,2 ; float 1,8,2,2",
        &[],
        "float",
    ),
    Plain(
        "MaxPool",
        22,
        "float 1,2,6,6",
        &[("kernel_shape", &[2, 2]), ("strides", &[2, 2])],
        "float int64",
    ),
    Plain(
        "AveragePool",
        22,
        "float 1,2,6,6",
        &[("kernel_shape", &[3, 3]), ("pads", &[1, 1, 1, 1])],
        "float",
    ),
    Plain(
        "LpPool",
        22,
        "float 1,1,5,5",
        &[("kernel_shape", &[2, 2])],
        "float",
    ),
    Plain(
        "MaxUnpool",
        22,
        "float 1,1,1,2 ; int64 1,1,1,2 = 0 3",
        &[("kernel_shape", &[2, 2])],
        "float",
    ),
    Plain("GlobalAveragePool", 22, "float 1,3,4,4", &[], "float"),
    Plain("GlobalMaxPool", 22, "float 1,3,4,4", &[], "float"),
    Plain("MatMul", 13, "float 2,3,4 ; float 4,5", &[], "float"),
    Plain(
        "QLinearMatMul",
        21,
        "uint8 2,3 ; float = 1 ; uint8 = 1 ; uint8 3,2 ; float = 1 ; uint8 = 1 ; float = 1 ; uint8 = 1",
        &[],
        "uint8",
    ),
    Plain("Gather", 13, "float 3,4 ; int64 2 = 0 2", &[], "float"),
    Plain(
        "GatherElements",
        13,
        "float 2,2 ; int64 2,2 = 0 0 1 0",
        &[],
        "float",
    ),
    Plain("Softmax", 13, "float 2,3,4", &[], "float"),
    Plain("LogSoftmax", 11, "float 2,3,4", &[], "float"),
    Plain("Hardmax", 13, "float 2,3", &[], "float"),
    Plain(
        "LayerNormalization",
        17,
        "float 2,3,4 ; float 4 ; float 4",
        &[],
        "float",
    ),
    Plain("RMSNormalization", 23, "float 2,3,4 ; float 4", &[], "float"),
    Plain(
        "GroupNormalization",
        21,
        "float 1,4,2,2 ; float 4 ; float 4",
        &[("num_groups", &[2])],
        "float",
    ),
    Plain("LRN", 13, "float 1,5,2,2", &[("size", &[3])], "float"),
    Plain(
        "Slice",
        13,
        "float 4,5 ; int64 2 = 0 1 ; int64 2 = 3 5 ; int64 2 = 0 1 ; int64 2 = 1 2",
        &[],
        "float",
    ),
    Plain(
        "Slice",
        9,
        "float 4,5",
        &[("starts", &[0, 1]), ("ends", &[3, 4])],
        "float",
    ),
    Plain("Transpose", 21, "float 2,3,4", &[("perm", &[2, 0, 1])], "float"),
    Plain("Unsqueeze", 13, "float 2,3 ; int64 1 = 1", &[], "float"),
    Plain("Squeeze", 13, "float 2,1,3 ; int64 1 = 1", &[], "float"),
    Plain("Flatten", 21, "float 2,3,4", &[], "float"),
    Plain("Expand", 13, "float 3,1 ; int64 3 = 2 1 6", &[], "float"),
    Plain("Where", 16, "bool 2,2 ; float 2,2 ; float 1,2", &[], "float"),
    Plain("Range", 11, "int64 = 1 ; int64 = 9 ; int64 = 2", &[], "int64"),
    Plain("CumSum", 14, "float 2,3 ; int64 = 1", &[], "float"),
    Plain("ArgMax", 13, "float 2,3", &[("axis", &[1])], "int64"),
    Plain("ReduceSum", 13, "float 2,3,4 ; int64 1 = 1", &[], "float"),
    Plain("ReduceL2", 18, "float 2,3,4 ; int64 2 = 0 2", &[], "float"),
    Plain("ReduceMax", 11, "float 2,3,4", &[("axes", &[-1])], "float"),
    Plain("NonZero", 13, "float 2,3", &[], "int64"),
    Plain("ConstantOfShape", 20, "int64 3 = 2 0 4", &[], "float"),
    Plain("Trilu", 14, "float 3,4 ; int64 = 1", &[], "float"),
    Plain("EyeLike", 22, "float 3,4", &[], "float"),
    Plain("DFT", 20, "float 1,6,1 ; int64 = 4 ; int64 = 1", &[], "float"),
    Plain("STFT", 17, "float 1,16,1 ; int64 = 4 ; float 8", &[], "float"),
    Plain("HannWindow", 17, "int64 = 6", &[], "float"),
    Plain(
        "MelWeightMatrix",
        17,
        "int64 = 8 ; int64 = 16 ; int64 = 8192 ; float = 0 ; float = 4000",
        &[],
        "float",
    ),
    Plain("GridSample", 22, "float 1,1,3,3 ; float 1,2,2,2", &[], "float"),
    Plain("AffineGrid", 20, "float 1,2,3 ; int64 4 = 1 1 3 3", &[], "float"),
    Plain(
        "RoiAlign",
        16,
        "float 1,1,6,6 ; float 2,4 ; int64 2 = 0 0",
        &[("output_height", &[2])],
        "float",
    ),
    Plain(
        "NonMaxSuppression",
        11,
        "float 1,3,4 ; float 1,1,3 ; int64 = 2",
        &[],
        "int64",
    ),
    Plain(
        "Col2Im",
        18,
        "float 1,5,5 ; int64 2 = 5 5 ; int64 2 = 1 5",
        &[],
        "float",
    ),
    Plain("CenterCropPad", 18, "float 4,5 ; int64 2 = 3 7", &[], "float"),
    Plain("Det", 22, "float 2,3,3", &[], "float"),
    Plain("GatherND", 13, "float 2,3 ; int64 2,1 = 1 0", &[], "float"),
    Plain("DynamicQuantizeLinear", 11, "float 2,3", &[], "uint8 float uint8"),
    Plain(
        "RotaryEmbedding",
        23,
        "float 1,2,3,4 ; float 8,2 ; float 8,2 ; int64 1,3",
        &[],
        "float",
    ),
    Plain(
        "TensorScatter",
        24,
        "float 1,4,2 ; float 1,2,2 ; int64 1 = 1",
        &[],
        "float",
    ),
    Plain(
        "NegativeLogLikelihoodLoss",
        22,
        "float 2,3 ; int64 2 = 0 2",
        &[],
        "float",
    ),
    Plain(
        "SoftmaxCrossEntropyLoss",
        13,
        "float 2,3 ; int64 2 = 1 2",
        &[],
        "float",
    ),
    Plain("BitwiseXor", 18, "int32 2,3 ; int32 3", &[], "int32"),
    Plain("SplitToSequence", 24, "float 4,2 ; int64 2 = 1 3", &[], "[float]"),
    Plain("Gelu", 20, "float 2,3", &[], "float"),
    Plain("IsInf", 20, "float 2,3", &[], "bool"),
];

/// The seeds. A line that cannot be parsed is omitted; a test checks that there is none.
pub fn seeds() -> impl Iterator<Item = Seed> {
    PLAIN
        .iter()
        .enumerate()
        .filter_map(|(number, plain)| plain.seed(number))
}

impl Plain {
    fn seed(&self, number: usize) -> Option<Seed> {
        let Plain(operator, _, inputs, _, _) = self;
        let tensors = inputs
            .split(';')
            .enumerate()
            .map(|(at, text)| tensor(text, &format!("x{at}")));
        let tensors: Vec<TensorProto> = tensors.collect::<Option<_>>()?;
        Some(Seed {
            name: format!("plain/{operator}/{number}"),
            model: self.model(&tensors)?.encode_to_vec(),
            inputs: tensors.iter().map(fed).collect(),
        })
    }

    fn model(&self, tensors: &[TensorProto]) -> Option<ModelProto> {
        let Plain(operator, opset, _, lists, _) = self;
        let outputs = self.outputs()?;
        let node = NodeProto {
            op_type: Some(operator.as_bytes().to_vec()),
            input: tensors.iter().filter_map(|tensor| tensor.name.clone()).collect(),
            output: outputs.iter().filter_map(|info| info.name.clone()).collect(),
            attribute: lists
                .iter()
                .map(|(name, values)| attribute(operator, name, values))
                .collect(),
            ..NodeProto::default()
        };
        let graph = GraphProto {
            name: Some(operator.as_bytes().to_vec()),
            input: tensors.iter().map(declared).collect(),
            node: vec![node],
            output: outputs,
            ..GraphProto::default()
        };
        Some(ModelProto {
            ir_version: Some(10),
            opset_import: vec![OperatorSetIdProto {
                domain: None,
                version: Some(*opset),
            }],
            graph: Some(graph),
            ..ModelProto::default()
        })
    }

    /// `y0`, `y1`, … of the given types; a name in brackets is a sequence of such tensors.
    fn outputs(&self) -> Option<Vec<ValueInfoProto>> {
        let output = |(at, text): (usize, &str)| {
            let (text, sequence) = match text.strip_prefix('[') {
                Some(inner) => (inner.strip_suffix(']')?, true),
                None => (text, false),
            };
            let element = tensor_type(DType::from_onnx_name(text).ok()?.to_onnx());
            let whole = if sequence { sequence_of(element) } else { element };
            Some(info(&format!("y{at}"), whole))
        };
        self.4.split_whitespace().enumerate().map(output).collect()
    }
}

/// `float 1,2,5,5`, `int64 2 = 1 0`, `float = 1`.
fn tensor(text: &str, name: &str) -> Option<TensorProto> {
    let (form, values) = text.split_once('=').unwrap_or((text, ""));
    let mut words = form.split_whitespace();
    let dtype = DType::from_onnx_name(words.next()?).ok()?;
    let dims: Vec<i64> = words
        .next()
        .unwrap_or_default()
        .split(',')
        .filter_map(|extent| extent.parse().ok())
        .collect();
    let count = usize::try_from(dims.iter().product::<i64>()).ok()?;
    let given: Vec<f32> = values
        .split_whitespace()
        .filter_map(|value| value.parse().ok())
        .collect();
    let ramp = |at: usize| (at % 7) as f32 * 0.25;
    let values = (0..count).map(|at| given.get(at).copied().unwrap_or_else(|| ramp(at)));
    let mut raw = Vec::new();
    for value in values {
        match dtype.bits()? {
            32 if dtype.is_float() => raw.extend(value.to_le_bytes()),
            bits => raw.extend(&(value as i64).to_le_bytes()[..bits / 8]),
        }
    }
    Some(TensorProto {
        name: Some(name.as_bytes().to_vec()),
        dims,
        data_type: Some(dtype.to_onnx()),
        raw_data: Some(raw.into()),
        ..TensorProto::default()
    })
}

/// A list of integers, or a single one, depending on the operator.
fn attribute(operator: &str, name: &str, values: &[i64]) -> AttributeProto {
    let versions = onnx_schema::versions("", operator);
    let list = versions
        .iter()
        .filter_map(|schema| schema.attribute(name))
        .any(|known| known.kind == AttributeKind::Ints);
    let kind = if list {
        AttributeKind::Ints
    } else {
        AttributeKind::Int
    };
    AttributeProto {
        name: Some(name.as_bytes().to_vec()),
        r#type: Some(kind.to_onnx()),
        ints: if list { values.to_vec() } else { Vec::new() },
        i: if list { None } else { values.first().copied() },
        ..AttributeProto::default()
    }
}

fn info(name: &str, value_type: TypeProto) -> ValueInfoProto {
    ValueInfoProto {
        name: Some(name.as_bytes().to_vec()),
        r#type: Some(value_type),
        ..ValueInfoProto::default()
    }
}

fn tensor_type(elem_type: i32) -> TypeProto {
    let tensor = TensorTypeProto {
        elem_type: Some(elem_type),
        shape: None,
    };
    TypeProto {
        value: Some(TypeKind::Tensor(tensor)),
        denotation: None,
    }
}

fn sequence_of(element: TypeProto) -> TypeProto {
    let sequence = SequenceTypeProto {
        elem_type: Some(Box::new(element)),
    };
    TypeProto {
        value: Some(TypeKind::Sequence(sequence)),
        denotation: None,
    }
}

fn declared(tensor: &TensorProto) -> ValueInfoProto {
    let name = String::from_utf8_lossy(tensor.name.as_deref().unwrap_or_default());
    info(&name, tensor_type(tensor.data_type.unwrap_or(0)))
}

fn fed(tensor: &TensorProto) -> SeedInput {
    let name = String::from_utf8_lossy(tensor.name.as_deref().unwrap_or_default()).into_owned();
    let bytes = tensor.encode_to_vec();
    let value = decode_tensor(&bytes, &Limits::default()).map(Value::Tensor);
    let value_type = value
        .as_ref()
        .map(|value| value.value_type().to_string())
        .unwrap_or_default();
    SeedInput {
        bytes: value.map_or(bytes, |value| encode_value(&value, &name)),
        value_type,
        name,
    }
}

#[cfg(test)]
mod tests {
    use onnx_checker::Problem;
    use onnx_model::{Model, Source};

    use super::*;
    use crate::{Outcome, Recipe, Runner, Stage};

    #[test]
    fn every_plain_seed_runs_in_the_reference() {
        let seeds: Vec<Seed> = seeds().collect();
        assert_eq!(seeds.len(), PLAIN.len(), "a line cannot be read");
        let mut runner = Runner::new().expect("options that are known");
        let mut refused: Vec<String> = Vec::new();
        for seed in 0..seeds.len() {
            let mutant = Recipe {
                seed,
                edits: Vec::new(),
            }
            .make(&seeds)
            .expect("a seed");
            let model = Model::decode(
                mutant.model.clone(),
                &Source::named("the seed"),
                &Limits::default(),
            );
            // The seeds declare no shapes on purpose: edits add them.
            let mut findings = onnx_checker::check(&model.expect("a seed is a model")).list;
            findings.retain(|finding| !matches!(finding.problem, Problem::ValueShapeMissing { .. }));
            let outcome = runner.run(Stage::Reference, &mutant);
            if !findings.is_empty() || outcome != Outcome::Answered {
                refused.push(format!("{}: {outcome:?}, {findings:?}", seeds[seed].name));
            }
        }
        assert!(refused.is_empty(), "{}", refused.join("\n"));
    }
}
