//! Tests of the adapter for ONNX Runtime: models, values and errors.
//!
//! The library is that in `ORT_DYLIB_PATH`, or that of the pinned wheel, which is downloaded to the cache of
//! the harness. The tests of `older` use the oldest version of the lock.

mod errors;
mod fixture;
mod load;
mod older;
mod planted;
mod plugins;
mod profile;
mod values;
mod worker;
