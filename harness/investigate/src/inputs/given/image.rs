//! Images as inputs. A model of a few operators decodes, resizes and transposes the image; the reference
//! runs it in its worker.

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use super::super::Extents;
use harness_conformance::judge::Judgement;
use run_record::Verdict;

use crate::InvestigateError;
use crate::runner::{RunRequest, Runner};

/// The side of an image if the model declares none.
const SIDE: usize = 224;

/// The declared layout of an input.
struct Layout {
    channels_last: bool,
    channels: usize,
    height: usize,
    width: usize,
    rank: usize,
    dtype: DType,
}

/// The image in `bytes` in the layout of the input. The inner error is a fault of the file or of the
/// input's type.
pub(super) fn read(
    bytes: Vec<u8>,
    info: &ValueInfo,
    dims: &Extents,
    reference: &mut Runner,
) -> Result<Result<Value, String>, InvestigateError> {
    let Some(layout) = layout(info, dims) else {
        return Ok(Err(
            "images need an input of rank 3 or 4 with 1 or 3 channels".to_owned()
        ));
    };
    let request = RunRequest::of(
        &model(&layout),
        vec![("file".to_owned(), Tensor::vector(bytes).into())],
    );
    Ok(match reference.run(&request)? {
        Ok(outputs) => outputs
            .values
            .into_iter()
            .next()
            .map(|(_, value)| value)
            .ok_or_else(String::new),
        // The nodes that decode it are no nodes of the user.
        Err(Judgement {
            verdict: Verdict::Error(_),
            ..
        }) => Err("it cannot be read as an image (PNG, JPEG, BMP, WebP, TIFF)".to_owned()),
        Err(judgement) => Err(judgement.reason),
    })
}

/// What is done with an image for an input: its size, the scale of its elements, the order of channels.
/// `None` if the input is no image.
pub(in super::super) fn words(info: &ValueInfo, dims: &Extents) -> Option<String> {
    let layout = layout(info, dims)?;
    let scale = match layout.dtype {
        DType::Uint8 => "bytes as they are",
        _ => "divided by 255, without mean and deviation",
    };
    let channels = if layout.channels == 1 { "grey" } else { "RGB" };
    let place = if layout.channels_last { "last" } else { "first" };
    Some(format!(
        "resized to {}×{} (linear, the ratio of its sides is not kept), {channels}, channels {place}, {scale}",
        layout.width, layout.height
    ))
}

fn layout(info: &ValueInfo, dims: &Extents) -> Option<Layout> {
    let Some(ValueType::Tensor { dtype, .. }) = info.value_type else {
        return None;
    };
    let extents = dims.peek(info)?;
    let channel = |extent: Option<usize>| matches!(extent, Some(1 | 3));
    let (channels_last, channels, height, width) = match *extents.as_slice() {
        [c, h, w] | [_, c, h, w] if channel(c) => (false, c, h, w),
        [h, w, c] | [_, h, w, c] if channel(c) => (true, c, h, w),
        _ => return None,
    };
    Some(Layout {
        channels_last,
        channels: channels?,
        height: height.unwrap_or(SIDE),
        width: width.unwrap_or(SIDE),
        rank: extents.len(),
        dtype,
    })
}

fn node(operator: &str, inputs: &[&str], output: &str, attribute: Option<(&str, AttributeValue)>) -> Node {
    let attribute = attribute.map(|(name, value)| Attribute {
        name: name.to_owned(),
        value,
    });
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        attributes: attribute.into_iter().collect(),
        ..Node::default()
    }
}

/// ImageDecoder, Resize to the declared extents, division by 255 unless the input holds bytes,
/// transposition to the declared layout.
fn nodes(layout: &Layout) -> Vec<Node> {
    let text = |text: &str| AttributeValue::String(text.as_bytes().to_vec());
    let to = |dtype: DType| Some(("to", AttributeValue::Int(dtype.to_onnx().into())));
    let format = if layout.channels == 1 { "Grayscale" } else { "RGB" };
    let order = if layout.channels_last {
        [0, 1, 2]
    } else {
        [2, 0, 1]
    };
    let last = match layout.rank {
        4 => node("Unsqueeze", &["cast", "front"], "image", None),
        _ => node("Identity", &["cast"], "image", None),
    };
    vec![
        node(
            "ImageDecoder",
            &["file"],
            "decoded",
            Some(("pixel_format", text(format))),
        ),
        node("Cast", &["decoded"], "float", to(DType::Float)),
        node(
            "Resize",
            &["float", "", "", "sizes"],
            "resized",
            Some(("mode", text("linear"))),
        ),
        node("Div", &["resized", "range"], "scaled", None),
        node(
            "Transpose",
            &["scaled"],
            "laid",
            Some(("perm", AttributeValue::Ints(order.to_vec()))),
        ),
        node("Cast", &["laid"], "cast", to(layout.dtype)),
        last,
    ]
}

fn model(layout: &Layout) -> Model {
    let range = if layout.dtype == DType::Uint8 {
        1.0_f32
    } else {
        255.0
    };
    let sizes = [layout.height, layout.width, layout.channels];
    let sizes = sizes.map(|extent| i64::try_from(extent).unwrap_or(i64::MAX));
    let info = |name: &str, dtype, rank| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype,
            shape: Some(vec![Dim::Unknown; rank]),
        }),
    };
    let graph = Graph {
        name: "image".to_owned(),
        inputs: vec![info("file", DType::Uint8, 1)],
        outputs: vec![info("image", layout.dtype, layout.rank)],
        initializers: vec![
            ("sizes".to_owned(), Tensor::vector(sizes.to_vec()).into()),
            ("range".to_owned(), Tensor::scalar(range).into()),
            ("front".to_owned(), Tensor::vector(vec![0_i64]).into()),
        ],
        nodes: nodes(layout),
        value_info: Vec::new(),
    };
    Model {
        ir_version: 9,
        producer_name: "onnx-conformance".to_owned(),
        ..Model::new(20, graph)
    }
}
