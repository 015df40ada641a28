//! Judges the nodes of a case in a run.

use harness_conformance::case::Case;
use harness_conformance::run::{JudgeNodes, NodesAsked, NodesJudged, NodesVerdict};
use harness_worker::WorkerSpec;

use crate::locate::each_alone;
use crate::runner::{Runner, RunnerError};
use crate::{InvestigateError, replay};

/// Judges the nodes of a case as `locate --scan` does.
#[derive(Clone, Copy, Debug)]
pub struct AsLocate;

impl JudgeNodes for AsLocate {
    fn judge_nodes(&self, asked: &NodesAsked<'_>) -> Result<NodesJudged, RunnerError> {
        // A case that cannot be read has a verdict that says so.
        let Ok((case, model)) = Case::decode_plain(asked.files) else {
            return Ok(NodesJudged::default());
        };
        let Some(set) = case.data_sets.get(asked.set) else {
            return Ok(NodesJudged::default());
        };
        let start = |spec: &WorkerSpec| Runner::start(spec.clone(), asked.cancel.clone(), asked.timeout);
        let mut reference = start(asked.reference)?;
        // Stored outputs run no node.
        let runs = |spec: &WorkerSpec| spec.name != replay::NAME;
        let backends = asked.backends.iter().filter(|spec| runs(spec));
        let mut backends: Vec<Runner> = backends.map(|spec| start(spec)).collect::<Result<_, _>>()?;
        match each_alone(&model, &set.inputs, &mut reference, &mut backends, asked.until) {
            Ok(judged) => {
                let mut found = judged.verdicts.into_iter();
                let verdict = |spec: &&WorkerSpec| {
                    let found = if runs(spec) { found.next() } else { None };
                    found.unwrap_or(NodesVerdict::Open)
                };
                Ok(NodesJudged {
                    verdicts: asked.backends.iter().map(verdict).collect(),
                    ..judged
                })
            }
            Err(InvestigateError::Runner(error)) => Err(error),
            Err(error) => Ok(NodesJudged {
                left: Some(error.to_string()),
                ..NodesJudged::default()
            }),
        }
    }
}
