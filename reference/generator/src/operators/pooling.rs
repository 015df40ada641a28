//! Pooling.

use super::movement::signed;
use super::{Declaration, of};
use crate::families::{image, window};
use crate::{Domain, Draft, Made};

/// The maximum beside NaN is undefined.
const ORDERED: Domain = Domain::from(-8.0, 8.0);

pub(super) const OPERATORS: &[Declaration] = &[
    of("AveragePool", |d| {
        d.flag("count_include_pad", false);
        pool(d, Domain::SUM)
    }),
    of("GlobalAveragePool", |d| global(d, Domain::SUM)),
    of("GlobalLpPool", |d| {
        exponent(d);
        global(d, Domain::MODERATE)
    }),
    of("GlobalMaxPool", |d| global(d, ORDERED)),
    of("LRN", |d| {
        let size = [1, 3, 5, 2][d.draws.below(4)];
        d.int("size", size);
        d.scalar("alpha", &[0.5, 0.01]);
        d.scalar("beta", &[0.5, 1.0]);
        d.scalar("bias", &[2.0]);
        let channels = 1 + d.draws.below(6);
        let shape = image(d, channels, 1, 2);
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    of("LpPool", |d| {
        exponent(d);
        pool(d, Domain::MODERATE)
    }),
    of("MaxPool", |d| {
        d.flag("storage_order", false);
        pool(d, ORDERED)
    }),
    of("MaxRoiPool", max_roi_pool),
    of("MaxUnpool", max_unpool),
    of("RoiAlign", roi_align),
];

fn exponent(d: &mut Draft) {
    let p = d.pick("p", &["absent", "1", "2", "3"]);
    if let Ok(p) = p.parse::<i64>() {
        if d.since() == 1 {
            d.float("p", p as f32)
        } else {
            d.int("p", p)
        }
    }
}

fn global(d: &mut Draft, domain: Domain) -> Made {
    let channels = 1 + d.draws.below(3);
    let shape = image(d, channels, 1, 3);
    d.input(&shape, domain)?;
    Ok(())
}

fn pool(d: &mut Draft, domain: Domain) -> Made {
    let window = window(d, true)?;
    d.ints("kernel_shape", &signed(&window.kernel));
    let ceil = d.flag("ceil_mode", false);
    d.require(
        !ceil || !window.ceil_is_unclear(),
        "a last window in padding only",
    )?;
    let batch = [1, 2][d.draws.below(2)];
    let channels = 1 + d.draws.below(3);
    d.input(&[vec![batch, channels], window.input].concat(), domain)?;
    Ok(())
}

/// Indices of distinct elements of the output.
fn max_unpool(d: &mut Draft) -> Made {
    let spatial: usize = d.pick("spatial", &["1", "2", "3"]).parse().unwrap_or(2);
    let kernel = 2;
    let input: Vec<usize> = (0..spatial).map(|_| 1 + d.draws.below(3)).collect();
    let output: Vec<usize> = input.iter().map(|extent| extent * kernel).collect();
    d.ints("kernel_shape", &vec![kernel as i64; spatial]);
    d.ints("strides", &vec![kernel as i64; spatial]);
    let channels = 1 + d.draws.below(2);
    let shape = [vec![1, channels], input.clone()].concat();
    d.input(&shape, Domain::MODERATE)?;
    let each: usize = output.iter().product();
    let count: usize = input.iter().product();
    let mut indices = Vec::new();
    for channel in 0..channels {
        let order = d.draws.permutation(each);
        indices.extend(
            order[..count]
                .iter()
                .map(|&place| (channel * each + place) as i64),
        );
    }
    d.shaped_numbers(&shape, &indices)?;
    if d.whether("output shape") {
        return d.numbers(&signed(&[vec![1, channels], output].concat()));
    }
    Ok(())
}

/// Regions with integer corners inside the image: the rounding of fractions is undefined.
fn max_roi_pool(d: &mut Draft) -> Made {
    let (channels, height, width) = (1 + d.draws.below(2), 4 + d.draws.below(4), 4 + d.draws.below(4));
    let (batch, regions) = (1 + d.draws.below(2), 1 + d.draws.below(3));
    let pooled = [1 + d.draws.below(3) as i64, 1 + d.draws.below(3) as i64];
    d.ints("pooled_shape", &pooled);
    d.scalar("spatial_scale", &[1.0]);
    d.input(&[batch, channels, height, width], ORDERED)?;
    let mut rois = Vec::new();
    for _ in 0..regions {
        let (left, top) = (d.draws.below(width - 1), d.draws.below(height - 1));
        let (right, bottom) = (
            left + d.draws.below(width - left),
            top + d.draws.below(height - top),
        );
        rois.extend(signed(&[d.draws.below(batch), left, top, right, bottom]));
    }
    d.shaped_numbers(&[regions, 5], &rois)
}

fn roi_align(d: &mut Draft) -> Made {
    d.mode("coordinate_transformation_mode");
    d.mode("mode");
    for side in ["output_height", "output_width"] {
        let extent = 1 + d.draws.below(3) as i64;
        d.int(side, extent);
    }
    let ratio = d.pick("sampling ratio", &["absent", "0", "1", "2"]);
    if let Ok(ratio) = ratio.parse() {
        d.int("sampling_ratio", ratio);
    }
    d.scalar("spatial_scale", &[0.5, 1.0]);
    let (batch, regions) = (1 + d.draws.below(2), 1 + d.draws.below(3));
    let channels = 1 + d.draws.below(2);
    d.input(&[batch, channels, 6, 7], ORDERED)?;
    let dtype = d.input_dtype(1)?;
    let mut corners = Vec::new();
    for _ in 0..regions {
        let (left, top) = (d.draws.between(-2, 4), d.draws.between(-2, 4));
        corners.extend([
            left,
            top,
            left + d.draws.between(0, 6),
            top + d.draws.between(0, 6),
        ]);
    }
    let rois = crate::whole(dtype, &[regions, 4], &corners)?;
    d.give(rois);
    let batches: Vec<i64> = (0..regions).map(|_| d.draws.below(batch) as i64).collect();
    d.numbers(&batches)
}
