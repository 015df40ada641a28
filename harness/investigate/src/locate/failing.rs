//! Finds the node at which a backend starts to fail.

use harness_conformance::judge::Judgement;

use super::ask::Cut;
use super::search::{Search, other_results};
use super::{FailingNode, Finding, Team};
use crate::InvestigateError;
use crate::cut::Values;
use crate::signature::Signature;
use crate::trial::request;

impl Search<'_> {
    /// Handles a backend that does not answer: finds the shortest prefix of the model on which it fails
    /// in the same way.
    pub(super) fn failing(
        &mut self,
        judgement: Judgement,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let like = Signature::of_failure(&judgement);
        let (mut low, mut high, mut last) = (0, self.prepared.len(), judgement);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.fails_at(middle, &like, team)? {
                Some(judgement) => (high, last) = (middle, judgement),
                None => low = middle,
            }
        }
        let (node, operator) = self.label(low);
        let values = self.values_at(low, 0, &Values::new(), team)?;
        let part = match values {
            Some(values) => Some(self.single(low, &values, team)?),
            None => None,
        };
        let alone = match &part {
            Some(part) => {
                self.probes += 1;
                let ran = team.backend.run(&request(part))?;
                Some(ran.is_err_and(|judgement| Signature::of_failure(&judgement) == like))
            }
            None => None,
        };
        let others = match &part {
            Some(part) => other_results(part, team)?,
            None => Vec::new(),
        };
        Ok(Finding::Fails(Box::new(FailingNode {
            index: low,
            node,
            operator,
            judgement: last,
            shorter: high < self.prepared.len(),
            alone,
            part,
            others,
        })))
    }

    /// The failure on the nodes before `cut`, if it is the same.
    fn fails_at(
        &mut self,
        cut: usize,
        like: &Signature,
        team: &mut Team<'_>,
    ) -> Result<Option<Judgement>, InvestigateError> {
        let live = self.prepared.live(cut);
        if live.is_empty() {
            return Ok(None);
        }
        let (nodes, nothing): (Vec<usize>, _) = ((0..cut).collect(), Values::new());
        let cut = Cut {
            nodes: &nodes,
            outputs: &live,
            live: &nothing,
        };
        let part = self.formed(&cut, team)?;
        self.probes += 1;
        let ran = team.backend.run(&request(&part))?;
        Ok(ran
            .err()
            .filter(|judgement| Signature::of_failure(judgement) == *like))
    }
}
