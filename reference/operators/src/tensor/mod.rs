//! Tensors (`onnx/defs/tensor`): shape, layout, indexing, type conversion.

// The rest of this file is written by `cargo xtask generate index`.

mod affine_grid;
mod bit_cast;
mod cast;
mod cast_like;
mod center_crop_pad;
mod compress;
mod concat;
mod coordinates;
mod depth_to_space;
mod expand;
mod flatten;
mod gather;
mod gather_elements;
mod gather_nd;
mod grid_sample;
mod identity;
mod indices;
mod integer_sums;
mod integral;
mod non_zero;
mod one_hot;
mod pad;
mod resampling;
mod reshape;
mod resize;
mod resized_extents;
mod reverse_sequence;
mod scatter;
mod scatter_elements;
mod scatter_nd;
mod scattering;
mod shape;
mod size;
mod slice;
mod space_to_depth;
mod split;
mod squeeze;
mod tensor_scatter;
mod tile;
mod transpose;
mod trilu;
mod unique;
mod unsqueeze;
mod upsample;
mod r#where;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &affine_grid::OP,
    &bit_cast::OP,
    &cast::OP,
    &cast_like::OP,
    &center_crop_pad::OP,
    &compress::OP,
    &concat::OP,
    &depth_to_space::OP,
    &expand::OP,
    &flatten::OP,
    &gather::OP,
    &gather_elements::OP,
    &gather_nd::OP,
    &grid_sample::OP,
    &identity::OP,
    &non_zero::OP,
    &one_hot::OP,
    &pad::OP,
    &reshape::OP,
    &resize::OP,
    &reverse_sequence::OP,
    &scatter::OP,
    &scatter_elements::OP,
    &scatter_nd::OP,
    &shape::OP,
    &size::OP,
    &slice::OP,
    &space_to_depth::OP,
    &split::OP,
    &squeeze::OP,
    &tensor_scatter::OP,
    &tile::OP,
    &transpose::OP,
    &trilu::OP,
    &unique::OP,
    &unsqueeze::OP,
    &upsample::OP,
    &r#where::OP,
];
