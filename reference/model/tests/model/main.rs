//! The crate as those above it use it: bytes in, values out, and the way back.

mod messages;
