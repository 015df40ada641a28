//! The answers of backends to open questions, in reports.

use reports::render;
use run_record::{BackendInfo, Event, ReadingFollowed};

fn followed(case: &str, backend: &str, answer: Option<&str>) -> Event {
    Event::ReadingFollowed(ReadingFollowed {
        case: case.to_owned(),
        backend: backend.to_owned(),
        question: "resize-extent".to_owned(),
        answer: answer.map(str::to_owned),
        default: "f32".to_owned(),
    })
}

fn started(name: &str) -> Event {
    Event::BackendStarted(BackendInfo {
        name: name.to_owned(),
        ..BackendInfo::default()
    })
}

#[test]
fn a_report_counts_the_answers_of_each_backend() {
    let report = crate::fold([
        started("ort"),
        started("tract"),
        started("rten"),
        followed("own/a", "ort", Some("f32")),
        // A later record replaces an earlier one.
        followed("own/b", "ort", Some("real")),
        followed("own/b", "ort", Some("f32")),
        followed("own/a", "tract", Some("real")),
        followed("own/b", "tract", None),
    ]);
    let text = render::markdown(&report).unwrap();
    let row = "| resize-extent | f32 | f32 2 | **another 1, real 1** | – |";
    assert!(text.contains(row), "{text}");
    let page = render::html(&report).unwrap();
    assert!(
        page.contains("<b>another 1, real 1</b>") && page.contains("id=\"readings\""),
        "{page}"
    );
}

#[test]
fn a_report_without_open_questions_has_no_section() {
    let report = crate::fold([started("ort")]);
    assert!(!render::markdown(&report).unwrap().contains("Open questions"));
    assert!(!render::html(&report).unwrap().contains("id=\"readings\""));
}
