//! Compares recurrent networks with plain loops in f64, on every instruction set of this machine.

use crate::common::{pools, values};
use native_kernels::recurrent::{Cell, Direction, Parameters, Results, Sequences, recurrent};
use native_kernels::{Activation, Isa, Pool};

/// The sizes and options of a network.
#[derive(Clone, Copy, Debug)]
struct Case {
    cell: Cell,
    /// Whether each direction reads the steps backwards.
    reverse: &'static [bool],
    steps: usize,
    batch: usize,
    input: usize,
    hidden: usize,
    batch_first: bool,
    clip: Option<f32>,
    /// Whether biases, peepholes, first states and lengths are given.
    given: [bool; 4],
}

/// The operands of a case.
struct Operands {
    x: Vec<f32>,
    w: Vec<f32>,
    r: Vec<f32>,
    bias: Vec<f32>,
    peepholes: Vec<f32>,
    hidden: Vec<f32>,
    cell: Vec<f32>,
    lengths: Vec<usize>,
}

const SIGMOID: Activation = Activation::Sigmoid;
const TANH: Activation = Activation::Tanh;
const RNN: Cell = Cell::Rnn { activation: TANH };

const fn gru(reset_after: bool) -> Cell {
    Cell::Gru {
        gate: SIGMOID,
        candidate: TANH,
        reset_after,
    }
}

const fn lstm(coupled: bool) -> Cell {
    Cell::Lstm {
        gate: SIGMOID,
        candidate: TANH,
        result: TANH,
        coupled,
    }
}

impl Operands {
    fn new(case: &Case) -> Operands {
        let directions = case.reverse.len();
        let rows = case.cell.gates() * case.hidden;
        // Weights that keep the sums in the range where activations are not saturated.
        let scale = 1.5 / ((case.input + case.hidden) as f32).sqrt();
        let scaled = |seed: u64, len: usize| values(seed, len).into_iter().map(|x| x * scale).collect();
        let state = directions * case.batch * case.hidden;
        Operands {
            x: values(1, case.steps * case.batch * case.input),
            w: scaled(2, directions * rows * case.input),
            r: scaled(3, directions * rows * case.hidden),
            bias: scaled(4, directions * 2 * rows),
            peepholes: values(5, directions * 3 * case.hidden),
            hidden: values(6, state),
            cell: values(7, state),
            lengths: (0..case.batch)
                .map(|row| (row * 3 + 1) % (case.steps + 1))
                .collect(),
        }
    }
}

/// Returns all states, the last states and the last cells.
fn computed(case: &Case, operands: &Operands, pool: &Pool) -> [Vec<f32>; 3] {
    let directions = case.reverse.len();
    let rows = case.cell.gates() * case.hidden;
    let direction = |(which, reverse): (usize, &bool)| {
        let part = |all: &'_ [f32], len: usize| all[which * len..][..len].to_vec();
        let (w, r) = (
            part(&operands.w, rows * case.input),
            part(&operands.r, rows * case.hidden),
        );
        let (bias, peepholes) = (
            part(&operands.bias, 2 * rows),
            part(&operands.peepholes, 3 * case.hidden),
        );
        let parameters = Parameters {
            w: &w,
            r: &r,
            bias: case.given[0].then_some(&bias),
            peepholes: case.given[1].then_some(&peepholes),
        };
        let sizes = [case.input, case.hidden];
        Direction::new(pool, case.cell, case.clip, *reverse, sizes, &parameters).unwrap()
    };
    let packed: Vec<Direction> = case.reverse.iter().enumerate().map(direction).collect();
    let state = directions * case.batch * case.hidden;
    let mut results = [case.steps * state, state, state].map(|len| vec![f32::NAN; len]);
    let [all, hidden, cell] = &mut results;
    let sequences = Sequences {
        x: &operands.x,
        steps: case.steps,
        batch: case.batch,
        batch_first: case.batch_first,
        hidden: case.given[2].then_some(&operands.hidden),
        cell: case.given[2].then_some(&operands.cell),
        lengths: case.given[3].then_some(&operands.lengths),
    };
    let wanted = Results {
        all: Some(all),
        hidden: Some(hidden),
        cell: Some(cell),
    };
    recurrent(pool, &packed, &sequences, wanted).unwrap();
    results
}

fn function(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        Activation::Relu => x.max(0.0),
        Activation::LeakyRelu { slope } => {
            if x < 0.0 {
                f64::from(slope) * x
            } else {
                x
            }
        }
        Activation::HardSigmoid { alpha, beta } => (f64::from(alpha) * x + f64::from(beta)).clamp(0.0, 1.0),
        other => unreachable!("no case has {other:?}"),
    }
}

/// One step in f64, by the equations of the specification: the next state and cell of one sequence.
fn step(
    case: &Case,
    operands: &Operands,
    which: usize,
    x: &[f32],
    h: &[f64],
    c: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (units, rows) = (case.hidden, case.cell.gates() * case.hidden);
    let wide = |x: f32| f64::from(x);
    let limit = case.clip.map_or(f64::INFINITY, f64::from);
    let clip = |x: f64| x.clamp(-limit, limit);
    let of_input = |row: usize| -> f64 {
        let weights = &operands.w[(which * rows + row) * case.input..][..case.input];
        weights.iter().zip(x).map(|(w, x)| wide(*w) * wide(*x)).sum()
    };
    let of_state = |row: usize, h: &[f64]| -> f64 {
        let weights = &operands.r[(which * rows + row) * units..][..units];
        weights.iter().zip(h).map(|(r, h)| wide(*r) * h).sum()
    };
    let bias = |half: usize, row: usize| {
        if case.given[0] {
            wide(operands.bias[(which * 2 + half) * rows + row])
        } else {
            0.0
        }
    };
    let sum = |row: usize| of_input(row) + of_state(row, h) + bias(0, row) + bias(1, row);
    let peep = |gate: usize, unit: usize, c: f64| {
        if case.given[1] {
            wide(operands.peepholes[(which * 3 + gate) * units + unit]) * c
        } else {
            0.0
        }
    };
    let (mut next, mut cells) = (vec![0.0; units], c.to_vec());
    for unit in 0..units {
        match case.cell {
            Cell::Rnn { activation } => next[unit] = function(activation, clip(sum(unit))),
            Cell::Gru {
                gate,
                candidate,
                reset_after,
            } => {
                let open = |gates: usize, unit: usize| function(gate, clip(sum(gates * units + unit)));
                let row = 2 * units + unit;
                let recurrent = if reset_after {
                    open(1, unit) * (of_state(row, h) + bias(1, row))
                } else {
                    let kept: Vec<f64> = (0..units).map(|unit| open(1, unit) * h[unit]).collect();
                    of_state(row, &kept) + bias(1, row)
                };
                let fresh = function(candidate, clip(of_input(row) + bias(0, row) + recurrent));
                let update = open(0, unit);
                next[unit] = (1.0 - update) * fresh + update * h[unit];
            }
            Cell::Lstm {
                gate,
                candidate,
                result,
                coupled,
            } => {
                let sum = |gate: usize| sum(gate * units + unit);
                let enter = function(gate, clip(sum(0) + peep(0, unit, c[unit])));
                let forget = if coupled {
                    1.0 - enter
                } else {
                    function(gate, clip(sum(2) + peep(2, unit, c[unit])))
                };
                cells[unit] = forget * c[unit] + enter * function(candidate, clip(sum(3)));
                let leave = function(gate, clip(sum(1) + peep(1, unit, cells[unit])));
                next[unit] = leave * function(result, clip(cells[unit]));
            }
        }
    }
    (next, cells)
}

/// Returns the results of [`computed`] in f64.
fn expected(case: &Case, operands: &Operands) -> [Vec<f64>; 3] {
    let (directions, units) = (case.reverse.len(), case.hidden);
    let state = directions * case.batch * units;
    let mut results = [case.steps * state, state, state].map(|len| vec![0.0; len]);
    for (which, &reverse) in case.reverse.iter().enumerate() {
        for row in 0..case.batch {
            let at = if case.batch_first {
                (row * directions + which) * units
            } else {
                (which * case.batch + row) * units
            };
            let first = |given: &[f32]| {
                if case.given[2] {
                    given[at..][..units].iter().map(|&x| f64::from(x)).collect()
                } else {
                    vec![0.0; units]
                }
            };
            let (mut h, mut c) = (first(&operands.hidden), first(&operands.cell));
            let length = if case.given[3] {
                operands.lengths[row]
            } else {
                case.steps
            };
            for number in 0..length {
                let time = if reverse { length - 1 - number } else { number };
                let (from, to) = if case.batch_first {
                    (
                        row * case.steps + time,
                        ((row * case.steps + time) * directions + which) * units,
                    )
                } else {
                    (
                        time * case.batch + row,
                        ((time * directions + which) * case.batch + row) * units,
                    )
                };
                let x = &operands.x[from * case.input..][..case.input];
                (h, c) = step(case, operands, which, x, &h, &c);
                results[0][to..to + units].copy_from_slice(&h);
            }
            results[1][at..at + units].copy_from_slice(&h);
            results[2][at..at + units].copy_from_slice(&c);
        }
    }
    results
}

#[track_caller]
fn check(case: Case) {
    let operands = Operands::new(&case);
    let expected = expected(&case, &operands);
    let count = if matches!(case.cell, Cell::Lstm { .. }) {
        3
    } else {
        2
    };
    // The error of a sum grows with its terms, and states carry it from step to step.
    let bound = 4e-7 * (8 + case.input + case.hidden) as f64;
    for pool in pools() {
        let got = computed(&case, &operands, &pool);
        for (which, (got, expected)) in got.iter().zip(&expected).take(count).enumerate() {
            for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
                let error = (f64::from(*got) - expected).abs();
                assert!(
                    error <= bound * expected.abs().max(1.0),
                    "{pool:?} {case:?}: element {at} of result {which} is {got}, expected {expected}"
                );
            }
        }
    }
}

const CASE: Case = Case {
    cell: RNN,
    reverse: &[false],
    steps: 5,
    batch: 3,
    input: 7,
    hidden: 19,
    batch_first: false,
    clip: None,
    given: [true, false, true, false],
};
const BOTH: &[bool] = &[false, true];
const CELLS: [Cell; 5] = [RNN, gru(false), gru(true), lstm(false), lstm(true)];

#[test]
fn every_cell_over_every_size() {
    // Steps, batch, input, hidden: nothing, one of each, one more than vectors, tiles and chunks.
    for [steps, batch, input, hidden] in [
        [0, 2, 3, 4],
        [1, 1, 1, 1],
        [3, 0, 2, 5],
        [4, 2, 0, 3],
        [6, 1, 5, 33],
        [9, 2, 16, 16],
        [2, 4, 40, 129],
        [115, 1, 3, 8],
        [3, 130, 2, 9],
        [4, 65, 1, 17],
    ] {
        for cell in CELLS {
            for reverse in [&[false][..], &[true], BOTH] {
                check(Case {
                    cell,
                    reverse,
                    steps,
                    batch,
                    input,
                    hidden,
                    ..CASE
                });
            }
        }
    }
}

#[test]
fn every_option() {
    for cell in CELLS {
        for batch_first in [false, true] {
            for clip in [None, Some(0.4)] {
                for options in 0..16 {
                    check(Case {
                        cell,
                        reverse: BOTH,
                        batch_first,
                        clip,
                        given: [0, 1, 2, 3].map(|bit| options >> bit & 1 == 1),
                        ..CASE
                    });
                }
            }
        }
    }
}

#[test]
fn other_activations() {
    let hard = Activation::HardSigmoid {
        alpha: 0.3,
        beta: 0.4,
    };
    let leaky = Activation::LeakyRelu { slope: 0.1 };
    for cell in [
        Cell::Rnn {
            activation: Activation::Relu,
        },
        Cell::Gru {
            gate: hard,
            candidate: leaky,
            reset_after: true,
        },
        Cell::Lstm {
            gate: hard,
            candidate: leaky,
            result: Activation::Relu,
            coupled: false,
        },
    ] {
        check(Case { cell, ..CASE });
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for cell in CELLS {
        // The last has columns that are divided among threads.
        for (batch, hidden, reverse) in [(5, 20, BOTH), (70, 9, &[true][..]), (1, 400, &[false])] {
            let case = Case {
                cell,
                batch,
                hidden,
                reverse,
                given: [true; 4],
                ..CASE
            };
            let operands = Operands::new(&case);
            for isa in Isa::available() {
                let with = |threads| computed(&case, &operands, &Pool::with_isa(threads, isa).unwrap());
                let bits = |results: [Vec<f32>; 3]| {
                    results.map(|all| all.into_iter().map(f32::to_bits).collect::<Vec<_>>())
                };
                let one = bits(with(1));
                for threads in [2, 3, 5] {
                    assert!(one == bits(with(threads)), "{case:?} on {threads} threads");
                }
            }
        }
    }
}

#[test]
fn short_slices_are_errors() {
    let pool = Pool::new(1);
    let parameters = Parameters {
        w: &[0.0; 8],
        r: &[0.0; 16],
        bias: None,
        peepholes: None,
    };
    let new = |sizes| Direction::new(&pool, lstm(false), None, false, sizes, &parameters);
    assert!(new([1, 2]).is_ok());
    for sizes in [[2, 2], [1, 3], [1, 0], [usize::MAX, 2], [1, usize::MAX]] {
        assert!(new(sizes).is_err(), "{sizes:?}");
    }
    let directions = [new([1, 2]).unwrap()];
    let run = |x: &[f32], lengths: &[usize], all: &mut [f32]| {
        let sequences = Sequences {
            x,
            steps: 3,
            batch: 2,
            batch_first: false,
            lengths: Some(lengths),
            hidden: None,
            cell: None,
        };
        let results = Results {
            all: Some(all),
            ..Results::default()
        };
        recurrent(&pool, &directions, &sequences, results)
    };
    assert!(run(&[0.0; 6], &[3, 2], &mut [0.0; 12]).is_ok());
    assert!(run(&[0.0; 5], &[3, 2], &mut [0.0; 12]).is_err());
    assert!(run(&[0.0; 6], &[3], &mut [0.0; 12]).is_err());
    assert!(run(&[0.0; 6], &[4, 2], &mut [0.0; 12]).is_err());
    assert!(run(&[0.0; 6], &[3, 2], &mut [0.0; 11]).is_err());
}
