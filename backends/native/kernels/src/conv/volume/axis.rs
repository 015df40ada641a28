//! The windows of a convolution along one axis.

use std::collections::BTreeMap;

use super::VolumeShape;

/// Results at equal distances whose windows have the same taps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// The first result, and the distance to the next.
    pub start: usize,
    pub step: usize,
    /// The number of results.
    pub count: usize,
    /// The position of the first tap of the first result in the input; negative in the padding.
    pub origin: i64,
    /// The distance of the windows of two results, and of two taps.
    pub stride: usize,
    pub dilation: usize,
    /// The taps in ascending order of their positions in the input.
    pub taps: Vec<usize>,
}

impl Phase {
    /// The extent of the taps.
    pub fn extent(&self) -> usize {
        (self.taps.len() - 1) * self.dilation + 1
    }

    /// Returns the number of result `at`, if it belongs to this phase.
    pub fn index(&self, at: usize) -> Option<usize> {
        let distance = at.checked_sub(self.start)?;
        (distance.is_multiple_of(self.step) && distance / self.step < self.count)
            .then_some(distance / self.step)
    }
}

/// Returns the phases of an axis. Results without taps are in none of them.
///
/// A convolution has one. In a transposed one, input `i` and tap `k` add to result
/// `i·stride + k·dilation - begin`, so the results with the same remainder of the stride have the same taps.
pub(super) fn phases(shape: &VolumeShape, axis: usize) -> Vec<Phase> {
    let (kernel, output) = (shape.kernel[axis], shape.output[axis]);
    let (stride, dilation) = (shape.stride[axis], shape.dilation[axis]);
    let begin = shape.begin[axis] as i64;
    if !shape.transposed {
        return vec![Phase {
            start: 0,
            step: 1,
            count: output,
            origin: -begin,
            stride,
            dilation,
            taps: (0..kernel).collect(),
        }];
    }
    let place = |tap: usize| tap as i64 * dilation as i64 - begin;
    let mut phases: BTreeMap<usize, Phase> = BTreeMap::new();
    for tap in (0..kernel).rev() {
        let start = place(tap).rem_euclid(stride as i64) as usize;
        if start >= output {
            continue;
        }
        let phase = phases.entry(start).or_insert_with(|| Phase {
            start,
            step: stride,
            count: (output - start).div_ceil(stride),
            origin: (start as i64 - place(tap)) / stride as i64,
            stride: 1,
            dilation: 1,
            taps: Vec::new(),
        });
        phase.taps.push(tap);
    }
    let mut phases: Vec<Phase> = phases.into_values().collect();
    for phase in &mut phases {
        if let [first, second, ..] = phase.taps[..] {
            phase.dilation = (first - second) * dilation / stride;
        }
    }
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the taps and positions of every result with those found by trying all.
    #[test]
    fn phases_have_the_terms_of_the_definition() {
        for transposed in [false, true] {
            for kernel in 1..6 {
                for stride in 1..5 {
                    for dilation in 1..5 {
                        for begin in [0, 1, 2, 5, 9] {
                            let shape = VolumeShape {
                                kernel: [1, 1, kernel],
                                stride: [1, 1, stride],
                                dilation: [1, 1, dilation],
                                begin: [0, 0, begin],
                                output: [1, 1, 13],
                                size: [1, 1, 4],
                                in_channels: 1,
                                out_channels: 1,
                                groups: 1,
                                transposed,
                            };
                            check(&shape);
                        }
                    }
                }
            }
        }
    }

    #[track_caller]
    fn check(shape: &VolumeShape) {
        let phases = phases(shape, 2);
        let [stride, dilation, begin] = [shape.stride, shape.dilation, shape.begin].map(|all| all[2] as i64);
        for at in 0..shape.output[2] {
            let mut expected = Vec::new();
            for tap in 0..shape.kernel[2] {
                let distance = tap as i64 * dilation - begin;
                if !shape.transposed {
                    expected.push((tap, at as i64 * stride + distance))
                } else if (at as i64 - distance) % stride == 0 {
                    expected.push((tap, (at as i64 - distance) / stride));
                }
            }
            expected.sort_by_key(|&(_, position)| position);
            let found: Vec<(usize, i64)> = phases
                .iter()
                .filter_map(|phase| Some((phase, phase.index(at)?)))
                .flat_map(|(phase, index)| {
                    let first = phase.origin + (index * phase.stride) as i64;
                    let place = move |(j, &tap): (usize, &usize)| (tap, first + (j * phase.dilation) as i64);
                    phase.taps.iter().enumerate().map(place)
                })
                .collect();
            assert_eq!(found, expected, "{shape:?}: result {at}");
        }
    }
}
