//! The times of a backend's steps.

use std::collections::HashMap;
use std::time::Instant;

use onnx_tensor::Value;
use serde::{Deserialize, Serialize};

/// The times of the steps of some runs of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Profile {
    /// The time of each run in nanoseconds, in order. It includes the cost of measuring the steps.
    pub nanoseconds: Vec<u64>,
    /// The steps in the order in which they first ran.
    pub steps: Vec<Step>,
    /// The number of steps that are left out. The longest steps are never left out.
    #[serde(default)]
    pub omitted: u64,
}

/// What a backend runs as one unit: a node of the model, several fused ones, or one that the backend added.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The backend's name of the step. It contains the name of a node of the model if the step belongs to
    /// one.
    pub name: String,
    /// The operator; a fused step may have a name that only the backend defines.
    #[serde(default)]
    pub operator: String,
    /// The values that the step defines; empty if the backend does not know them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<StepOutput>,
    /// The number of times that the step ran, in all runs.
    pub calls: u64,
    /// The time of all calls in nanoseconds, without the steps that ran inside them, in a body or function.
    pub nanoseconds: u64,
    /// The median over all runs of the time of its calls in a run, which is zero in a run without a call;
    /// `None` if the backend does not report it. A run that the system interrupts does not affect it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<u64>,
    /// The start of the first call in the last run, since the start of this run, and the length of the call,
    /// in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<(u64, u64)>,
}

/// A value that a step defines.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepOutput {
    /// The name in the model; empty if the backend does not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The element type of a tensor, such as `float`; empty if it is not known.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub dtype: String,
    /// The shape of a tensor, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<u64>>,
}

impl StepOutput {
    /// Describes a value of this name.
    pub fn of(name: &str, value: &Value) -> StepOutput {
        match value {
            Value::Tensor(tensor) => StepOutput::tensor(name, tensor.dtype().onnx_name(), tensor.shape()),
            _ => StepOutput {
                name: name.to_owned(),
                ..StepOutput::default()
            },
        }
    }

    /// Describes a tensor of this name, element type and shape.
    pub fn tensor(name: &str, dtype: &str, shape: &[usize]) -> StepOutput {
        StepOutput {
            name: name.to_owned(),
            dtype: dtype.to_owned(),
            shape: Some(shape.iter().map(|&extent| extent as u64).collect()),
        }
    }
}

/// The maximum number of times that a [`Recorder`] keeps for medians, of all steps and runs.
const MAX_TIMES: usize = 10_000_000;

/// Collects the times of steps while a backend runs. Times are nanoseconds since an origin of the caller.
#[derive(Debug, Default)]
pub struct Recorder {
    profile: Profile,
    /// The position of each step by its operator and name.
    known: HashMap<String, usize>,
    /// For each run that has ended, the times of the steps that were known then.
    times: Vec<Vec<u64>>,
    /// The time of each step in this run.
    in_run: Vec<u64>,
    /// The start of the run.
    begin: u64,
    /// Finished calls of this run that are not inside another one: start and length.
    finished: Vec<(u64, u64)>,
}

impl Recorder {
    /// Marks the start of a run.
    pub fn begin(&mut self, now: u64) {
        self.profile.steps.iter_mut().for_each(|step| step.slice = None);
        self.in_run.fill(0);
        self.finished.clear();
        self.begin = now;
    }

    /// Marks the end of a run.
    pub fn end(&mut self, now: u64) {
        self.profile.nanoseconds.push(now.saturating_sub(self.begin));
        if self.in_run.len().saturating_mul(self.times.len() + 1) <= MAX_TIMES {
            self.times.push(self.in_run.clone());
        }
    }

    /// Adds a call of a step that lasted from `start` to `end`. Calls are added in the order of their ends.
    /// Calls with the same name and operator belong to one step; `outputs` is called at the first of them.
    pub fn add(
        &mut self,
        name: &str,
        operator: &str,
        (start, end): (u64, u64),
        outputs: impl FnOnce() -> Vec<StepOutput>,
    ) {
        let length = end.saturating_sub(start);
        let own = length.saturating_sub(self.inside(start));
        self.finished.push((start, length));
        let steps = &mut self.profile.steps;
        let at = *self
            .known
            .entry(format!("{operator}\n{name}"))
            .or_insert(steps.len());
        if at == steps.len() {
            self.in_run.push(0);
            steps.push(Step {
                name: name.to_owned(),
                operator: operator.to_owned(),
                outputs: outputs(),
                ..Step::default()
            });
        }
        let step = &mut steps[at];
        step.calls += 1;
        step.nanoseconds += own;
        self.in_run[at] += own;
        step.slice
            .get_or_insert((start.saturating_sub(self.begin), length));
    }

    /// The time of the calls that began at `start` or later: a call that ends now contains them.
    fn inside(&mut self, start: u64) -> u64 {
        let mut sum = 0;
        while let Some((_, length)) = self.finished.pop_if(|(begin, _)| *begin >= start) {
            sum += length;
        }
        sum
    }

    /// Returns the profile of all runs.
    pub fn finish(mut self) -> Profile {
        if self.times.len() == self.profile.nanoseconds.len() {
            for (at, step) in self.profile.steps.iter_mut().enumerate() {
                // A step that was not known in a run has no time in it.
                let times = self.times.iter();
                step.median = median(
                    times
                        .map(|run| run.get(at).copied().unwrap_or_default())
                        .collect(),
                );
            }
        }
        self.profile
    }
}

/// The middle of the times, or the mean of the two in the middle; `None` if there are none.
fn median(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    let upper = *times.get(times.len() / 2)?;
    match times.len() % 2 {
        0 => times.get(times.len() / 2 - 1).map(|lower| lower.midpoint(upper)),
        _ => Some(upper),
    }
}

/// A clock for a [`Recorder`].
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Returns a clock whose origin is now.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Returns the nanoseconds since the origin.
    pub fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the nanoseconds from the origin to `instant`.
    pub fn at(&self, instant: Instant) -> u64 {
        let since = instant.saturating_duration_since(self.0);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Profile {
    /// Leaves out the shortest steps until the others take at most `bytes` as JSON.
    pub(crate) fn limit(&mut self, bytes: usize) {
        let size = |step: &Step| serde_json::to_vec(step).map_or(usize::MAX, |text| text.len() + 1);
        let mut longest: Vec<usize> = (0..self.steps.len()).collect();
        longest.sort_by_key(|&at| std::cmp::Reverse(self.steps[at].nanoseconds));
        let mut left = bytes;
        let mut kept = vec![false; self.steps.len()];
        for at in longest {
            match left.checked_sub(size(&self.steps[at])) {
                Some(rest) => left = rest,
                None => break,
            }
            kept[at] = true;
        }
        let mut kept = kept.into_iter();
        let before = self.steps.len();
        self.steps.retain(|_| kept.next().unwrap_or(false));
        self.omitted += (before - self.steps.len()) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(calls: &[(&str, u64, u64)], expected: &[(&str, u64, u64, (u64, u64))]) {
        let mut recorder = Recorder::default();
        for run in [0, 1000] {
            recorder.begin(run);
            for &(name, start, end) in calls {
                recorder.add(name, "Abs", (run + start, run + end), || {
                    vec![StepOutput::tensor(name, "float", &[2, 3])]
                });
            }
            recorder.end(run + 100);
        }
        let profile = recorder.finish();
        let found: Vec<_> = profile
            .steps
            .iter()
            .map(|step| {
                (
                    step.name.as_str(),
                    step.calls,
                    step.nanoseconds,
                    step.slice.unwrap(),
                )
            })
            .collect();
        assert_eq!(
            (found.as_slice(), profile.nanoseconds),
            (expected, vec![100, 100])
        );
        assert_eq!(profile.steps[0].outputs[0].shape, Some(vec![2, 3]));
    }

    #[test]
    fn calls_of_a_step_are_added() {
        check(
            &[("a", 1, 3), ("b", 3, 4), ("a", 10, 15)],
            &[("a", 4, 14, (1, 2)), ("b", 2, 2, (3, 1))],
        );
    }

    /// `loop` runs from 10 to 50 with three calls of its body, one of which contains another.
    #[test]
    fn a_call_does_not_include_the_calls_inside() {
        check(
            &[
                ("a", 0, 10),
                ("b", 12, 20),
                ("deep", 22, 25),
                ("c", 21, 30),
                ("b", 30, 45),
                ("loop", 10, 50),
                ("a", 50, 55),
            ],
            &[
                ("a", 4, 30, (0, 10)),
                ("b", 4, 46, (12, 8)),
                ("deep", 2, 6, (22, 3)),
                ("c", 2, 12, (21, 9)),
                ("loop", 2, 16, (10, 40)),
            ],
        );
    }

    /// `a` takes about 10 in each run but the third, which the system interrupts; `late` runs from the third
    /// on.
    #[test]
    fn a_run_that_is_interrupted_does_not_affect_the_median() {
        let mut recorder = Recorder::default();
        for (run, a, late) in [(0, 10, 0), (1, 12, 0), (2, 900, 5), (3, 10, 7), (4, 14, 9)] {
            let begin = run * 1000;
            recorder.begin(begin);
            recorder.add("a", "Abs", (begin, begin + a), Vec::new);
            if late > 0 {
                recorder.add("late", "Abs", (begin + a, begin + a + late), Vec::new);
            }
            recorder.end(begin + a + late);
        }
        let steps = recorder.finish().steps;
        let found: Vec<_> = steps.iter().map(|step| (step.nanoseconds, step.median)).collect();
        assert_eq!(found, [(946, Some(12)), (21, Some(5))]);
        assert_eq!((median(vec![4, 1]), median(Vec::new())), (Some(2), None));
    }

    #[test]
    fn the_longest_steps_are_kept() {
        let step = |name: &str, nanoseconds| Step {
            name: name.to_owned(),
            nanoseconds,
            ..Step::default()
        };
        let mut profile = Profile {
            steps: vec![step("a", 1), step("b", 9), step("c", 5)],
            ..Profile::default()
        };
        let one = serde_json::to_vec(&profile.steps[0]).unwrap().len() + 1;
        profile.limit(2 * one);
        let names: Vec<_> = profile.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!((names, profile.omitted), (vec!["b", "c"], 1));
    }
}
