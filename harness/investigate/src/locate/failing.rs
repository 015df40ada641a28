//! Finds the node at which a backend starts to fail.

use harness_conformance::judge::Judgement;

use super::search::{Search, other_results};
use super::{FailingNode, Finding, Team, known};
use crate::InvestigateError;
use crate::cut::Values;
use crate::trial::request;

impl Search<'_> {
    /// Handles a backend that does not answer: finds the shortest prefix of the model on which it fails
    /// in the same way.
    pub(super) fn failing(
        &mut self,
        judgement: Judgement,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let (mut low, mut high, mut last) = (0, self.prepared.len(), judgement);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.fails_at(middle, &last, team)? {
                Some(judgement) => (high, last) = (middle, judgement),
                None => low = middle,
            }
        }
        let (node, operator) = self.label(low);
        let values = self.values_at(low, 0, &Values::new(), team)?;
        let part = values.map(|values| self.part(low, &values));
        let alone = match &part {
            Some(part) => {
                self.probes += 1;
                let ran = team.backend.run(&request(part))?;
                Some(ran.is_err_and(|judgement| judgement.verdict.kind() == last.verdict.kind()))
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
            alone,
            part,
            others,
        })))
    }

    /// The failure on the nodes before `cut`, if it is of the same kind.
    fn fails_at(
        &mut self,
        cut: usize,
        like: &Judgement,
        team: &mut Team<'_>,
    ) -> Result<Option<Judgement>, InvestigateError> {
        let live = self.prepared.live(cut);
        if live.is_empty() {
            return Ok(None);
        }
        let nodes: Vec<usize> = (0..cut).collect();
        let part = self
            .prepared
            .cut(&nodes, &live, &known(&self.prepared.inputs, &Values::new()));
        self.probes += 1;
        let ran = team.backend.run(&request(&part))?;
        Ok(ran
            .err()
            .filter(|judgement| judgement.verdict.kind() == like.verdict.kind()))
    }
}
