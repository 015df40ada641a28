//! Merges runs of single shards into one run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use run_record::{Event, LOG, LogError, OperatorVersion, RunFinished, RunLog, RunStarted, Shard};

use crate::run::directory::completion;
use crate::run::fingerprint::{PROGRAM, SHARD};

/// Why runs cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log has no start event.
    #[error("`{}` has no run", folder.display())]
    Empty { folder: PathBuf },
    /// The run has no shard.
    #[error("the run in `{}` has no shard: it was not started with --shard", folder.display())]
    NoShard { folder: PathBuf },
    /// Two runs have the same shard.
    #[error("shard {index} is present twice: in `{}` and in `{}`", first.display(), second.display())]
    Twice {
        /// The shard.
        index: u32,
        /// A folder.
        first: PathBuf,
        /// The other folder.
        second: PathBuf,
    },
    /// Two runs are not shards of the same run.
    #[error("`{}` and `{}` are not shards of the same run: {difference}", first.display(), second.display())]
    Other {
        /// A folder.
        first: PathBuf,
        /// The other folder.
        second: PathBuf,
        difference: String,
    },
}

/// Merged runs.
#[derive(Debug)]
pub struct Merged {
    /// The events of the merged run.
    pub events: Vec<Event>,
    /// The shards that are in no folder.
    pub missing: Vec<u32>,
}

/// A run of one shard.
struct Part {
    folder: PathBuf,
    started: RunStarted,
    shard: Shard,
    events: Vec<Event>,
}

/// Reads the runs in `folders` and merges them. Except for times, the report of the result equals that
/// of a run of all cases.
///
/// # Errors
/// A log cannot be read, a run has no shard, a shard is present twice, or runs differ in more than the
/// shard.
pub fn merge(folders: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    for folder in folders {
        let part = read(folder)?;
        if let Some(first) = parts.values().next() {
            first.check_same(&part)?;
        }
        if let Some(first) = parts.get(&part.shard.index) {
            return Err(MergeError::Twice {
                index: part.shard.index,
                first: first.folder.clone(),
                second: part.folder,
            });
        }
        parts.insert(part.shard.index, part);
    }
    let Some(first) = parts.values().next() else {
        return Ok(Merged {
            events: Vec::new(),
            missing: Vec::new(),
        });
    };
    let missing: Vec<u32> = (1..=first.shard.count)
        .filter(|index| !parts.contains_key(index))
        .collect();
    let head = Event::RunStarted(Box::new(head(&parts)));
    let finished = Event::RunFinished(RunFinished {
        wall_s: parts.values().map(Part::wall_s).fold(0.0, f64::max),
        complete: missing.is_empty() && parts.values().all(Part::is_complete),
    });
    let versions = catalogue(parts.values());
    let bodies = parts.into_values().flat_map(|part| part.events);
    let bodies = bodies.filter(|event| match event {
        Event::RunStarted(_) | Event::RunFinished(_) | Event::Catalogue { .. } => false,
        Event::BackendStarted(_)
        | Event::CaseFinished(_)
        | Event::ReferenceDisagrees(_)
        | Event::ReadingFollowed(_)
        | Event::VariantsMade(_)
        | Event::CaseExercises(_)
        | Event::CaseDetail(_)
        | Event::Latency(_)
        | Event::LatencyGate(_)
        | Event::Machine(_)
        | Event::PhaseFinished { .. }
        | Event::BackendFinished { .. } => true,
    });
    let mut events = vec![head];
    events.extend(bodies);
    events.extend([Event::Catalogue { versions }, finished]);
    Ok(Merged { events, missing })
}

fn read(folder: &Path) -> Result<Part, MergeError> {
    let events = RunLog::read(&folder.join(LOG))?.events;
    let started = events.iter().find_map(|event| match event {
        Event::RunStarted(started) => Some((**started).clone()),
        _ => None,
    });
    let folder = folder.to_path_buf();
    let Some(started) = started else {
        return Err(MergeError::Empty { folder });
    };
    let Some(shard) = started.shard else {
        return Err(MergeError::NoShard { folder });
    };
    Ok(Part {
        folder,
        started,
        shard,
        events,
    })
}

impl Part {
    /// Fails if the other run is not a shard of the same run.
    fn check_same(&self, other: &Part) -> Result<(), MergeError> {
        let (mine, its) = (self.dependencies(), other.dependencies());
        let names = mine.keys().chain(its.keys());
        let differs = names.into_iter().find(|name| mine.get(*name) != its.get(*name));
        let Some(name) = differs else { return Ok(()) };
        let value =
            |parts: &BTreeMap<String, String>| parts.get(name).map_or("none", String::as_str).to_owned();
        Err(MergeError::Other {
            first: self.folder.clone(),
            second: other.folder.clone(),
            difference: format!("{name} is {} and {}", value(&mine), value(&its)),
        })
    }

    /// The inputs on which the results depend, except the shard. The time of a worker's file differs
    /// between machines.
    fn dependencies(&self) -> BTreeMap<String, String> {
        let parts = self.started.fingerprint.iter().filter(|(name, _)| *name != SHARD);
        let portable = |text: &String| match text.split_once(PROGRAM) {
            Some((before, _)) => before.trim_end().to_owned(),
            None => text.clone(),
        };
        let mut parts: BTreeMap<String, String> = parts
            .map(|(name, value)| (name.clone(), portable(value)))
            .collect();
        parts.insert("the number of shards".to_owned(), self.shard.count.to_string());
        parts
    }

    fn finished(&self) -> impl Iterator<Item = &RunFinished> {
        self.events.iter().filter_map(|event| match event {
            Event::RunFinished(finished) => Some(finished),
            _ => None,
        })
    }

    fn wall_s(&self) -> f64 {
        self.finished().map(|finished| finished.wall_s).sum()
    }

    /// Whether its last start is complete.
    fn is_complete(&self) -> bool {
        completion(&self.events) == Some(true)
    }
}

/// The start event of the merged run: that of the first shard, without its shard.
fn head(parts: &BTreeMap<u32, Part>) -> RunStarted {
    let Some(first) = parts.values().next() else {
        return RunStarted::default();
    };
    let started = parts.values().map(|part| &part.started.started);
    let mut head = first.started.clone();
    head.started = started.min().cloned().unwrap_or_default();
    head.cases = first.shard.selected;
    head.shard = None;
    head.fingerprint.remove(SHARD);
    for part in parts.values() {
        head.missing.extend(part.started.missing.clone());
    }
    let mut words = head.command.iter().peekable();
    let mut command = Vec::new();
    while let Some(word) = words.next() {
        if word == "--shard" {
            words.next_if(|next| next.contains('/'));
        } else if !word.starts_with("--shard=") {
            command.push(word.clone());
        }
    }
    head.command = command;
    head
}

/// The operator versions of all shards, in order.
fn catalogue<'p>(parts: impl Iterator<Item = &'p Part>) -> Vec<OperatorVersion> {
    let mut all: BTreeMap<(String, String, u32), OperatorVersion> = BTreeMap::new();
    for event in parts.flat_map(|part| &part.events) {
        if let Event::Catalogue { versions } = event {
            for version in versions {
                let key = (version.domain.clone(), version.name.clone(), version.since);
                all.insert(key, version.clone());
            }
        }
    }
    all.into_values().collect()
}
