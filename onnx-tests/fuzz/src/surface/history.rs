//! Files of a history: databases and exported tables.

use std::fs;

use harness_history::exchange::Format;
use harness_history::{History, Rows};
use run_record::{Event, LOG, RunFinished, RunLog};

use super::tables::events;
use super::{Blob, Budget, Text, run};

/// The bytes of a database are opened, and every query is made.
pub fn database(budget: Budget) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(text)?;
    let (path, out) = (place.path().join("history.sqlite"), place.path().join("out"));
    drop(history(place.path())?);
    let sound = vec![fs::read(&path).map_err(text)?];
    run(budget, Blob, sound, |bytes: &Vec<u8>| {
        fs::write(&path, bytes).map_err(text)?;
        let Ok(history) = History::open(&path) else {
            return Ok(());
        };
        drop(history.extent());
        drop(history.summaries(None, Some("Abs"), 10));
        drop(history.timeline("node/test_abs", None));
        drop(history.first_bad("ort"));
        if let Ok(trends) = history.trends(None, None, 10) {
            drop(reports::render::history_html(&trends));
        }
        for backend in history.backends().into_iter().flatten() {
            drop(history.scoreboard(&backend, &out));
        }
        drop(history.export(&out, Format::Csv));
        Ok(())
    })
}

/// The text of an exported table is imported.
pub fn table(budget: Budget) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(text)?;
    let tables = place.path().join("tables");
    let files = history(place.path())?
        .export(&tables, Format::JsonLines)
        .map_err(text)?;
    let results = files
        .iter()
        .find(|file| file.ends_with("results.jsonl"))
        .ok_or("no table of results")?;
    let sound = vec![fs::read_to_string(results).map_err(text)?];
    let copy = place.path().join("copy.sqlite");
    run(budget, Text, sound, |rows: &String| {
        fs::write(results, rows).map_err(text)?;
        drop(fs::remove_file(&copy));
        drop(Rows::of_tables(&tables).and_then(|rows| History::create(&copy)?.add(&rows)));
        Ok(())
    })
}

/// A history of one run.
fn history(folder: &std::path::Path) -> Result<History, String> {
    let mut log = RunLog::create(&folder.join(LOG)).map_err(text)?;
    let end = Event::RunFinished(RunFinished {
        wall_s: 1.0,
        complete: true,
    });
    for event in events().iter().chain([&end]) {
        log.write(event).map_err(text)?;
    }
    let mut history = History::create(&folder.join("history.sqlite")).map_err(text)?;
    let rows = Rows::of_run(folder, "nightly").map_err(text)?;
    history.add(&rows).map_err(text)?;
    Ok(history)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
