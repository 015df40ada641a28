//! The files of a profile, read back.

use reports::render::{profile_csv, profile_text, profile_trace, roofline_svg, shares_svg};
use run_record::Look;
use run_record::profile::{BackendProfile, Cost, ModelNode, Peak, Profile, ProfiledStep};
use serde_json::Value;

/// A convolution with its Relu in 40 of 100 µs, a reorder in 10, and a loop in 50, in which a Tanh
/// is called five times for 30.
fn profile() -> Profile {
    let node = |name: &str, operator: &str, parent| ModelNode {
        name: name.to_owned(),
        operator: operator.to_owned(),
        parent,
        ..ModelNode::default()
    };
    let step = |name: &str, nodes: &[usize], calls, own_us: f64, slice, operations| ProfiledStep {
        name: name.to_owned(),
        operator: format!("Own{name}"),
        nodes: nodes.to_vec(),
        calls,
        own_ns: own_us * 1000.0,
        slice: Some(slice),
        cost: (operations > 0.0).then_some(Cost {
            operations,
            bytes: 1000.0,
        }),
    };
    let conv = ModelNode {
        cost: Some(Cost {
            operations: 4e6,
            bytes: 1000.0,
        }),
        ..node("conv", "Conv", None)
    };
    Profile {
        model: "net".to_owned(),
        threads: 2,
        nodes: vec![
            conv,
            node("relu", "Relu", None),
            node("loop", "Loop", None),
            node("tanh", "Tanh", Some(2)),
        ],
        peak: Some(Peak {
            operations: 200e9,
            bytes: vec![(1 << 20, 10e9)],
        }),
        backends: vec![
            BackendProfile {
                name: "fast".to_owned(),
                version: "1.0".to_owned(),
                runs_ns: vec![90_000, 110_000],
                steps: vec![
                    step("conv", &[0, 1], 1.0, 40.0, (0, 41_500), 4e6),
                    step("ReorderOutput", &[], 1.0, 10.0, (41_500, 10_000), 0.0),
                    step("tanh", &[3], 5.0, 30.0, (52_000, 6_000), 0.0),
                    step("loop", &[2], 1.0, 20.0, (51_500, 48_000), 0.0),
                ],
                ..BackendProfile::default()
            },
            BackendProfile {
                name: "closed".to_owned(),
                problem: "the worker cannot".to_owned(),
                ..BackendProfile::default()
            },
        ],
    }
}

/// Every field that the documentation of the trace event format requires of a complete event and of
/// a name of a process.
#[test]
fn the_trace_has_the_fields_of_the_trace_event_format() {
    let trace: Value = serde_json::from_str(&profile_trace(&profile()).unwrap()).unwrap();
    assert!(["ms", "ns"].contains(&trace["displayTimeUnit"].as_str().unwrap()));
    let events = trace["traceEvents"].as_array().unwrap();
    let mut lasting = Vec::new();
    for event in events {
        assert!(
            event["pid"].is_u64() && event["tid"].is_u64() && event["name"].is_string(),
            "{event}"
        );
        assert!(event["args"].is_object(), "{event}");
        match event["ph"].as_str().unwrap() {
            "M" => assert!(
                event["name"] == "process_name" && event["args"]["name"].is_string(),
                "{event}"
            ),
            "X" => {
                assert!(event["cat"].is_string(), "{event}");
                let micros = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
                lasting.push((event["name"].as_str().unwrap().to_owned(), micros));
            }
            kind => panic!("{kind}"),
        }
    }
    assert_eq!(events.len(), 6);
    assert_eq!(
        lasting,
        [
            ("Conv conv + relu".to_owned(), (0.0, 41.5)),
            ("(OwnReorderOutput) ReorderOutput".to_owned(), (41.5, 10.0)),
            ("Tanh tanh".to_owned(), (52.0, 6.0)),
            ("Loop loop".to_owned(), (51.5, 48.0)),
        ]
    );
}

/// 4e6 operations at 200e9 in a second take 20 µs: half of the 40 µs that were measured.
#[test]
fn the_table_has_a_row_for_each_step() {
    let text = profile_csv(&profile()).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    let cell = |row: usize, name: &str| {
        let column = heads.iter().position(|head| head == name);
        rows[row][column.unwrap_or_else(|| panic!("no column {name}"))].to_owned()
    };
    let row =
        |row| ["operator", "nodes", "calls", "share", "least_ns", "of_peak"].map(|name| cell(row, name));
    assert_eq!(row(0), ["Conv", "conv relu", "1.0", "0.4", "20000.0", "0.5"]);
    assert_eq!(row(1), ["(OwnReorderOutput)", "", "1.0", "0.1", "", ""]);
    assert_eq!(row(2), ["Tanh", "tanh", "5.0", "0.3", "", ""]);
}

#[test]
fn the_terminal_shows_operators_and_the_longest_nodes() {
    let text = profile_text(&profile(), 2, Look::Plain);
    for part in [
        "peak of this machine: 200 GFLOP/s; 10 GB/s out of 1 MiB",
        "fast 1.0, 2 threads: 100 µs in a profiled run (median of 2), 100 % of it in 4 steps",
        "| Conv               | 40.0 % | 40.0 µs |     1 |    50 % |",
        "| conv + relu   |     Conv | 40.0 % | 40.0 µs |     100 |",
        "closed: no profile: the worker cannot",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(!text.contains("| loop "), "only two nodes are listed:\n{text}");
}

#[test]
fn pictures_are_documents() {
    let shares = shares_svg(&profile()).unwrap().expect("a picture");
    assert!(
        shares.contains("\nConv\n") && shares.contains("40.0 µs"),
        "{shares}"
    );
    let roofline = roofline_svg(&profile()).unwrap().expect("a picture");
    for text in [shares, roofline] {
        let mut reader = quick_xml::Reader::from_str(&text);
        while !matches!(reader.read_event().expect("XML"), quick_xml::events::Event::Eof) {}
    }
    let none = Profile::default();
    assert_eq!(
        (shares_svg(&none).unwrap(), roofline_svg(&none).unwrap()),
        (None, None)
    );
}
