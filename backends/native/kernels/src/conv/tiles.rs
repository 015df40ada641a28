//! The work of a thread in a direct convolution: strips of the image, parts of the channels, rows of windows,
//! tiles.

use std::ops::Range;

use super::direct::Convolution;
use super::few;
use super::pack::{InputLayout, Part};
use super::shape::Window;
use super::strip::{self, Image, StripView};
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::gemm::finish::Finish;
use crate::gemm::prefetch::{FetchResult, Prefetch};
use crate::gemm::tile::{self, Tile, Walk};
use crate::memory::Shared;
use crate::scratch;

/// The number of elements of an image strip: with the weights of a part it fits into the L2 cache.
const STRIP: usize = 160 * 1024;

/// The same for parts of one vector: half of the L1 cache.
const NARROW_STRIP: usize = 6 * 1024;

/// The parts of one call that do not depend on the thread.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub conv: &'a Convolution,
    pub window: Window,
    pub size: [usize; 2],
    pub output: [usize; 2],
    /// The rows and columns of the image before the first window; without padding there.
    pub skip: [usize; 2],
    pub x: &'a [f32],
    pub source: Source,
    pub epilogue: &'a Epilogue<'a>,
    pub y: Shared<'a, f32>,
    pub target: Target,
}

/// The location of images in a slice; distances in elements.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// The first pixel of the first image.
    pub first: usize,
    pub image: usize,
    pub plane: usize,
}

/// The location of results in a slice; distances in elements. The pixels of a result need not be adjacent.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// The first pixel of the first result.
    pub first: usize,
    pub image: usize,
    pub plane: usize,
    pub row: usize,
    pub pixel: usize,
}

impl Source {
    /// Images of `planes` planes, all adjacent.
    pub fn dense(planes: usize, [height, width]: [usize; 2], block: usize) -> Self {
        let plane = height * width * block;
        Self {
            first: 0,
            image: planes * plane,
            plane,
        }
    }
}

impl Target {
    /// Results of `planes` planes, all adjacent.
    pub fn dense(planes: usize, [height, width]: [usize; 2], lanes: usize) -> Self {
        let plane = height * width * lanes;
        Self {
            first: 0,
            image: planes * plane,
            plane,
            row: width * lanes,
            pixel: lanes,
        }
    }
}

impl<'a> Call<'a> {
    /// Returns the same call over `x`, which has one pixel for each pixel of the result, all in one row.
    pub fn flat(self, x: &'a [f32]) -> Self {
        let row = [1, self.output[0] * self.output[1]];
        let block = self.conv.layout.block(self.conv.isa);
        let planes = self.conv.shape.in_channels.div_ceil(block);
        Self {
            window: Window::square(1, 1, 0),
            size: row,
            output: row,
            x,
            source: Source::dense(planes, row, block),
            target: Target::dense(self.conv.out_blocks(), row, self.conv.isa.lanes()),
            ..self
        }
    }

    /// Divides a thread's part of one image into strips that fit into the cache.
    pub fn strips(&self, image: usize, rows: Range<usize>, columns: Range<usize>, parts: Range<usize>) {
        let block = self.conv.layout.block(self.conv.isa);
        let window = &self.window;
        let used = self.conv.parts[parts.clone()]
            .iter()
            .map(|part| part.blocks(block));
        let start = used.clone().map(|inputs| inputs.start).min().unwrap_or(0);
        let blocks = start..used.map(|inputs| inputs.end).max().unwrap_or(0);
        let source = Image {
            data: &self.x[self.source.first + image * self.source.image..],
            size: self.size,
            skip: self.skip,
            plane: self.source.plane,
            block,
        };
        let left = [0, 1].map(|axis| self.size[axis].saturating_sub(self.skip[axis]));
        if window.stays_inside(left, self.output) {
            let (row_step, column_step) = self.steps(&rows, &columns, blocks.len() * block);
            for row in rows.clone().step_by(row_step) {
                for column in columns.clone().step_by(column_step) {
                    let rows = row..(row + row_step).min(rows.end);
                    let seen = source.seen(window, row, &blocks);
                    let columns = column..(column + column_step).min(columns.end);
                    self.parts(image, rows, columns, seen, blocks.start, &parts);
                }
            }
            return;
        }
        let row_len = |count: usize| {
            let [height, width] = strip::size(window, count, self.output[1]);
            height * width * blocks.len() * block
        };
        let step = (1..=rows.len())
            .rev()
            .find(|count| row_len(*count) <= STRIP)
            .unwrap_or(1);
        scratch::with(row_len(step.max(1)), |padded| {
            for row in rows.clone().step_by(step) {
                let rows = row..(row + step).min(rows.end);
                let seen = source.copy_padded(window, rows.clone(), self.output[1], &blocks, padded);
                self.parts(image, rows, columns.clone(), seen, blocks.start, &parts);
            }
        });
    }

    /// Returns the rows and columns of a strip of the image itself, without padding.
    fn steps(&self, rows: &Range<usize>, columns: &Range<usize>, per_pixel: usize) -> (usize, usize) {
        let stride = self.window.stride;
        let [height, width] = strip::size(&self.window, 1, columns.len());
        if rows.len() > 1 {
            let per_row = per_pixel.saturating_mul(width).saturating_mul(stride[0]);
            return ((STRIP / per_row).max(1), columns.len());
        }
        // Parts of one vector read more of the image for each multiplication, so their strip must fit into
        // the L1 cache.
        let narrow = self.conv.shape.groups > 1 && self.conv.parts.iter().all(|part| part.vectors == 1);
        let fits = if narrow {
            let inputs = self.conv.parts.iter().map(|part| part.inputs.len()).max();
            NARROW_STRIP
                / inputs
                    .unwrap_or(1)
                    .saturating_mul(stride[1])
                    .saturating_mul(height)
        } else {
            STRIP / per_pixel.saturating_mul(stride[1]).saturating_mul(height)
        };
        let tile = tile::rows(self.conv.isa, 1, self.conv.isa.lanes());
        (1, (fits / tile).max(1) * tile)
    }

    /// Computes one strip, whose first row and input block are at `seen`, for all given parts.
    #[allow(clippy::too_many_arguments)]
    fn parts(
        &self,
        image: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        seen: StripView,
        first_block: usize,
        parts: &Range<usize>,
    ) {
        let block = self.conv.layout.block(self.conv.isa);
        let window = &self.window;
        for part in &self.conv.parts[parts.clone()] {
            let walk = self.walk(part, &seen);
            for row in rows.clone() {
                let x = seen.start.wrapping_add(
                    (part.inputs.start / block - first_block) * seen.plane
                        + (row - rows.start) * window.stride[0] * seen.row
                        + columns.start * window.stride[1] * block,
                );
                self.row(image, row, columns.clone(), x, &walk, part);
            }
        }
    }

    /// Returns the walk over the inputs of a part: planes of blocks, rows of taps, taps, input channels of a
    /// block.
    fn walk(&self, part: &Part, seen: &StripView) -> Walk {
        let window = &self.window;
        let [kh, kw] = window.kernel;
        let block = self.conv.layout.block(self.conv.isa);
        let planes = (part.blocks(block).len(), seen.plane);
        let down = (kh, window.dilation[0] * seen.row);
        if block == 1 && window.dilation[1] == 1 {
            return Walk::whole([(1, 0), planes, down], kw);
        }
        Walk {
            loops: [planes, down, (kw, window.dilation[1] * block)],
            inner: block,
            skip: part.inputs.start % block,
            end: (part.inputs.end - 1) % block + 1,
        }
    }

    /// Computes a row of windows, tile by tile; the first tap of the first window is at `x`.
    #[allow(clippy::too_many_arguments)]
    fn row(&self, image: usize, row: usize, columns: Range<usize>, x: *const f32, walk: &Walk, part: &Part) {
        let lanes = self.conv.isa.lanes();
        let target = &self.target;
        let row_stride = self.window.stride[1] * self.conv.layout.block(self.conv.isa);
        let most = if self.conv.few {
            few::windows(self.conv.isa)
        } else {
            tile::rows(self.conv.isa, part.vectors, row_stride)
        };
        let tiles = columns.len().div_ceil(most);
        let w = &self.conv.weights[part.weights..];
        let width = part.vectors * lanes;
        let steps = part.inputs.len() * self.window.kernel.iter().product::<usize>();
        let first = target.first + image * target.image + part.block * target.plane + row * target.row;
        for index in 0..tiles {
            let share = crate::thread::share(columns.len(), tiles, index);
            let at = first + (columns.start + share.start) * target.pixel;
            let tile = Tile {
                rows: share.len(),
                vectors: part.vectors,
                x: x.wrapping_add(share.start * row_stride),
                row_stride,
                walk,
                w: w.as_ptr(),
                w_second: None,
                c: self.y.at(at),
                c_row: target.pixel,
                c_vector: target.plane,
                columns: part.channels,
                fill: true,
                resume: matches!(self.epilogue.residual, Residual::Output),
                finish: Some(finish(self.epilogue, part.block * lanes, at)),
                ahead: Prefetch::share(w, width * steps, [width, steps], [index, tiles], self.conv.isa),
            };
            if self.conv.layout == InputLayout::Plain {
                self.conv.isa.run(FetchResult(&tile));
            }
            // SAFETY: the walk stays inside of the strip (the image, or its padded copy, whose last column
            // the last window of the row reads). No position overflows, because the window is bounded
            // (`Window::check`) and the length of the strip is bounded (`ConvShape::check_padding`). Weights
            // are packed for this walk; the length of the result was checked, and threads have disjoint rows
            // or parts.
            unsafe {
                if self.conv.few {
                    few::run(self.conv.isa, &tile)
                } else {
                    tile.run(self.conv.isa)
                }
            }
        }
    }
}

/// Returns the epilogue of a tile that starts at `channel` and at element `at` of the result.
pub(super) fn finish(epilogue: &Epilogue, channel: usize, at: usize) -> Finish {
    let bias_columns = match epilogue.bias {
        Bias::Column(bias) => bias[channel..].as_ptr(),
        Bias::None | Bias::Row(_) => std::ptr::null(),
    };
    let residual = match epilogue.residual {
        Residual::Add(residual) => residual[at..].as_ptr(),
        Residual::None | Residual::Output => std::ptr::null(),
    };
    Finish {
        bias_columns,
        bias_rows: std::ptr::null(),
        residual,
        activation: epilogue.activation,
    }
}
