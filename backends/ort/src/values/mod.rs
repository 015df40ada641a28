//! Values across the border: [`Feed`] carries one in, [`fetch`] one out.

mod described;
mod empty;
mod feed;
mod fetch;
mod packed;
mod sparse;

pub(crate) use feed::Feed;
pub(crate) use fetch::fetch;
