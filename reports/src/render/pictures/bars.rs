//! Horizontal bars in groups, as an SVG file of its own.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::chart::{Canvas, INK, ROW, SERIES, SOFT, WIDTH, document, label, legend_rows, name_series};
use crate::render::RenderError;
use run_record::shown::one_line;
use run_record::text::clip;

const LEFT: i32 = 170;
const RIGHT: i32 = 110;
const TOP: i32 = 34;
const THICK: i32 = 13;
const GAP: i32 = 12;
/// Characters of a name.
const NAME: usize = 22;
const TITLE: usize = 84;

/// A group of bars, one for each series.
pub(in crate::render) struct Bar {
    pub name: String,
    pub values: Vec<f64>,
}

/// The groups below each other, each bar with its value as `text` writes it; `about` says what the
/// picture shows, in words of ours.
pub(in crate::render) fn bars(
    about: &str,
    title: &str,
    legend: &[&str],
    groups: &[Bar],
    text: impl Fn(f64) -> String,
) -> Result<String, RenderError> {
    let mut drawn = String::new();
    draw(&mut drawn, title, legend, groups, &text).map_err(|error| RenderError::Chart(error.to_string()))?;
    Ok(document(drawn, about))
}

fn draw(
    drawn: &mut String,
    title: &str,
    legend: &[&str],
    groups: &[Bar],
    text: &dyn Fn(f64) -> String,
) -> Result<(), Box<dyn Error>> {
    let head = 10 + ROW * legend_rows(legend).len() as i32;
    let group = THICK * legend.len() as i32 + GAP;
    let height = head + TOP + group * groups.len() as i32 + GAP;
    let canvas: Canvas = SVGBackend::with_string(drawn, (WIDTH as u32, height as u32)).into_drawing_area();
    canvas.fill(&WHITE)?;
    name_series(&canvas, legend)?;
    let title = clip(&one_line(title), TITLE);
    label(&canvas, &title, (14, head + 12), 15, &INK, HPos::Left)?;
    let longest = groups
        .iter()
        .flat_map(|group| &group.values)
        .fold(0.0, |a: f64, b| a.max(*b));
    let room = f64::from(WIDTH - LEFT - RIGHT);
    for (place, bar) in groups.iter().enumerate() {
        let top = head + TOP + group * place as i32;
        let middle = top + THICK * legend.len() as i32 / 2;
        let name = clip(&one_line(&bar.name), NAME);
        label(&canvas, &name, (LEFT - 8, middle), 12, &INK, HPos::Right)?;
        for (series, value) in bar.values.iter().enumerate() {
            let y = top + THICK * series as i32;
            let width = (room * value / longest.max(f64::MIN_POSITIVE)).round() as i32;
            let fill = SERIES[series % SERIES.len()].filled();
            canvas.draw(&Rectangle::new(
                [(LEFT, y), (LEFT + width.max(1), y + THICK - 2)],
                fill,
            ))?;
            let at = (LEFT + width + 6, y + THICK / 2 - 1);
            label(&canvas, &text(*value), at, 11, &SOFT, HPos::Left)?;
        }
    }
    canvas.present()?;
    Ok(())
}
