//! Windows that slide over images: convolutions and pooling.

use crate::{Draft, Reject};

/// A window and its movement.
#[derive(Clone, Debug)]
pub struct Window {
    /// Extents of the input without batch and channels.
    pub input: Vec<usize>,
    /// Extents of the window.
    pub kernel: Vec<usize>,
    /// Steps.
    pub strides: Vec<usize>,
    /// Distances between the elements of the window.
    pub dilations: Vec<usize>,
    /// Explicit padding, before and after each axis; none with `auto_pad`.
    pub pads: Vec<usize>,
    /// The effective value of `auto_pad`; empty if the version has none.
    pub auto: String,
}

impl Window {
    /// The extent that the window spans on an axis.
    pub fn span(&self, axis: usize) -> usize {
        (self.kernel[axis] - 1) * self.dilations[axis] + 1
    }

    /// Whether the last window of `ceil_mode` starts after the input, in padding only. The versions
    /// interpret this differently, and also `ceil_mode` with VALID.
    pub fn ceil_is_unclear(&self) -> bool {
        let axes = self.kernel.len();
        let behind = |axis: usize| {
            let (before, after) = (self.pads[axis], self.pads[axis + axes]);
            let free = self.input[axis] + before + after - self.span(axis);
            free.div_ceil(self.strides[axis]) * self.strides[axis] >= self.input[axis] + before
        };
        self.auto == "VALID" || (0..axes).any(behind)
    }
}

/// Decides a window over an input of 1 to 3 spatial axes, and adds its attributes. The window fits at
/// least once into the padded input. `pads` permits padding: it is smaller than the window, so that no
/// window is in padding only.
///
/// # Errors
/// None.
pub fn window(d: &mut Draft, pads: bool) -> Result<Window, Reject> {
    let spatial: usize = d.pick("spatial", &["1", "2", "3"]).parse().unwrap_or(2);
    let kernel_form = d.pick("kernel", &["one", "two", "three", "mixed"]);
    let kernel: Vec<usize> = (0..spatial)
        .map(|_| match kernel_form {
            "one" => 1,
            "two" => 2,
            "three" => 3,
            _ => 1 + d.draws.below(4),
        })
        .collect();
    let steps = |d: &mut Draft, name: &str| -> Vec<usize> {
        if !d.has(name) {
            return vec![1; spatial];
        }
        let form = d.pick(name, &["absent", "one", "two", "mixed"]);
        let values: Vec<usize> = (0..spatial)
            .map(|_| match form {
                "two" => 2,
                "mixed" => 1 + d.draws.below(3),
                _ => 1,
            })
            .collect();
        if form != "absent" {
            d.ints(
                name,
                &values.iter().map(|&value| value as i64).collect::<Vec<_>>(),
            );
        }
        values
    };
    let strides = steps(d, "strides");
    let dilations = steps(d, "dilations");
    let mut window = Window {
        input: Vec::new(),
        kernel,
        strides,
        dilations,
        pads: vec![0; 2 * spatial],
        auto: String::new(),
    };
    let most = if spatial == 3 { 3 } else { 6 };
    window.input = (0..spatial)
        .map(|axis| window.span(axis) + d.draws.below(most))
        .collect();
    padding(d, &mut window, pads);
    Ok(window)
}

/// Decides `auto_pad` or explicit padding.
fn padding(d: &mut Draft, window: &mut Window, pads: bool) {
    // SAME with a stride larger than the window or with dilation has several interpretations.
    let same = (0..window.kernel.len())
        .all(|axis| window.strides[axis] <= window.kernel[axis] && window.dilations[axis] == 1);
    let auto = match (pads, same) {
        (true, true) => d.mode("auto_pad"),
        (true, false) => d.mode_among("auto_pad", &["NOTSET", "VALID"]),
        (false, _) => d.mode_among("auto_pad", &["NOTSET"]),
    };
    let explicit = matches!(auto.as_str(), "NOTSET" | "");
    window.auto = auto;
    if !explicit || !pads {
        return;
    }
    let form = d.pick("pads", &["absent", "zero", "equal", "uneven"]);
    let count = window.kernel.len();
    let limit = |axis: usize| window.kernel[axis].saturating_sub(1).min(window.input[axis]);
    let values: Vec<i64> = match form {
        "absent" => return,
        "zero" => vec![0; 2 * count],
        "equal" => (0..2 * count)
            .map(|index| limit(index % count).min(1) as i64)
            .collect(),
        _ => (0..2 * count)
            .map(|index| d.draws.below(limit(index % count) + 1) as i64)
            .collect(),
    };
    d.ints("pads", &values);
    window.pads = values.iter().map(|&value| value as usize).collect();
}
