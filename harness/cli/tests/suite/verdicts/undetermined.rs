//! What cannot be judged: results that the specification does not determine, or that rounding decides.

use super::*;

/// What the specification does not determine is not judged, and the node is named.
#[test]
fn undetermined_elements_are_left_out() {
    let cast = || {
        let cast = with(node("c", "Cast", &["x"], "c"), "to", AttributeValue::Int(3));
        subject(
            row(&[300.0, NAN, 50.0, -50.0]),
            vec![cast, node("n", "Identity", &["c"], "y")],
        )
    };
    let bytes = |values: [i8; 4]| Tensor::new(&[1, 4], values.to_vec()).expect("a row");
    let named = "2 of 4 elements of `y` are not judged: ";
    judged(
        &cast(),
        &bytes([127, 0, 50, -50]),
        0,
        &["right", named, "undefined if OOR"],
    );
    judged(
        &cast(),
        &bytes([44, -128, 51, -50]),
        9,
        &["WRONG", "is 51, expected 50"],
    );
    let mut most = cast();
    most.x = row(&[300.0, NAN, 400.0, -50.0]);
    judged(
        &most,
        &bytes([127, 0, 9, -50]),
        4,
        &["cannot be judged", "does not determine 3 of its 4 elements"],
    );
    let mut noise = subject(
        row(&[0.5, -1.0]),
        vec![
            node("r", "RandomNormalLike", &["x"], "n"),
            node("a", "Add", &["x", "n"], "s"),
            node("c", "Mul", &["s", "half"], "y"),
        ],
    );
    noise.initializers = vec![("half", Tensor::scalar(0.5_f32))];
    judged(
        &noise,
        &row(&[7.0, 8.0]),
        4,
        &["cannot be judged", "determines none of its elements"],
    );
}

/// The length of an output that follows from a draw is as open as its elements.
#[test]
fn undetermined_shapes_are_not_judged() {
    let found = subject(
        row(&[0.5; 32]),
        vec![
            node("r", "RandomNormalLike", &["x"], "n"),
            node("a", "Relu", &["n"], "a"),
            node("y", "NonZero", &["a"], "y"),
        ],
    );
    let answer = Tensor::new(&[2, 1], vec![0_i64, 3]).expect("one place");
    judged(
        &found,
        &answer,
        4,
        &["cannot be judged", "its shape is not determined"],
    );
}

/// An answer that is all NaN says nothing about a backend.
#[test]
fn outputs_of_nan_cannot_be_judged() {
    let quotient = subject(
        row(&[0.0, 0.0]),
        vec![node("d", "Div", &["x", "x"], "d"), node("n", "Neg", &["d"], "y")],
    );
    judged(
        &quotient,
        &row(&[NAN, NAN]),
        4,
        &["cannot be judged", "every element of the right answer is NaN"],
    );
}

/// How many elements a model keeps is as open as the roundings that decide it.
#[test]
fn shapes_that_rounding_decides_are_not_judged() {
    let kept = |rows: usize| {
        let mut subject = subject(
            row(&[0.12; 16]),
            vec![
                node("a", "Add", &["x", "large"], "a"),
                node("s", "Sub", &["a", "large"], "s"),
                node("g", "Greater", &["s", "least"], "g"),
                node("z", "NonZero", &["g"], "z"),
                node("y", "Transpose", &["z"], "y"),
            ],
        );
        subject.initializers = vec![
            ("large", Tensor::scalar(4e6_f32)),
            ("least", Tensor::scalar(0.1_f32)),
        ];
        (
            subject,
            Tensor::new(&[rows, 2], vec![0_i64; 2 * rows]).expect("rows"),
        )
    };
    let (model, none) = kept(0);
    judged(&model, &none, 0, &["right, exact"]);
    let (model, some) = kept(5);
    judged(
        &model,
        &some,
        0,
        &[
            "cannot be judged",
            "rounding decides its shape: honest runs give [0, 2] and [",
        ],
    );
    let (model, many) = kept(60);
    judged(&model, &many, 9, &["WRONG", "has shape [60, 2], expected [0, 2]"]);
}
