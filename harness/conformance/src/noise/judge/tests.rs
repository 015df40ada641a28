//! Answers that are right and wrong by given runs.

use onnx_tensor::Tensor;

use super::*;
use crate::noise::{Spread, Unspecified};

mod decisions;

fn spread(runs: &[&[f32]]) -> Spread {
    let of = |run: &[f32]| Spread::of(&Tensor::vector(run.to_vec())).expect("floats");
    runs[1..]
        .iter()
        .fold(of(runs[0]), |sum, run| sum.join(&of(run)).expect("one shape"))
}

fn evidence(center: &[f32], runs: &[&[f32]]) -> Evidence {
    let floor = Floor::new(&spread(&[center]), &spread(runs)).expect("a floor");
    Evidence {
        floors: [("y".to_owned(), vec![(Arithmetic::Rounded, floor)])].into(),
        ..Evidence::default()
    }
}

#[track_caller]
fn check(center: &[f32], runs: &[&[f32]], observed: &[f64], wanted: fn(&Explanation) -> bool) -> Judgement {
    let found = judge(&evidence(center, runs), "y", observed).expect("evidence");
    assert!(wanted(&found.explanation), "{found:?}");
    found
}

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn is_nothing(explanation: &Explanation) -> bool {
    matches!(explanation, Explanation::Nothing(_))
}

fn is_rounding(explanation: &Explanation) -> bool {
    *explanation == Explanation::Arithmetic(Arithmetic::Rounded)
}

/// A number in place of NaN or an infinity is wrong, also beside elements that are right.
#[test]
fn kinds_must_agree() {
    for (center, seen) in [
        (NAN, 0.0),
        (INF, 900.0),
        (-INF, 5.0),
        (INF, f64::NEG_INFINITY),
        (1.0, f64::NAN),
    ] {
        let same: [&[f32]; 2] = [&[1.0, center], &[1.0, center]];
        check(same[0], &same, &[1.0, seen], is_nothing);
        let seen = f64::from(center);
        check(same[0], &same, &[1.0, seen], |found| *found == Explanation::Equal);
    }
}

/// A result that no rounding reaches has one value; few elements may have kept theirs by chance.
#[test]
fn what_no_run_changes_is_exact() {
    let ulp = 1.0 + f64::from(f32::EPSILON);
    let many: [&[f32]; 2] = [&[1.0; 8]; 2];
    let with = |first: f64| [&[first][..], &[1.0; 7]].concat();
    check(many[0], &many, &with(1.0), |found| *found == Explanation::Equal);
    check(many[0], &many, &with(ulp), is_nothing);
    let few: [&[f32]; 2] = [&[1.0; 3]; 2];
    check(few[0], &few, &with(ulp)[..3], is_rounding);
}

/// An element that overflows in some honest runs may be either.
#[test]
fn runs_may_disagree_about_the_kind() {
    let runs: [&[f32]; 2] = [&[1.0, INF], &[1.0, 3e38]];
    let found = check(runs[1], &runs, &[1.0, f64::INFINITY], is_rounding);
    assert_eq!(found.unsettled, 1);
    check(runs[1], &runs, &[1.0, f64::NAN], is_nothing);
    // A finite number is held against the finite ones.
    let roots: [&[f32]; 4] = [&[5.0, 1e-3], &[5.0, NAN], &[5.0, 2e-3], &[5.0, NAN]];
    check(&[5.0, NAN], &roots, &[5.0, 1.5e-3], is_rounding);
    check(&[5.0, NAN], &roots, &[5.0, 400.0], is_nothing);
}

/// An integer that depends on rounding may have the values that honest runs have; a quantized value also
/// those next to them.
#[test]
fn integers_are_those_of_honest_runs() {
    let check = |runs: [Tensor; 3], seen: f64, right: bool| {
        let spread = |tensor: &Tensor| Spread::of(tensor).expect("numbers");
        let noisy = spread(&runs[1]).join(&spread(&runs[2])).expect("one shape");
        let floor = Floor::new(&spread(&runs[0]), &noisy).expect("a floor");
        let evidence = Evidence {
            floors: [("y".to_owned(), vec![(Arithmetic::Rounded, floor)])].into(),
            ..Evidence::default()
        };
        let found = judge(&evidence, "y", &[5.0, seen]).expect("evidence");
        assert_eq!(!is_nothing(&found.explanation), right, "{seen}: {found:?}");
    };
    let indices = || [0_i64, 1, 700].map(|index| Tensor::vector(vec![5, index]));
    for (seen, right) in [
        (700.0, true),
        (1.0, true),
        (2.0, false),
        (-5.0, false),
        (999.0, false),
    ] {
        check(indices(), seen, right);
    }
    let levels = || [10_u8, 12, 11].map(|level| Tensor::vector(vec![5, level]));
    for (seen, right) in [
        (12.0, true),
        (14.0, true),
        (8.0, true),
        (7.0, false),
        (15.0, false),
    ] {
        check(levels(), seen, right);
    }
}

/// A float behind a jump has one of two values, and none between them.
#[test]
fn floats_behind_a_decision_are_near_an_outcome() {
    let runs: Vec<[f32; 2]> = (0..9)
        .map(|run| {
            [
                1.0,
                if run % 3 == 0 {
                    2.0 + 1e-6
                } else {
                    3.0 - 1e-6 * run as f32
                },
            ]
        })
        .collect();
    let runs: Vec<&[f32]> = runs.iter().map(|run| &run[..]).collect();
    for (seen, right) in [(2.0, true), (3.0, true), (2.5, false), (4.0, false), (1.0, false)] {
        let wanted: fn(&Explanation) -> bool = if right { is_rounding } else { is_nothing };
        check(runs[0], &runs, &[1.0, seen], wanted);
    }
}

/// Of many elements next to a decision, a few runs show not all: as many others as they let expect may be
/// off by one outcome.
#[test]
fn more_elements_may_be_next_to_a_decision() {
    let image = |run: u32| -> Tensor {
        let pixel = |place: u32| 100 + u8::from(place < 30 && place % 10 == run);
        Tensor::vector((0..300).map(pixel).collect::<Vec<u8>>())
    };
    let noisy = (1..8)
        .map(image)
        .fold(Spread::of(&image(0)).expect("numbers"), |sum, run| {
            sum.join(&Spread::of(&run).expect("numbers")).expect("one shape")
        });
    let floor = Floor::new(&Spread::of(&image(99)).expect("numbers"), &noisy).expect("a floor");
    let evidence = Evidence {
        floors: [("y".to_owned(), vec![(Arithmetic::Rounded, floor)])].into(),
        ..Evidence::default()
    };
    for (off, count, right) in [(1.0, 3, true), (1.0, 60, false), (3.0, 3, false)] {
        let observed: Vec<f64> = (0..300)
            .map(|place| {
                100.0
                    + if (100..100 + count).contains(&place) {
                        off
                    } else {
                        0.0
                    }
            })
            .collect();
        let found = judge(&evidence, "y", &observed).expect("evidence");
        assert_eq!(!is_nothing(&found.explanation), right, "{off} {count}: {found:?}");
    }
}

/// One rule for each element: a small one far beyond its noise is wrong beside large ones with errors.
#[test]
fn distances_are_relative_to_the_noise() {
    let runs: [&[f32]; 4] = [&[10.1, 1.0], &[9.9, 1.0], &[10.05, 1.0], &[9.95, 1.0]];
    check(&[10.0, 1.0], &runs, &[10.1, 1.0], is_rounding);
    check(&[10.0, 1.0], &runs, &[12.0 * 10.0, 1.0], is_nothing);
}

/// A runtime rounds all values next to a tie to the same side, and honest runs each to any: a sum of them may
/// be a step beyond what the runs show. Values between the steps are of no quantization.
#[test]
fn a_step_beyond_the_runs_is_possible() {
    const REST: [f32; 7] = [1.5, -2.0, 3.0, 0.5, 0.7, -1.1, 2.4];
    let of = |first: f32| [&[first][..], &REST].concat();
    let runs = [of(1.0), of(0.9), of(1.0), of(0.9)];
    let runs: Vec<&[f32]> = runs.iter().map(|run| &run[..]).collect();
    let check = |seen: f64, wanted| {
        let seen: Vec<f64> = [seen].into_iter().chain(REST.map(f64::from)).collect();
        check(&of(1.0), &runs, &seen, wanted)
    };
    check(1.1, is_rounding);
    check(1.05, is_nothing);
    check(1.3, is_nothing);
}

#[test]
fn outputs_without_a_judgement() {
    let is_open = |found: &Explanation| matches!(found, Explanation::Open(_));
    check(&[NAN, NAN], &[&[NAN, NAN], &[NAN, NAN]], &[0.0, 1.0], is_open);
    let mut found = evidence(&[1.0, 2.0], &[&[1.0, 2.0], &[1.0, 2.0]]);
    found.unspecified = Some(Unspecified {
        reason: "node `r`".to_owned(),
        elements: [("y".to_owned(), vec![true, false])].into(),
        shapes: [].into(),
    });
    let judged = judge(&found, "y", &[7.0, 2.0]).expect("evidence");
    assert_eq!((judged.explanation, judged.unspecified), (Explanation::Equal, 1));
    let judged = judge(&found, "y", &[7.0, 3.0]).expect("evidence");
    assert!(is_nothing(&judged.explanation), "{judged:?}");
    let mut most = evidence(&[1.0, 2.0, 3.0], &[&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]]);
    most.unspecified = Some(Unspecified {
        reason: "node `r`".to_owned(),
        elements: [("y".to_owned(), vec![true, false, true])].into(),
        shapes: [].into(),
    });
    for (seen, wanted) in [(2.0, is_open as fn(&Explanation) -> bool), (3.0, is_nothing)] {
        let judged = judge(&most, "y", &[7.0, seen, 7.0]).expect("evidence");
        assert!(wanted(&judged.explanation), "{judged:?}");
    }
}

/// Few runs accept only what all runs accept: a quarter or a third of their limit for all elements together.
#[test]
fn few_runs_show_only_answers_that_are_clearly_right() {
    let center: Vec<f32> = (0..400).map(|at| 1.0 + at as f32 / 400.0).collect();
    let off = |part: f32| center.iter().map(|x| x * (1.0 + part)).collect::<Vec<f32>>();
    let runs = [off(1e-4), off(-1e-4)];
    let check = |count: usize, part: f32, preliminary: bool, right: bool| {
        let of: Vec<&[f32]> = runs.iter().take(count).map(Vec::as_slice).collect();
        let evidence = Evidence {
            preliminary,
            ..evidence(&center, &of)
        };
        let observed: Vec<f64> = off(part).into_iter().map(f64::from).collect();
        let found = judge(&evidence, "y", &observed).expect("evidence");
        let wrong = matches!(found.explanation, Explanation::Nothing(_));
        assert_eq!(
            wrong, !right,
            "{count}, {part}, preliminary: {preliminary}: {found:?}"
        );
    };
    check(1, 1.5e-4, true, true);
    check(1, 2e-4, true, false);
    // An integer that one of the runs gave: others may show that it is not next to a decision.
    let counts: Vec<f32> = (0..400).map(|at| (at % 3) as f32).collect();
    let of = |first: f32| {
        Tensor::vector(
            [&[first][..], &counts[1..]]
                .concat()
                .iter()
                .map(|x| *x as i8)
                .collect(),
        )
    };
    let spread = |tensor: Tensor| Spread::of(&tensor).expect("integers");
    let floor = Floor::new(&spread(of(0.0)), &spread(of(1.0))).expect("a floor");
    for preliminary in [true, false] {
        let evidence = Evidence {
            floors: [("y".to_owned(), vec![(Arithmetic::Rounded, floor.clone())])].into(),
            preliminary,
            ..Evidence::default()
        };
        let seen: Vec<f64> = [1.0]
            .into_iter()
            .chain(counts[1..].iter().map(|x| f64::from(*x)))
            .collect();
        let found = judge(&evidence, "y", &seen).expect("evidence");
        assert_eq!(is_nothing(&found.explanation), preliminary, "{found:?}");
    }
    check(2, 2e-4, true, true);
    check(2, 3e-4, true, false);
    check(2, 3e-4, false, true);
}

/// Results of few bits have errors of both signs. They explain no common factor, unless runs have one.
#[test]
fn few_bits_explain_no_common_factor() {
    let center: Vec<f32> = (0..400).map(|at| 1.0 + at as f32 / 400.0).collect();
    let waves = |part: f32, phase: f32| -> Vec<f32> {
        let moved = |(at, x): (usize, &f32)| x * (1.0 + part * (at as f32 * 2.3 + phase).sin());
        center.iter().enumerate().map(moved).collect()
    };
    let factors = |part: f32| -> Vec<f32> { center.iter().map(|x| x * (1.0 + part)).collect() };
    let floor = |runs: &[Vec<f32>]| {
        let runs: Vec<&[f32]> = runs.iter().map(Vec::as_slice).collect();
        Floor::new(&spread(&[&center]), &spread(&runs)).expect("a floor")
    };
    let float: Vec<Vec<f32>> = (0..8).map(|run| waves(1e-7, run as f32)).collect();
    let independent: Vec<Vec<f32>> = (0..8).map(|run| waves(0.02, run as f32)).collect();
    let common: Vec<Vec<f32>> = (0..8)
        .map(|run| factors(0.02 * (run as f32 + 1.0).sin()))
        .collect();
    for class in [Arithmetic::Narrow, Arithmetic::Reduced] {
        let check = |runs: &[Vec<f32>], seen: Vec<f32>, right: bool| {
            let classes = vec![(Arithmetic::Rounded, floor(&float)), (class, floor(runs))];
            let evidence = Evidence {
                floors: [("y".to_owned(), classes)].into(),
                ..Evidence::default()
            };
            let seen: Vec<f64> = seen.into_iter().map(f64::from).collect();
            let found = judge(&evidence, "y", &seen).expect("evidence").explanation;
            assert_eq!(found == Explanation::Arithmetic(class), right, "{found:?}");
        };
        check(&independent, waves(0.02, 0.5), true);
        check(&independent, factors(0.01), false);
        check(&common, factors(0.01), true);
    }
}

/// Of a map of scores that are nearly 0 but for few, an approximated sigmoid leaves the large ones their
/// digits.
#[test]
fn a_class_that_leaves_digits_where_an_output_is_large() {
    let map = |error: f32, large: f32| -> Vec<f32> {
        let score = |place: usize| if place < 4 { large } else { 1e-7 };
        let of = |place: usize| score(place) + error * ((place % 3) as f32 - 1.0);
        (0..64).map(of).collect()
    };
    let floor = |error: f32, large: f32| {
        let runs: Vec<Vec<f32>> = (0..8)
            .map(|run| map(error * ((run % 3) as f32 - 1.0), large))
            .collect();
        let runs: Vec<&[f32]> = runs.iter().map(Vec::as_slice).collect();
        Floor::new(&spread(&[&map(0.0, large)]), &spread(&runs)).expect("a floor")
    };
    for (large, right) in [(0.9, true), (1e-7, false)] {
        let classes = vec![
            (Arithmetic::Rounded, floor(1e-13, large)),
            (Arithmetic::Approximated, floor(1e-6, large)),
        ];
        let evidence = Evidence {
            floors: [("y".to_owned(), classes)].into(),
            ..Evidence::default()
        };
        let seen: Vec<f64> = map(3e-7, large).into_iter().map(f64::from).collect();
        let found = judge(&evidence, "y", &seen).expect("evidence").explanation;
        let is_right = found == Explanation::Arithmetic(Arithmetic::Approximated);
        assert_eq!(is_right, right, "{found:?}");
    }
}

#[test]
fn a_model_without_a_significant_digit() {
    let runs: [&[f32]; 4] = [&[3.0, -5.0], &[-4.0, 4.0], &[5.0, 3.0], &[-1.0, -3.0]];
    check(&[1.0, 1.0], &runs, &[-2.0, 3.0], is_open);
    // A weight of a softmax of noise: any run may have the greatest one at any place.
    let weights: [&[f32]; 4] = [&[1e-9, 1.0], &[2e-9, 1.0], &[1.0, 1e-8], &[3e-9, 1.0]];
    check(&[1e-9, 1.0], &weights, &[0.4, 0.6], is_open);
    check(&[1e-9, 1.0], &weights, &[40.0, 60.0], is_nothing);
}

fn is_open(explanation: &Explanation) -> bool {
    matches!(explanation, Explanation::Open(_))
}

/// Of few elements that may be infinite in a run, the runs do not show all; of many, what an honest run does
/// not give is not known.
#[test]
fn kinds_that_no_run_gave_at_a_place() {
    let center = [1.0; 64];
    let runs = |infinite: usize| -> Vec<Vec<f32>> {
        let element = |run: usize, place: usize| match place {
            place if place < infinite && place % 8 == run => INF,
            _ => 1.0 + ((run * 7 + place * 3) % 5) as f32 * 1e-3 - 2e-3,
        };
        (0..8)
            .map(|run| (0..64).map(|place| element(run, place)).collect())
            .collect()
    };
    let seen = |infinite: usize| -> Vec<f64> {
        (0..64)
            .map(|place| {
                if place >= 64 - infinite {
                    f64::INFINITY
                } else {
                    1.001
                }
            })
            .collect()
    };
    for (of_runs, of_answer, wanted) in [
        (0, 1, is_nothing as fn(&Explanation) -> bool),
        (8, 1, is_rounding),
        (8, 20, is_nothing),
        (16, 20, is_open),
    ] {
        let runs = runs(of_runs);
        let runs: Vec<&[f32]> = runs.iter().map(Vec::as_slice).collect();
        check(&center, &runs, &seen(of_answer), wanted);
    }
}

#[test]
fn factors_of_few_bits_move_all_elements() {
    let runs = |step: f32| -> Vec<Vec<f32>> {
        let element = |run: usize, place: usize| {
            let sign = if (run + place).is_multiple_of(2) {
                1.0
            } else {
                -1.0
            };
            1.0 + sign * step
        };
        (0..8)
            .map(|run| (0..32).map(|place| element(run, place)).collect())
            .collect()
    };
    let floor = |step: f32| {
        let runs = runs(step);
        let runs: Vec<&[f32]> = runs.iter().map(Vec::as_slice).collect();
        Floor::new(&spread(&[&[1.0; 32]]), &spread(&runs)).expect("eight runs")
    };
    let (first, reduced) = (floor(1e-6), floor(1e-3));
    let seen = |far: usize| -> Vec<f64> {
        (0..32)
            .map(|place| if place < far { 1.001 } else { 1.000_000_5 })
            .collect()
    };
    for (far, expected) in [(1, true), (32, false)] {
        assert_eq!(
            local(&reduced, &first, &seen(far)).is_some(),
            expected,
            "{far} elements"
        );
    }
}
