//! Finds nodes that are wrong as a sequence and right one by one.

use super::ask::Cut;
use super::finding::{Finding, NodeRun};
use super::search::{Search, other_results};
use super::{Local, Team};
use crate::InvestigateError;
use crate::cut::{Part, Values};
use crate::trial::refer;

impl Search<'_> {
    /// Every single node is right, but the outputs are wrong. Finds the shortest sequence that
    /// is wrong, given the inputs of the reference, and ends with the node after which the error is
    /// first large, or with that after which the judge first says so: a rounding next to a tie may be off
    /// by a step before it, which is large and right.
    pub(super) fn together(
        &mut self,
        near: Option<usize>,
        largest: Option<(String, f64)>,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let mut run = match near {
            Some(last) => self.shortest(last, team)?,
            None => None,
        };
        if run.is_none()
            && let Some(last) = self.first_judged(team)?.filter(|last| near != Some(*last))
        {
            run = self.shortest(last, team)?;
        }
        Ok(Finding::Together {
            near: near.map(|index| self.label(index).0),
            run: run.map(Box::new),
            largest,
        })
    }

    /// The first node after which the values are wrong by the judge of `compare`; the outputs are.
    fn first_judged(&mut self, team: &mut Team<'_>) -> Result<Option<usize>, InvestigateError> {
        let (mut right, mut wrong) = (0, self.prepared.len());
        while wrong - right > 1 {
            if self.is_late() {
                return Ok(None);
            }
            let middle = right + (wrong - right) / 2;
            match self.run_of(middle - 1, middle, team)? {
                Some(_) => wrong = middle,
                None => right = middle,
            }
        }
        Ok(wrong.checked_sub(1))
    }

    /// Doubles the number of nodes until they are wrong, then bisects.
    fn shortest(&mut self, last: usize, team: &mut Team<'_>) -> Result<Option<NodeRun>, InvestigateError> {
        let (mut right, mut width) = (1, 2);
        let mut found = loop {
            if self.is_late() {
                return Ok(None);
            }
            let width_here = width.min(last + 1);
            match self.run_of(last, width_here, team)? {
                Some(found) => break (width_here, found),
                None if width_here == last + 1 => return Ok(None),
                None => (right, width) = (width_here, 2 * width_here),
            }
        };
        while found.0 - right > 1 && !self.is_late() {
            let middle = right + (found.0 - right) / 2;
            match self.run_of(last, middle, team)? {
                Some(shorter) => found = (middle, shorter),
                None => right = middle,
            }
        }
        let (width, (local, part)) = found;
        Ok(Some(NodeRun {
            nodes: (last + 1 - width..=last).map(|index| self.label(index)).collect(),
            local,
            others: other_results(&part, team)?,
            part,
        }))
    }

    /// The error of the `width` nodes that end with `last`, if they are wrong.
    fn run_of(
        &mut self,
        last: usize,
        width: usize,
        team: &mut Team<'_>,
    ) -> Result<Option<(Local, Part)>, InvestigateError> {
        let first = last + 1 - width;
        let Some(values) = self.values_at(first, 0, &Values::new(), team)? else {
            return Ok(None);
        };
        let live = self.prepared.live(last + 1);
        let outputs: Vec<String> = live
            .into_iter()
            .filter(|name| !values.contains_key(name))
            .collect();
        let nodes: Vec<usize> = (first..=last).collect();
        let cut = Cut {
            nodes: &nodes,
            outputs: &outputs,
            live: &values,
        };
        let Ok(mut reference) = refer(team.reference, &self.plain(&cut))? else {
            return Ok(None);
        };
        let found = self.check(&cut, &mut reference, team)?.ok();
        Ok(found.filter(|(local, _)| local.is_wrong()))
    }
}
