//! Poolings over two spatial axes, and global ones, images plain or blocked.

use super::rows::each_part;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::{Attributes, Layout, Operator};
use crate::ops::{Rounding, Window};

/// Whether an operator pools images, one result or a map of them for each channel.
pub fn pools_images(name: &str) -> bool {
    matches!(
        name,
        "MaxPool" | "AveragePool" | "GlobalAveragePool" | "GlobalMaxPool"
    )
}

/// A window over an image of two spatial axes.
struct Geometry {
    window: Window,
    input: [usize; 2],
    /// Whether padding counts in a mean.
    padded: bool,
}

/// The window of a pooling; a global one is as large as the image.
fn window(attributes: &Attributes, name: &str, input: &[usize]) -> Result<Window, crate::error::Problem> {
    if name.starts_with("Global") {
        return Window::new(&Attributes::default(), input, input, Rounding::Down);
    }
    let kernel = crate::ops::call::extents(attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let up = attributes.flag("ceil_mode")?;
    Window::new(
        attributes,
        input,
        &kernel,
        if up { Rounding::Up } else { Rounding::Down },
    )
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let (Some(x), 1) = (used.float(0), used.outputs.len()) else {
        return Ok(None);
    };
    let &[_, _, rows, columns] = x.shape.as_slice() else {
        return Ok(None);
    };
    if x.layout != used.layout || x.shape.contains(&0) {
        return Ok(None);
    }
    let name = operator.schema.name;
    let window = window(&operator.attributes, name, &[rows, columns])?;
    let up = operator.attributes.flag("ceil_mode")?;
    let padded = operator.attributes.flag("count_include_pad")?;
    if padded && up {
        return Ok(None);
    }
    let maximum = name.ends_with("MaxPool");
    let lanes = if x.layout == Layout::Blocked {
        device.lanes()
    } else {
        1
    };
    let geometry = Geometry {
        window,
        input: [rows, columns],
        padded,
    };
    if geometry.window.output.contains(&0) || geometry.has_empty_window() {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        let (area, places) = (
            rows * columns * lanes,
            geometry.window.output.iter().product::<usize>() * lanes,
        );
        each_part(device, outputs[0], places, |start, part| {
            for (number, y) in part.chunks_exact_mut(places).enumerate() {
                let plane = start / places + number;
                let x = &x[plane * area..][..area];
                match lanes {
                    16 => geometry.plane::<16>(maximum, x, y),
                    8 => geometry.plane::<8>(maximum, x, y),
                    4 => geometry.plane::<4>(maximum, x, y),
                    _ => geometry.plane::<1>(maximum, x, y),
                }
            }
        });
        Ok(())
    })
}

impl Geometry {
    /// The positions along an axis that a window covers: first, and one after the last.
    fn covered(&self, axis: usize, at: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let window = &self.window;
        let (start, pad) = (at * window.strides[axis], window.pads_begin[axis]);
        let (taps, step, extent) = (window.kernel[axis], window.dilations[axis], self.input[axis]);
        (0..taps)
            .filter_map(move |tap| (start + tap * step).checked_sub(pad))
            .filter(move |&place| place < extent)
    }

    fn has_empty_window(&self) -> bool {
        let output = &self.window.output;
        (0..2).any(|axis| (0..output[axis]).any(|at| self.covered(axis, at).next().is_none()))
    }

    /// One plane of `L` channels side by side.
    fn plane<const L: usize>(&self, maximum: bool, x: &[f32], y: &mut [f32]) {
        let columns = self.input[1];
        let output = &self.window.output;
        let taps: usize = self.window.kernel.iter().product();
        let across: Vec<Vec<usize>> = (0..output[1]).map(|at| self.covered(1, at).collect()).collect();
        for row in 0..output[0] {
            let down: Vec<usize> = self.covered(0, row).collect();
            for (column, across) in across.iter().enumerate() {
                let mut all = [if maximum { f32::NEG_INFINITY } else { 0.0 }; L];
                for &line in &down {
                    for &place in across {
                        let pixel = &x[(line * columns + place) * L..][..L];
                        if maximum {
                            (0..L).for_each(|lane| {
                                let value = pixel[lane];
                                all[lane] = if value > all[lane] || value.is_nan() {
                                    value
                                } else {
                                    all[lane]
                                };
                            });
                        } else {
                            (0..L).for_each(|lane| all[lane] += pixel[lane]);
                        }
                    }
                }
                if !maximum {
                    let count = if self.padded {
                        taps
                    } else {
                        down.len() * across.len()
                    };
                    let factor = 1.0 / count as f32;
                    all.iter_mut().for_each(|sum| *sum *= factor);
                }
                y[(row * output[1] + column) * L..][..L].copy_from_slice(&all);
            }
        }
    }
}
