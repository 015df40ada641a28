use onnx_model::AttributeValue::{Int, Ints};
use onnx_model::Node as FileNode;
use onnx_tensor::Tensor;

use super::super::{dead, identity};
use super::run;
use crate::fixture::{Fixture, node};

fn turn(input: &str, output: &str, order: &[i64]) -> FileNode {
    node("Transpose", input, output, &[("perm", Ints(order.to_vec()))])
}

fn softmax(input: &str, output: &str) -> FileNode {
    node("Softmax", input, output, &[("axis", Int(-1))])
}

/// Checks the nodes after fusion of a model with `x` of shape `[1, 4, 5, 4]`, and that the result
/// is unchanged.
#[track_caller]
fn check(nodes: Vec<FileNode>, expected: &[&str]) {
    let causal: Vec<bool> = (0..25).map(|at| at % 5 <= at / 5).collect();
    let hidden: Vec<bool> = causal.iter().map(|keep| !keep).collect();
    Fixture::new(&[1, 4, 5, 4], nodes)
        .varied("mask", &[1, 1, 5, 5])
        .varied("other", &[1, 4, 1, 5])
        .varied("half", &[1, 2, 5, 4])
        .constant("two", Tensor::scalar(2.0_f32))
        .constant("zero", Tensor::scalar(0.0_f32))
        .constant("root", Tensor::scalar(0.7_f32))
        .constant("low", Tensor::scalar(f32::MIN))
        .constant("slight", Tensor::scalar(-10.0_f32))
        .constant("causal", Tensor::new(&[1, 1, 5, 5], causal).unwrap())
        .constant("hidden", Tensor::new(&[5, 5], hidden).unwrap())
        .constant("axis", Tensor::vector(vec![2_i64]))
        .constant("many", Tensor::vector(vec![1_i64, 2, 2, 5, 4]))
        .constant("repeats", Tensor::vector(vec![1_i64, 1, 2, 1, 1]))
        .constant("heads", Tensor::vector(vec![1_i64, 4, 5, 4]))
        .constant("merged", Tensor::vector(vec![-1_i64, 5, 4]))
        .constant("turned", Tensor::vector(vec![1_i64, 4, 4, 5]))
        .check(&[run, dead::run, identity::run], expected);
}

/// Scores of `x`, and their weights, from `s` to the result.
fn around(scores: Vec<FileNode>, last: &str) -> Vec<FileNode> {
    let mut nodes = vec![turn("x", "k", &[0, 1, 3, 2]), node("MatMul", "x k", "s", &[])];
    nodes.extend(scores);
    nodes.extend([softmax(last, "w"), node("MatMul", "w x", "y", &[])]);
    nodes
}

#[test]
fn a_scale_and_a_mask_after_the_product_are_merged() {
    let div = || node("Div", "s two", "t", &[]);
    check(
        around(vec![div(), node("Add", "t mask", "m", &[])], "m"),
        &["Attention by 0.5"],
    );
    check(
        around(vec![div(), node("Add", "mask t", "m", &[])], "m"),
        &["Attention by 0.5"],
    );
    check(
        around(vec![node("Mul", "root s", "t", &[])], "t"),
        &["Attention by 0.7"],
    );
    check(around(vec![], "s"), &["Attention by 1"]);
}

#[test]
fn a_second_summand_is_merged() {
    let masked = || node("Add", "mask s", "t", &[]);
    for add in ["t other", "other t"] {
        check(
            around(vec![masked(), node("Add", add, "m", &[])], "m"),
            &["Attention by 1"],
        );
    }
    // Three summands are too many.
    let three = vec![
        masked(),
        node("Add", "t other", "m", &[]),
        node("Add", "m mask", "l", &[]),
    ];
    check(
        around(three, "l"),
        &[
            "Transpose-13",
            "MatMul-13",
            "Add-14",
            "Add-14",
            "Add-14",
            "Softmax-13",
            "MatMul-13",
        ],
    );
}

/// Windows of Swin: `batch` images of two windows of two heads. The summand has a shape that broadcasts to
/// `[batch, 2, 2, 5, 5]`.
#[track_caller]
fn check_windows(batch: i64, summand: &[usize], expected: &[&str]) {
    let constants = |len: usize| (0..len).map(|at| if at % 3 == 0 { -100.0_f32 } else { 0.0 });
    let nodes = vec![
        turn("x", "k", &[0, 1, 3, 2]),
        node("MatMul", "x k", "s", &[]),
        node("Add", "s bias", "b", &[]),
        node("Reshape", "b apart", "a", &[]),
        node("Add", "a windows", "c", &[]),
        node("Reshape", "c together", "t", &[]),
        softmax("t", "w"),
        node("MatMul", "w x", "y", &[]),
    ];
    let windows = Tensor::new(summand, constants(summand.iter().product()).collect::<Vec<_>>()).unwrap();
    let count = usize::try_from(2 * batch).unwrap();
    Fixture::new(&[count, 2, 5, 4], nodes)
        .varied("bias", &[1, 2, 5, 5])
        .constant("windows", windows)
        .constant("apart", Tensor::vector(vec![batch, 2, 2, 5, 5]))
        .constant("together", Tensor::vector(vec![-1_i64, 2, 5, 5]))
        .check(&[run, dead::run], expected);
}

#[test]
fn masks_of_shifted_windows_are_merged() {
    for batch in [1, 3] {
        check_windows(batch, &[1, 2, 1, 5, 5], &["Attention by 1"]);
        check_windows(batch, &[1, 2, 2, 5, 5], &["Attention by 1"]);
    }
    let apart = [
        "Transpose-13",
        "MatMul-13",
        "Add-14",
        "Reshape-19",
        "Add-14",
        "Reshape-19",
        "Softmax-13",
        "MatMul-13",
    ];
    check_windows(3, &[3, 2, 1, 5, 5], &apart);
    check_windows(1, &[2, 1, 1, 5], &apart);
}

#[test]
fn scales_of_queries_and_keys_are_merged() {
    let ends = |q: &str, k: &str| {
        vec![
            node("MatMul", &format!("{q} {k}"), "s", &[]),
            softmax("s", "w"),
            node("MatMul", "w x", "y", &[]),
        ]
    };
    let turned = || turn("x", "k", &[0, 1, 3, 2]);
    let scaled = [
        node("Mul", "x two", "q", &[]),
        turned(),
        node("Mul", "k root", "l", &[]),
    ];
    check([scaled.to_vec(), ends("q", "l")].concat(), &["Attention by 1.4"]);
    let scaled = [
        node("Div", "x two", "q", &[]),
        node("Mul", "root x", "j", &[]),
        turn("j", "k", &[0, 1, 3, 2]),
    ];
    check([scaled.to_vec(), ends("q", "k")].concat(), &["Attention by 0.35"]);
}

#[test]
fn a_where_that_hides_keys_is_merged() {
    let kept = || node("Where", "causal s low", "t", &[]);
    check(around(vec![kept()], "t"), &["Attention by 1"]);
    check(
        around(vec![node("Where", "hidden low s", "t", &[])], "t"),
        &["Attention by 1"],
    );
    // A number that is not low leaves a weight.
    let slight = vec![node("Where", "causal s slight", "t", &[])];
    check(
        around(slight, "t"),
        &["Transpose-13", "MatMul-13", "Where-16", "Softmax-13", "MatMul-13"],
    );
}

#[test]
fn weights_without_nan_are_merged() {
    let nodes = vec![
        turn("x", "k", &[0, 1, 3, 2]),
        node("MatMul", "x k", "s", &[]),
        node("Add", "s mask", "t", &[]),
        softmax("t", "p"),
        node("IsNaN", "p", "n", &[]),
        node("Where", "n zero p", "w", &[]),
        node("MatMul", "w x", "y", &[]),
    ];
    check(nodes, &["Attention by 1"]);
}

#[test]
fn heads_that_are_merged_for_the_transposition_are_merged() {
    let nodes = vec![
        node("Reshape", "x merged", "a", &[]),
        turn("a", "b", &[0, 2, 1]),
        node("Reshape", "b turned", "k", &[]),
        node("MatMul", "x k", "s", &[]),
        softmax("s", "w"),
        node("MatMul", "w x", "y", &[]),
    ];
    check(nodes, &["Attention by 1"]);
}

#[test]
fn repeated_heads_are_read_once() {
    let expand = |one: &str, many: &str| node("Expand", &format!("{one} many"), many, &[]);
    let tile = |one: &str, many: &str| node("Tile", &format!("{one} repeats"), many, &[]);
    let join = |one: &str, many: &str| node("Concat", &format!("{one} {one}"), many, &[("axis", Int(2))]);
    let repeated = |one: &str, many: &str| [expand(one, many), tile(one, many), join(one, many)];
    for (first, second) in repeated("one", "all").into_iter().zip(repeated("other", "both")) {
        let nodes = vec![
            node("Exp", "half", "e", &[]),
            node("Unsqueeze", "e axis", "one", &[]),
            first,
            node("Reshape", "all heads", "keys", &[]),
            node("Unsqueeze", "half axis", "other", &[]),
            second,
            node("Reshape", "both heads", "values", &[]),
            turn("keys", "k", &[0, 1, 3, 2]),
            node("MatMul", "x k", "s", &[]),
            softmax("s", "w"),
            node("MatMul", "w values", "y", &[]),
        ];
        check(nodes, &["Exp-13", "Attention by 1 in groups of 2"]);
    }
}

/// The mask extends a batch of one to three. No kernel supports that; the result is that of the
/// operators.
#[test]
fn a_mask_can_broadcast_the_scores() {
    let nodes = vec![
        turn("x", "k", &[0, 1, 3, 2]),
        node("MatMul", "x k", "s", &[]),
        node("Add", "mask s", "m", &[]),
        softmax("m", "w"),
        node("MatMul", "w x", "y", &[]),
    ];
    let fixture = Fixture::new(&[1, 2, 5, 4], nodes).varied("mask", &[3, 1, 5, 5]);
    fixture.check(&[run, dead::run], &["Attention by 1"]);
}
