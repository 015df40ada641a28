//! onnx-schema (being built).
