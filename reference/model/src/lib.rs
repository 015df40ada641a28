//! Models as files: from bytes to typed graphs and values, and back.
//!
//! This crate knows the file format of ONNX (`onnx.proto`, `onnx-data.proto`, IR.md, ExternalData.md) and
//! nothing of what operators mean. What it returns is well formed: every tensor has as many elements as its
//! shape says, every attribute has one value, every name is UTF-8. It is *not* checked that a model is valid:
//! that names are defined once and before use, that operators exist, that types fit. Whoever runs a model has
//! to.
//!
//! # The way through it
//! - [`Model`], [`Graph`], [`Node`], [`Attribute`], [`Function`]: what a file says.
//! - [`Model::decode`], [`Model::decode_file`], [`Function::decode`]: from [`Bytes`], without a copy of what they hold
//!   but that in the tensors. [`decode_tensor`] and
//!   [`decode_value`] read what the official tests store (`input_0.pb`), [`decode_value_in_pieces`] what a channel delivers,
//!   [`stored_name`] the name of such a value alone. The work is in three steps: `scan`
//!   counts on the wire format what decoding would build, prost builds the messages of [`proto`], and
//!   `decode` turns those into the types above, one file for each chapter of the format.
//! - [`Model::encode`], [`Function::encode`], [`encode_value`]: to bytes, in one canonical form.
//! - [`topological_order`]: the order in which nodes can run, which is not always the one of the file.
//! - [`Source`] and [`ExternalData`]: where elements stored outside of the file are read from; [`Folder`] is
//!   the folder of the model, an archive can be another.
//! - [`Limits`]: how much a file may ask for. [`ModelError`]: which file, where in it, and what is wrong.
//!
//! ```
//! use onnx_model::{Limits, decode_value, encode_value};
//! use onnx_tensor::{DType, I4, Tensor, Value, ValueType};
//!
//! let value = Value::Tensor(Tensor::vector([1, -1, 7].map(I4::wrap).to_vec()));
//! let bytes = encode_value(&value, "x");
//! let again = decode_value(&bytes, &ValueType::tensor(DType::Int4), &Limits::default())?;
//! assert_eq!(encode_value(&again, "x"), bytes);
//! # Ok::<(), onnx_model::ModelError>(())
//! ```
//!
//! # Invariants
//! - No panic and no unbounded memory is reachable from bytes: [`Limits`] are checked before memory is taken.
//! - A field that is not set is not a field that is zero (proto2), with one exception that is named where it
//!   is made: a scalar attribute value that a writer of proto3 left out.
//! - Nothing outside of the model's folder is read.
//! - Encoding what was decoded, and decoding that, gives the same again; documentation, metadata, training
//!   information and device assignments are not kept.

mod attribute;
mod decode;
mod encode;
mod error;
mod graph;
mod limits;
mod order;
#[allow(
    missing_docs,
    reason = "the fields are those of onnx.proto and onnx-data.proto"
)]
pub mod proto;
mod scan;
mod source;

pub use attribute::{Attribute, AttributeKind, AttributeValue};
pub use decode::{decode_tensor, decode_value, decode_value_in_pieces, stored_name};
pub use encode::encode_value;
pub use error::{ModelError, ModelErrorKind};
pub use graph::{Function, Graph, Model, Node, ValueInfo};
pub use limits::{Limit, Limits};
pub use order::topological_order;
pub use prost::bytes::Bytes;
pub use source::{ExternalData, ExternalError, Folder, Source};
