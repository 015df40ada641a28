//! The details of failing cases in a log, and the files that `--export` writes.

use crate::program::{Place, write_case};

#[test]
fn the_log_has_the_model_the_inputs_and_the_values_of_failing_cases_only() {
    let place = Place::with_cases(&[
        ("good", "healthy"),
        ("wrong", "run:wrong-value"),
        ("dead", "run:exit-3"),
    ]);
    let run = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK --out out";
    assert_eq!(place.run(run).code, Some(0));
    let report = place.report("out");
    let known: Vec<&str> = report.details.keys().map(String::as_str).collect();
    assert_eq!(known, ["local/cases/dead", "local/cases/wrong"]);
    let detail = &report.details["local/cases/wrong"];
    assert_eq!(detail.inputs.first[0].value_type, "float[2]");
    assert_eq!(
        detail.data_sets.first[0].inputs.first[0].elements.first,
        ["1", "2"]
    );
    let wrong = report
        .cases
        .iter()
        .find(|record| record.case.ends_with("wrong"))
        .unwrap();
    let window = wrong.outputs[0].window.as_deref().unwrap();
    assert_eq!(window.expected, ["1", "2"]);
    assert_ne!(window.got, window.expected);
    assert_eq!(
        window.inputs,
        [("x".to_owned(), vec!["1".to_owned(), "2".to_owned()])]
    );
    let page = place.read("out/cases.html");
    assert!(page.contains("local/cases/wrong") && !page.contains("local/cases/good"));
}

#[test]
fn exported_cases_can_be_run() {
    let place = Place::with_cases(&[("a", "healthy"), ("b c", "healthy")]);
    let ended = place.run("conformance --cases cases --export written");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, "written/local-cases-a\nwritten/local-cases-b-c\n");
    let ended = place.run("conformance --no-bounds --noise 0 --cases written --backend cmd:MOCK --out out");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        place.report("out").backends[0]
            .tally
            .get(run_record::VerdictKind::Pass),
        2
    );
    assert!(!place.at("conformance-report").exists(), "nothing was run");

    let ended = place.run("conformance --builtin --filter 'own/Abs/double*' --variants=branch --export own");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("~branch"), "{}", ended.stdout);
    let ended = place.run("conformance --cases cases --filter nothing-is-called-so --export none");
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    place.write("cases/a/data.json", r#"{"rtol": 0.5, "atol": 0}"#);
    let ended = place.run("conformance --cases cases --export texts --export-as json");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        place
            .read("texts/local-cases-a.case.json")
            .contains("\"rtol\": 0.5")
    );
    // A text keeps the id of its case, and so does its result.
    let ids = place.run("conformance --cases cases --list").stdout;
    for cases in ["texts", "texts/local-cases-a.case.json"] {
        let listed = place.run(&format!("conformance --cases {cases} --list")).stdout;
        assert!(
            ids.starts_with(&listed) && listed.contains("local/cases/a"),
            "{listed}"
        );
    }
    let ended = place.run("conformance --no-bounds --noise 0 --cases texts --backend cmd:MOCK --out out");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Beside cases in the official layout.
    write_case(&place.at("texts/c"), "healthy");
    let listed = place.run("conformance --cases texts --list").stdout;
    assert!(
        listed.contains("local/cases/a") && listed.contains("local/texts/c"),
        "{listed}"
    );
    let ended = place.run("conformance --cases cases --export-as json");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    place.write("cases/a/model.onnx", "no model");
    let ended = place.run("conformance --cases cases --export texts --export-as json");
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let ended = place.run("conformance --cases cases --export again");
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert_eq!(
        ended.stdout, "again/local-cases-b-c\n",
        "an invalid case does not affect others"
    );
}
