//! Kills processes at random moments: no acknowledged result is lost, and the resumed run has the same
//! results as an undisturbed one.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use run_record::{CaseRecord, Verdict};
use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Place, signal, wait};

/// The variable that sets the number of kills, instead of [`KILLS`].
const VARIABLE: &str = "ONNX_CONFORMANCE_KILLS";

/// The default number of kills.
const KILLS: usize = 10;

/// The number of cases of a run.
const CASES: usize = 40;

/// A run on two backends of two workers each; every case takes a few milliseconds.
const RUN: &str = "conformance --no-bounds --noise 0 --jobs 2 --cases cases --out out --backend 'cmd:MOCK slow 4' \
    --backend 'cmd:MOCK slow 3'";

#[test]
fn a_run_that_is_killed_repeatedly_gives_the_same_report() {
    let kills = std::env::var(VARIABLE)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(KILLS);
    let names: Vec<String> = (0..CASES).map(|number| format!("case_{number:02}")).collect();
    let behaviours = ["healthy", "run:wrong-shape", "healthy", "run:wrong-count"];
    let cases: Vec<(&str, &str)> = names
        .iter()
        .map(String::as_str)
        .zip(behaviours.into_iter().cycle())
        .collect();
    let place = Place::with_cases(&cases);
    assert_eq!(place.run(RUN).code, Some(0));
    let undisturbed = results(&place);
    assert_eq!(
        (undisturbed.complete, undisturbed.records.len()),
        (true, 2 * CASES)
    );
    let mut random = ChaCha8Rng::seed_from_u64(kills as u64);
    let (mut done, mut runs) = (0, 0);
    while done < kills {
        fs::remove_dir_all(place.at("out")).unwrap();
        done += run_under_kills(&place, kills - done, &mut random);
        runs += 1;
        assert_same(
            &results(&place),
            &undisturbed,
            done,
            &format!("after {done} kills, in run {runs}"),
        );
        place.assert_no_process_left();
    }
}

/// Compares the results of two runs. A case whose two attempts both met a kill has crashed: on a slow machine
/// the second attempt is still running when the next worker is killed.
#[track_caller]
fn assert_same(disturbed: &Results, undisturbed: &Results, kills: usize, when: &str) {
    assert_eq!(disturbed.complete, undisturbed.complete, "{when}");
    assert_eq!(disturbed.records.len(), undisturbed.records.len(), "{when}");
    let pairs = disturbed.records.iter().zip(&undisturbed.records);
    let (killed, other): (Vec<_>, Vec<_>) = pairs
        .filter(|(left, right)| left.text != right.text)
        .partition(|(left, right)| left.killed && left.name == right.name);
    assert!(other.is_empty(), "{when}: {other:#?}");
    assert!(2 * killed.len() <= kills, "{when}: {killed:#?}");
}

/// Completes one run, with at most `most` kills; returns their number.
fn run_under_kills(place: &Place, most: usize, random: &mut ChaCha8Rng) -> usize {
    let (mut kills, mut acknowledged) = (0, BTreeSet::new());
    loop {
        let resume = if place.at("out/run.jsonl").exists() {
            "--resume"
        } else {
            ""
        };
        let mut command = place.command(&format!("{RUN} {resume}"));
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while kills < most && disturb(place, &mut child, random) {
            kills += 1;
        }
        let code = wait(&mut child).code();
        let now = log(place);
        assert!(
            acknowledged.is_subset(&now),
            "lost: {:?}",
            acknowledged.difference(&now)
        );
        acknowledged = now;
        match code {
            Some(0) => return kills,
            // Killed, interrupted, or a worker ended at its start: the run is resumed.
            None | Some(5 | 6 | 130) => {}
            other => panic!("exit code {other:?}: {}", said(&mut child)),
        }
    }
}

/// Kills the program or one of its workers after a random time; returns whether there was a process to
/// kill.
fn disturb(place: &Place, child: &mut Child, random: &mut ChaCha8Rng) -> bool {
    // With this distance two exits of workers seldom affect the same case.
    sleep(Duration::from_millis(random.random_range(60..260)));
    if child.try_wait().unwrap().is_some() {
        return false;
    }
    let ways = [Signal::KILL, Signal::KILL, Signal::TERM, Signal::INT];
    if random.random_bool(0.5) {
        signal(child, ways[random.random_range(0..ways.len())]);
        wait(child);
        return true;
    }
    let own = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let workers: Vec<Pid> = place
        .processes()
        .into_iter()
        .filter(|pid| Some(*pid) != own)
        .collect();
    let chosen = (!workers.is_empty()).then(|| workers[random.random_range(0..workers.len())]);
    chosen.is_some_and(|worker| kill_process(worker, Signal::KILL).is_ok())
}

/// The results in the log: case, backend and verdict.
fn log(place: &Place) -> BTreeSet<String> {
    if !place.at("out/run.jsonl").exists() {
        return BTreeSet::new();
    }
    let finished = place.report("out").cases.into_iter();
    let is_result = |record: &CaseRecord| record.verdict != Verdict::NotRun;
    finished
        .filter(is_result)
        .map(|record| format!("{} {} {:?}", record.case, record.backend, record.verdict))
        .collect()
}

/// The results of a run, in the order of its report.
struct Results {
    complete: bool,
    records: Vec<Outcome>,
}

/// One result without times, and without the number of attempts, which depends on the exits of workers.
#[derive(Debug)]
struct Outcome {
    /// Case and backend.
    name: String,
    /// Whether the verdict says that a worker was killed.
    killed: bool,
    /// The whole record. Statistics may be NaN, which is not equal to itself.
    text: String,
}

fn results(place: &Place) -> Results {
    let report = place.report("out");
    let outcome = |record: CaseRecord| Outcome {
        name: format!("{} {}", record.case, record.backend),
        killed: record.verdict
            == Verdict::Crash {
                signal: Some(Signal::KILL.as_raw()),
            },
        text: format!(
            "{:?}",
            CaseRecord {
                load_ns: None,
                run_ns: None,
                attempts: 0,
                ..record
            }
        ),
    };
    Results {
        complete: report.complete,
        records: report.cases.into_iter().map(outcome).collect(),
    }
}

fn said(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = std::io::Read::read_to_string(stderr, &mut text);
    }
    text
}
