//! Writes a ConvTranspose of images of one pixel, as the first layer of a generator, as a product of
//! matrices: the pixels are the rows, and the filters, with all their taps, the columns.
//!
//! As a convolution, each result would be a sum over all taps, and all but one would multiply padding.

use onnx_tensor::{DType, Tensor};

use super::Report;
use super::chain::{Chain, replace};
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Graph, Node, ValueId, dtype};

/// Replaces every such node over f32 whose result has the extents of the filters.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    replace(graph, "is a product of matrices", |graph, node| {
        Some(Pixels::find(graph, node)?.write(graph, &node.name))
    })
}

struct Pixels {
    x: ValueId,
    weights: ValueId,
    /// The bias of each result of an image.
    bias: Option<Vec<f32>>,
    images: usize,
    channels: usize,
    result: ValueId,
    /// The extents of the result.
    extents: Vec<usize>,
}

impl Pixels {
    fn find(graph: &Graph, node: &Node) -> Option<Pixels> {
        let found = operator(node).filter(|found| found.schema.name == "ConvTranspose")?;
        let [x, weights] = [node.input(0)?, node.input(1)?];
        let result = node.only_output()?;
        let floats = [x, weights]
            .iter()
            .all(|&id| dtype(graph.known(id)) == Some(DType::Float));
        let attributes = &found.attributes;
        let zeros =
            |values: Option<&[i64]>| values.is_none_or(|values| values.iter().all(|&value| value == 0));
        let plain = floats
            && attributes.int("group").ok()? == 1
            && zeros(attributes.ints("pads").ok()?)
            && attributes.ints("output_shape").ok()?.is_none()
            && matches!(attributes.text("auto_pad").ok()?, "NOTSET" | "VALID");
        let (images, kernel) = (graph.shape_of(x)?, graph.shape_of(weights)?);
        let (&[images, channels, ref pixels @ ..], &[inputs, filters, ref taps @ ..]) =
            (&images[..], &kernel[..])
        else {
            return None;
        };
        let extents = [&[images, filters], taps].concat();
        // Padding of the result, and distances of taps, would make it larger.
        let same = graph.shape_of(result)? == extents;
        let single = pixels.iter().all(|&extent| extent == 1) && channels == inputs;
        if !(plain && same && single) || extents.contains(&0) || channels == 0 {
            return None;
        }
        let bias = match node.input(2) {
            Some(id) => {
                let bias = graph.constant(id).filter(|bias| bias.shape() == [filters])?;
                Some(bias.to_vec::<f32>().ok()?)
            }
            None => None,
        };
        let count = taps.iter().product();
        let repeated = |bias: Vec<f32>| bias.into_iter().flat_map(|bias| vec![bias; count]).collect();
        Some(Pixels {
            x,
            weights,
            bias: bias.map(repeated),
            images,
            channels,
            result,
            extents,
        })
    }

    /// Returns the nodes in order.
    fn write(self, graph: &mut Graph, name: &str) -> Vec<Node> {
        let columns = self.extents[1..].iter().product();
        let mut chain = Chain::new(graph, name);
        let rows = chain.reshaped(self.x, &[self.images, self.channels]);
        let weights = chain.reshaped(self.weights, &[self.channels, columns]);
        let mut sums = chain.add("MatMul", 13, None, vec![Some(rows), Some(weights)]);
        if let Some(bias) = self.bias {
            let bias = chain
                .graph
                .add_constant(format!("{name}.bias"), Tensor::vector(bias));
            sums = chain.add("Add", 14, None, vec![Some(sums), Some(bias)]);
        }
        let images = chain.reshaped(sums, &self.extents);
        chain.ending(images, self.result)
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Int, Ints};

    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(x: &[usize], inputs: &str, attributes: &[(&str, AttributeValue)], expected: &[&str]) {
        Fixture::new(x, vec![node("ConvTranspose", inputs, "y", attributes)])
            .varied("w", &[6, 4, 3, 2])
            .varied("b", &[4])
            .check(&[run], expected);
    }

    const PRODUCT: &[&str] = &["Reshape-14", "Reshape-14", "MatMul-13", "Reshape-14"];

    #[test]
    fn images_of_one_pixel_are_rows_of_a_product() {
        check(&[2, 6, 1, 1], "x w", &[("strides", Ints(vec![2, 3]))], PRODUCT);
        let sum = ["Reshape-14", "Reshape-14", "MatMul-13", "Add-14", "Reshape-14"];
        check(&[1, 6, 1, 1], "x w b", &[], &sum);
    }

    #[test]
    fn other_images_and_results_are_unchanged() {
        let same = &["ConvTranspose-11"];
        check(&[1, 6, 1, 2], "x w", &[], same);
        check(&[1, 6, 1, 1], "x w", &[("group", Int(2))], same);
        check(&[1, 6, 1, 1], "x w", &[("dilations", Ints(vec![2, 1]))], same);
        check(&[1, 6, 1, 1], "x w", &[("pads", Ints(vec![1, 0, 0, 0]))], same);
        let moved = [
            ("strides", Ints(vec![2, 2])),
            ("pads", Ints(vec![1, 0, 0, 0])),
            ("output_padding", Ints(vec![1, 0])),
        ];
        check(&[1, 6, 1, 1], "x w", &moved, same);
    }
}
