//! Convolutions as products, in tiles that threads compute.

use onnx_arithmetic::product::{Blocks, Buffers, Factor, Matrix, Operands, Tile, tiles};
use onnx_arithmetic::{Element as Cell, threads};
use onnx_tensor::Element;

use super::patches::{Patches, Segments};
use super::phases::Phase;
use super::{Convolution, Finish};
use crate::frame::OpError;
use crate::shared::matrix_product::Product;

/// A convolution, or phases of a transposed one with the same patches.
#[derive(Debug)]
pub(super) struct Dense<'a> {
    pub(super) convolution: &'a Convolution,
    pub(super) phase: &'a Phase,
    pub(super) blocks: &'a Blocks,
    /// The rows of the product are the output channels of a group, this number of times.
    pub(super) parts: usize,
}

/// What a thread reuses from tile to tile.
struct Scratch<T: Product> {
    segments: Segments,
    buffers: Buffers<<T::Cell as Cell>::Factor>,
    sums: Vec<T::Sum>,
}

impl Dense<'_> {
    /// Writes the rows of `result`: for each image, group and part the output channels.
    pub(super) fn run<T: Product, R: Element + Copy>(
        &self,
        x: &[T],
        kernels: &[T],
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
        result: &mut [R],
    ) -> Result<(), OpError> {
        let Convolution { groups, maps, .. } = *self.convolution;
        let (columns, height) = (self.phase.positions(), maps / groups * self.parts);
        let operations = result.len().saturating_mul(self.blocks.terms());
        let (parts, images) = (threads::parts(operations), self.convolution.batch * groups);
        let each = if images < parts { parts } else { 1 };
        let mut jobs: Vec<(usize, Tile<'_, R>)> = result
            .chunks_mut((height * columns).max(1))
            .enumerate()
            .flat_map(|(index, part)| {
                tiles(part, height, columns, each)
                    .into_iter()
                    .map(move |tile| (index, tile))
            })
            .collect();
        // Tiles of the same columns follow each other: they have the same segments.
        jobs.sort_by_key(|(_, tile)| tile.columns.start);
        let terms = self.blocks.terms();
        let kernels = Matrix::by_rows(T::cells(kernels), groups * height, terms);
        let kernels =
            kernels.ok_or_else(|| OpError::invalid("the kernels have another number of elements"))?;
        let scratch = || Scratch::<T> {
            segments: Segments::default(),
            buffers: Buffers::default(),
            sums: Vec::new(),
        };
        threads::for_each(jobs.into_iter(), parts, scratch, |scratch, (index, tile)| {
            self.tile(
                T::cells(x),
                &kernels.transposed(),
                start,
                finish,
                scratch,
                (index, tile),
            );
        });
        Ok(())
    }

    /// Computes a tile of the group with this index among those of all images.
    fn tile<T: Product, R: Element + Copy>(
        &self,
        x: &[T::Cell],
        kernels: &Matrix<'_, T::Cell>,
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
        scratch: &mut Scratch<T>,
        (index, tile): (usize, Tile<'_, R>),
    ) {
        let Convolution {
            groups,
            maps,
            channels,
            ref input,
            ..
        } = *self.convolution;
        let (group_maps, group_channels) = (maps / groups, channels / groups);
        let plane: usize = input.iter().product();
        scratch.segments.select(self.phase, input, &tile.columns);
        let patches = Patches {
            x: &x[index * group_channels * plane..][..group_channels * plane],
            plane,
            segments: &scratch.segments,
        };
        let (first, width) = (index % groups * group_maps * self.parts, tile.columns.len());
        let rows = first + tile.rows.start..first + tile.rows.end;
        let starts = &start[rows.clone()];
        scratch.sums.resize(starts.len() * width, T::Sum::default());
        for (sums, start) in scratch.sums.chunks_mut(width).zip(starts) {
            sums.fill(*start);
        }
        let operands = Operands {
            a: kernels,
            b: &patches,
            blocks: self.blocks,
        };
        Factor::accumulate(
            operands,
            rows,
            tile.columns,
            &mut scratch.buffers,
            &mut scratch.sums,
        );
        let group = index % groups * group_maps;
        for ((row, into), sums) in tile.rows.zip(tile.result).zip(scratch.sums.chunks(width)) {
            finish(group + row % group_maps, sums, into);
        }
    }
}
