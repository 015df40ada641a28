//! How backends add, in a report and in the files of `populations`.

use std::fs;

use reports::{View, render, write_all};
use run_record::sums::{AccumulatorFound, BackendSums, FORMAT, PopulationFound, Sums, Verdict};

use crate::renderers::sample_report;

fn population(
    element_type: &str,
    length: usize,
    square: f64,
    bias: f64,
    verdict: Verdict,
) -> PopulationFound {
    PopulationFound {
        operator: "MatMul".to_owned(),
        element_type: element_type.to_owned(),
        terms: "both signs".to_owned(),
        length,
        sums: Some(1024),
        mean_square: Some(square),
        bias: Some(bias),
        verdict: Some(verdict),
        reason: None,
    }
}

/// A backend that truncates sums of float16, and does not run those of double.
fn sums() -> Sums {
    let adder = |element_type: &str, accumulator: Option<&str>, reason: Option<&str>| AccumulatorFound {
        operator: "MatMul".to_owned(),
        element_type: element_type.to_owned(),
        accumulator: accumulator.map(str::to_owned),
        bits: None,
        reason: reason.map(str::to_owned),
    };
    Sums {
        version: FORMAT,
        seed: 7,
        limit_of_mean_square: 0.4,
        limit_of_bias: 4.0,
        backends: vec![BackendSums {
            backend: "ort 1.31.1".to_owned(),
            accumulators: vec![
                adder("float", Some("float, to nearest"), None),
                adder("float16", Some("float16, toward zero"), None),
                adder("double", None, Some("unsupported: no kernel")),
            ],
            populations: vec![
                population("float", 16, 0.125, 1.5, Verdict::Explained),
                population("float", 64, 0.25, -2.5, Verdict::Explained),
                population("float16", 16, 0.0625, 0.5, Verdict::Explained),
                population("float16", 64, 12.5, -31.25, Verdict::Wide),
                PopulationFound {
                    operator: "MatMul".to_owned(),
                    element_type: "double".to_owned(),
                    length: 16,
                    reason: Some("unsupported: no kernel".to_owned()),
                    ..PopulationFound::default()
                },
            ],
        }],
    }
}

#[test]
fn the_front_page_shows_what_backends_add_with() {
    let report = View {
        sums: Some(sums()),
        ..sample_report()
    };
    let page = render::html(&report).expect("a page");
    for part in [
        "<a href=\"#sums\">Sums</a>",
        "mean square of at most 0.4",
        "<td class=\"reason\">float, to nearest</td><td class=\"n\">2 of 2</td><td class=\"n\">0.25</td><td class=\"n\">-2.50</td>",
        "<td class=\"reason\">float16, toward zero</td><td class=\"n bad\"><b>✗</b> 1 of 2</td><td class=\"n\">12.5</td><td class=\"n\">-31.2</td>",
        "<td class=\"reason\">– (unsupported: no kernel)</td><td class=\"n\"></td>",
        "1 population that rounding to nearest does not explain",
        "<td class=\"n\">64</td><td class=\"n\">12.5</td><td class=\"n\">-31.2</td><td class=\"bad\"><b>✗</b> too wide</td>",
    ] {
        assert!(page.contains(part), "the page does not say: {part}");
    }
    let plain = render::html(&sample_report()).expect("a page");
    assert!(!plain.contains("#sums"), "no link may lead nowhere");
}

#[test]
fn the_table_has_every_population() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = View {
        sums: Some(sums()),
        ..sample_report()
    };
    write_all(&report, folder.path()).expect("a report");
    let table = fs::read_to_string(folder.path().join("populations.csv")).expect("a table");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(
        rows[..2],
        [
            "backend,operator,element_type,terms,length,sums,mean_square,bias,verdict,accumulator,reason",
            "ort 1.31.1,MatMul,float,both signs,16,1024,0.125,1.5,explained,\"float, to nearest\",",
        ]
    );
    assert_eq!(rows.len(), 6);
}

/// What the file says is what is read; a file of something else is one clear line.
#[test]
fn a_file_is_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("populations.json");
    fs::write(&path, render::populations_json(&sums()).expect("JSON")).expect("a file");
    assert_eq!(Sums::read(&path).expect("the file"), sums());
    let newer = Sums {
        version: FORMAT + 1,
        ..sums()
    };
    for (text, said) in [
        (
            render::populations_json(&newer).expect("JSON"),
            "has version 2 of the format, expected 1",
        ),
        ("{}".to_owned(), "is not a file of `accumulation --out`"),
        (String::new(), "is not a file of `accumulation --out`"),
    ] {
        fs::write(&path, text).expect("a file");
        let error = Sums::read(&path).expect_err("an error").to_string();
        assert!(error.contains(said), "{error}");
    }
    let error = Sums::read(&folder.path().join("none.json")).expect_err("an error");
    assert!(error.to_string().starts_with("cannot read "), "{error}");
}
