//! Convolutions, transposed or not, and pooling.
//!
//! A convolution is a product of its kernels with patches of the input. To find the elements of a patch,
//! the node runs on the positions of the elements, with kernels that each read one position of the patch.

use onnx_model::Node;
use onnx_tensor::{DType, Tensor, Value};

use super::super::subgraph::{self, Operand};
use super::super::tape::{Tape, Var};
use super::{Site, layout, reductions};
use crate::frame::OpError;

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    let result = match site.name() {
        "Conv" | "ConvTranspose" => convolution(tape, site)?,
        "MaxPool" => return max_pool(tape, site).map(Some),
        "GlobalAveragePool" | "GlobalMaxPool" => {
            let x = site.var(tape, 0)?;
            let spatial: Vec<usize> = (2..tape.shape(x).len()).collect();
            match site.name() {
                "GlobalMaxPool" => reductions::extreme(tape, x, &spatial, |a, b| a > b)?,
                _ => reductions::mean(tape, x, &spatial)?,
            }
        }
        _ => return Ok(None),
    };
    site.one(result)
}

/// The sizes of a convolution that do not depend on strides and pads.
struct Sizes {
    transposed: bool,
    groups: usize,
    group_channels: usize,
    group_maps: usize,
    taps: usize,
}

impl Sizes {
    fn new(site: &Site<'_>, x: &[usize], w: &[usize]) -> Result<Sizes, OpError> {
        // There are at most as many groups as channels, so the products below stay far below 2^64.
        let groups = usize::try_from(site.call.int("group")?).ok();
        let groups = groups
            .filter(|&groups| i32::try_from(groups).is_ok())
            .unwrap_or(0);
        let (&[_, channels, ..], &[first, second, ref kernel @ ..], 1..) = (x, w, groups) else {
            return Err(site.unknown());
        };
        let transposed = site.name() == "ConvTranspose";
        let (group_channels, group_maps) = if transposed {
            (channels / groups, second)
        } else {
            (second, first / groups)
        };
        let taps = kernel.iter().product();
        Ok(Sizes {
            transposed,
            groups,
            group_channels,
            group_maps,
            taps,
        })
    }

    /// The number of elements of a patch.
    fn patch(&self) -> usize {
        self.group_channels * self.taps
    }

    /// Kernels that each read one element of a patch: for each group, as many output channels as a patch
    /// has elements.
    fn readers(&self, site: &Site<'_>, kernel: &[usize]) -> Result<Tensor, OpError> {
        let (channels, patch) = (self.group_channels * self.groups, self.patch());
        let leading = if self.transposed {
            [channels, patch]
        } else {
            [self.groups * patch, self.group_channels]
        };
        let shape = [&leading, kernel].concat();
        site.call.reserve(&shape, DType::Double)?;
        let mut elements = vec![0.0; shape.iter().product()];
        for channel in 0..channels {
            let (group, within) = (channel / self.group_channels, channel % self.group_channels);
            for tap in 0..self.taps {
                let element = within * self.taps + tap;
                let row = if self.transposed {
                    channel * patch + element
                } else {
                    (group * patch + element) * self.group_channels + within
                };
                elements[row * self.taps + tap] = 1.0;
            }
        }
        Ok(Tensor::new::<f64>(&shape, elements)?)
    }

    /// The kernels as [groups, output channels, elements of a patch].
    fn rows(&self, tape: &mut Tape<'_>, w: Var) -> Result<Var, OpError> {
        let rows = [self.groups, self.group_maps, self.patch()];
        if !self.transposed {
            return Ok(tape.reshape(w, &rows));
        }
        let split = tape.reshape(w, &[self.groups, self.group_channels, self.group_maps, self.taps]);
        let by_map = tape.permute(split, &[0, 2, 1, 3])?;
        Ok(tape.reshape(by_map, &rows))
    }
}

fn convolution(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let (x, w) = (site.var(tape, 0)?, site.var(tape, 1)?);
    let sizes = Sizes::new(site, tape.shape(x), tape.shape(w))?;
    let maps = sizes.groups * sizes.group_maps;
    if tape.values(w).len() != maps * sizes.patch() {
        return Err(OpError::invalid(format!(
            "kernels of shape {:?} cannot be split into {} groups",
            tape.shape(w),
            sizes.groups
        )));
    }
    let readers = sizes.readers(site, &tape.shape(w)[2..])?;
    let positions = layout::positions(tape, x, &mut 1)?;
    let inputs = vec![Some(positions.into()), Some(readers.into()), None];
    let outputs = subgraph::run(site.call, site.node, inputs)?;
    let (shape, map) = subgraph::positions(outputs.first().ok_or_else(|| site.unknown())?)?;
    let &[batch, _, ref spatial @ ..] = shape.as_slice() else {
        return Err(site.unknown());
    };
    let places: usize = spatial.iter().product();
    // Position 0 is the padding.
    let padded = tape.joined(&[x]);
    let stacked = batch * sizes.groups;
    let patches = tape.pick(padded, &[stacked, sizes.patch(), places], map.into());
    let rows = sizes.rows(tape, w)?;
    let rows = tape.reshape(rows, &[1, sizes.groups, sizes.group_maps * sizes.patch()]);
    let rows = tape.broadcast(rows, &[batch, sizes.groups, sizes.group_maps * sizes.patch()])?;
    let rows = tape.reshape(rows, &[stacked, sizes.group_maps, sizes.patch()]);
    let product = tape.matmul(rows, patches)?;
    let shape = [&[batch, maps], spatial].concat();
    let result = tape.reshape(product, &shape);
    let Some(bias) = site.optional(tape, 2)? else {
        return Ok(result);
    };
    if tape.shape(bias) != [maps] {
        return Err(OpError::invalid(format!(
            "the bias has shape {:?}, expected [{maps}]",
            tape.shape(bias)
        )));
    }
    let aligned: Vec<usize> = [maps].into_iter().chain(spatial.iter().map(|_| 1)).collect();
    let bias = tape.reshape(bias, &aligned);
    let bias = tape.broadcast(bias, &shape)?;
    Ok(tape.add(result, bias))
}

/// Since version 8 the node returns the indices of the greatest elements.
fn max_pool(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Operand>, OpError> {
    if site.since() < 8 {
        return Err(site.unknown());
    }
    let x = site.var(tape, 0)?;
    let attributes = site.node.attributes.iter();
    let node = Node {
        outputs: vec!["values".to_owned(), "places".to_owned()],
        attributes: attributes
            .filter(|attribute| attribute.name != "storage_order")
            .cloned()
            .collect(),
        ..site.node.clone()
    };
    let values = Tensor::new::<f64>(tape.shape(x), tape.values(x).to_vec())?;
    let outputs = subgraph::run(site.call, &node, vec![Some(values.into())])?;
    let Some(Value::Tensor(places)) = outputs.get(1) else {
        return Err(site.unknown());
    };
    let map = places
        .to_vec::<i64>()?
        .into_iter()
        .map(|place| place as usize)
        .collect();
    let greatest = tape.pick(x, places.shape(), map);
    let mut outputs = vec![Operand::Var(greatest, site.call.dtype(0)?)];
    if site.call.output_count() > 1 {
        outputs.extend(site.plain(tape)?.into_iter().skip(1));
    }
    Ok(outputs)
}
