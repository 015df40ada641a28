//! Evaluations that once ended the process or did not terminate. Each now fails with a typed error or
//! returns quickly.

use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{Element, Tensor, Value};

use crate::cases::Case;

/// The largest extent.
const MAX_EXTENT: usize = i64::MAX as usize;

fn case(operator: &str, since: u32, inputs: Vec<Tensor>, attributes: &[(&str, AttributeValue)]) -> Case {
    let schema = onnx_schema::versions("", operator)
        .iter()
        .find(|schema| schema.since == since);
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    Case {
        schema: schema.unwrap_or_else(|| panic!("no schema of {operator}-{since}")),
        inputs: inputs
            .into_iter()
            .map(|tensor| Some(Value::Tensor(tensor)))
            .collect(),
        attributes: attributes.iter().map(attribute).collect(),
    }
}

/// A tensor without elements.
fn empty<T: Element>(shape: &[usize]) -> Tensor {
    Tensor::new::<T>(shape, Vec::new()).expect("no elements")
}

fn ones(shape: &[usize]) -> Tensor {
    Tensor::new(shape, vec![1.0_f32; shape.iter().product()]).expect("ones")
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::vector(values.to_vec())
}

fn floats(values: &[f32]) -> Tensor {
    Tensor::vector(values.to_vec())
}

fn list(value: i64, count: usize) -> AttributeValue {
    AttributeValue::Ints(vec![value; count])
}

fn int(value: i64) -> AttributeValue {
    AttributeValue::Int(value)
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::String(value.to_owned().into())
}

/// The largest kernels, pads and groups that attributes can express.
fn windows() -> Vec<Case> {
    let kernel = ("kernel_shape", list((1 << 31) - 1, 3));
    let pads = ("pads", list(1 << 30, 6));
    let window = [kernel, pads];
    let x = || ones(&[1, 1, 2, 2, 2]);
    let group = |groups: i64| [("group", int(groups))];
    let columns = [("strides", list(1 << 62, 1)), ("pads", list(i64::MAX, 2))];
    vec![
        case("MaxPool", 12, vec![x()], &window),
        case(
            "AveragePool",
            19,
            vec![x()],
            &[&window[..], &[("count_include_pad", int(1))]].concat(),
        ),
        case("LpPool", 18, vec![x()], &window),
        case(
            "Conv",
            11,
            vec![empty::<f32>(&[1, 0, 1]), empty::<f32>(&[0, 0, 1])],
            &group(1 << 62),
        ),
        case(
            "Conv",
            11,
            vec![empty::<f32>(&[1, 0, 1]), empty::<f32>(&[0, 2, 1])],
            &group(i64::MAX),
        ),
        case(
            "ConvTranspose",
            11,
            vec![empty::<f32>(&[1, 0, 1]), empty::<f32>(&[0, 4, 1])],
            &group(1 << 62),
        ),
        case(
            "Col2Im",
            18,
            vec![empty::<f32>(&[1, 0, 1]), ints(&[1]), ints(&[1 << 40])],
            &[],
        ),
        case(
            "Col2Im",
            18,
            vec![ones(&[1, 1, 1]), ints(&[1]), ints(&[1])],
            &columns,
        ),
        case("LRN", 13, vec![ones(&[1, 2, 2])], &[("size", int(i64::MAX))]),
        case(
            "DeformConv",
            19,
            vec![
                empty::<f32>(&[1, 0, 1]),
                empty::<f32>(&[1, 0, 1 << 16]),
                ones(&[1, 2, 1]),
            ],
            &[("offset_group", int(1 << 62))],
        ),
    ]
}

/// Extents beyond memory in tensors that are empty because of an extent of zero.
fn with_a_zero_extent() -> Vec<Case> {
    let huge = || empty::<f32>(&[0, MAX_EXTENT]);
    let axis = |value: i64| [("axis", int(value))];
    let shape = [MAX_EXTENT as i64, MAX_EXTENT as i64, 0, MAX_EXTENT as i64];
    vec![
        case(
            "ConstantOfShape",
            9,
            vec![ints(&[1 << 32, 1 << 32, 0, 1 << 32])],
            &[],
        ),
        case("ConstantOfShape", 9, vec![ints(&shape)], &[]),
        case("CumSum", 14, vec![huge(), Tensor::scalar(0_i64)], &[]),
        case("ArgMax", 13, vec![empty::<f32>(&[MAX_EXTENT, 0])], &axis(0)),
        case("Softmax", 13, vec![huge()], &axis(0)),
        case("TopK", 11, vec![huge(), ints(&[0])], &axis(0)),
        case("Det", 11, vec![empty::<f32>(&[MAX_EXTENT, 0, 0])], &[]),
        case(
            "LayerNormalization",
            17,
            vec![huge(), empty::<f32>(&[0])],
            &axis(0),
        ),
        case("Unique", 11, vec![huge()], &axis(1)),
        case("DFT", 17, vec![empty::<f32>(&[0, 1 << 40, 1])], &[]),
        case(
            "STFT",
            17,
            vec![empty::<f32>(&[0, 1 << 40, 1]), Tensor::scalar(1_i64)],
            &[],
        ),
        case("SplitToSequence", 11, vec![empty::<f32>(&[1 << 40, 0])], &[]),
        case(
            "Split",
            18,
            vec![empty::<f32>(&[0])],
            &[("num_outputs", int(1 << 62))],
        ),
        case("Expand", 13, vec![ones(&[1]), ints(&[0, MAX_EXTENT as i64])], &[]),
        case(
            "RandomNormal",
            22,
            vec![],
            &[("shape", AttributeValue::Ints(shape.to_vec()))],
        ),
        case("Concat", 13, vec![huge(), huge()], &axis(1)),
    ]
}

/// Loops whose length depends on floats.
fn endless() -> Vec<Case> {
    let resize = [
        ("mode", text("linear")),
        ("antialias", int(1)),
        ("coordinate_transformation_mode", text("tf_crop_and_resize")),
    ];
    let crop = |end: f32, scale: f32| {
        let inputs = vec![ones(&[4]), floats(&[0.0, end]), floats(&[scale])];
        case("Resize", 18, inputs, &resize)
    };
    let regions = Tensor::new(&[1, 4], vec![0.0_f32, 0.0, 1e30, 1e30]).expect("a region");
    vec![
        crop(1e30, 1e-30),
        crop(1.0, 1e-30),
        crop(4e9, 1e-9),
        case(
            "Resize",
            18,
            vec![ones(&[4]), floats(&[]), floats(&[1e-30])],
            &resize[..2],
        ),
        case(
            "RoiAlign",
            16,
            vec![ones(&[1, 1, 2, 2]), regions, ints(&[0])],
            &[],
        ),
        case(
            "Range",
            11,
            vec![
                Tensor::scalar(0.0_f32),
                Tensor::scalar(1e30_f32),
                Tensor::scalar(1e-30_f32),
            ],
            &[],
        ),
        case(
            "OneHot",
            11,
            vec![ints(&[0]), Tensor::scalar(i64::MAX), floats(&[0.0, 1.0])],
            &[],
        ),
    ]
}

/// All cases.
pub fn all() -> impl Iterator<Item = Case> + Send {
    [windows(), with_a_zero_extent(), endless()].into_iter().flatten()
}
