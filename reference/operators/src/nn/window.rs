//! The windows of a kernel over the spatial axes: strides, dilations, pads, and the resulting sizes.
//!
//! Interpretation, where the texts of the versions differ but mean the same: with `auto_pad` the extent of
//! the result is ceil(input / stride) for SAME and ceil((input − span + 1) / stride) for VALID, for any
//! `ceil_mode` (the formulas with floor in AveragePool 11 contradict the description of `auto_pad` in the
//! same version). Total padding is never negative: SAME with a stride beyond the span of the kernel pads
//! nothing. `auto_pad` and `pads` are mutually exclusive. The questions `pooling-ceil`, `pooling-valid` and
//! `pooling-same` have the other answers.
//!
//! Every parameter of a window is bounded here before it is used: extents, strides, dilations, pads and
//! groups are below 2^31, so that positions and spans stay below 2^63; a kernel has fewer than 2^62
//! elements.

use crate::frame::{Call, Deviation, OpError, Reading};

/// The windows along one spatial axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowAxis {
    /// Extent of the input.
    pub input: usize,
    /// Number of windows.
    pub output: usize,
    /// Elements of the kernel.
    pub kernel: usize,
    /// Distance between two windows.
    pub stride: usize,
    /// Distance between two elements of the kernel.
    pub dilation: usize,
    /// Padding before the input; negative if the first elements are removed.
    pub begin: i64,
    /// Padding after the input; negative if the last elements are removed.
    pub end: i64,
}

/// How the number of windows is rounded with explicit pads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Only complete windows.
    Floor,
    /// The last window may extend beyond the padded input.
    Ceil,
    /// Like `Ceil`, but a window that would start in the padding at the end is omitted.
    CeilInside,
}

impl Rounding {
    /// The rounding with `ceil_mode` in versions whose text does not define a window that starts in the
    /// padding at the end: it is omitted, except in a strict run.
    pub fn ceil_unspecified(call: &Call<'_>) -> Rounding {
        if call.tolerates(Deviation::WindowInPadding) && !call.takes(Reading::PoolingCeilCounted) {
            Rounding::CeilInside
        } else {
            Rounding::Ceil
        }
    }
}

/// The largest extent and the largest entry of an attribute. Sums and products of such entries stay in i64.
const MAX: i64 = i32::MAX as i64;

/// Windows of `kernel` over `input`, by the attributes `strides`, `dilations`, `pads` and `auto_pad`.
pub fn axes(
    call: &Call<'_>,
    input: &[usize],
    kernel: &[usize],
    rounding: Rounding,
) -> Result<Vec<WindowAxis>, OpError> {
    let rank = input.len();
    if kernel.len() != rank || kernel.contains(&0) {
        return Err(OpError::invalid(format!(
            "a kernel of {kernel:?} does not match the spatial axes {input:?}"
        )));
    }
    check_extents(input)?;
    check_kernel(kernel)?;
    let strides = per_axis(call, "strides", rank, 1)?;
    let dilations = per_axis(call, "dilations", rank, 1)?;
    let padding = Padding::read(call, rank)?;
    (0..rank)
        .map(|axis| {
            let (stride, dilation) = (strides[axis], dilations[axis]);
            let geometry = Geometry {
                input: input[axis],
                kernel: kernel[axis],
                stride,
                dilation,
            };
            geometry.windows(call, &padding, axis, rounding)
        })
        .collect()
}

/// Error if an extent is so large that positions could overflow i64.
pub fn check_extents(extents: &[usize]) -> Result<(), OpError> {
    if extents.iter().any(|&extent| extent > MAX as usize) {
        Err(OpError::invalid(format!(
            "spatial extents {extents:?} exceed {MAX}"
        )))
    } else {
        Ok(())
    }
}

/// Error if an extent of a kernel is too large for [`check_extents`], or if the number of elements
/// overflows.
pub fn check_kernel(kernel: &[usize]) -> Result<(), OpError> {
    check_extents(kernel)?;
    let elements = kernel
        .iter()
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent));
    match elements {
        Some(count) if count < 1 << 62 => Ok(()),
        _ => Err(OpError::invalid(format!(
            "a kernel of {kernel:?} has too many elements"
        ))),
    }
}

/// The attribute `kernel_shape`.
pub fn kernel_shape(call: &Call<'_>) -> Result<Option<Vec<usize>>, OpError> {
    call.optional_ints("kernel_shape")?
        .map(|entries| {
            entries
                .iter()
                .map(|&entry| size("kernel_shape", entry, 1))
                .collect()
        })
        .transpose()
}

/// An attribute with an entry for each spatial axis, default 1.
pub fn per_axis(call: &Call<'_>, name: &str, rank: usize, least: i64) -> Result<Vec<usize>, OpError> {
    let Some(entries) = call.optional_ints(name)? else {
        return Ok(vec![1; rank]);
    };
    if entries.len() != rank {
        return Err(OpError::invalid(format!(
            "`{name}` is {entries:?} for {rank} spatial axes"
        )));
    }
    entries.iter().map(|&entry| size(name, entry, least)).collect()
}

/// `entry` of `name` as a size, at least `least` and below 2^31.
pub fn size(name: &str, entry: i64, least: i64) -> Result<usize, OpError> {
    usize::try_from(entry)
        .ok()
        .filter(|_| (least..=MAX).contains(&entry))
        .ok_or_else(|| {
            OpError::invalid(format!(
                "`{name}` has the entry {entry}, outside [{least}, {MAX}]"
            ))
        })
}

/// The source of padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Padding {
    /// From `pads`: begin and end of each axis.
    Explicit(Vec<(usize, usize)>),
    /// The padding for a result of ceil(input / stride), with the odd element at the end.
    SameUpper,
    /// The same, with the odd element at the beginning.
    SameLower,
    /// None.
    Valid,
}

impl Padding {
    /// Reads `auto_pad` and `pads`.
    pub fn read(call: &Call<'_>, rank: usize) -> Result<Padding, OpError> {
        let auto = match call.optional_string("auto_pad")?.unwrap_or("NOTSET") {
            "NOTSET" => return Ok(Padding::Explicit(pads(call, rank)?)),
            "SAME_UPPER" => Padding::SameUpper,
            "SAME_LOWER" => Padding::SameLower,
            "VALID" => Padding::Valid,
            other => return Err(OpError::invalid(format!("`auto_pad` is `{other}`"))),
        };
        if pads(call, rank)?.iter().any(|&pads| pads != (0, 0)) {
            Err(OpError::invalid("`auto_pad` and `pads` are mutually exclusive"))
        } else {
            Ok(auto)
        }
    }

    /// The same for a single axis.
    pub fn of_axis(&self, axis: usize) -> Padding {
        match self {
            Padding::Explicit(pads) => Padding::Explicit(pads.get(axis).copied().into_iter().collect()),
            other => other.clone(),
        }
    }

    /// `total` split between the two sides.
    pub fn split(&self, total: usize) -> (usize, usize) {
        let (less, more) = (total / 2, total - total / 2);
        match self {
            Padding::SameLower => (more, less),
            _ => (less, more),
        }
    }
}

fn pads(call: &Call<'_>, rank: usize) -> Result<Vec<(usize, usize)>, OpError> {
    let Some(entries) = call.optional_ints("pads")? else {
        return Ok(vec![(0, 0); rank]);
    };
    if entries.len() != 2 * rank {
        return Err(OpError::invalid(format!(
            "`pads` is {entries:?} for {rank} spatial axes"
        )));
    }
    let (begins, ends) = entries.split_at(rank);
    let pair = |(&begin, &end)| Ok((size("pads", begin, 0)?, size("pads", end, 0)?));
    begins.iter().zip(ends).map(pair).collect()
}

struct Geometry {
    input: usize,
    kernel: usize,
    stride: usize,
    dilation: usize,
}

impl Geometry {
    /// The extent of one window in the padded input.
    fn span(&self) -> usize {
        (self.kernel - 1) * self.dilation + 1
    }

    fn windows(
        &self,
        call: &Call<'_>,
        padding: &Padding,
        axis: usize,
        rounding: Rounding,
    ) -> Result<WindowAxis, OpError> {
        let signed = |(begin, end): (usize, usize)| (begin as i64, end as i64);
        let (output, (begin, end)) = match padding {
            Padding::Explicit(pads) => (self.count(pads[axis], rounding)?, signed(pads[axis])),
            Padding::Valid => {
                let rounding = if call.takes(Reading::PoolingValidCeil) {
                    rounding
                } else {
                    Rounding::Floor
                };
                (self.count((0, 0), rounding)?, (0, 0))
            }
            Padding::SameUpper | Padding::SameLower => {
                let output = self.input.div_ceil(self.stride);
                let reach = output.saturating_sub(1) * self.stride + self.span();
                let total = match reach.checked_sub(self.input) {
                    None if call.takes(Reading::PoolingSameCropped) => {
                        let (begin, end) = padding.split(self.input - reach);
                        (-(begin as i64), -(end as i64))
                    }
                    total => signed(padding.split(total.unwrap_or(0))),
                };
                (output, total)
            }
        };
        let Geometry {
            input,
            kernel,
            stride,
            dilation,
        } = *self;
        Ok(WindowAxis {
            input,
            output,
            kernel,
            stride,
            dilation,
            begin,
            end,
        })
    }

    fn count(&self, (begin, end): (usize, usize), rounding: Rounding) -> Result<usize, OpError> {
        let padded = self.input + begin + end;
        // One element less than a window leaves no window; fewer is an error.
        let Some(room) = (padded + self.stride).checked_sub(self.span()) else {
            return Err(OpError::invalid(format!(
                "a kernel that spans {} is larger than the padded input of {padded}",
                self.span()
            )));
        };
        Ok(match rounding {
            Rounding::Floor => room / self.stride,
            Rounding::Ceil => room.div_ceil(self.stride),
            Rounding::CeilInside => {
                let count = room.div_ceil(self.stride);
                let outside = count > 0 && (count - 1) * self.stride >= self.input + begin;
                count - usize::from(outside)
            }
        })
    }
}
