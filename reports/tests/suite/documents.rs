//! docs/stability.md states the formats that this version writes and reads.

use std::fs;
use std::path::Path;

use run_record::{FORMAT, OLDEST_FORMAT};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Checks the cells of the row of a file, after its name.
#[track_caller]
fn check(file: &str, cells: &[&str]) {
    let page = read("../docs/stability.md");
    let name = format!("| `{file}` |");
    let row = page.lines().find(|line| line.starts_with(&name));
    let row = row.unwrap_or_else(|| panic!("docs/stability.md has no row of `{file}`"));
    let stated: Vec<&str> = row.split('|').skip(2).map(str::trim).take(cells.len()).collect();
    assert_eq!(stated, cells, "{file}");
}

#[test]
fn the_stated_formats_are_those_of_this_version() {
    check("run.jsonl", &[&FORMAT.to_string(), &OLDEST_FORMAT.to_string()]);
    let summary: serde_json::Value = serde_json::from_str(&read("tests/golden/summary.json")).unwrap();
    check("summary.json", &[&summary["format"].to_string()]);
}
