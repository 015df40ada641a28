//! The hostile names, one table for all formats.

/// A name without a meaning in any format.
pub const HARMLESS: &str = "harmless";

const NAMES: [&str; 41] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</td></tr></table></section>",
    "</script><script>",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "&lt;&amp;&#65;&nbsp;",
    "it's \"quoted\" & 'more'",
    "{{ 7 * 7 }} {% raw %}",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title\u{7}",
    "\u{9b}2J",
    "nul\0nul",
    "back\u{8}space\u{7f}",
    "\u{fffe}\u{ffff}\u{fdd0}\u{10fffe}",
    "\u{202e}gnp.exe",
    "\u{2066}isolated\u{2069}\u{200f}",
    "zero\u{200b}width\u{feff}\u{e0041}",
    "two\nlines",
    "three\r\nlines\rhere",
    "tab\tinside",
    "line\u{2028}separator\u{2029}",
    "=HYPERLINK(\"http://example.org\";\"click\")",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "a|b|c \\| \\\\|",
    "`code` ``more`` \\`",
    "[link](http://example.org) ![image](x) <http://example.org>",
    "**bold** _it_ ~~gone~~ # head $x$ :tada: @someone",
    "- item",
    "+ item",
    "1. item",
    "    indented",
    "=====",
    "comma, \"quote\", semicolon; 'apostrophe'",
    "%s %n ${HOME} $(reboot) `reboot`",
];

/// All names, and a very long one.
pub fn names() -> impl Iterator<Item = String> {
    let long = std::iter::once("long".repeat(2_000));
    NAMES.into_iter().map(str::to_owned).chain(long)
}
