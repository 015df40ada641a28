//! onnx-tests (being built).
