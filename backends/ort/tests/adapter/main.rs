//! What ONNX Runtime takes, gives and declines through this adapter.
//!
//! The library comes from `ORT_DYLIB_PATH`, or out of the pinned wheel, which is fetched into the harness's cache.

mod errors;
mod fixture;
mod load;
mod values;
mod worker;
