//! Interpolation along one axis: the elements and weights of the value at a coordinate.

use super::number::Number;

/// Neighbours of a coordinate with their weights. A neighbour may be outside of the axis.
pub type Taps<N = f64> = Vec<(i64, N)>;

/// Returns the two neighbours; with `widen` > 1 (antialiased reduction by that factor) all elements under the
/// triangle.
pub fn linear<N: Number>(at: N, widen: N) -> Taps<N> {
    if widen > N::from(1.0) {
        widened(at, widen, 1.0, triangle)
    } else {
        linear_pair(at).to_vec()
    }
}

/// Returns the two neighbours.
pub fn linear_pair<N: Number>(at: N) -> [(i64, N); 2] {
    around(at, triangle)
}

/// Returns the four neighbours of Keys' cubic filter with parameter `a` ("Cubic convolution interpolation",
/// 1981); with `widen` > 1 all elements under the filter.
pub fn cubic<N: Number>(at: N, a: f64, widen: N) -> Taps<N> {
    if widen > N::from(1.0) {
        widened(at, widen, 2.0, |x| keys(a, x))
    } else {
        cubic_four(at, a).to_vec()
    }
}

/// Returns the four neighbours of Keys' cubic filter with parameter `a`.
pub fn cubic_four<N: Number>(at: N, a: f64) -> [(i64, N); 4] {
    around(at, |x| keys(a, x))
}

fn triangle<N: Number>(x: N) -> N {
    (N::from(1.0) - x.abs()).max(N::from(0.0))
}

fn keys<N: Number>(a: f64, x: N) -> N {
    let (x, a, number) = (x.abs(), N::from(a), |value: f64| N::from(value));
    match x {
        x if x <= number(1.0) => ((a + number(2.0)) * x - (a + number(3.0))) * x * x + number(1.0),
        x if x < number(2.0) => ((a * x - number(5.0) * a) * x + number(8.0) * a) * x - number(4.0) * a,
        _ => number(0.0),
    }
}

/// Coordinates beyond this limit are outside of every axis.
const FARTHEST: f64 = (1_u64 << 40) as f64;

/// Returns the `COUNT / 2` elements on either side of a coordinate.
fn around<N: Number, const COUNT: usize>(at: N, weight: impl Fn(N) -> N) -> [(i64, N); COUNT] {
    let at = at.clamp(-FARTHEST, FARTHEST);
    let first = at.floor() + 1 - COUNT as i64 / 2;
    std::array::from_fn(|number| {
        let place = first + number as i64;
        (place, weight(N::from(place as f64) - at))
    })
}

/// Returns the elements under a filter that is wider by a factor, with weights of the sum 1.
fn widened<N: Number>(at: N, widen: N, support: f64, weight: impl Fn(N) -> N) -> Taps<N> {
    let at = at.clamp(-FARTHEST, FARTHEST);
    let reach = N::from(support) * widen;
    let first = (at - reach).floor().saturating_add(1);
    // The ceiling, less 1; an element there has the weight 0.
    let last = (at + reach).floor();
    let mut taps: Taps<N> = (first..=last)
        .map(|place| (place, weight((N::from(place as f64) - at) / widen)))
        .collect();
    normalize(&mut taps);
    taps
}

/// Scales the weights to the sum 1.
pub fn normalize<N: Number>(taps: &mut Taps<N>) {
    let zero = N::from(0.0);
    let sum = taps.iter().fold(zero, |sum, (_, weight)| sum + *weight);
    if sum != zero {
        taps.iter_mut().for_each(|(_, weight)| *weight = *weight / sum);
    }
}

/// Removes the neighbours outside of the axis and scales the other weights to the sum 1.
pub fn exclude_outside<N: Number>(mut taps: Taps<N>, extent: usize) -> Taps<N> {
    taps.retain(|&(place, _)| (0..extent as i64).contains(&place));
    normalize(&mut taps);
    taps
}
