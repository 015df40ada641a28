//! Floats behind decisions: steps of a quantization, ties.

use onnx_tensor::Tensor;

use super::*;

/// Of dequantized floats each is a whole number of steps, and a few more may be a step away.
#[test]
fn more_steps_may_be_next_to_a_tie() {
    let image = |run: u32| -> Tensor {
        let pixel = |place: u32| {
            let steps = 100 + place % 7 + u32::from(place < 30 && place % 10 == run);
            steps as f32 * 0.02
        };
        Tensor::vector((0..300).map(pixel).collect::<Vec<f32>>())
    };
    let noisy = (1..8)
        .map(image)
        .fold(Spread::of(&image(0)).expect("numbers"), |sum, run| {
            sum.join(&Spread::of(&run).expect("numbers")).expect("one shape")
        });
    let floor = Floor::new(&Spread::of(&image(99)).expect("numbers"), &noisy).expect("a floor");
    let right = floor.center.clone();
    let evidence = Evidence {
        floors: [("y".to_owned(), vec![(Arithmetic::Rounded, floor)])].into(),
        ..Evidence::default()
    };
    for (off, count, is_right) in [
        (0.02, 3, true),
        (0.02, 60, false),
        (0.06, 3, false),
        (0.01, 3, false),
    ] {
        let mut observed = right.clone();
        observed[100..100 + count]
            .iter_mut()
            .for_each(|value| *value += off);
        let found = judge(&evidence, "y", &observed).expect("evidence");
        assert_eq!(
            !is_nothing(&found.explanation),
            is_right,
            "{off} {count}: {found:?}"
        );
    }
}

/// The steps of an output of many elements are found in one pass over them.
#[test]
fn a_large_output_in_steps_is_judged() {
    let image = |run: usize| -> Vec<f32> {
        let steps = (0..1 << 17).map(|place| 100 + place % 7 + usize::from(place % 1000 == run));
        steps.map(|steps| steps as f32 * 0.02).collect()
    };
    let runs: Vec<Vec<f32>> = (0..4).map(image).collect();
    let runs: Vec<&[f32]> = runs.iter().map(|run| &run[..]).collect();
    let right = image(1000);
    let observed: Vec<f64> = right.iter().map(|value| f64::from(*value) * 1.5).collect();
    check(&right, &runs, &observed, is_nothing);
}

/// The same of 16 bits, whose step is smaller than what is a jump elsewhere.
#[test]
fn steps_of_16_bits() {
    let step = 3.1e-5_f32;
    let image = |run: usize| -> Vec<f32> {
        let steps = (0..600).map(|place| place * place % 20_011 + usize::from(place % 97 == run));
        steps.map(|steps| steps as f32 * step).collect()
    };
    let runs: Vec<Vec<f32>> = (0..8).map(image).collect();
    let runs: Vec<&[f32]> = runs.iter().map(|run| &run[..]).collect();
    let right = image(99);
    for (steps, count, is_right) in [
        (1.0, 3, true),
        (1.0, 100, false),
        (3.0, 3, false),
        (0.5, 3, false),
    ] {
        let mut observed: Vec<f64> = right.iter().map(|value| f64::from(*value)).collect();
        observed[300..300 + count]
            .iter_mut()
            .for_each(|value| *value += steps * f64::from(step));
        let wanted = if is_right { is_rounding } else { is_nothing };
        check(&right, &runs, &observed, wanted);
    }
}

/// A float behind many ties has more values than eight runs show: as many elements as they let expect may
/// have one of their own, no farther off than the runs are from each other.
#[test]
fn more_values_behind_a_jump_are_possible() {
    // The sum of six ties, behind a function that leaves no steps.
    let sum = |place: usize, run: usize| {
        let ties = (0..6).filter(|tie| ((place * 31 + run * 17 + tie * 7) * 2_654_435_761) >> 16 & 1 == 1);
        (1.0 + place as f32 / 300.0 + ties.count() as f32 / 20.0).tanh()
    };
    let image = |run: usize| -> Vec<f32> { (0..200).map(|place| sum(place, run)).collect() };
    let runs: Vec<Vec<f32>> = (1..9).map(image).collect();
    let runs: Vec<&[f32]> = runs.iter().map(|run| &run[..]).collect();
    for other in [9, 10, 11, 12] {
        let observed: Vec<f64> = image(other).into_iter().map(f64::from).collect();
        check(&image(0), &runs, &observed, is_rounding);
        let far = observed
            .iter()
            .enumerate()
            .map(|(place, value)| if place == 50 { value - 0.5 } else { *value });
        check(&image(0), &runs, &far.collect::<Vec<f64>>(), is_nothing);
        let all: Vec<f64> = observed.iter().map(|value| value - 0.08).collect();
        check(&image(0), &runs, &all, is_nothing);
    }
}
