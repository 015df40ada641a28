//! The history of runs, from the command line.

use crate::program::{self, Place};

const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --backend b=cmd:MOCK --out";

#[test]
fn runs_are_added_once_and_shown_over_time() {
    let place = Place::with_cases(&[("kept", "healthy"), ("turned", "healthy")]);
    assert_eq!(place.run(&format!("{RUN} one")).code, Some(0));
    program::write_case(&place.at("cases/turned"), "run:wrong-shape");
    // Runs are sorted by their start, in whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(place.run(&format!("{RUN} two")).code, Some(0));
    for (line, said) in [
        ("history add one", "one: 2 results added\n"),
        (
            "history add one two --label nightly",
            "one: is already in the file\ntwo: 2 results added\n",
        ),
    ] {
        let ended = place.run(line);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(0), said),
            "{}",
            ended.stderr
        );
    }
    let shown = place.run("history show --backend b --format json");
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(
        (&shown[0]["verdicts"]["pass"], &shown[1]["verdicts"]["pass"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        (&shown[1]["broke"], &shown[1]["label"]),
        (&1.into(), &"nightly".into())
    );
    let ended = place.run("history show");
    // Two runs with their header, and the counts that changed between them: two runs are enough.
    assert_eq!(ended.stdout.lines().count(), 6, "{}", ended.stdout);
    let changes = place.run("history show --changes");
    assert_eq!(changes.code, Some(0), "{}", changes.stderr);
    assert!(changes.stdout.contains("1 broke, 0 fixed"), "{}", changes.stdout);
    let ended = place.run("history show --case cases/turned");
    let verdicts: Vec<&str> = ended
        .stdout
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    assert_eq!(verdicts, ["pass", "mismatch"], "{}", ended.stdout);

    // The page of cases has both earlier runs of the case that fails.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(
        place
            .run(&format!("{RUN} three --history onnx-history.sqlite"))
            .code,
        Some(0)
    );
    let page = place.read("three/cases.html");
    let index = page
        .split(r#"id="index">"#)
        .nth(1)
        .and_then(|rest| rest.split("</script>").next());
    let index: serde_json::Value = serde_json::from_str(index.expect("an index")).unwrap();
    assert_eq!(index["past"][0]["name"], "b");
    assert_eq!(index["past"][0]["runs"].as_array().map(Vec::len), Some(2));

    assert_eq!(place.run("history export tables --format csv").code, Some(0));
    assert!(place.read("tables/results.csv").contains("local/cases/turned"));
    let ended = place.run("history import tables --history other.sqlite");
    assert_eq!(
        ended.stdout, "2 runs added, 0 already in the file\n",
        "{}",
        ended.stderr
    );
    let copy = place.run("history show --history other.sqlite");
    assert_eq!(copy.stdout, place.run("history show").stdout);
}

#[test]
fn every_mistake_has_its_exit_code() {
    let place = Place::with_cases(&[("a", "healthy")]);
    assert_eq!(place.run(&format!("{RUN} out")).code, Some(0));
    place.write("text", &"this is no database. ".repeat(100));
    assert_eq!(place.run("history add out").code, Some(0));
    for (line, code) in [
        ("history show --history absent", 2),
        ("history show --history text", 2),
        ("history add out --history text", 2),
        ("history add nowhere", 2),
        ("history import nowhere", 2),
        ("history show --first-bad", 2),
        ("history show --backend nobody", 4),
        ("history show --case nothing", 4),
        ("history show --operator Nothing", 4),
        ("history show --first-bad --backend b", 0),
        ("history scoreboard board", 4),
        ("history export text/tables", 73),
        ("history show --changes", 0),
        ("history page page.html", 0),
        ("history page page.html --backend nobody", 4),
        ("history page page.html --operator Nothing", 4),
        ("history page text/page.html", 73),
        (
            "conformance --no-bounds --noise 0 --cases cases --backend b=cmd:MOCK --out again --history absent",
            2,
        ),
        ("history schema", 0),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, Some(code), "{line}: {}{}", ended.stdout, ended.stderr);
    }
    // What cannot be read leaves no new file.
    for line in ["add nowhere", "add out nowhere", "import nowhere"] {
        assert_eq!(
            place.run(&format!("history {line} --history new")).code,
            Some(2),
            "{line}"
        );
        assert!(!place.at("new").exists(), "{line}");
    }
    for (line, said) in [
        (
            "history show --changes",
            "no change in 1 run; a change of a duration or latency needs three runs on each side",
        ),
        (
            "history show --backend nobody",
            "no run of the history has backend `nobody`; it has: b",
        ),
        (
            "history show --operator Nothing",
            "no case of the history is about operator `Nothing`",
        ),
        (
            "history show --case nothing",
            "no run of the history has case `nothing`",
        ),
    ] {
        let ended = place.run(line);
        assert!(ended.stderr.contains(said), "{line}: {}", ended.stderr);
    }
}
