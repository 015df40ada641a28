//! Properties of Resize, Upsample and GridSample on integers: where the exact result is an integer, it is
//! the result.

use onnx_model::Attribute;
use onnx_tensor::{DType, Int, Tensor, Value, dispatch};

use crate::frame::OpError;
use crate::frame::testing::{OpVersion, attribute, evaluate, values};

const INTEGERS: [DType; 4] = [DType::Uint8, DType::Int8, DType::Int32, DType::Int64];

fn integers(dtype: DType, elements: &[i128]) -> Tensor {
    let tensor: Result<Tensor, OpError> = dispatch!(int, dtype, T => {
        Ok(Tensor::vector(elements.iter().map(|&value| T::wrap_i128(value)).collect()))
    });
    tensor.unwrap()
}

fn elements(tensor: &Tensor) -> Vec<i128> {
    let list: Result<Vec<i128>, OpError> = dispatch!(int, tensor.dtype(), T => {
        Ok(tensor.array::<T>().unwrap().iter().map(|&value| value.to_i128()).collect())
    });
    list.unwrap()
}

fn run(under: OpVersion, inputs: &[Tensor], attributes: &[Attribute]) -> Vec<i128> {
    let outputs = evaluate(under, &values(inputs), attributes)
        .unwrap_or_else(|error| panic!("{under:?} with {attributes:?}: {error}"));
    match outputs.as_slice() {
        [Value::Tensor(tensor)] => elements(tensor),
        other => panic!("{under:?}: {other:?}"),
    }
}

/// Values near both ends of a type, and in the middle.
fn constants(dtype: DType) -> Vec<i128> {
    let ends: Result<[i128; 2], OpError> = dispatch!(int, dtype, T => Ok([T::saturate_i128(i128::MIN).to_i128(), T::saturate_i128(i128::MAX).to_i128()]));
    let [least, most] = ends.unwrap();
    vec![least, 100, most - 55]
}

/// One way of resizing: a version with its attributes.
struct Way {
    under: OpVersion,
    attributes: Vec<Attribute>,
    /// Whether the scale that a node sets must be at least 1.
    enlarges: bool,
    /// Whether only a region of the input is resized.
    crops: bool,
}

fn ways() -> Vec<Way> {
    let mut ways = vec![
        Way {
            under: ("", "Resize", 10),
            attributes: vec![attribute("mode", "linear")],
            enlarges: false,
            crops: false,
        },
        Way {
            under: ("", "Upsample", 9),
            attributes: vec![attribute("mode", "linear")],
            enlarges: true,
            crops: false,
        },
    ];
    let transforms = [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_crop_and_resize",
    ];
    for since in [11, 13, 18, 19] {
        for transform in transforms
            .iter()
            .filter(|&&name| since == 19 || name != "half_pixel_symmetric")
        {
            for mode in ["linear", "cubic"] {
                for (antialias, outside) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if antialias == 1 && since < 18 {
                        continue;
                    }
                    let mut attributes = vec![
                        attribute("mode", mode),
                        attribute("coordinate_transformation_mode", *transform),
                        attribute("exclude_outside", outside),
                    ];
                    if antialias == 1 {
                        attributes.push(attribute("antialias", 1));
                    }
                    ways.push(Way {
                        under: ("", "Resize", since),
                        attributes,
                        enlarges: false,
                        crops: *transform == "tf_crop_and_resize",
                    });
                }
            }
        }
    }
    ways
}

/// The inputs after the first: a scale, as the version takes it.
fn by_scale(way: &Way, scale: f32) -> Vec<Tensor> {
    let scale = Tensor::vector(vec![scale]);
    match way.under {
        ("", "Resize", 11..) => vec![Tensor::vector(vec![0.125_f32, 0.75]), scale],
        _ => vec![scale],
    }
}

/// The weights of a position sum to 1, so that a constant stays a constant.
#[test]
fn constants_stay() {
    for way in ways() {
        for scale in [0.3, 0.6, 1.7, 3.0] {
            if way.enlarges && scale < 1.0 {
                continue;
            }
            for dtype in INTEGERS {
                for constant in constants(dtype) {
                    let x = integers(dtype, &[constant; 7]);
                    let inputs = [&[x][..], &by_scale(&way, scale)].concat();
                    let found = run(way.under, &inputs, &way.attributes);
                    assert!(
                        found.iter().all(|&value| value == constant),
                        "{:?} {:?} by {scale}: {constant} became {found:?}",
                        way.under,
                        way.attributes
                    );
                }
            }
        }
    }
}

/// An axis of the same extent is not resized.
#[test]
fn identities_stay() {
    let all: Vec<i128> = vec![0, 7, 3, 120, 1, 99];
    for way in ways() {
        if way.crops {
            continue;
        }
        for dtype in INTEGERS {
            let inputs = [&[integers(dtype, &all)][..], &by_scale(&way, 1.0)].concat();
            assert_eq!(run(way.under, &inputs, &way.attributes), all, "{:?}", way.under);
        }
    }
}

/// Linear interpolation of `from` extents of a list at (numerator of the coordinate) / denominator,
/// truncated: written here in integers of 128 bits, apart from the operator.
fn linear(list: &[i128], numerator: i128, denominator: i128) -> i128 {
    let low = numerator.div_euclid(denominator);
    let upper = numerator.rem_euclid(denominator);
    let at = |index: i128| list[index.clamp(0, list.len() as i128 - 1) as usize];
    (at(low) * (denominator - upper) + at(low + 1) * upper) / denominator
}

/// Every pair of extents up to 9, by sizes: half pixels, corners and asymmetric positions.
#[test]
fn sizes_interpolate_exactly() {
    let ramp: Vec<i128> = (0..9).map(|at| 12 * at - 40).collect();
    type Coordinate = fn(i128, i128, i128) -> (i128, i128);
    let transforms: [(&str, Coordinate); 3] = [
        ("half_pixel", |x, from, to| ((2 * x + 1) * from - to, 2 * to)),
        ("asymmetric", |x, from, to| (x * from, to)),
        ("align_corners", |x, from, to| (x * (from - 1), (to - 1).max(1))),
    ];
    for (transform, coordinate) in transforms {
        let attributes = [
            attribute("mode", "linear"),
            attribute("coordinate_transformation_mode", transform),
        ];
        for (from, to) in (2..=9_usize).flat_map(|from| (1..=9_usize).map(move |to| (from, to))) {
            let list = &ramp[..from];
            let none = || Tensor::vector(Vec::<f32>::new());
            let inputs = [
                integers(DType::Int8, list),
                none(),
                none(),
                Tensor::vector(vec![to as i64]),
            ];
            let expected: Vec<i128> = (0..to as i128)
                .map(|x| coordinate(x, from as i128, to as i128))
                .map(|(numerator, denominator)| linear(list, numerator, denominator))
                .collect();
            let found = run(("", "Resize", 19), &inputs, &attributes);
            assert_eq!(found, expected, "{transform} from {from} to {to}");
        }
    }
}

/// A constant image sampled anywhere inside, by every padding that reads it.
#[test]
fn grids_over_constants_stay() {
    let grid: Vec<f32> = (0..200)
        .map(|step| (step as f32 * 0.618_034).fract() * 2.0 - 1.0)
        .collect();
    let grid = Tensor::new(&[1, 10, 10, 2], grid).unwrap();
    for (since, modes) in [
        (16, ["bilinear", "bicubic"]),
        (20, ["linear", "cubic"]),
        (22, ["linear", "cubic"]),
    ] {
        for mode in modes {
            for (padding, corners) in [("border", 0), ("border", 1), ("reflection", 0), ("reflection", 1)] {
                let attributes = [
                    attribute("mode", mode),
                    attribute("padding_mode", padding),
                    attribute("align_corners", corners),
                ];
                for dtype in INTEGERS {
                    for constant in constants(dtype) {
                        let image = integers(dtype, &[constant; 15]).reshape(&[1, 1, 3, 5]).unwrap();
                        let found = run(("", "GridSample", since), &[image, grid.clone()], &attributes);
                        assert!(
                            found.iter().all(|&value| value == constant),
                            "GridSample-{since} {attributes:?}: {constant} became {found:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A tie of two pixels, and a coordinate next to it that f64 cannot tell apart.
#[test]
fn the_nearest_pixel_is_exact() {
    let image = integers(DType::Uint8, &[10, 20]).reshape(&[1, 1, 1, 2]).unwrap();
    let nearest = [attribute("mode", "nearest")];
    for (x, expected) in [(0.0_f32, 10), (1e-30, 20), (-1e-30, 10)] {
        let grid = Tensor::new(&[1, 1, 1, 2], vec![x, 0.0]).unwrap();
        let found = run(("", "GridSample", 20), &[image.clone(), grid], &nearest);
        assert_eq!(found, [expected], "{x}");
    }
}
