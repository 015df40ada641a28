//! Tests of the public interface: decoding and encoding.

#[cfg(unix)]
mod external;
mod hostile;
mod messages;
mod models;
mod sample;
mod storage;
mod values;
