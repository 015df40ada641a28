//! Logs, reports and renderers, on samples made for the tests.

mod answers;
mod contrib;
mod coverage;
mod diff;
mod documents;
mod hostile;
mod log;
mod news;
mod pictures;
mod profile;
mod readings;
mod renderers;
mod sample;
mod sums;
mod variants;

/// A view of the report of these events, with nothing beside it.
fn fold(events: impl IntoIterator<Item = run_record::Event>) -> reports::View {
    reports::View::from(run_record::Report::fold(events))
}
