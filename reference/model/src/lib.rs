//! The file format: decodes bytes to typed graphs and values, and encodes them.
//!
//! This crate knows the file format of ONNX (`onnx.proto`, `onnx-data.proto`, IR.md, ExternalData.md) and not
//! the semantics of operators. Its results are well formed: every tensor has the number of elements of its
//! shape, every attribute has one value, every name is UTF-8. It does *not* check that a model is valid: that
//! names are defined once and before use, that operators exist, that types match. Code that runs a model must
//! check that.
//!
//! # Contents
//! - [`Model`], [`Graph`], [`Node`], [`Attribute`], [`Function`]: the content of a file.
//! - [`Model::decode`], [`Model::decode_file`], [`Function::decode`]: decode [`Bytes`]; only the elements of
//!   tensors are copied. [`decode_tensor`] and [`decode_value`] read the values of the official tests
//!   (`input_0.pb`), [`decode_value_in_pieces`] a value received from a channel, [`stored_name`] only the
//!   name of a value. `scan` counts on the wire format what decoding would allocate, prost decodes the
//!   messages of [`proto`], and `decode` converts them to the types above.
//! - [`Model::encode`], [`Function::encode`], [`encode_value`]: encode in one canonical form.
//! - [`topological_order`]: an order in which the nodes can run; the order of the file may be another.
//! - [`Source`] and [`ExternalData`]: where external elements are read from; [`Folder`] is the folder of the
//!   model, and an archive can be another source.
//!   [`Source::resident`] leaves large initializers in their files; [`read_stored`] reads one.
//! - [`Limits`]: bounds on what a file may contain. [`ModelError`]: the file, the location in it, and the
//!   problem.
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
//! - No panic and no unbounded allocation is reachable from bytes: [`Limits`] are checked before memory is
//!   allocated.
//! - A field that is not set differs from a field that is zero (proto2). The only exception is a scalar
//!   attribute value, which proto3 writers omit if it is zero.
//! - Nothing outside of the model's folder is read.
//! - Encoding and decoding again returns the same model. Documentation, metadata (except for the keys that
//!   are repeated), training information and device assignments are not kept.

mod attribute;
mod decode;
mod encode;
mod error;
mod graph;
mod limits;
mod order;
pub mod proto;
mod scan;
mod source;

pub use attribute::{Attribute, AttributeKind, AttributeValue};
pub use decode::{decode_tensor, decode_value, decode_value_in_pieces, read_stored, stored_name};
pub use encode::encode_value;
pub use error::{ModelError, ModelErrorKind};
pub use graph::{Function, Graph, Model, Node, Oddity, ValueInfo};
pub use limits::{Limit, Limits};
pub use order::topological_order;
pub use prost::bytes::Bytes;
pub use source::{ExternalData, ExternalError, Folder, Source};
