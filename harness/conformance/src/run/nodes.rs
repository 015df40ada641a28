//! Judges single nodes where the outputs of an answer say little of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness_console::note;
use harness_corpus::CaseFiles;
use harness_worker::{Cancel, WorkerSpec};
use run_record::standing::{Standing, may_hide_a_node, samples};
use run_record::{CaseRecord, Event, MismatchKind, Verdict};

use super::prepared::Prepared;
use super::{Plan, RunError, Running};
use crate::reference::runner::RunnerError;

/// The time for the nodes of one case on each backend, where their outputs say little of them.
const WITHIN: Duration = Duration::from_secs(10);

/// The same if the user asks for all nodes: as much as they need.
const ENOUGH: Duration = Duration::from_secs(24 * 60 * 60);

/// What is said of an answer that cannot be judged, and whose nodes can.
pub const RIGHT_ALONE: &str = "every node is right alone, on the inputs of the reference";

/// Judges the nodes of a case one by one.
pub trait JudgeNodes: fmt::Debug + Send + Sync {
    /// Runs every node alone on each backend, on the inputs that the reference computed, up to the first that
    /// is wrong.
    ///
    /// # Errors
    /// A worker does not start, or the command is interrupted.
    fn judge_nodes(&self, asked: &NodesAsked<'_>) -> Result<NodesJudged, RunnerError>;
}

/// Which nodes are judged.
#[derive(Debug)]
pub struct NodesAsked<'a> {
    /// The case.
    pub files: &'a CaseFiles,
    /// The number of the data set whose inputs are used.
    pub set: usize,
    pub reference: &'a WorkerSpec,
    pub backends: &'a [&'a WorkerSpec],
    /// The time limit of a run.
    pub timeout: Duration,
    /// When the search ends, whatever is left.
    pub until: Instant,
    pub cancel: &'a Cancel,
}

/// What single nodes say of several backends.
#[derive(Debug, Default)]
pub struct NodesJudged {
    /// Of each backend, in their order.
    pub verdicts: Vec<NodesVerdict>,
    /// The number of nodes that were judged.
    pub judged: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// Why the others were not; `None` if every node was, or a wrong one was found.
    pub left: Option<String>,
}

/// What single nodes say of a backend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodesVerdict {
    /// Every node is right.
    Right,
    /// A node does not pass.
    Wrong {
        /// The node, and what is wrong with it.
        reason: String,
        /// Whether it is only less accurate than its type promises.
        is_inaccurate: bool,
    },
    /// Some nodes were not judged, or the backend gives no answer on them alone.
    Open,
}

/// Which answers lead to a judgement of single nodes.
#[derive(Clone, Debug)]
pub struct NodePlan {
    pub judge: Arc<dyn JudgeNodes>,
    /// Whether the nodes of every right answer are judged, and not only where the outputs say little of them.
    pub always: bool,
}

/// The answers to a case that say little of its nodes.
struct Concerned {
    /// The place of the case.
    at: usize,
    /// The number of the data set with the least accurate answer.
    set: usize,
    /// By backend.
    records: BTreeMap<String, CaseRecord>,
}

impl NodePlan {
    /// Whether the nodes of an answer are judged: also of one that is less accurate than its type promises,
    /// which a wrong node explains as well.
    fn concerns(&self, record: &CaseRecord) -> bool {
        let standing = Standing::of(record);
        standing <= Standing::CannotJudge
            && (self.always || standing.is_wrong() || may_hide_a_node(&record.outputs))
    }
}

impl Running<'_> {
    /// Judges the nodes of the cases whose answers say little of them; a wrong node is the new verdict.
    pub(super) fn nodes(
        &mut self,
        plan: &Plan,
        prepared: &[Prepared],
        cancel: &Cancel,
    ) -> Result<(), RunError> {
        let noise = plan.noise.as_ref().filter(|_| plan.options.policy.judge);
        let Some((noise, nodes)) = noise.and_then(|noise| Some((noise, noise.nodes.as_ref()?))) else {
            return Ok(());
        };
        let began = Instant::now();
        for Concerned { at, set, records } in self.concerned(nodes, prepared) {
            let Some(one) = prepared.get(at) else { continue };
            let backends = plan.backends.iter();
            let specs: Vec<&WorkerSpec> = backends.filter(|spec| records.contains_key(&spec.name)).collect();
            let asked = NodesAsked {
                files: &one.files,
                set,
                reference: &noise.reference,
                backends: &specs,
                timeout: plan.options.timeout,
                until: Instant::now()
                    + if nodes.always {
                        ENOUGH
                    } else {
                        WITHIN * specs.len() as u32
                    },
                cancel,
            };
            match nodes.judge.judge_nodes(&asked) {
                Ok(judged) => self.take(&specs, records, judged)?,
                Err(RunnerError::Cancelled) => return Ok(()),
                // The answer to the model stays.
                Err(RunnerError::Start(error)) => {
                    note(format_args!(
                        "{}: its nodes were not judged: {error}",
                        one.files.id
                    ));
                }
            }
        }
        self.note(Event::PhaseFinished {
            name: "nodes".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
        })?;
        Ok(())
    }

    /// The last records that say little of the nodes of their cases.
    fn concerned(&self, nodes: &NodePlan, prepared: &[Prepared]) -> Vec<Concerned> {
        let mut last: BTreeMap<(&str, &str), &CaseRecord> = BTreeMap::new();
        for event in &self.events {
            if let Event::CaseFinished(record) = event {
                last.insert((&record.case, &record.backend), record);
            }
        }
        let mut found: BTreeMap<(&str, usize), BTreeMap<String, CaseRecord>> = BTreeMap::new();
        for ((case, backend), record) in last {
            if nodes.concerns(record) {
                let set = samples(record).map_or(0, |samples| samples.worst);
                let of_set = found.entry((case, set)).or_default();
                of_set.insert(backend.to_owned(), record.clone());
            }
        }
        // A form of a case is another model.
        let plain = prepared
            .iter()
            .enumerate()
            .filter(|(_, one)| one.files.form.is_none());
        let places: BTreeMap<String, usize> = plain.map(|(at, one)| (one.files.id.to_string(), at)).collect();
        let of_case = |((case, set), records): ((&str, usize), _)| {
            let at = *places.get(case)?;
            Some(Concerned { at, set, records })
        };
        found.into_iter().filter_map(of_case).collect()
    }

    fn take(
        &mut self,
        specs: &[&WorkerSpec],
        mut records: BTreeMap<String, CaseRecord>,
        judged: NodesJudged,
    ) -> Result<(), RunError> {
        let partly = judged.left.map(|left| {
            format!(
                "{} of {} nodes were judged alone: {left}",
                judged.judged, judged.nodes
            )
        });
        for (spec, verdict) in specs.iter().zip(judged.verdicts) {
            let Some(mut record) = records.remove(&spec.name) else {
                continue;
            };
            let standing = Standing::of(&record);
            let is_open = standing == Standing::CannotJudge;
            record.reason = match verdict {
                NodesVerdict::Wrong {
                    is_inaccurate: true, ..
                } if standing.is_wrong() => continue,
                NodesVerdict::Wrong { reason, .. } => {
                    record.verdict = Verdict::Mismatch(MismatchKind::Node);
                    let found = if standing.is_wrong() {
                        "a wrong node explains the outputs"
                    } else {
                        "the outputs hide a wrong node"
                    };
                    format!("{found}: {reason}")
                }
                NodesVerdict::Right if is_open => {
                    let before = Some(record.reason).filter(|reason| !reason.is_empty());
                    before.map_or(RIGHT_ALONE.to_owned(), |before| {
                        format!("{before}; {RIGHT_ALONE}")
                    })
                }
                NodesVerdict::Open if !standing.is_fault() && record.reason.is_empty() => match &partly {
                    Some(partly) => partly.clone(),
                    None => continue,
                },
                NodesVerdict::Right | NodesVerdict::Open => continue,
            };
            self.note(Event::CaseFinished(Box::new(record)))?;
        }
        Ok(())
    }
}
