//! Images of integers: an exact result that is an integer comes out as this integer, in every mode, version
//! and filter, whatever the coordinates.

use onnx_model::Model;
use onnx_tensor::{DType, Tensor, Value};

use super::{native, numbers, tensor, untouched};

const INTEGERS: [DType; 6] = [
    DType::Uint8,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::Uint64,
];

const COORDINATES: [&str; 5] = [
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
];

/// Runs `y = node` on an image.
fn run(opset: i64, node: &str, others: &[(&str, Tensor)], image: Tensor) -> Vec<f64> {
    let names: Vec<String> = others
        .iter()
        .map(|(name, tensor)| format!("{name}:{}", tensor.dtype()))
        .collect();
    let dtype = image.dtype();
    let text = format!(
        "model 10 \"\"={opset}\ngraph x:{dtype}* {} -> y:{dtype}*\ny = {node}",
        names
            .iter()
            .map(|name| format!("{name}*"))
            .collect::<Vec<_>>()
            .join(" ")
    );
    let model: Model = onnx_rejections::model(&text);
    let mut inputs = vec![("x".to_owned(), Value::Tensor(image))];
    inputs.extend(
        others
            .iter()
            .map(|(name, tensor)| ((*name).to_owned(), Value::Tensor(tensor.clone()))),
    );
    let outputs = native(untouched(), &model, &inputs).unwrap_or_else(|error| panic!("{text}: {error}"));
    match &outputs[..] {
        [(_, Value::Tensor(result))] => numbers(result).expect("numbers"),
        other => panic!("{other:?}"),
    }
}

/// Every Resize of these scales: its opset, its node and the scales of the last two axes.
fn resizes() -> Vec<(i64, String)> {
    let mut all = Vec::new();
    for mode in ["linear", "cubic"] {
        for coordinates in COORDINATES {
            for outside in [0, 1] {
                let attributes = format!(
                    "mode={mode} coordinate_transformation_mode={coordinates} exclude_outside={outside}"
                );
                all.push((13, format!("Resize(x, -, s) {attributes}")));
                all.push((19, format!("Resize(x, -, s) {attributes} antialias=1")));
            }
        }
    }
    for opset in [13, 18, 19] {
        all.push((opset, "Resize(x, -, s) mode=linear".to_owned()));
    }
    all.push((11, "Resize(x, s, s) mode=linear".to_owned()));
    all.push((10, "Resize(x, s) mode=linear".to_owned()));
    all.push((9, "Upsample(x, s) mode=linear".to_owned()));
    all
}

fn scales(rows: f32, columns: f32) -> [(&'static str, Tensor); 1] {
    [("s", Tensor::vector(vec![1.0, 1.0, rows, columns]))]
}

#[test]
fn constant_images_stay_constant() {
    for (opset, node) in resizes() {
        for [rows, columns] in [
            [1.0, 1.0],
            [2.0, 1.6],
            [1.4, 3.0],
            [0.6, 0.43],
            [1.0, 0.7],
            [2.6, 0.3],
        ] {
            // Upsample only enlarges, and half_pixel_symmetric is defined for scales that fill the result.
            if node.starts_with("Upsample") && (rows < 1.0 || columns < 1.0) {
                continue;
            }
            for dtype in INTEGERS {
                for value in [200.0_f64, 100.0, -100.0, -1.0, 1.0, 9.007_199_254_740_993e15] {
                    let image = tensor(dtype, &[1, 1, 5, 7], &[value; 35]);
                    let expected = numbers(&image).expect("numbers")[0];
                    let found = run(opset, &node, &scales(rows, columns), image);
                    assert!(
                        found.iter().all(|found| *found == expected),
                        "{node} of {dtype} {expected} by {rows} × {columns}: {found:?}"
                    );
                }
            }
        }
    }
}

/// A ramp at a whole scale, whose coordinates are quotients of whole numbers.
#[test]
fn ramps_are_exact_between_their_corners() {
    for (steps, corners) in [(7_usize, true), (3, false), (6, false), (7, false)] {
        // With `align_corners` there are `steps` results from each element to the next.
        let (from, to) = if corners {
            (4, 3 * steps + 1)
        } else {
            (4, 4 * steps)
        };
        let ramp: Vec<f64> = (0..from).map(|at| (at * steps * 3) as f64).collect();
        let mode = if corners { "align_corners" } else { "asymmetric" };
        let node = format!("Resize(x, -, -, s) mode=linear coordinate_transformation_mode={mode}");
        let sizes = [("s", Tensor::vector(vec![1_i64, 1, 1, to as i64]))];
        let image = tensor(DType::Int32, &[1, 1, 1, from], &ramp);
        let found = run(13, &node, &sizes, image);
        let last = ramp[from - 1];
        let expected: Vec<f64> = (0..to).map(|at| ((at * 3) as f64).min(last)).collect();
        assert_eq!(found, expected, "{node} to {to}");
    }
}

#[test]
fn sampled_constants_stay_constant_inside() {
    for (opset, mode) in [(16, "bilinear"), (16, "bicubic"), (20, "linear"), (20, "cubic")] {
        for corners in [0, 1] {
            let node = format!("GridSample(x, g) mode={mode} padding_mode=border align_corners={corners}");
            let grid: Vec<f32> = (0..40).map(|at| (at as f32 * 0.37).sin() * 0.9).collect();
            let grid = [("g", Tensor::new(&[1, 4, 5, 2], grid).expect("twenty points"))];
            for dtype in INTEGERS {
                for value in [100.0, -100.0, 1.0, 9.007_199_254_740_993e15] {
                    let image = tensor(dtype, &[1, 1, 5, 7], &[value; 35]);
                    let expected = numbers(&image).expect("numbers")[0];
                    let found = run(opset, &node, &grid, image);
                    assert!(
                        found.iter().all(|found| *found == expected),
                        "{node} of {dtype} {expected}: {found:?}"
                    );
                }
            }
        }
    }
}

/// Half of the odd sum of two neighbours is truncated toward zero.
#[test]
fn other_results_are_truncated() {
    let node = "Resize(x, -, s) mode=linear coordinate_transformation_mode=asymmetric";
    for (image, expected) in [
        ([1.0, 2.0], [1.0, 1.0, 2.0, 2.0]),
        ([-1.0, -2.0], [-1.0, -1.0, -2.0, -2.0]),
    ] {
        let image = tensor(DType::Int8, &[1, 1, 1, 2], &image);
        assert_eq!(run(13, node, &scales(1.0, 2.0), image), expected);
    }
}
