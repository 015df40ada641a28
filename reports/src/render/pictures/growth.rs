//! How the error of a backend grows along the nodes of a model.

use super::axis::{Axis, power};
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;

/// The low end of the chart, unless an error is smaller: the rounding of one float32 operation.
const ROUNDING: f64 = 1e-8;

/// The error of a backend after nodes of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorGrowth {
    /// The model and the backend.
    pub title: String,
    /// The number of a node in the order of the model, and the error of the values after it, relative to
    /// their largest element; ascending.
    pub points: Vec<(usize, f64)>,
    /// The number of the node that was found; a dashed line marks it.
    pub found: Option<usize>,
}

/// The growth of the error over the nodes, with a logarithmic axis. An error of 0 is at its low end, an
/// infinite one at its high end.
///
/// # Errors
/// The chart cannot be drawn.
pub fn growth_svg(growth: &ErrorGrowth) -> Result<String, RenderError> {
    let errors = growth.points.iter().map(|(_, error)| *error);
    let y = Axis::decades(
        "error relative to the largest element",
        errors.chain([ROUNDING]),
        power,
    );
    let last = growth.points.last().map_or(1, |(node, _)| *node).max(1) as f64;
    let chart = Chart {
        title: growth.title.clone(),
        x: Axis::round(
            "node, in the order of the model",
            [0.0, last].into_iter(),
            |node| node.to_string(),
        ),
        guides: growth
            .found
            .map(|node| [(node as f64, y.low), (node as f64, y.high)])
            .into_iter()
            .collect(),
        y,
        curves: vec![Curve {
            series: 0,
            join: Join::Lines,
            points: growth
                .points
                .iter()
                .map(|(node, error)| (*node as f64, *error))
                .collect(),
        }],
    };
    svg(
        "The error of a backend after the nodes of a model, compared with the reference",
        &[],
        &[chart],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The y coordinates of the circles: one for each point.
    fn heights(points: &[(usize, f64)]) -> Vec<i32> {
        let growth = ErrorGrowth {
            title: "m on b".to_owned(),
            points: points.to_vec(),
            found: Some(3),
        };
        let svg = growth_svg(&growth).expect("a picture");
        let circles = svg.split("<circle ").skip(1);
        let height = |circle: &str| {
            let from = circle.find("cy=\"").expect("a coordinate") + 4;
            let to = circle[from..].find('"').expect("an end");
            circle[from..from + to].parse().expect("a number")
        };
        circles.map(height).collect()
    }

    #[test]
    fn a_larger_error_is_higher() {
        let heights = heights(&[(0, 0.0), (1, 1e-7), (3, 0.5), (9, f64::INFINITY)]);
        assert_eq!(heights.len(), 4);
        assert!(heights.is_sorted_by(|a, b| a > b), "{heights:?}");
    }

    #[test]
    fn a_chart_without_errors_is_drawn() {
        assert_eq!(heights(&[(0, 0.0)]).len(), 1);
        assert!(heights(&[]).is_empty());
    }
}
