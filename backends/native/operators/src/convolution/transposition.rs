//! The geometry of ConvTranspose.
//!
//! Input element `i` and window element `k` add to position `i·stride + k·dilation` of the full result, of
//! which a part is kept.

use super::super::call::{count, extent};
use super::window::{pads, steps};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// Channels, steps and result of a transposed convolution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transposition {
    /// The number of groups.
    pub groups: usize,
    /// Steps.
    pub strides: Vec<usize>,
    /// The distances between elements of the window.
    pub dilations: Vec<usize>,
    /// The first kept position of the full result along each spatial axis.
    pub begins: Vec<usize>,
    /// The shape of the result.
    pub shape: Vec<usize>,
}

impl Transposition {
    /// Returns the geometry of a node of version `since` over images of shape `x` with filters of shape `w`.
    pub fn new(
        attributes: &Attributes,
        since: u32,
        x: &[usize],
        w: &[usize],
    ) -> Result<Transposition, Problem> {
        let (&[images, channels, ref input @ ..], &[w_channels, per_group, ref kernel @ ..]) = (x, w) else {
            return invalid("the input or the filters have no channel axis");
        };
        let rank = input.len();
        let groups = extent(attributes.int("group")?)?;
        if w_channels != channels
            || groups == 0
            || channels % groups != 0
            || kernel.len() != rank
            || kernel.contains(&0)
        {
            return invalid("channels, groups and filters are incompatible");
        }
        let strides = steps(attributes, "strides", rank, 1)?;
        let dilations = steps(attributes, "dilations", rank, 1)?;
        count(kernel)?;
        let full: Vec<usize> = (0..rank)
            .map(|axis| {
                input[axis].saturating_sub(1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1
            })
            .collect();
        let kept = kept(attributes, since, &full, [&strides, &dilations], input)?;
        let Some(filters) = per_group.checked_mul(groups) else {
            return invalid(format!("{groups} groups of {per_group} filters exceed the limit"));
        };
        let mut shape = vec![images, filters];
        shape.extend(kept.iter().map(|&(_, extent)| extent));
        count(&shape)?;
        Ok(Transposition {
            groups,
            strides,
            dilations,
            begins: kept.into_iter().map(|(begin, _)| begin).collect(),
            shape,
        })
    }
}

/// Returns the begin and the extent of the kept part of the full result along each axis.
fn kept(
    attributes: &Attributes,
    since: u32,
    full: &[usize],
    [strides, dilations]: [&[usize]; 2],
    input: &[usize],
) -> Result<Vec<(usize, usize)>, Problem> {
    let rank = full.len();
    let extra = match attributes.get("output_padding") {
        Some(_) => steps(attributes, "output_padding", rank, 0)?,
        None => vec![0; rank],
    };
    // "Each padding value in `output_padding` must be less than the corresponding stride/dilation dimension."
    if let Some(axis) =
        (0..rank).find(|&axis| since >= 11 && extra[axis] >= strides[axis].max(dilations[axis]))
    {
        return invalid(format!(
            "`output_padding` is {} for a stride of {} and a dilation of {}; it must be less than one of them",
            extra[axis], strides[axis], dilations[axis]
        ));
    }
    let automatic = attributes.text("auto_pad")?;
    let given = attributes.ints("output_shape")?;
    // Before since 11, the batch and the channels may be listed too.
    if let Some(given) = given.filter(|given| ![rank, rank + 2].contains(&given.len())) {
        return invalid(format!("`output_shape` is {given:?} for {rank} spatial axes"));
    }
    let (begin, end) = match attributes.ints("pads")? {
        Some(given) => pads(given, rank)?,
        None => (vec![0; rank], vec![0; rank]),
    };
    let same = matches!(automatic, "SAME_UPPER" | "SAME_LOWER");
    let mut kept = Vec::with_capacity(rank);
    for axis in 0..rank {
        let whole = full[axis] + extra[axis];
        let wanted = match given {
            Some(given) => {
                let given = given.get(given.len().saturating_sub(rank) + axis);
                Some(extent(given.copied().unwrap_or(-1))?)
            }
            None if same => Some(input[axis] * strides[axis]),
            None => None,
        };
        kept.push(match wanted {
            Some(wanted) => {
                // A result that is larger than the sums cover is padded at its end.
                let total = whole.saturating_sub(wanted);
                let (less, more) = (total / 2, total - total / 2);
                // SAME_UPPER puts the odd element at the end; the text of since 1 states the opposite.
                let at_end = (automatic == "SAME_UPPER") == (since >= 11);
                (if at_end { less } else { more }, wanted)
            }
            None => {
                let (before, cut) = match automatic {
                    "VALID" => (0, 0),
                    _ => (begin[axis], begin[axis] + end[axis]),
                };
                let Some(result) = whole.checked_sub(cut) else {
                    return invalid(format!("pads remove all {whole} elements of an axis"));
                };
                (before, result)
            }
        });
    }
    Ok(kept)
}
