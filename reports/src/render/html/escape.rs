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

/// Text for an element or an attribute of a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    // Writing to a string does not fail.
    let _ = Html.write_escaped_str(&mut escaped, text);
    escaped
}
