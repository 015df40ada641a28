//! onnx-interpreter (being built).
