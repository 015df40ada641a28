//! The packed weights of a [`Volume`](super::Volume).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::VolumeShape;
use super::axis::{Phase, phases};
use crate::conv::direct::Convolution;
use crate::conv::pack::InputLayout;
use crate::conv::shape::{ConvShape, Window};
use crate::error::{Result, need};
use crate::{Isa, Pool};

/// The packed weights of a convolution over three axes, or of a transposed one. Images of every extent share
/// them.
#[derive(Clone, Debug)]
pub struct VolumeFilters {
    pub(super) isa: Isa,
    pub(super) shape: VolumeShape,
    pub(super) layout: InputLayout,
    /// The convolutions of all taps of the depth, by the first row and the first column of the results.
    parts: BTreeMap<[usize; 2], Arc<[Convolution]>>,
}

impl VolumeFilters {
    /// Packs `weights` (`[out][in / groups][taps]`, transposed `[in][out / groups][taps]`) for the kernels of
    /// this pool and images of this layout. Weights must be finite, because padding is multiplied by them.
    pub fn new(pool: &Pool, shape: VolumeShape, layout: InputLayout, weights: &[f32]) -> Result<Self> {
        shape.check()?;
        need("convolution: weights", shape.weights()?, weights.len())?;
        let shape = shape.of_filters();
        let [vertical, horizontal] = [1, 2].map(|axis| phases(&shape, axis));
        let mut parts = BTreeMap::new();
        for down in &vertical {
            for right in &horizontal {
                let plane = plane(&shape, down, right);
                let tap = |tap: usize| {
                    let selected = shape.select(weights, tap, &down.taps, &right.taps);
                    Convolution::new(pool, plane, layout, &selected)
                };
                let taps = (0..shape.kernel[0]).map(tap).collect::<Result<_>>()?;
                parts.insert([down.start, right.start], taps);
            }
        }
        Ok(Self {
            isa: pool.isa(),
            shape,
            layout,
            parts,
        })
    }

    /// Returns the convolutions of the results that begin at this row and column.
    pub(super) fn of(&self, down: &Phase, right: &Phase) -> Option<Arc<[Convolution]>> {
        self.parts.get(&[down.start, right.start]).map(Arc::clone)
    }
}

/// The convolution over two axes of results with these taps.
fn plane(shape: &VolumeShape, down: &Phase, right: &Phase) -> ConvShape {
    ConvShape {
        in_channels: shape.in_channels,
        out_channels: shape.out_channels,
        groups: shape.groups,
        window: Window {
            kernel: [down.taps.len(), right.taps.len()],
            stride: [down.stride, right.stride],
            dilation: [down.dilation, right.dilation],
            pad_begin: [0; 2],
            pad_end: [0; 2],
        },
    }
}
