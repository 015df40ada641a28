//! onnx-model (being built).

mod decode;
mod encode;
mod error;
mod graph;
mod limits;
#[allow(
    missing_docs,
    reason = "the fields are those of onnx.proto and onnx-data.proto"
)]
pub mod proto;
mod scan;
mod source;

pub use decode::{decode_tensor, decode_value};
pub use encode::encode_value;
pub use error::{ModelError, ModelErrorKind};
pub use graph::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
pub use limits::{Limit, Limits};
pub use source::{ExternalData, ExternalError, Folder, Source};
