//! The parent: distributes the mutants to workers, collects their results, writes culprits.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::culprit::Culprit;
use super::fault::Fault;
use super::process::{self, Job};
use super::tally::Tally;
use super::{CampaignError, Plan};
use crate::recipe::Recipe;
use crate::seed::Seed;
use crate::stage::{Outcome, Stage};

/// The number of mutants of one worker: its start takes little time compared with them.
const RANGE: u64 = 2000;

/// The interval at which the figures are shown.
const SHOW: Duration = Duration::from_secs(20);

/// The maximum number of culprits of one stage and kind that differ only in their operators. Each needs
/// a worker for every edit.
const ENOUGH: usize = 12;

struct State<'a> {
    plan: &'a Plan,
    seeds: &'a [Seed],
    next: u64,
    tally: Tally,
    /// The minimised culprits that were found.
    signatures: BTreeSet<String>,
    culprits: Vec<Culprit>,
    shown: Instant,
}

/// Runs the campaign; `show` receives the figures at intervals.
///
/// # Errors
/// A file or process of the campaign fails. Faults of mutants are in the result.
pub fn search(
    plan: &Plan,
    seeds: &[Seed],
    show: impl Fn(&Tally, usize) + Sync,
) -> Result<(Tally, Vec<Culprit>), CampaignError> {
    fs::create_dir_all(&plan.out).map_err(CampaignError::io(format!("make {}", plan.out.display())))?;
    let state = Mutex::new(State {
        plan,
        seeds,
        next: 0,
        tally: Tally::default(),
        signatures: BTreeSet::new(),
        culprits: Vec::new(),
        shown: Instant::now(),
    });
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..plan.jobs.max(1))
            .map(|_| scope.spawn(|| lane(&state, &show)))
            .collect();
        lanes
            .into_iter()
            .try_for_each(|lane| lane.join().unwrap_or(Ok(())))
    })?;
    let state = state
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok((state.tally, state.culprits))
}

fn lock<'s, 'a>(state: &'s Mutex<State<'a>>) -> std::sync::MutexGuard<'s, State<'a>> {
    state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs one worker after the other, until there are no more mutants.
fn lane(state: &Mutex<State<'_>>, show: &(impl Fn(&Tally, usize) + Sync)) -> Result<(), CampaignError> {
    let folder = tempfile::tempdir().map_err(CampaignError::io("make a folder for a worker"))?;
    // In a closure, so that the lock is released before the worker runs.
    let range = || lock(state).range();
    while let Some((from, to)) = range() {
        let mut begin = (from, Stage::Decode);
        while begin.0 < to {
            begin = worker(state, folder.path(), begin, to)?;
        }
        lock(state).show(show);
    }
    Ok(())
}

/// Runs one worker from a stage of a mutant on; returns where the next one has to start.
fn worker(
    state: &Mutex<State<'_>>,
    folder: &Path,
    (from, first): (u64, Stage),
    to: u64,
) -> Result<(u64, Stage), CampaignError> {
    let (plan, seeds) = {
        let state = lock(state);
        (state.plan, state.seeds)
    };
    let ended = process::run(plan, folder, &Job::Range { from, to }, first)?;
    let mut panics = ended.panics;
    let mut found = Vec::new();
    {
        let mut state = lock(state);
        for (number, outcomes) in (from..).zip(&ended.outcomes) {
            state.tally.mutants += u64::from(number != from || first == Stage::Decode);
            state.tally.add(outcomes);
            for (stage, outcome) in Stage::ALL.into_iter().zip(outcomes) {
                if *outcome == Outcome::Panicked
                    && let Some(fault) = panics.remove(&(number - from, stage))
                {
                    found.push(Culprit {
                        recipe: Recipe::nth(plan.seed, number, seeds.len()),
                        stage,
                        fault,
                    });
                }
            }
        }
    }
    let mut next = (to, Stage::Decode);
    if let Some((in_flight, fault)) = ended.died {
        let number = from + in_flight.position;
        // A panic is more specific than the abort that follows it.
        let fault = panics
            .remove(&(in_flight.position, in_flight.stage))
            .unwrap_or(fault);
        found.push(Culprit {
            recipe: Recipe::nth(plan.seed, number, seeds.len()),
            stage: in_flight.stage,
            fault,
        });
        let later = Stage::ALL.into_iter().find(|stage| *stage > in_flight.stage);
        next = later.map_or((number + 1, Stage::Decode), |stage| (number, stage));
    }
    found
        .into_iter()
        .try_for_each(|culprit| keep(state, folder, culprit))?;
    Ok(next)
}

/// Counts a culprit; the first of a kind is minimised and written.
fn keep(state: &Mutex<State<'_>>, folder: &Path, culprit: Culprit) -> Result<(), CampaignError> {
    let (plan, seeds) = {
        let mut state = lock(state);
        state.tally.fault(culprit.stage, &culprit.fault);
        let signature = culprit.signature(state.seeds);
        if state.has_enough(&culprit) || !state.signatures.insert(signature) {
            return Ok(());
        }
        (state.plan, state.seeds)
    };
    let before = culprit.signature(seeds);
    let culprit = culprit.smaller(plan, folder)?;
    let after = culprit.signature(seeds);
    let mut state = lock(state);
    if before != after && !state.signatures.insert(after) {
        return Ok(());
    }
    culprit.write(&plan.out, state.culprits.len(), seeds)?;
    state.culprits.push(culprit);
    Ok(())
}

impl State<'_> {
    fn range(&mut self) -> Option<(u64, u64)> {
        let from = self.next;
        self.next = self.plan.count.min(from.saturating_add(RANGE));
        (from < self.next).then_some((from, self.next))
    }

    /// Whether there are enough culprits of this stage and kind.
    fn has_enough(&self, culprit: &Culprit) -> bool {
        let same =
            |known: &&Culprit| known.stage == culprit.stage && known.fault.kind() == culprit.fault.kind();
        match &culprit.fault {
            Fault::Panic { .. } => false,
            Fault::Abort(_) | Fault::Signal(_) | Fault::Memory(_) | Fault::Hang => {
                self.culprits.iter().filter(same).count() >= ENOUGH
            }
        }
    }

    fn show(&mut self, show: &impl Fn(&Tally, usize)) {
        if self.shown.elapsed() >= SHOW {
            self.shown = Instant::now();
            show(&self.tally, self.culprits.len());
        }
    }
}
