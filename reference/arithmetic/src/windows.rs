//! Windows over rows of f32, one element of each window at a time.

use crate::isa::vectorised;

vectorised! {
    /// Replaces each of `best` by the element of `x` for it if that is greater, or the first NaN. Elements
    /// are `step` apart.
    pub fn greatest(x: &[f32], step: usize, best: &mut [f32]) {
        let greater = |best: f32, x: f32| {
            let replaces = (x > best) | (x.is_nan() & !best.is_nan());
            if replaces { x } else { best }
        };
        match step {
            1 => best.iter_mut().zip(x).for_each(|(best, &x)| *best = greater(*best, x)),
            2 => {
                // Neighbours are loaded together, and the second one is not used.
                let (pairs, last) = x.as_chunks::<2>();
                let whole = pairs.len().min(best.len());
                let (first, rest) = best.split_at_mut(whole);
                first.iter_mut().zip(pairs).for_each(|(best, &[x, _])| *best = greater(*best, x));
                rest.iter_mut().zip(last).for_each(|(best, &x)| *best = greater(*best, x));
            }
            _ => best.iter_mut().zip(x.iter().step_by(step)).for_each(|(best, &x)| *best = greater(*best, x)),
        }
    }

    /// Adds the element of `x` for each sum to it. The elements are `step` apart.
    pub fn add(x: &[f32], step: usize, sums: &mut [f64]) {
        match step {
            1 => sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += f64::from(x)),
            _ => sums.iter_mut().zip(x.iter().step_by(step)).for_each(|(sum, &x)| *sum += f64::from(x)),
        }
    }
}
