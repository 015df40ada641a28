//! Conversion of values: [`Feed`] to the runtime, [`fetch`] from it.

mod described;
mod empty;
mod feed;
mod fetch;
mod packed;
mod sparse;

pub(crate) use feed::Feed;
pub(crate) use fetch::fetch;
