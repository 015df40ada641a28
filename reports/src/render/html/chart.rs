//! The chart of latencies: one line for each model, one mark for each backend, on a logarithmic scale.
//!
//! A thin line spans the shortest run and the 90th percentile (the median if the runs are too few), a
//! mark is at the median. The colours here are keys: the page's style sheet maps each to one that is
//! legible on its background, light or dark.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::render::RenderError;
use run_record::LatencyRecord;
use run_record::shown::one_line;

const INK: RGBColor = RGBColor(0x11, 0x11, 0x11);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const SERIES: [RGBColor; 4] = [
    RGBColor(0, 0, 1),
    RGBColor(0, 0, 2),
    RGBColor(0, 0, 3),
    RGBColor(0, 0, 4),
];

const WIDTH: i32 = 640;
const LABELS: i32 = 120;
const AXIS: i32 = 34;
/// The height of a backend's lane within a model's row, and the gap between two rows.
const LANE: i32 = 10;
const GAP: i32 = 16;

/// The style of one backend's marks: a colour and a shape, so that colour is not the only distinction.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) struct Series(usize);

impl Series {
    /// The style of the backend in column `rank`; after the fourth they repeat, and the order within a
    /// row distinguishes them.
    pub(in crate::render) fn of(rank: usize) -> Self {
        Self(rank % SERIES.len())
    }

    /// The shape as a character, for legends.
    pub(in crate::render) fn sign(self) -> &'static str {
        ["●", "■", "▲", "◆"][self.0]
    }

    /// The number of the colour in the style sheet.
    pub(in crate::render) fn number(self) -> usize {
        self.0 + 1
    }

    fn mark(self, (x, y): (i32, i32)) -> Vec<(i32, i32)> {
        match self.0 {
            1 => vec![(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)],
            2 => vec![(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)],
            _ => vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)],
        }
    }
}

type Grid<'a> = [Vec<Option<&'a LatencyRecord>>];
type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws `grid`, a row for each of `models` and a column for each backend, as an SVG element. Only valid
/// latencies are drawn; without any the text is empty.
pub(in crate::render) fn draw(models: &[&str], grid: &Grid) -> Result<String, RenderError> {
    let valid = || {
        grid.iter()
            .flatten()
            .flatten()
            .filter(|record| record.valid_median_ns().is_some())
    };
    let low = valid().map(|record| record.min_ns.max(1)).min();
    let high = valid().map(|record| end_of_span(record)).max();
    let (Some(low), Some(high)) = (low, high) else {
        return Ok(String::new());
    };
    let mut svg = String::new();
    draw_into(&mut svg, models, grid, (low as f64 / 1.25, high as f64 * 1.25))
        .map_err(|error| RenderError::Chart(error.to_string()))?;
    Ok(svg)
}

fn draw_into(
    svg: &mut String,
    models: &[&str],
    grid: &Grid,
    (low, high): (f64, f64),
) -> Result<(), Box<dyn Error>> {
    let lanes = grid.first().map_or(0, Vec::len) as i32;
    let row = lanes * LANE + GAP;
    let height = row * models.len() as i32 + AXIS;
    let canvas = SVGBackend::with_string(svg, (WIDTH as u32, height as u32)).into_drawing_area();
    let mut chart = ChartBuilder::on(&canvas)
        .margin_right(20)
        .x_label_area_size(AXIS)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(
            (low..high).log_scale().with_key_points(ticks(low, high)),
            0.0..models.len() as f64,
        )?;
    let label = ("sans-serif", 13).into_font().color(&INK);
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(8)
        .x_label_style(label.clone())
        .x_label_formatter(&|ns| tick_label(*ns))
        .draw()?;
    let x = |ns: u64| chart.backend_coord(&((ns as f64).clamp(low, high), 0.0)).0;
    for (index, (model, records)) in models.iter().zip(grid).enumerate() {
        let top = row * index as i32 + GAP / 2;
        let style = label.pos(Pos::new(HPos::Right, VPos::Center));
        canvas.draw(&Text::new(
            one_line(model).into_owned(),
            (LABELS - 10, top + lanes * LANE / 2),
            style,
        ))?;
        for (rank, record) in records.iter().enumerate() {
            if let Some(record) = record.filter(|record| record.valid_median_ns().is_some()) {
                let y = top + rank as i32 * LANE + LANE / 2;
                span(
                    &canvas,
                    Series::of(rank),
                    y,
                    (x(record.min_ns), x(record.median_ns), x(end_of_span(record))),
                )?;
            }
        }
    }
    canvas.present()?;
    Ok(())
}

fn end_of_span(record: &LatencyRecord) -> u64 {
    record.p90_ns.unwrap_or(record.median_ns).max(record.median_ns)
}

/// Round figures within the range, not too many to label: 1, 2 and 5 of each decade, or for a wide range
/// only the decades.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = if high / low > 300.0 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

/// A tick in the unit in which it is an integer: `20 ms`.
fn tick_label(ns: f64) -> String {
    let (unit, name) = match ns {
        ns if ns < 0.999e3 => (1.0, "ns"),
        ns if ns < 0.999e6 => (1e3, "µs"),
        ns if ns < 0.999e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{:.0} {name}", ns / unit)
}

fn span(
    canvas: &Canvas,
    series: Series,
    y: i32,
    (min, median, p90): (i32, i32, i32),
) -> Result<(), Box<dyn Error>> {
    let colour = SERIES[series.0];
    canvas.draw(&PathElement::new(
        vec![(min, y), (p90, y)],
        colour.stroke_width(2),
    ))?;
    match series.0 {
        0 => canvas.draw(&Circle::new((median, y), 5, colour.filled()))?,
        _ => canvas.draw(&Polygon::new(series.mark((median, y)), colour.filled()))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{tick_label, ticks};

    fn check(low: f64, high: f64, expected: &[&str]) {
        let labels: Vec<_> = ticks(low, high).into_iter().map(tick_label).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn ticks_are_round_figures() {
        check(1.9e6, 9.0e7, &["2 ms", "5 ms", "10 ms", "20 ms", "50 ms"]);
        check(8e5, 3e9, &["1 ms", "10 ms", "100 ms", "1 s"]);
    }
}
