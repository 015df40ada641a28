//! ONNX Runtime as a backend, and its worker `onnx-worker-ort`.
//!
//! The runtime is a shared library that is loaded when the worker starts. The option `library` or
//! the variable `ORT_DYLIB_PATH` is its path; the harness sets the variable to the library of the
//! pinned package. Nothing is downloaded at build time, and no part of the runtime is linked.
//!
//! # Contents
//! - [`Settings`]: the options, parsed and validated.
//! - `runtime`: the library, its environment and its execution providers, one of each for a
//!   process.
//! - `plugin`: a library with a provider, and its devices; `taken`: whether a provider takes a model
//!   whole.
//! - `session_options`, `session`: load and run a model.
//! - `profile`: the times of a session's nodes, from the runtime's own profiler.
//! - `values`: values in (`feed`) and out (`fetch`). The type of an output is that of the runtime,
//!   not the declared one. Only whether a value is in an optional comes from the declaration,
//!   because the runtime returns the inner value.
//! - `ffi`: the part of the C interface that is used directly. The crate `ort` loads the library
//!   and holds the environment. Sessions and values use the C interface, because those of `ort`
//!   panic, or read through null, on types that a model file can contain.
//!
//! # Versions
//! Every ONNX Runtime from 1.10 on. Before 1.17 the library has fewer functions than the crate `ort`
//! expects (`ffi::interface`), and some things are refused or done another way:
//!
//! | before | |
//! | --- | --- |
//! | 1.24 | the providers of nodes are not reported, so `ep` and `fallback=off` are errors |
//! | 1.21 | external data is found because the model's folder is the working folder during the load |
//! | 1.18 | the option `without` is an error |
//! | 1.15 | outputs of optional types, and strings with a NUL, are `Unsupported`; the build is unknown |
//! | 1.12 | a provider other than that of the CPU is `Missing` |
//!
//! # Supported values
//! Dense tensors of all element types except complex numbers and 6-bit floats, which the runtime
//! does not have; tensors of whole bytes are passed without a copy, narrower ones are packed.
//! Strings of any UTF-8 content. Sparse tensors in coordinate form. Sequences of tensors and of
//! maps; a `SequenceEmpty` model makes an empty one, and has kernels for types of 16 bits and more,
//! for int8, uint8, bool and strings. Maps from int64 or strings to single elements. Optionals: an
//! absent one is fed by omitting the input.
//!
//! # Providers
//! `provider` names one that the library has. `ep` and `ep-library` register another library with one
//! (`RegisterExecutionProviderLibrary`) and run models on a device that it offers. The runtime gives
//! nodes that a provider does not take to that of the CPU. With `fallback=off`, the default of `ep`,
//! such a model is [`NotTaken`](backend_api::BackendError::NotTaken): the session is loaded with
//! `session.disable_cpu_ep_fallback`, and the assignment of its nodes must name the provider for each.
//! A model of which no node is left after constant folding is not taken either.
//!
//! # Errors
//! The status code `NOT_IMPLEMENTED` is [`Unsupported`](backend_api::BackendError::Unsupported),
//! and so is a value of an unsupported type, or a model with complex numbers that does not load.
//! Every other status is a load or run error with the first line of the runtime's message. The
//! runtime reports unknown operators and unreleased opsets with a code that it also uses for
//! failures, and messages are not interpreted. Signals are not caught: an integer division in the
//! runtime can end the worker by `SIGFPE`, and an endless `Loop` ends at the deadline of the
//! harness.
//!
//! # Locales
//! `StringNormalizer` fails to load if the C library has no locale with the name in its attribute
//! `locale` (default `en_US.UTF-8`), and minimal installations have only `C`. On Linux,
//! `localedef -i en_US -f UTF-8 DIR/en_US.UTF-8` makes the locale in any folder without special
//! rights, and a worker started with `LOCPATH=DIR` finds it. Eight of the official cases of ONNX
//! 1.22.0 need it.

mod backend;
mod complex;
mod error;
mod ffi;
mod plugin;
mod profile;
mod providers;
mod runtime;
mod session;
mod session_options;
mod settings;
mod taken;
mod values;
mod working_folder;

pub use backend::OrtBackend;
pub use settings::{Optimization, Settings};
