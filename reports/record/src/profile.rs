//! The profile of a model: how long each backend takes for which nodes, and how far it is from the peak of
//! the machine.

/// The profiles of one model on some backends.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// The name of the model.
    pub model: String,
    /// The number of threads of each backend, where it can be set.
    pub threads: u32,
    /// All nodes of the model: those of the main graph in order, each followed by the nodes of its
    /// bodies; then the nodes of functions.
    pub nodes: Vec<ModelNode>,
    /// The peak rates of the machine, if they were measured.
    pub peak: Option<Peak>,
    /// The backends, in the order of the command line.
    pub backends: Vec<BackendProfile>,
}

/// A node of the model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModelNode {
    /// The name in the file, else the name of its first output.
    pub name: String,
    /// The operator, with the domain in front where that is not `ai.onnx`.
    pub operator: String,
    /// The position in [`Profile::nodes`] of the node whose body contains it.
    pub parent: Option<usize>,
    /// The attribute of that node that is the body; empty without a parent.
    pub body: String,
    /// The function of the model that contains it; empty for a node of a graph.
    pub function: String,
    /// The names of the values that it reads; an omitted one is empty.
    pub inputs: Vec<String>,
    /// The names of the values that it defines.
    pub outputs: Vec<String>,
    /// The type of its first output, such as `float[1,64,56,56]`; empty if it is not known.
    pub result: String,
    /// What one evaluation costs, if the shapes are known and the operator has a model of cost.
    pub cost: Option<Cost>,
}

/// The cost of an evaluation.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Multiplications, additions and other operations on numbers; a fused multiplication and
    /// addition counts as two.
    pub operations: f64,
    /// Bytes that are read and written at least: each operand and result once.
    pub bytes: f64,
}

/// The measured peak rates of a machine, with the threads of the profile.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Peak {
    /// Multiplications and additions of f32 in a second.
    pub operations: f64,
    /// Bytes in a second that are read again and again out of so many bytes, by increasing size:
    /// from caches, then from memory.
    pub bytes: Vec<(u64, f64)>,
}

impl Peak {
    /// The bytes in a second for work that touches so many bytes.
    pub fn bandwidth(&self, bytes: f64) -> f64 {
        let fits = self.bytes.iter().find(|(size, _)| bytes <= *size as f64);
        fits.or(self.bytes.last())
            .map_or(f64::INFINITY, |(_, rate)| *rate)
    }

    /// The least time in nanoseconds: at the peak of operations or of bytes, whichever takes longer.
    pub fn least_ns(&self, cost: Cost) -> f64 {
        let arithmetic = cost.operations / self.operations;
        let transfer = cost.bytes / self.bandwidth(cost.bytes);
        arithmetic.max(transfer) * 1e9
    }
}

/// The profile of a backend.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BackendProfile {
    /// The name.
    pub name: String,
    /// The version of its runtime.
    pub version: String,
    /// Why there is no profile; empty if there is one.
    pub problem: String,
    /// The time of each profiled run in nanoseconds. It includes the cost of the measurement.
    pub runs_ns: Vec<u64>,
    /// The steps in the order in which they first ran.
    pub steps: Vec<ProfiledStep>,
    /// The number of short steps that the worker left out.
    pub omitted: u64,
    /// Whether the worker knew the inputs when it loaded the model, so that outputs may have been computed
    /// before the runs.
    pub inputs_at_load: bool,
}

/// What a backend runs as one unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProfiledStep {
    /// The backend's name of it, with the names of the file.
    pub name: String,
    /// The backend's name of its operator.
    pub operator: String,
    /// The nodes of the model that it computes, as positions in [`Profile::nodes`]; empty for a
    /// step that the backend added.
    pub nodes: Vec<usize>,
    /// Calls in one run; a step that runs only in some of the runs has a fraction.
    pub calls: f64,
    /// The time in one run in nanoseconds, without the steps in bodies of its nodes: the median over the
    /// runs, or the mean if the worker reports no median.
    pub own_ns: f64,
    /// The start of the first call in the last run and its length, in nanoseconds.
    pub slice: Option<(u64, u64)>,
    /// The cost of its nodes in one run: all their operations, and the bytes that enter and leave the step.
    pub cost: Option<Cost>,
}

impl Profile {
    /// The operator of a step in tables: that of its most expensive node, the last one of several;
    /// of a step that the backend added, its own in parentheses.
    pub fn operator(&self, step: &ProfiledStep) -> String {
        let nodes = step.nodes.iter().filter_map(|&at| self.nodes.get(at));
        let cost = |node: &&ModelNode| node.cost.map_or(0.0, |cost| cost.operations);
        let costliest = nodes.reduce(|best, node| if cost(&node) >= cost(&best) { node } else { best });
        match costliest {
            Some(node) => node.operator.clone(),
            None if step.operator.is_empty() => "(added)".to_owned(),
            None => format!("({})", step.operator),
        }
    }

    /// The part of the peak that a step reaches: 1 if it takes no longer than the roof allows.
    pub fn of_peak(&self, step: &ProfiledStep) -> Option<f64> {
        let least = self.peak.as_ref()?.least_ns(step.cost?);
        (step.own_ns > 0.0 && least > 0.0).then_some(least / step.own_ns)
    }
}

impl BackendProfile {
    /// The median time of a run in nanoseconds.
    pub fn run_ns(&self) -> f64 {
        let mut sorted = self.runs_ns.clone();
        sorted.sort_unstable();
        let middle = sorted.len() / 2;
        match (sorted.get(middle), sorted.len() % 2) {
            (None, _) => 0.0,
            (Some(upper), 0) => (sorted[middle - 1] as f64).midpoint(*upper as f64),
            (Some(upper), _) => *upper as f64,
        }
    }

    /// The time of all steps in a run in nanoseconds.
    pub fn steps_ns(&self) -> f64 {
        self.steps.iter().map(|step| step.own_ns).sum()
    }

    /// The steps, the longest first.
    pub fn longest(&self) -> Vec<&ProfiledStep> {
        let mut steps: Vec<&ProfiledStep> = self.steps.iter().collect();
        steps.sort_by(|a, b| b.own_ns.total_cmp(&a.own_ns));
        steps
    }
}

/// All steps of an operator.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OperatorTime {
    /// The operator, as [`Profile::operator`] names it.
    pub operator: String,
    /// The time in one run in nanoseconds.
    pub own_ns: f64,
    /// The calls in one run.
    pub calls: f64,
    /// The number of steps.
    pub steps: usize,
    /// The least time of the steps whose cost is known, and the time of these steps.
    pub least_of: (f64, f64),
}

impl OperatorTime {
    /// The part of the peak that the steps with a known cost reach together.
    pub fn of_peak(&self) -> Option<f64> {
        let (least, own) = self.least_of;
        (own > 0.0 && least > 0.0).then_some(least / own)
    }
}

impl Profile {
    /// The operators of a backend, the longest first.
    pub fn operators(&self, backend: &BackendProfile) -> Vec<OperatorTime> {
        let mut found = std::collections::BTreeMap::<String, OperatorTime>::new();
        for step in &backend.steps {
            let operator = self.operator(step);
            let entry = found.entry(operator.clone()).or_insert_with(|| OperatorTime {
                operator,
                ..OperatorTime::default()
            });
            entry.own_ns += step.own_ns;
            entry.calls += step.calls;
            entry.steps += 1;
            if let (Some(peak), Some(cost)) = (&self.peak, step.cost) {
                entry.least_of.0 += peak.least_ns(cost);
                entry.least_of.1 += step.own_ns;
            }
        }
        let mut list: Vec<OperatorTime> = found.into_values().collect();
        list.sort_by(|a, b| b.own_ns.total_cmp(&a.own_ns));
        list
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    /// A processor with 10 operations and, out of at most 100 bytes, 4 bytes in a nanosecond; else 1 byte.
    fn peak() -> Peak {
        Peak {
            operations: 10e9,
            bytes: vec![(100, 4e9), (1000, 1e9)],
        }
    }

    #[track_caller]
    fn check(operations: f64, bytes: f64, least_ns: f64) {
        let found = peak().least_ns(Cost { operations, bytes });
        assert_abs_diff_eq!(found, least_ns, epsilon = 1e-9);
    }

    #[test]
    fn the_slower_of_arithmetic_and_transfer_is_the_roof() {
        check(1000.0, 40.0, 100.0);
        check(10.0, 40.0, 10.0);
        check(10.0, 400.0, 400.0);
        check(10.0, 1e6, 1e6);
        check(0.0, 0.0, 0.0);
    }

    #[test]
    fn a_step_has_the_operator_of_its_costliest_node() {
        let node = |operator: &str, operations| ModelNode {
            operator: operator.to_owned(),
            cost: Some(Cost {
                operations,
                bytes: 8.0,
            }),
            ..ModelNode::default()
        };
        let profile = Profile {
            nodes: vec![node("Relu", 5.0), node("Conv", 90.0), node("Clip", 5.0)],
            ..Profile::default()
        };
        let named = |nodes: &[usize], operator: &str| {
            profile.operator(&ProfiledStep {
                nodes: nodes.to_vec(),
                operator: operator.to_owned(),
                ..ProfiledStep::default()
            })
        };
        assert_eq!(named(&[0, 1, 2], "FusedConv"), "Conv");
        assert_eq!(named(&[0, 2], "x"), "Clip");
        assert_eq!(
            [named(&[], "ReorderInput"), named(&[], "")],
            ["(ReorderInput)", "(added)"]
        );
    }
}
