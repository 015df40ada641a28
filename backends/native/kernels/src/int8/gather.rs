//! Gathers the pixels that adjacent windows of an image of bytes read, as a panel of the micro-kernel.

use std::ops::Range;

use super::grouped::Call;
use super::{Dot, MAX_WIDTH};

impl Call<'_> {
    /// Gathers the pixels of `ins` channels from plane `first` on; returns the number of steps of the common
    /// dimension.
    pub fn gather(
        &self,
        first: usize,
        ins: usize,
        columns: Range<usize>,
        panel: &mut [i8],
        sums: &mut [i32],
    ) -> usize {
        let len = self.size[0] * self.size[1];
        let stride = self.conv.shape.window.stride[1];
        let (raw, flip) = (self.x.raw(), self.x.flip_to_signed());
        let taps = self.runs(columns);
        let padding = [self.x_zero as u8; MAX_WIDTH];
        let mut quad = [padding; 4];
        let planes = raw[first * len..].chunks_exact(len).take(ins);
        let mut l = 0;
        for (plane, runs) in planes.flat_map(|plane| taps.iter().map(move |runs| (plane, runs))) {
            let line = &mut quad[l % 4];
            *line = padding;
            for run in runs {
                let line = &mut line[run.column..][..run.len];
                if stride == 1 {
                    line.copy_from_slice(&plane[run.pixel..][..run.len]);
                } else {
                    let seen = plane[run.pixel..].iter().step_by(stride);
                    line.iter_mut().zip(seen).for_each(|(byte, pixel)| *byte = *pixel);
                }
            }
            l += 1;
            if l % 4 == 0 {
                pack_quad(&quad, flip, panel_quad(panel, l / 4 - 1, self.conv.dot), sums);
            }
        }
        if l % 4 > 0 {
            // They become zero when they are flipped.
            quad[l % 4..].fill([flip; MAX_WIDTH]);
            pack_quad(&quad, flip, panel_quad(panel, l / 4, self.conv.dot), sums);
        }
        l
    }

    /// Returns for each tap the runs of windows whose pixels, except padding, are one stride apart in one row
    /// of a plane.
    fn runs(&self, columns: Range<usize>) -> Vec<Vec<Run>> {
        let window = &self.conv.shape.window;
        let [height, width] = self.size;
        let places: Vec<[usize; 2]> = columns
            .map(|column| [column / self.output[1], column % self.output[1]])
            .collect();
        let seen = |tap: [usize; 2], place: &[usize; 2]| {
            let [row, column] = [0, 1].map(|axis| {
                let at = place[axis] * window.stride[axis] + tap[axis] * window.dilation[axis];
                at.wrapping_sub(window.pad_begin[axis])
            });
            (row < height && column < width).then(|| row * width + column)
        };
        let of_tap = |tap: [usize; 2]| {
            let mut runs: Vec<Run> = Vec::new();
            for (column, pixel) in places.iter().map(|place| seen(tap, place)).enumerate() {
                let Some(pixel) = pixel else { continue };
                match runs.last_mut() {
                    Some(run)
                        if run.column + run.len == column
                            && run.pixel + run.len * window.stride[1] == pixel =>
                    {
                        run.len += 1;
                    }
                    _ => runs.push(Run {
                        column,
                        len: 1,
                        pixel,
                    }),
                }
            }
            runs
        };
        (0..window.kernel[0])
            .flat_map(|ky| (0..window.kernel[1]).map(move |kx| [ky, kx]))
            .map(of_tap)
            .collect()
    }
}

/// Windows of a panel from `column` on, which read a plane from `pixel` on.
struct Run {
    column: usize,
    len: usize,
    pixel: usize,
}

fn panel_quad(panel: &mut [i8], quad: usize, dot: Dot) -> &mut [i8] {
    &mut panel[quad * 4 * dot.width()..][..4 * dot.width()]
}

/// Packs four rows of a panel, and adds them to the sums of the columns.
fn pack_quad(quad: &[[u8; MAX_WIDTH]; 4], flip: u8, target: &mut [i8], sums: &mut [i32]) {
    for (column, (target, sum)) in target.as_chunks_mut::<4>().0.iter_mut().zip(sums).enumerate() {
        *target = [0, 1, 2, 3].map(|row| (quad[row][column % MAX_WIDTH] ^ flip).cast_signed());
        *sum = target
            .iter()
            .fold(*sum, |sum, value| sum.wrapping_add(i32::from(*value)));
    }
}
