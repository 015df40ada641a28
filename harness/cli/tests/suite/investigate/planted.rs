//! Faults planted in generated networks of 100 to 1,000 nodes: `locate` must find the node.
//!
//! Ten of them by default;
//! `PLANTED_FAULTS=100 cargo test -p harness-cli --test suite investigate -- --nocapture` prints
//! the figures of a hundred.

use std::time::{Duration, Instant};

use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Location, Options, Team, locate};

use super::faulty;
use super::networks::{Network, network};

/// The minimum deviation of the backend, so that there is a fault to locate.
const OBSERVABLE: f64 = 1e-5;

/// The number of planted faults.
pub fn count() -> u64 {
    let asked = std::env::var("PLANTED_FAULTS")
        .ok()
        .and_then(|text| text.parse().ok());
    asked.unwrap_or(10)
}

/// The next network with a fault that changes its outputs, from the seeds `from` on, with the result of
/// `locate`.
fn observable(from: &mut u64, number: u64) -> (Network, String, Location, Duration) {
    loop {
        *from += 1;
        let size = 100 + (number * 900 / count().max(2).saturating_sub(1)) as usize;
        let (network, fault) = network(*from, size.min(1000));
        let (mut reference, mut backend) = (faulty("none"), faulty(&fault));
        let mut team = Team {
            reference: &mut reference,
            backend: &mut backend,
            others: &mut [],
        };
        let began = Instant::now();
        let given = Given::model(&network.model, network.inputs.clone());
        let found = locate(&given, Options::default(), &mut team).expect("a location");
        if found.outputs.is_none_or(|apart| apart > OBSERVABLE) {
            return (network, fault, found, began.elapsed());
        }
    }
}

#[test]
fn locate_finds_the_node_with_the_fault() {
    let (mut seed, mut missed, mut times) = (0, Vec::new(), Vec::new());
    for number in 0..count() {
        let (network, fault, found, took) = observable(&mut seed, number);
        times.push(took);
        let name = fault.split(':').next().expect("a node");
        let named = match &found.finding {
            Finding::Node(fault) => fault.path.first().is_some_and(|node| node == name),
            Finding::Right { .. } | Finding::Together { .. } | Finding::WholeFile(_) | Finding::Fails(_) => {
                false
            }
        };
        if !named {
            missed.push(format!(
                "seed {seed}, {} nodes, {fault}: {:?}",
                network.model.graph.nodes.len(),
                found.finding
            ));
        }
    }
    times.sort();
    println!(
        "{} of {} faults located, median {:?}, longest {:?}",
        times.len() - missed.len(),
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
    let allowed = times.len() * 2 / 100;
    assert!(
        missed.len() <= allowed,
        "{} missed: {}",
        missed.len(),
        missed.join("\n")
    );
}
