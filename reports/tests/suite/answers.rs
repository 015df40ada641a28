//! The answers to models, with samples, times and memory.

use reports::View;
use reports::render;
use run_record::standing::{sample_words, samples};
use run_record::{CaseRecord, DataSetResult, MismatchKind, OutputStats, Verdict};

use crate::renderers::sample_report;

fn sample(name: &str, verdict: Verdict, reason: &str) -> DataSetResult {
    DataSetResult {
        name: name.to_owned(),
        verdict,
        reason: reason.to_owned(),
        outputs: 1,
    }
}

/// The sample report as a comparison: the first record has three samples, of which two are wrong.
fn compared() -> View {
    let mut report = sample_report();
    let wrong = Verdict::Mismatch(MismatchKind::Numeric);
    let output = |max_ulp| OutputStats {
        name: "y".to_owned(),
        max_ulp,
        ..OutputStats::default()
    };
    let record: &mut CaseRecord = &mut report.report.cases[0];
    record.verdict = wrong;
    record.peak_bytes = Some(300 << 20);
    record.load_ns = Some(2_000_000);
    record.outputs = vec![output(9.0), output(5.0), output(7.0)];
    record.data_sets = vec![
        sample("<i>.npy", Verdict::Pass, ""),
        sample("b.npy", wrong, "1 of 3 elements differ"),
        sample("c.npy", wrong, "2 of 3 elements differ"),
    ];
    report
}

/// Of two wrong samples the one with the larger error; a right one is never the worst, whatever its
/// error is.
#[test]
fn the_worst_sample_is_named() {
    let report = compared();
    let counts = samples(&report.cases[0]).expect("several samples");
    assert_eq!((counts.run, counts.right, counts.worst), (3, 1, 2));
    assert_eq!(
        sample_words(&report.cases[0], 2).as_deref(),
        Some("`c.npy`: WRONG: 2 of 3 elements differ")
    );
    assert_eq!(sample_words(&report.cases[0], 3), None);
    assert!(samples(&sample_report().cases[0]).is_none());
}

#[test]
fn the_page_shows_samples_and_memory() {
    let page = render::html(&compared()).expect("a page");
    for part in [
        "<a href=\"#answers\">Answers</a>",
        "<b>✗</b> WRONG",
        "<td class=\"n\">1 of 3</td>",
        "`c.npy`: WRONG: 2 of 3 elements differ",
        "data-sort=\"2000000\">2.00 ms</td>",
        "data-sort=\"314572800\">300 MiB</td>",
    ] {
        assert!(page.contains(part), "the page does not say: {part}");
    }
    let mut alone = compared();
    alone.report.cases[0].data_sets.clear();
    let page = render::html(&alone).expect("a page");
    assert!(
        page.contains("300 MiB") && !page.contains("Worst sample"),
        "columns of samples"
    );
    let quiet = render::html(&sample_report()).expect("a page");
    assert!(!quiet.contains("#answers"), "no link may lead nowhere");
}

#[test]
fn the_table_has_samples_and_memory() {
    let table = render::results_csv(&compared()).expect("a table");
    let end = ",314572800,3,1,`c.npy`: WRONG: 2 of 3 elements differ,wrong\n";
    assert!(table.contains(end), "{table}");
}
