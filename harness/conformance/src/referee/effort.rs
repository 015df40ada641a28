//! How many runs of the reference an answer may cost.

use run_record::Arithmetic;

use crate::noise::{FEW, MORE, RUNS};

/// How many runs of the reference an answer may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The runs of each class; `None`: [`FEW`] first, [`RUNS`] if an answer is not clearly right by these,
    /// and [`MORE`] if few elements are then wrong that a decision may explain.
    pub runs: Option<u32>,
    /// The seed of the first run; each further run has the next seed.
    pub seed: u64,
    /// The classes of honest arithmetic that may explain an answer, the most accurate first.
    pub classes: &'static [Arithmetic],
    /// Whether the first runs are also made for answers that are equal, so that reports know the significant
    /// digits of the model.
    pub always: bool,
    /// The number of runs at the same time.
    pub parallel: usize,
}

/// The runs after which an answer is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stage {
    pub classes: &'static [Arithmetic],
    /// The runs of each class; at most, if they are preliminary.
    pub runs: u32,
    /// Whether these runs only show which answers are clearly right.
    pub is_preliminary: bool,
    /// Whether these runs only look for outcomes of decisions that the runs before did not show.
    pub is_for_unseen: bool,
}

impl Effort {
    /// Few runs for answers that are clearly right, all classes for those that nothing else explains.
    pub const ADAPTIVE: Effort = Effort {
        runs: None,
        seed: 0,
        classes: &Arithmetic::ALL,
        always: false,
        parallel: 2,
    };

    /// The stages, of which each adds runs to those of the one before.
    pub(super) fn stages(&self) -> Vec<Stage> {
        let classes = self.classes;
        let first = classes.get(..1).unwrap_or_default();
        let stage = |classes, runs| Stage {
            classes,
            runs,
            is_preliminary: false,
            is_for_unseen: false,
        };
        let mut stages: Vec<Stage> = match self.runs {
            Some(runs) => vec![stage(first, runs)],
            None => vec![
                Stage {
                    is_preliminary: true,
                    ..stage(first, FEW)
                },
                stage(first, RUNS),
            ],
        };
        let runs = self.runs.unwrap_or(RUNS);
        stages.extend((2..=classes.len()).map(|count| stage(&classes[..count], runs)));
        if self.runs.is_none() {
            let passing = classes.iter().take_while(|class| class.passes()).count();
            let counts = [1, passing];
            let counts = counts.iter().take(passing.min(2));
            stages.extend(counts.map(|&count| Stage {
                is_for_unseen: true,
                ..stage(&classes[..count], MORE)
            }));
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_adds_runs_or_classes() {
        let check = |effort: Effort, wanted: &[(usize, u32)]| {
            let stages = effort.stages();
            let found: Vec<(usize, u32)> = stages
                .iter()
                .map(|stage| (stage.classes.len(), stage.runs))
                .collect();
            assert_eq!(found, wanted);
        };
        let fixed = |runs, classes| Effort {
            runs: Some(runs),
            classes,
            ..Effort::ADAPTIVE
        };
        let all = [(1, 2), (1, 8), (2, 8), (3, 8), (4, 8), (5, 8), (1, 32), (4, 32)];
        check(Effort::ADAPTIVE, &all);
        check(fixed(5, &Arithmetic::ALL[..3]), &[(1, 5), (2, 5), (3, 5)]);
        check(fixed(8, &[Arithmetic::Rounded]), &[(1, 8)]);
    }
}
