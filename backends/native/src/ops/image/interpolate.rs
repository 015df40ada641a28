//! Interpolation along one axis: the elements and weights of the value at a coordinate.

/// Neighbours of a coordinate with their weights. A neighbour may be outside of the axis.
pub type Taps = Vec<(i64, f64)>;

/// Returns the two neighbours; with `widen` > 1 (antialiased reduction by that factor) all elements under the
/// triangle.
pub fn linear(at: f64, widen: f64) -> Taps {
    match widen > 1.0 {
        true => widened(at, widen, 1.0, triangle),
        false => linear_pair(at).to_vec(),
    }
}

/// Returns the two neighbours.
pub fn linear_pair(at: f64) -> [(i64, f64); 2] {
    around(at, triangle)
}

/// Returns the four neighbours of Keys' cubic filter with parameter `a` ("Cubic convolution interpolation",
/// 1981); with `widen` > 1 all elements under the filter.
pub fn cubic(at: f64, a: f64, widen: f64) -> Taps {
    match widen > 1.0 {
        true => widened(at, widen, 2.0, |x| keys(a, x)),
        false => cubic_four(at, a).to_vec(),
    }
}

/// Returns the four neighbours of Keys' cubic filter with parameter `a`.
pub fn cubic_four(at: f64, a: f64) -> [(i64, f64); 4] {
    around(at, |x| keys(a, x))
}

fn triangle(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

fn keys(a: f64, x: f64) -> f64 {
    let x = x.abs();
    match x {
        x if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        x if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
        _ => 0.0,
    }
}

/// Coordinates beyond this limit are outside of every axis.
const FARTHEST: f64 = (1_u64 << 40) as f64;

/// Returns the `N / 2` elements on either side of a coordinate.
fn around<const N: usize>(at: f64, weight: impl Fn(f64) -> f64) -> [(i64, f64); N] {
    let at = at.clamp(-FARTHEST, FARTHEST);
    // The floor, without a call where the processor has no instruction for it.
    let whole = at as i64;
    let first = whole - i64::from(whole as f64 > at) + 1 - N as i64 / 2;
    std::array::from_fn(|number| {
        let place = first + number as i64;
        (place, weight(place as f64 - at))
    })
}

/// Returns the elements under a filter that is wider by a factor, with weights of the sum 1.
fn widened(at: f64, widen: f64, support: f64, weight: impl Fn(f64) -> f64) -> Taps {
    let at = at.clamp(-FARTHEST, FARTHEST);
    let reach = support * widen;
    let first = ((at - reach).floor() as i64).saturating_add(1);
    let last = ((at + reach).ceil() as i64).saturating_sub(1);
    let mut taps: Taps = (first..=last)
        .map(|place| (place, weight((place as f64 - at) / widen)))
        .collect();
    normalize(&mut taps);
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
