//! Direct convolution: the micro-kernel walks over channels and taps of a strip of the image.

use std::ops::Range;

use super::pack::{self, InputLayout, Part};
use super::shape::ConvShape;
use super::strip::{self, Image, Seen};
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::gemm::tile::{self, Finish, Tile, Walk};
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool, scratch};

/// A convolution with its weights packed.
#[derive(Clone, Debug)]
pub struct Convolution {
    isa: Isa,
    shape: ConvShape,
    layout: InputLayout,
    parts: Vec<Part>,
    weights: Buffer<f32>,
}

/// Elements of an image strip that are worked on at a time: with the weights of a part it stays in the second cache.
const STRIP: usize = 160 * 1024;

/// One call: everything that does not depend on the thread.
struct Call<'a> {
    size: [usize; 2],
    output: [usize; 2],
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
}

impl Convolution {
    /// Packs `weights` (`[out][in / groups][ky][kx]`) for images of the given layout and the kernels of this pool.
    pub fn new(pool: &Pool, shape: ConvShape, layout: InputLayout, weights: &[f32]) -> Result<Self> {
        shape.check()?;
        let parts = pack::parts(&shape, pool.isa(), layout);
        let weights = pack::pack(pool, &shape, layout, &parts, weights)?;
        Ok(Self {
            isa: pool.isa(),
            shape,
            layout,
            parts,
            weights,
        })
    }

    /// What it computes.
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.weights.len() * size_of::<f32>()
    }

    /// `y = activation(x * weights + bias + residual)` for `batch` images of `size` = `[height, width]`.
    ///
    /// `x` has the layout given to [`Self::new`]; `y` and a residual are blocked. The bias is one of columns (output
    /// channels). What fills up the last block of `y` is set to zero.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let output = self.shape.window.output(size)?;
        let block = self.layout.block(self.isa);
        let in_blocks = self.shape.in_channels.div_ceil(block);
        need(
            "convolution: image",
            product("convolution", &[batch, in_blocks, block, size[0], size[1]])?,
            x.len(),
        )?;
        let len = product(
            "convolution",
            &[batch, self.out_blocks(), self.isa.lanes(), output[0], output[1]],
        )?;
        need("convolution: result", len, y.len())?;
        check_epilogue(epilogue, self.shape.out_channels, len)?;
        // A pointwise convolution sees one long row.
        let flat = |[h, w]: [usize; 2]| {
            if self.shape.window.is_pointwise() {
                [1, h * w]
            } else {
                [h, w]
            }
        };
        let call = Call {
            size: flat(size),
            output: flat(output),
            x,
            epilogue,
            y: Shared::new(y),
        };
        self.divide(pool, batch, &call);
        Ok(())
    }

    fn out_blocks(&self) -> usize {
        self.shape.out_channels.div_ceil(self.isa.lanes())
    }

    /// Between threads: by rows (pointwise: by tiles), unless parts of the channels divide more evenly.
    fn divide(&self, pool: &Pool, batch: usize, call: &Call) {
        let pointwise = self.shape.window.is_pointwise();
        let rows = tile::rows(self.isa);
        let units = if pointwise {
            call.output[1].div_ceil(rows)
        } else {
            call.output[0]
        };
        let idle = |pieces: usize| pieces.div_ceil(pool.threads()) * pool.threads() * 1000 / pieces.max(1);
        let by_parts = idle(self.parts.len()) < idle(batch * units) || batch * units < pool.threads();
        let all = 0..self.parts.len();
        let work = |image: usize, units: Range<usize>, parts: Range<usize>| {
            if pointwise {
                let columns = units.start * rows..(units.end * rows).min(call.output[1]);
                self.strips(call, image, 0..1, columns, parts);
            } else {
                self.strips(call, image, units, 0..call.output[1], parts);
            }
        };
        if by_parts {
            pool.split(self.parts.len(), 1, |parts| {
                (0..batch).for_each(|image| work(image, 0..units, parts.clone()));
            });
        } else {
            pool.split(batch * units, 1, |range| {
                for image in range.start / units..range.end.div_ceil(units) {
                    let first = image * units;
                    let own = range.start.max(first) - first..range.end.min(first + units) - first;
                    work(image, own, all.clone());
                }
            });
        }
    }

    /// Cuts a thread's share of one image into strips that fit the cache.
    fn strips(
        &self,
        call: &Call,
        image: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        parts: Range<usize>,
    ) {
        let block = self.layout.block(self.isa);
        let window = &self.shape.window;
        let used = self.parts[parts.clone()].iter().map(|part| &part.inputs);
        let start = used.clone().map(|inputs| inputs.start).min().unwrap_or(0);
        let blocks = start..used.map(|inputs| inputs.end).max().unwrap_or(0);
        let image_len = self.shape.in_channels.div_ceil(block) * block * call.size[0] * call.size[1];
        let source = Image {
            data: &call.x[image * image_len..][..image_len],
            size: call.size,
            block,
        };
        if window.stays_inside(call.size, call.output) {
            let per_pixel = blocks.len() * block;
            let [height, width] = strip::size(window, 1, columns.len());
            let (row_step, column_step) = if rows.len() == 1 {
                let tile = tile::rows(self.isa);
                (
                    1,
                    (STRIP / (per_pixel * window.stride[1] * height))
                        .next_multiple_of(tile)
                        .max(tile),
                )
            } else {
                (
                    (STRIP / (per_pixel * width * window.stride[0])).max(1),
                    columns.len(),
                )
            };
            for row in rows.clone().step_by(row_step) {
                for column in columns.clone().step_by(column_step) {
                    let rows = row..(row + row_step).min(rows.end);
                    let seen = source.seen(window, row, &blocks);
                    let columns = column..(column + column_step).min(columns.end);
                    self.parts(call, image, rows, columns, seen, blocks.start, &parts);
                }
            }
            return;
        }
        let row_len = |count: usize| {
            let [height, width] = strip::size(window, count, call.output[1]);
            height * width * blocks.len() * block
        };
        let step = (1..=rows.len())
            .rev()
            .find(|count| row_len(*count) <= STRIP)
            .unwrap_or(1);
        scratch::with(row_len(step.max(1)), |padded| {
            for row in rows.clone().step_by(step) {
                let rows = row..(row + step).min(rows.end);
                let seen = source.copy_padded(window, rows.clone(), call.output[1], &blocks, padded);
                self.parts(call, image, rows, columns.clone(), seen, blocks.start, &parts);
            }
        });
    }

    /// One strip, whose first row and input block are at `seen`, for all parts given.
    #[allow(clippy::too_many_arguments)]
    fn parts(
        &self,
        call: &Call,
        image: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        seen: Seen,
        first_block: usize,
        parts: &Range<usize>,
    ) {
        let block = self.layout.block(self.isa);
        let window = &self.shape.window;
        for part in &self.parts[parts.clone()] {
            let walk = self.walk(part.inputs.len(), &seen);
            for row in rows.clone() {
                let x = seen.start.wrapping_add(
                    (part.inputs.start - first_block) * seen.plane
                        + (row - rows.start) * window.stride[0] * seen.row
                        + columns.start * window.stride[1] * block,
                );
                self.row(call, image, row, columns.clone(), x, &walk, part);
            }
        }
    }

    fn walk(&self, blocks: usize, seen: &Seen) -> Walk {
        let window = &self.shape.window;
        let [kh, kw] = window.kernel;
        let block = self.layout.block(self.isa);
        let down = (kh, window.dilation[0] * seen.row);
        if block == 1 && window.dilation[1] == 1 {
            return Walk {
                loops: [(1, 0), (blocks, seen.plane), down],
                inner: kw,
            };
        }
        Walk {
            loops: [(blocks, seen.plane), down, (kw, window.dilation[1] * block)],
            inner: block,
        }
    }

    /// A row of windows, tile by tile; the first window's first tap is at `x`.
    #[allow(clippy::too_many_arguments)]
    fn row(
        &self,
        call: &Call,
        image: usize,
        row: usize,
        columns: Range<usize>,
        x: *const f32,
        walk: &Walk,
        part: &Part,
    ) {
        let lanes = self.isa.lanes();
        let plane = call.output[0] * call.output[1] * lanes;
        let row_stride = self.shape.window.stride[1] * self.layout.block(self.isa);
        let tiles = columns.len().div_ceil(tile::rows(self.isa));
        let first = (image * self.out_blocks() + part.block) * plane + row * call.output[1] * lanes;
        for index in 0..tiles {
            let share = crate::thread::share(columns.len(), tiles, index);
            let at = first + (columns.start + share.start) * lanes;
            let tile = Tile {
                rows: share.len(),
                vectors: part.vectors,
                x: x.wrapping_add(share.start * row_stride),
                row_stride,
                walk,
                w: self.weights[part.weights..].as_ptr(),
                c: call.y.at(at),
                c_row: lanes,
                c_vector: plane,
                columns: part.channels,
                fill: true,
                resume: matches!(call.epilogue.residual, Residual::Output),
                finish: Some(finish(call.epilogue, part.block * lanes, at)),
            };
            // SAFETY: the walk stays inside the strip (the image, or its padded copy, of which the last window of the
            // row sees the last column); weights are packed for this walk; the result's length was checked, and
            // threads have disjoint rows or parts.
            unsafe { tile.run(self.isa) }
        }
    }
}

pub(super) fn check_epilogue(epilogue: &Epilogue, channels: usize, len: usize) -> Result<()> {
    match epilogue.bias {
        Bias::None => {}
        Bias::Column(bias) => need("convolution: bias", channels, bias.len())?,
        Bias::Row(_) => ensure(false, "convolution", || "the bias must be one of columns".into())?,
    }
    match epilogue.residual {
        Residual::Add(residual) => need("convolution: residual", len, residual.len()),
        Residual::None | Residual::Output => Ok(()),
    }
}

/// The epilogue of a tile that begins at `channel` and at element `at` of the result.
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
