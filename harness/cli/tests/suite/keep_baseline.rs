//! `keep --baseline`, on the reduced model of the tests of `compare`.

use std::fs;

use crate::models::*;

/// `keep --baseline` writes the line that `gate --accept` writes, and leaves the rest of the file as it is.
#[track_caller]
pub fn kept_in_a_baseline(bench: &Bench, id: &str) {
    let read = |name: &str| fs::read_to_string(bench.at(name)).expect("a baseline");
    check(
        bench,
        "keep small --on FAULTY --to kept --baseline new.toml",
        0,
        &["wrote new.toml"],
    );
    let line = |text: &str| text.lines().find(|line| line.contains(id)).map(str::to_owned);
    let written = line(&read("new.toml")).expect("a line");
    assert!(written.contains("verdict = \"mismatch\""), "{written}");
    let gate = "gate --cases kept/cases --policy bound --backend FAULTY --baseline";
    check(bench, &format!("{gate} new.toml"), 0, &["0 regressions"]);

    // Comments and other lines stay, and the backend of the file may have another name.
    let comment = "# why\n\"local/other/case\" = { verdict = \"error\", reason = \"known\" } # ours\n";
    let old = format!("format = 1\nbackend = \"mine\"\npolicy = \"bound\" # by us\n\n[cases]\n{comment}");
    fs::write(bench.at("old.toml"), &old).expect("a file");
    let keep = "keep small --on FAULTY --to kept --baseline old.toml";
    check(bench, keep, 2, &["this is the baseline of `mine`"]);
    assert_eq!(read("old.toml"), old);
    check(bench, &format!("{keep} --backend mine"), 0, &["wrote old.toml"]);
    let new = read("old.toml");
    assert_eq!(line(&new), Some(written), "{new}");
    assert!(new.contains(comment) && new.contains("# by us"), "{new}");

    check_terms(bench, id);

    // A numeric failure by the bound is no expectation of another policy.
    fs::write(bench.at("old.toml"), old.replace("\"bound\"", "\"official\"")).expect("a file");
    check(
        bench,
        &format!("{keep} --backend mine"),
        2,
        &["judges by `bound`"],
    );
    check(bench, "keep small --backend mine", 2, &["--baseline"]);
}

/// A line whose last day is over is refused before anything is written: it would keep that day, and excuse
/// nothing. Another line keeps its terms.
#[track_caller]
fn check_terms(bench: &Bench, id: &str) {
    let read = |name: &str| fs::read_to_string(bench.at(name)).expect("a baseline");
    for (table, expired) in [
        (
            "cases",
            format!("\"{id}\" = {{ verdict = \"error\", reason = \"r\", expires = 2020-01-31 }}"),
        ),
        (
            "quarantine",
            format!("\"{id}\" = {{ reason = \"r\", owner = \"o\", expires = 2020-01-31 }}"),
        ),
    ] {
        let cases = if table == "cases" { "" } else { "[cases]\n" };
        let late =
            format!("format = 1\nbackend = \"mine\"\npolicy = \"bound\"\n{cases}[{table}]\n{expired}\n");
        fs::write(bench.at("late.toml"), &late).expect("a file");
        let said = format!("late.toml: the waiver of {id} expired after 2020-01-31: renew it by");
        let line = "keep small --to late --baseline late.toml --backend mine";
        let ended = check(bench, line, 2, &[&said]);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert_eq!(read("late.toml"), late);
        assert!(!bench.at("late").exists(), "nothing is written");
    }
    let valid = format!("\"{id}\" = {{ verdict = \"error\", reason = \"r\", expires = 2999-01-31 }}");
    fs::write(
        bench.at("late.toml"),
        format!("format = 1\nbackend = \"mine\"\npolicy = \"bound\"\n[cases]\n{valid}\n"),
    )
    .expect("a file");
    check(
        bench,
        "keep small --on FAULTY --to kept --baseline late.toml --backend mine",
        0,
        &["wrote late.toml"],
    );
    let text = read("late.toml");
    let kept = text.lines().find(|line| line.contains(id)).expect("a line");
    assert!(
        kept.contains("mismatch") && kept.contains("expires = 2999-01-31"),
        "{kept}"
    );
}
