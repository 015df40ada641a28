//! The renderers: each a pure function from a [`Report`](run_record::Report) to text.

mod caveats;
mod ci;
mod columns;
mod contrib;
mod coverage;
mod csv;
mod diff;
mod errata;
mod findings;
mod graph;
pub(crate) mod html;
mod junit;
mod latencies;
mod levels;
mod markdown;
mod models;
mod networks;
mod news;
mod pictures;
mod profile;
mod readings;
mod repeat;
mod severity;
mod standing;
mod summary;
mod sums;
mod table;
mod tables;
mod terminal;
mod throughput;
mod variants;

use thiserror::Error;

pub use self::caveats::caveats;
pub use self::ci::{annotations, code_quality, ctrf};
pub use self::contrib::contrib_csv;
pub use self::coverage::{
    CoverageJson, GapsJson, MatrixJson, coverage_csv, coverage_details, coverage_json, coverage_text,
    gaps_csv, gaps_json, gaps_text, matrix_csv, matrix_json,
};
pub use self::csv::{latency_csv, releases_csv, results_csv};
pub use self::diff::{diff_html, diff_json, diff_markdown, diff_text};
pub use self::graph::graph_html;
pub use self::html::{cases_html, contrib_html, history_html, html, operators_html};
pub use self::junit::junit;
pub use self::markdown::markdown;
pub use self::models::models_csv;
pub use self::networks::networks_markdown;
pub use self::news::news_text;
pub use self::pictures::{ErrorGrowth, PICTURES, Picture, growth_svg, history_svg};
pub use self::profile::{profile_csv, profile_html, profile_text, profile_trace, roofline_svg, shares_svg};
pub use self::repeat::{case_folder, repeat_command};
pub use self::summary::{Summary, summary_json};
pub use self::sums::{populations_csv, populations_json};
pub use self::terminal::{latency_table, model_table, release_table, terminal};

/// Why a report could not be rendered. None of these errors depends on the contents of the report; each
/// is a fault of the program.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The JSON writer failed.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The CSV writer failed.
    #[error("the report cannot be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// The JUnit writer failed.
    #[error("the report cannot be written as JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
    /// The formatter failed.
    #[error("the report cannot be written as text: {0}")]
    Text(#[from] std::fmt::Error),
    /// The page's template failed.
    #[error("the page cannot be rendered: {0}")]
    Page(#[from] askama::Error),
    /// The data of the page could not be compressed.
    #[error("the report cannot be compressed: {0}")]
    Compress(#[from] std::io::Error),
    /// A chart could not be drawn.
    #[error("a chart cannot be drawn: {0}")]
    Chart(String),
}
