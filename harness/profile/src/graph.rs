//! The model as a graph, coloured by the times of a profile.

use std::collections::HashMap;

use harness_investigate::subject::Subject;
use harness_investigate::survey::{Outcome, Survey};
use run_record::graph::{Layer, Mark, ModelGraph};
use run_record::profile::{BackendProfile, ModelNode, Profile, ProfiledStep};
use run_record::text::counted;

/// The graph of a profiled model, with the time of each node and its part of the peak for each backend.
pub fn graph(profile: &Profile, subject: &Subject) -> ModelGraph {
    let graph = &subject.model.graph;
    let measured = profile
        .backends
        .iter()
        .filter(|backend| !backend.steps.is_empty());
    ModelGraph {
        model: profile.model.clone(),
        inputs: graph
            .inputs
            .iter()
            .filter(|info| graph.initializer(&info.name).is_none())
            .map(|info| info.name.clone())
            .collect(),
        outputs: graph.outputs.iter().map(|info| info.name.clone()).collect(),
        nodes: profile.nodes.clone(),
        layers: measured
            .flat_map(|backend| [time(profile, backend), distance(profile, backend)])
            .flatten()
            .collect(),
    }
}

/// The steps of each node.
fn by_node(backend: &BackendProfile) -> HashMap<usize, Vec<&ProfiledStep>> {
    let mut found: HashMap<usize, Vec<&ProfiledStep>> = HashMap::new();
    for step in &backend.steps {
        for &node in &step.nodes {
            found.entry(node).or_default().push(step);
        }
    }
    found
}

fn layer(
    profile: &Profile,
    backend: &BackendProfile,
    name: &str,
    about: &str,
    mark: impl Fn(&[&ProfiledStep]) -> Option<Mark>,
) -> Layer {
    let steps = by_node(backend);
    let mark = |at: usize| steps.get(&at).and_then(|steps| mark(steps));
    Layer {
        name: format!("{name}, {}", backend.name),
        about: about.to_owned(),
        marks: (0..profile.nodes.len()).map(mark).collect(),
    }
}

fn time(profile: &Profile, backend: &BackendProfile) -> Option<Layer> {
    let sum = |steps: &[&ProfiledStep]| steps.iter().map(|step| step.own_ns).sum::<f64>();
    let steps = by_node(backend);
    let most = steps.values().map(|steps| sum(steps)).fold(0.0, f64::max);
    let run = backend.run_ns().max(1.0);
    let about = "The time of the steps that compute a node, as a part of the longest. Nodes without a colour have no step: they were folded or removed.";
    Some(layer(profile, backend, "time", about, |steps| {
        let own = sum(steps);
        let together = steps.iter().map(|step| step.nodes.len()).max().unwrap_or(1);
        let with = match together {
            0 | 1 => String::new(),
            nodes => format!(", together with {}", counted(nodes - 1, "node")),
        };
        Some(Mark {
            // A root, so that nodes of a hundredth of the longest still differ from those of nothing.
            strength: (own / most.max(1.0)).sqrt(),
            text: format!(
                "{:.1} µs, {:.1} % of the run{with}",
                own / 1000.0,
                100.0 * own / run
            ),
        })
    }))
}

fn distance(profile: &Profile, backend: &BackendProfile) -> Option<Layer> {
    profile.peak.as_ref()?;
    let about = "How far the step of a node is from the peak of the machine: strong is far. Nodes without a colour have no model of cost.";
    Some(layer(
        profile,
        backend,
        "distance from the peak",
        about,
        |steps| {
            let costly = steps.iter().max_by(|a, b| a.own_ns.total_cmp(&b.own_ns))?;
            let part = profile.of_peak(costly)?;
            Some(Mark {
                strength: 1.0 - part.min(1.0),
                text: format!("{:.0} % of the peak", 100.0 * part),
            })
        },
    ))
}

/// Adds what each backend does with every node alone: the error of its answer, and whether it runs the node.
pub fn add_survey(graph: &mut ModelGraph, backends: &[String], survey: &Survey) {
    let mut makers = HashMap::new();
    let in_main = |node: &ModelNode| node.parent.is_none() && node.function.is_empty();
    for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| in_main(node)) {
        makers.extend(node.outputs.iter().map(|name| (name.clone(), at)));
    }
    for (place, backend) in backends.iter().enumerate() {
        let mut layers = [("error", ERROR), ("support", SUPPORT)].map(|(name, about)| Layer {
            name: format!("{name}, {backend}"),
            about: about.to_owned(),
            marks: vec![None; graph.nodes.len()],
        });
        for alone in &survey.nodes {
            let node = alone.outputs.iter().find_map(|name| makers.get(name));
            if let (Some(&node), Some(outcome)) = (node, alone.results.get(place)) {
                let [error, support] = &mut layers;
                error.marks[node] = error_of(outcome);
                support.marks[node] = Some(support_of(outcome));
            }
        }
        graph.layers.extend(layers);
    }
}

const ERROR: &str = "The error of a node alone, with the inputs that the reference computed: pale is exact, the middle is at the limit of the node's own rounding noise, strong is beyond. Nodes without a colour gave no answer or are random.";
const SUPPORT: &str = "Whether the backend runs a node alone: strong is a node on which it gives no answer.";

fn error_of(outcome: &Outcome) -> Option<Mark> {
    let Outcome::Answered(local) = outcome else {
        return None;
    };
    let part = local.of_limit;
    let words = match part {
        part if part.is_nan() => local.standing.words().to_owned(),
        part => format!("{}, {part:.3} of the limit of its noise", local.standing.words()),
    };
    Some(if local.is_wrong() {
        // Twice the limit is already as strong as it gets.
        Mark {
            strength: if part.is_nan() {
                1.0
            } else {
                (part / 2.0).clamp(0.6, 1.0)
            },
            text: format!("{words}: {}", local.reason),
        }
    } else {
        Mark {
            strength: if part.is_nan() {
                0.0
            } else {
                (part / 2.0).clamp(0.0, 0.5)
            },
            text: words,
        }
    })
}

fn support_of(outcome: &Outcome) -> Mark {
    match outcome {
        Outcome::Answered(_) | Outcome::Random => Mark {
            strength: 0.0,
            text: "runs".to_owned(),
        },
        Outcome::Failed(judgement) => Mark {
            strength: 1.0,
            text: format!("{}: {}", judgement.verdict.kind().key(), judgement.reason),
        },
    }
}
