//! The shape of a convolution or pooling.

use crate::error::{KernelError, Result, ensure, room};

/// The maximum number of taps, stride, dilation or padding along an axis. With this bound, derived positions
/// and extents fit in 64 bits, so the code in this crate need not check them again.
pub const MAX_STEP: usize = i32::MAX as usize;

/// The geometry of a window. Arrays are `[vertical, horizontal]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The number of taps.
    pub kernel: [usize; 2],
    /// The distance of adjacent windows.
    pub stride: [usize; 2],
    /// The distance of adjacent taps.
    pub dilation: [usize; 2],
    /// The padding rows above and padding columns to the left.
    pub pad_begin: [usize; 2],
    /// The padding rows below and padding columns to the right.
    pub pad_end: [usize; 2],
}

impl Window {
    /// Makes a window of `kernel × kernel` adjacent taps with the same padding on all sides.
    pub fn square(kernel: usize, stride: usize, pad: usize) -> Self {
        Self {
            kernel: [kernel; 2],
            stride: [stride; 2],
            dilation: [1; 2],
            pad_begin: [pad; 2],
            pad_end: [pad; 2],
        }
    }

    /// The extent of the taps along an axis, `(kernel - 1)·dilation + 1`, for a checked window.
    pub(crate) fn extent(&self, axis: usize) -> usize {
        (self.kernel[axis] - 1) * self.dilation[axis] + 1
    }

    /// Fails unless taps, strides and dilations are at least 1, and these and the padding are at most
    /// [`MAX_STEP`].
    pub(crate) fn check(&self) -> Result<()> {
        let what = "window";
        for (name, [down, across], least) in [
            ("kernel", self.kernel, 1),
            ("stride", self.stride, 1),
            ("dilation", self.dilation, 1),
            ("padding before", self.pad_begin, 0),
            ("padding after", self.pad_end, 0),
        ] {
            let range = least..=MAX_STEP;
            ensure(range.contains(&down) && range.contains(&across), what, || {
                format!("{name} {down} × {across}: expected {least} to {MAX_STEP}")
            })?;
        }
        Ok(())
    }

    /// Returns the number of windows in an image of `size`: `⌊(size + pads - extent) / stride⌋ + 1` along
    /// each axis.
    pub fn output(&self, size: [usize; 2]) -> Result<[usize; 2]> {
        self.check()?;
        let mut output = [0; 2];
        for axis in 0..2 {
            let what = "window";
            let extent = self.extent(axis);
            let padded = size[axis]
                .checked_add(self.pad_begin[axis])
                .and_then(|padded| padded.checked_add(self.pad_end[axis]))
                .ok_or(KernelError::Overflow(what))?;
            ensure(padded >= extent, what, || {
                format!("{extent} taps do not fit in {padded} padded pixels")
            })?;
            output[axis] = (padded - extent) / self.stride[axis] + 1;
        }
        Ok(output)
    }

    /// Returns the number of taps of window `index` along an axis that are inside of an image of `size`
    /// pixels, and the pixel of the first of them.
    pub(crate) fn taps(&self, axis: usize, size: usize, index: usize) -> (usize, usize) {
        let (dilation, pad) = (self.dilation[axis], self.pad_begin[axis]);
        let start = index * self.stride[axis];
        let skipped = pad
            .saturating_sub(start)
            .div_ceil(dilation)
            .min(self.kernel[axis]);
        let first = (start + skipped * dilation).saturating_sub(pad);
        match size.saturating_sub(first).div_ceil(dilation) {
            0 => (0, 0),
            fits => (fits.min(self.kernel[axis] - skipped), first),
        }
    }

    /// Whether no window of an image of `size` with `output` windows reads outside of it.
    pub(crate) fn stays_inside(&self, size: [usize; 2], output: [usize; 2]) -> bool {
        (0..2).all(|axis| {
            let last = (output[axis] - 1) * self.stride[axis] + self.extent(axis);
            self.pad_begin[axis] == 0 && last <= size[axis]
        })
    }

    /// Whether the window is a single tap without padding.
    pub(crate) fn is_single_tap(&self) -> bool {
        self.kernel == [1; 2] && self.pad_begin == [0; 2] && self.pad_end == [0; 2]
    }
}

/// The channels and the window of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvShape {
    /// The number of channels of the image.
    pub in_channels: usize,
    /// The number of channels of the result.
    pub out_channels: usize,
    /// The number of groups of channels, each of which is convolved separately.
    pub groups: usize,
    pub window: Window,
}

impl ConvShape {
    /// Fails unless the groups divide the channels; returns the number of weights.
    pub(crate) fn check(&self) -> Result<usize> {
        let what = "convolution";
        self.window.check()?;
        let divides = self.groups > 0
            && self.in_channels.is_multiple_of(self.groups)
            && self.out_channels.is_multiple_of(self.groups);
        ensure(divides, what, || {
            format!(
                "{} groups do not divide {} and {} channels",
                self.groups, self.in_channels, self.out_channels
            )
        })?;
        ensure(self.in_channels > 0 && self.out_channels > 0, what, || {
            "no channels".into()
        })?;
        let [kh, kw] = self.window.kernel;
        crate::error::product(what, &[self.out_channels, self.in_channels / self.groups, kh, kw])
    }

    /// Fails if padded copies of parts of an image of `size`, in the blocked layout or with channels last,
    /// would exceed the memory limit of a call.
    pub fn check_padding(&self, size: [usize; 2]) -> Result<()> {
        let window = &self.window;
        let output = window.output(size)?;
        if window.stays_inside(size, output) {
            return Ok(());
        }
        let columns = (output[1] - 1) * window.stride[1] + window.extent(1);
        let channels = self.in_channels.next_multiple_of(crate::Isa::Avx512.lanes());
        room("padded image", &[window.extent(0), columns, channels]).map(|_| ())
    }
}
