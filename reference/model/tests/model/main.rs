//! The crate as those above it use it: bytes in, values out, and the way back.

#[cfg(unix)]
mod external;
mod hostile;
mod messages;
mod models;
mod sample;
mod storage;
mod values;
