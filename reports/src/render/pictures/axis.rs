//! The axes of a picture: figures to places, and round figures as ticks.

use run_record::text::thousands;

/// How figures are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum Scale {
    Linear,
    Logarithmic,
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Axis {
    pub name: String,
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    /// Figures with their labels.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Whole decades around the figures, with a tick at most at nine of them. Only figures above zero count.
    pub fn decades(name: &str, figures: impl Iterator<Item = f64>, label: impl Fn(f64) -> String) -> Axis {
        let (low, high) = extent(figures.filter(|figure| *figure > 0.0));
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let last = last.max(first + 1);
        let step = (last.abs_diff(first) as usize).div_ceil(8).max(1);
        let ticks = (first..=last).step_by(step);
        Axis {
            name: name.to_owned(),
            scale: Scale::Logarithmic,
            low: 10_f64.powi(first),
            high: 10_f64.powi(last),
            ticks: ticks
                .map(|power| 10_f64.powi(power))
                .map(|tick| (tick, label(tick)))
                .collect(),
        }
    }

    /// A linear axis with ticks at these figures; it reaches from the first to the last.
    pub fn linear(name: &str, ticks: impl IntoIterator<Item = f64>, label: impl Fn(f64) -> String) -> Axis {
        let ticks: Vec<(f64, String)> = ticks.into_iter().map(|tick| (tick, label(tick))).collect();
        let (low, high) = extent(ticks.iter().map(|(tick, _)| *tick));
        Axis {
            name: name.to_owned(),
            scale: Scale::Linear,
            low,
            high,
            ticks,
        }
    }

    /// A linear axis that holds all figures, with about five ticks at round ones.
    pub fn round(name: &str, figures: impl Iterator<Item = f64>, label: impl Fn(f64) -> String) -> Axis {
        let (low, high) = extent(figures);
        let rough = (high - low) / 5.0;
        let decade = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|part| part * decade);
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(decade);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        Axis::linear(name, (first..=last).map(|tick| tick as f64 * step), label)
    }

    /// Where a figure lies: 0 at the low end, 1 at the high one. A figure beyond an end lies at that end.
    pub fn place(&self, figure: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (figure - self.low) / (self.high - self.low),
            Scale::Logarithmic => (figure / self.low).log10() / (self.high / self.low).log10(),
        };
        if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }
}

/// A power of ten: `0.01`, `1,000`, `1e-7`.
pub(in crate::render) fn power(figure: f64) -> String {
    match figure {
        figure if (1.0..1e5).contains(&figure) => thousands(figure.round() as u64),
        figure if (0.9e-3..1.0).contains(&figure) => {
            format!("{:.*}", -figure.log10().round() as usize, figure)
        }
        figure => format!("{figure:.0e}"),
    }
}

/// The smallest and the largest figure, kept apart where they are one; 0 and 1 without figures.
fn extent(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = |(low, high): (f64, f64), figure: f64| (low.min(figure), high.max(figure));
    let finite = figures.filter(|figure| figure.is_finite());
    match finite.fold((f64::INFINITY, f64::NEG_INFINITY), ends) {
        (low, high) if low > high => (0.0, 1.0),
        (low, high) if low == high => (low, high + low.abs().max(1.0)),
        ends => ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(axis: &Axis, ends: (f64, f64), ticks: &[&str]) {
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!((axis.low, axis.high), ends);
        assert_eq!(labels, ticks);
    }

    #[test]
    fn ticks_are_round_figures() {
        let plain = |figure: f64| figure.to_string();
        check(
            &Axis::decades("x", [2.0, 300.0].into_iter(), plain),
            (1.0, 1000.0),
            &["1", "10", "100", "1000"],
        );
        check(
            &Axis::decades("x", [0.0, 5.0].into_iter(), plain),
            (1.0, 10.0),
            &["1", "10"],
        );
        check(
            &Axis::round("x", [1718.0, 1730.0].into_iter(), plain),
            (1715.0, 1730.0),
            &["1715", "1720", "1725", "1730"],
        );
        check(
            &Axis::round("x", [7.0].into_iter(), plain),
            (6.0, 14.0),
            &["6", "8", "10", "12", "14"],
        );
        check(&Axis::linear("x", [1.0, 22.0], plain), (1.0, 22.0), &["1", "22"]);
    }

    #[test]
    fn powers_are_short() {
        let powers = [1e-7, 1e-3, 0.1, 1.0, 1e4, 1e6].map(power);
        assert_eq!(powers, ["1e-7", "0.001", "0.1", "1", "10,000", "1e6"]);
    }

    #[test]
    fn figures_lie_between_the_ends() {
        let axis = Axis::decades("x", [1.0, 100.0].into_iter(), |figure| figure.to_string());
        let places = [0.0, 1.0, 10.0, 100.0, 1e9, f64::INFINITY, f64::NAN].map(|figure| axis.place(figure));
        assert_eq!(places, [0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.0]);
        let none = Axis::round("x", std::iter::empty(), |figure| figure.to_string());
        assert_eq!((none.low, none.high), (0.0, 1.0));
    }
}
