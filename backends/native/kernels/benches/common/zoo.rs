//! The convolutions and products of the light zoo models.

use native_kernels::conv::{ConvShape, Window};

/// A convolution or a product, and how often it occurs in a model.
pub struct Layer {
    pub count: usize,
    pub work: Work,
}

pub enum Work {
    /// A square image with this number of pixels along each side.
    Convolution { size: usize, shape: ConvShape },
    /// Rows, common dimension, columns.
    Product { m: usize, k: usize, n: usize },
}

/// Returns the layers of each model, by its name.
pub fn models() -> Vec<(&'static str, Vec<Layer>)> {
    let mut models: Vec<(&str, Vec<Layer>)> = Vec::new();
    for line in include_str!("zoo.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (kind, rest) = line.split_once(' ').unwrap();
        if kind == "model" {
            models.push((rest, Vec::new()));
            continue;
        }
        let layers = &mut models.last_mut().unwrap().1;
        let numbers: Vec<usize> = rest.split(' ').map(|number| number.parse().unwrap()).collect();
        layers.push(layer(kind, &numbers));
    }
    models
}

fn layer(kind: &str, numbers: &[usize]) -> Layer {
    match (kind, numbers) {
        (
            "conv",
            &[
                count,
                size,
                in_channels,
                out_channels,
                groups,
                kernel,
                stride,
                pad,
            ],
        ) => Layer {
            count,
            work: Work::Convolution {
                size,
                shape: ConvShape {
                    in_channels,
                    out_channels,
                    groups,
                    window: Window::square(kernel, stride, pad),
                },
            },
        },
        ("product", &[count, m, k, n]) => Layer {
            count,
            work: Work::Product { m, k, n },
        },
        other => panic!("no layer: {other:?}"),
    }
}
