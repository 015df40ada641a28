//! Tests of `compare` on folders of samples.

use std::fs;

use crate::models::*;

/// Samples of x. With the weights of the model as x, `second` gives 0 with its operands swapped too.
fn bench() -> Bench {
    let bench = Bench::new();
    for (folder, file, text) in [
        ("x", "a.json", "[[0.5, 0.25, 2]]"),
        ("x", "b.json", "[[1, 2, 3]]"),
        ("x", "c.json", "[[0.5, 0.25, 2], [0.5, 0.25, 2]]"),
        ("x", "labels.txt", "no values"),
        ("short", "a.json", "[[0.5, 0.25, 2]]"),
        ("broken", "a.json", "[[0.5, 0.25, 2]]"),
        ("broken", "b.json", "[[0.5, 0.25]]"),
        ("empty", "labels.txt", "no values"),
    ] {
        fs::create_dir_all(bench.at(folder)).expect("a folder");
        fs::write(bench.at(folder).join(file), text).expect("a file");
    }
    bench
}

/// The cell of a backend in a column of the table. Cells are two blanks apart.
fn cell(stdout: &str, backend: &str, column: &str) -> String {
    let cells = |line: &str| {
        line.trim()
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut lines = stdout.lines().map(cells);
    let header = lines
        .find(|cells| cells.first().is_some_and(|cell| cell == "backend"))
        .expect("a header");
    let position = header.iter().position(|cell| cell == column).expect("a column");
    let row = lines.find(|cells| cells.first().is_some_and(|cell| cell == backend));
    row.and_then(|row| row.get(position).cloned()).unwrap_or_default()
}

#[test]
fn a_folder_of_samples_has_one_verdict_with_its_worst_sample() {
    let bench = bench();
    let faulty = backend("FAULTY");
    let line = "compare net.onnx --input x=x --backend RIGHT --backend FAULTY --out report";
    let worst = format!("{faulty}: worst sample `b.json`: WRONG");
    let ended = check(&bench, line, 1, &["net: 3 samples", &worst]);
    assert_eq!(cell(&ended.stdout, &faulty, "samples"), "2 of 3");
    assert_eq!(cell(&ended.stdout, &faulty, "answer"), "WRONG");
    assert_eq!(cell(&ended.stdout, &backend("RIGHT"), "samples"), "3 of 3");
    assert_eq!(cell(&ended.stdout, &backend("RIGHT"), "answer"), "right, exact");
    let page = fs::read_to_string(bench.at("report/report.html")).expect("the page");
    for part in [
        "id=\"answers\"",
        "2 of 3",
        "3 of 3",
        "`b.json`: WRONG",
        " MiB</td>",
    ] {
        assert!(page.contains(part), "the page does not say: {part}");
    }
    let results = fs::read_to_string(bench.at("report/results.csv")).expect("a table");
    let mut rows = csv::Reader::from_reader(results.as_bytes());
    let header = rows.headers().expect("a header").clone();
    let cells = |row: &csv::StringRecord, name: &str| {
        let position = header.iter().position(|column| column == name);
        row[position.unwrap_or_else(|| panic!("no column {name}"))].to_owned()
    };
    let rows: Vec<_> = rows.records().map(|row| row.expect("a row")).collect();
    let faulty_row = rows
        .iter()
        .find(|row| cells(row, "backend") == faulty)
        .expect("its row");
    assert_eq!(cells(faulty_row, "samples"), "3");
    assert_eq!(cells(faulty_row, "samples_right"), "2");
    assert!(
        cells(faulty_row, "worst_sample").starts_with("`b.json`: WRONG"),
        "{results}"
    );
    assert!(
        cells(faulty_row, "peak_bytes")
            .parse::<u64>()
            .is_ok_and(|bytes| bytes > 1 << 20),
        "{results}"
    );
    for number in 0..3 {
        let set = format!("report/cases/models/net/test_data_set_{number}/input_0.pb");
        assert!(bench.at(&set).is_file(), "{set}");
    }
    let one = check(&bench, "compare net.onnx --backend RIGHT", 0, &["right, exact"]);
    assert!(!one.stdout.contains("samples"), "{}", one.stdout);
}

#[test]
fn the_peak_memory_of_a_worker_is_measured() {
    let bench = bench();
    let ended = check(&bench, "compare net.onnx --backend RIGHT", 0, &[]);
    let memory = cell(&ended.stdout, &backend("RIGHT"), "memory");
    let mebibytes: u64 = memory
        .strip_suffix(" MiB")
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{memory}: {}", ended.stdout));
    // A process has more than 1 MiB, and this model needs little.
    assert!((2..1000).contains(&mebibytes), "{memory}");
}

#[test]
fn folders_that_do_not_fit_are_one_clear_line() {
    let bench = bench();
    let mut two = model();
    let graph = std::sync::Arc::make_mut(&mut two.graph);
    let shape = graph.inputs[0].clone();
    graph.inputs.push(onnx_model::ValueInfo {
        name: "z".to_owned(),
        ..shape
    });
    fs::write(bench.at("two.onnx"), two.encode()).expect("a model");
    for (line, said) in [
        (
            "compare net.onnx --input x=empty --backend RIGHT",
            "empty: the folder has no file with values",
        ),
        (
            "compare net.onnx --input x=broken --backend RIGHT",
            "expected tensor(float)[batch, 3], broken/b.json holds tensor(float)[1, 2]",
        ),
        (
            "compare two.onnx --input x=x --input z=short --backend RIGHT",
            "`x` has 3 files, `short` has 1: a sample needs one file of each folder",
        ),
        (
            "locate net.onnx --input x=x --backend RIGHT",
            "`x` is a folder; samples are for `compare`",
        ),
    ] {
        let ended = check(&bench, line, 2, &[said]);
        let errors = ended.stderr.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{line}: {}", ended.stderr);
    }
}

#[test]
fn a_session_that_keeps_an_earlier_shape_is_found() {
    let bench = Bench::new();
    check(
        &bench,
        "compare net.onnx --shapes 2 --backend RIGHT",
        0,
        &["net: in turn batch=256; batch=257"],
    );
    check(
        &bench,
        "compare net.onnx --shapes 2 --backend STALE",
        1,
        &["WRONG"],
    );
    let cases = "conformance --builtin --filter own/Abs/double* --variants=shapes --fail-on variant_differs";
    check(&bench, &format!("{cases} --backend RIGHT"), 0, &[]);
    check(
        &bench,
        &format!("{cases} --backend STALE --out stale"),
        1,
        &["variant differs"],
    );
    let results = fs::read_to_string(bench.at("stale/results.csv")).expect("a table");
    let differing: Vec<&str> = results
        .lines()
        .filter(|line| line.contains("variant_differs"))
        .collect();
    assert!(!differing.is_empty(), "{results}");
    for line in differing {
        assert!(line.contains("~shapes-dynamic"), "{line}");
    }
}
