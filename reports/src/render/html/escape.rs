//! The escaping of templates.

use std::fmt;

use askama::filters::{Escaper, Html as Markup};
use run_record::shown::lines;

/// Hidden characters first, then markup.
#[derive(Clone, Copy)]
pub(crate) struct Html;

impl Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, target: W, text: &str) -> fmt::Result {
        Markup.write_escaped_str(target, &lines(text))
    }
}
