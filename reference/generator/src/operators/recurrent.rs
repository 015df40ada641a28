//! Recurrent layers.

use super::{Declaration, of};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("GRU", |d| {
        // Version 1 has one form of the reset gate.
        d.flag("linear_before_reset", false);
        layer(d, 3, &["Sigmoid", "Tanh"], false)
    }),
    of("LSTM", |d| {
        d.flag("input_forget", false);
        layer(d, 4, &["Sigmoid", "Tanh", "Tanh"], true)
    }),
    of("RNN", |d| layer(d, 1, &["Tanh"], false)),
];

/// Weights that keep the gates out of saturation.
const WEIGHT: Domain = Domain::from(-1.0, 1.0);

/// Functions with their parameters: (alpha, beta).
const ACTIVATIONS: [(&str, Option<f32>, Option<f32>); 11] = [
    ("Affine", Some(0.5), Some(0.25)),
    ("Elu", Some(0.5), None),
    ("HardSigmoid", Some(0.25), Some(0.5)),
    ("LeakyRelu", Some(0.25), None),
    ("Relu", None, None),
    ("ScaledTanh", Some(0.5), Some(2.0)),
    ("Sigmoid", None, None),
    ("Softplus", None, None),
    ("Softsign", None, None),
    ("Tanh", None, None),
    ("ThresholdedRelu", Some(0.5), None),
];

/// `gates` matrices in W and R; an LSTM also has a cell state and peepholes.
fn layer(d: &mut Draft, gates: usize, usual: &[&str], cell: bool) -> Made {
    let directions = match d
        .mode_among("direction", &["forward", "reverse", "bidirectional"])
        .as_str()
    {
        "bidirectional" => 2,
        // The default of GRU-1 is misspelt and its meaning undefined, so it is always given.
        "foward" => return Err(crate::Reject("the default direction is misspelt")),
        _ => 1,
    };
    let (length, batch) = (1 + d.draws.below(4), 1 + d.draws.below(3));
    let (input, hidden) = (1 + d.draws.below(3), 1 + d.draws.below(3));
    let batch_first = d.flag("layout", false);
    d.flag("output_sequence", true);
    if d.since() < 7 || d.whether("hidden_size") {
        d.int("hidden_size", hidden as i64);
    }
    activations(d, usual, directions);
    if d.pick("clip", &["absent", "given"]) == "given" {
        d.float("clip", 0.75);
    }
    let shape = |rows: usize, rest: &[usize]| -> Vec<usize> {
        let (first, second) = if batch_first { (batch, rows) } else { (rows, batch) };
        [&[first, second], rest].concat()
    };
    d.input(&shape(length, &[input]), WEIGHT)?;
    d.input(&[directions, gates * hidden, input], WEIGHT)?;
    d.input(&[directions, gates * hidden, hidden], WEIGHT)?;
    d.optional("B", &[directions, 2 * gates * hidden], WEIGHT)?;
    if d.whether("sequence_lens") {
        let lengths: Vec<i64> = (0..batch).map(|_| 1 + d.draws.below(length) as i64).collect();
        d.numbers(&lengths)?;
    } else {
        d.skip();
    }
    d.optional("initial_h", &shape(directions, &[hidden]), WEIGHT)?;
    if cell {
        d.optional("initial_c", &shape(directions, &[hidden]), WEIGHT)?;
        d.optional("P", &[directions, 3 * hidden], WEIGHT)?;
    }
    Ok(())
}

/// Replaces the first function of each direction, with its parameters.
fn activations(d: &mut Draft, usual: &[&str], directions: usize) {
    let names: Vec<&str> = ACTIVATIONS.iter().map(|(name, ..)| *name).collect();
    let first = d.pick("activations", &[&["absent"][..], &names].concat());
    let Some((name, alpha, beta)) = ACTIVATIONS.iter().find(|(name, ..)| *name == first) else {
        return;
    };
    let one: Vec<&str> = [&[*name][..], &usual[1..]].concat();
    d.texts("activations", &one.repeat(directions));
    // Only functions with a parameter take one from the list, in order.
    for (attribute, value) in [("activation_alpha", alpha), ("activation_beta", beta)] {
        if let Some(value) = value {
            d.floats(attribute, &vec![*value; directions]);
        }
    }
}
