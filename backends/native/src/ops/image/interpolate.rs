//! Interpolation along one axis: the elements and weights of the value at a coordinate.

/// Neighbours of a coordinate with their weights. A neighbour may be outside of the axis.
pub type Taps = Vec<(i64, f64)>;

/// Returns the two neighbours; with `widen` > 1 (antialiased reduction by that factor) all elements under the
/// triangle.
pub fn linear(at: f64, widen: f64) -> Taps {
    filter(at, widen, 1.0, |x| (1.0 - x.abs()).max(0.0))
}

/// Returns the four neighbours of Keys' cubic filter with parameter `a` ("Cubic convolution interpolation",
/// 1981).
pub fn cubic(at: f64, a: f64, widen: f64) -> Taps {
    let weight = move |x: f64| {
        let x = x.abs();
        match x {
            x if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            x if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            _ => 0.0,
        }
    };
    filter(at, widen, 2.0, weight)
}

/// Coordinates beyond this limit are outside of every axis.
const FARTHEST: f64 = (1_u64 << 40) as f64;

fn filter(at: f64, widen: f64, support: f64, weight: impl Fn(f64) -> f64) -> Taps {
    let at = at.clamp(-FARTHEST, FARTHEST);
    let reach = support * widen;
    let (first, last) = if widen > 1.0 {
        (
            ((at - reach).floor() as i64).saturating_add(1),
            ((at + reach).ceil() as i64).saturating_sub(1),
        )
    } else {
        let low = at.floor() as i64;
        (
            low.saturating_sub(support as i64 - 1),
            low.saturating_add(support as i64),
        )
    };
    let mut taps: Taps = (first..=last)
        .map(|place| (place, weight((place as f64 - at) / widen)))
        .collect();
    if widen > 1.0 {
        normalize(&mut taps);
    }
    taps
}

/// Scales the weights to the sum 1.
pub fn normalize(taps: &mut Taps) {
    let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
    if sum != 0.0 {
        taps.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
}

/// Removes the neighbours outside of the axis and scales the other weights to the sum 1.
pub fn exclude_outside(mut taps: Taps, extent: usize) -> Taps {
    taps.retain(|&(place, _)| (0..extent as i64).contains(&place));
    normalize(&mut taps);
    taps
}
