//! onnx-model (being built).
