//! Judges the nodes of a case in a run.

use harness_conformance::case::Case;
use harness_conformance::run::{JudgeNodes, NodesAsked, NodesJudged, NodesVerdict};

use crate::locate::{Alone, EachAlone, NodeFault, each_alone};
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
        let start = |spec: &_| Runner::start(Clone::clone(spec), asked.cancel.clone(), asked.timeout);
        let mut reference = start(asked.reference)?;
        // Stored outputs run no node.
        let runs = asked.backends.iter().map(|spec| spec.name != replay::NAME);
        let runs: Vec<bool> = runs.collect();
        let backends = asked.backends.iter().zip(&runs).filter(|(_, runs)| **runs);
        let backends: Result<Vec<Runner>, _> = backends.map(|(spec, _)| start(spec)).collect();
        let found = each_alone(&model, &set.inputs, &mut reference, &mut backends?, asked.until);
        match found {
            Ok(EachAlone {
                found,
                judged,
                nodes,
                left,
            }) => {
                let is_whole = left.is_none();
                let mut found = found.into_iter();
                let verdict = |runs: bool| match if runs { found.next() } else { None } {
                    Some(Alone::Wrong(fault)) => NodesVerdict::Wrong(hidden(&fault)),
                    Some(Alone::Right) if is_whole => NodesVerdict::Right,
                    Some(Alone::Right | Alone::Fails) | None => NodesVerdict::Open,
                };
                Ok(NodesJudged {
                    verdicts: runs.into_iter().map(verdict).collect(),
                    judged,
                    nodes,
                    left,
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

/// The reason of a verdict.
fn hidden(fault: &NodeFault) -> String {
    format!(
        "the outputs hide a wrong node: {}, alone on the inputs of the reference: {}",
        fault.label(),
        fault.local.reason
    )
}
