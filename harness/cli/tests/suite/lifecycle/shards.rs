//! Shards of a run have the results of one run of all cases, and `merge` refuses other runs.

use crate::program::{Ended, Place};

const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK";

/// Cases of which one crashes its worker, in three shards and in one run of all cases.
fn place() -> Place {
    let names: Vec<String> = (0..12).map(|number| format!("c{number}")).collect();
    let behaviour = |name: &str| if name == "c5" { "run:exit-3" } else { "healthy" };
    let cases: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), behaviour(name)))
        .collect();
    let place = Place::with_cases(&cases);
    for (arguments, out) in [
        ("--shard 1/3", "s1"),
        ("--shard 2/3", "s2"),
        ("--shard=3/3", "s3"),
        ("", "all"),
    ] {
        let ended = place.run(&format!("{RUN} {arguments} --out {out}"));
        assert_eq!(ended.code, Some(0), "{arguments}: {}", ended.stderr);
    }
    place
}

/// A report without the parts that differ between runs: times, and the folder of the run.
fn without_times(text: &str) -> String {
    let mut text = text.replace("--out all", "").replace("--out s1", "");
    for key in ["wall_s", "started", "duration_ms", "load_ms", "run_ms"] {
        text = without_values(&text, key);
    }
    text
}

fn without_values(text: &str, key: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains(&format!("\"{key}\"")));
    lines.collect::<Vec<_>>().join("\n")
}

/// The results without their times: case, backend and verdict of each line.
fn verdicts(csv: &str) -> Vec<String> {
    let columns = |line: &str| line.split(',').take(4).collect::<Vec<_>>().join(",");
    csv.lines().map(columns).collect()
}

#[test]
fn the_shards_of_a_run_make_its_report() {
    let place = place();
    let merged = place.run("merge s1 s2 s3 --out merged");
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    let (all, one) = (place.read("all/results.csv"), place.read("merged/results.csv"));
    assert_eq!(verdicts(&one), verdicts(&all));
    assert_eq!(one.matches(",crash,").count(), 1, "{one}");
    let (all, one) = (place.read("all/summary.json"), place.read("merged/summary.json"));
    assert_eq!(without_times(&one), without_times(&all));
    let shards = ["s1", "s2", "s3"].map(|name| place.report(name).cases.len());
    assert_eq!(shards.iter().sum::<usize>(), 12, "{shards:?}");
    assert!(shards.iter().all(|&cases| cases > 0), "{shards:?}");
}

#[track_caller]
fn check(place: &Place, line: &str, code: i32, said: &str) -> Ended {
    let ended = place.run(&format!("merge {line} --out merged"));
    assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
    assert!(
        ended.stderr.contains(said),
        "{line}: wanted `{said}` in\n{}",
        ended.stderr
    );
    ended
}

#[test]
fn shards_of_different_runs_are_refused() {
    let place = place();
    let other = place.run(&format!("{RUN} --shard 2/3 --runs 2 --out other"));
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    check(
        &place,
        "s1 s2 s1",
        2,
        "shard 1 is present twice: in `s1` and in `s1`",
    );
    check(&place, "s1 other s3", 2, "runs is 1 and 2");
    check(&place, "s1 all", 2, "the run in `all` has no shard");
    check(&place, "s1 nowhere", 2, "nowhere");
    let ended = check(&place, "s1 s3", 5, "shard 2 is missing");
    assert!(ended.stdout.contains("not run"), "{}", ended.stdout);
    assert!(
        ended.stderr.contains("run each missing shard"),
        "{}",
        ended.stderr
    );
    assert!(place.read("merged/summary.json").contains("\"complete\": false"));
}

#[test]
fn a_merge_never_loses_a_result() {
    let place = place();
    let ended = place.run("merge s1 s3 --out all");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("`all` has a run with 12 results, not all of which are in the shards"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.report("all").cases.len(), 12);
    // A merge of fewer shards is continued, and the rest only by --force.
    assert_eq!(place.run("merge s1 s3 --out some").code, Some(5));
    assert_eq!(place.run("merge s1 s2 s3 --out some").code, Some(0));
    assert_eq!(place.run("merge s1 s3 --out some").code, Some(2));
    assert_eq!(place.run("merge s1 s3 --out some --force").code, Some(5));
}

#[test]
fn the_variables_of_a_job_specify_a_shard() {
    let place = place();
    let mut command = place.command(&format!("{RUN} --shard --out job"));
    command.envs([("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")]);
    let ended = crate::program::ended(&mut command);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        verdicts(&place.read("job/results.csv")),
        verdicts(&place.read("s2/results.csv"))
    );
    for (arguments, said) in [
        ("--shard", "give `--shard K/N`"),
        ("--shard 4/3", "`4/3` is not a shard"),
    ] {
        let ended = place.run(&format!("{RUN} {arguments} --out refused"));
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
}
