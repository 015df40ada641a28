//! onnx-tensor (being built).
