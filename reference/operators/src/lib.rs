//! onnx-operators (being built).
