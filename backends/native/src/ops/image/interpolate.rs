//! Weights along one axis: which elements make up the value at a coordinate, and how much of each.

/// Neighbours of a coordinate with their weights; a neighbour may lie outside of the axis.
pub type Taps = Vec<(i64, f64)>;

/// The two neighbours; with `widen` > 1 (a reduction by that factor, antialiased) all that its triangle covers.
pub fn linear(at: f64, widen: f64) -> Taps {
    filter(at, widen, 1.0, |x| (1.0 - x.abs()).max(0.0))
}

/// The four neighbours by Keys' cubic with parameter `a` ("Cubic convolution interpolation", 1981).
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

/// Coordinates further away than this lie outside of every axis.
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

/// Makes the weights add up to 1.
pub fn normalize(taps: &mut Taps) {
    let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
    if sum != 0.0 {
        taps.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
}

/// Only the neighbours inside of the axis, their weights made to add up to 1.
pub fn exclude_outside(mut taps: Taps, extent: usize) -> Taps {
    taps.retain(|&(place, _)| (0..extent as i64).contains(&place));
    normalize(&mut taps);
    taps
}
