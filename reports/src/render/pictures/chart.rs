//! Charts as SVG files of their own: panels below each other with one legend.
//!
//! The colours are those of the light page. A style in the file turns each into its dark
//! counterpart where the reader prefers dark; a program that knows no styles shows the light
//! picture. Marks differ in shape as well, so that colour is not the only sign.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use crate::render::RenderError;
use run_record::shown::one_line;
use run_record::text::clip;

pub(super) const INK: RGBColor = RGBColor(0x1b, 0x20, 0x27);
pub(super) const SOFT: RGBColor = RGBColor(0x59, 0x63, 0x6e);
const GRID: RGBColor = RGBColor(0xdd, 0xe1, 0xe6);
pub(super) const SERIES: [RGBColor; 6] = [
    RGBColor(0x0b, 0x5c, 0xad),
    RGBColor(0xc2, 0x51, 0x00),
    RGBColor(0x0a, 0x6b, 0x5e),
    RGBColor(0x8a, 0x2f, 0x8c),
    RGBColor(0x7a, 0x62, 0x00),
    RGBColor(0xb8, 0x23, 0x1c),
];

/// The dark counterpart of each colour; written into the file.
const STYLE: &str = include_str!("../../../templates/picture.css");

pub(super) const WIDTH: i32 = 760;
const LEFT: i32 = 78;
const RIGHT: i32 = 44;
const TOP: i32 = 44;
const PLOT: i32 = 300;
const BOTTOM: i32 = 52;
/// A character of a legend, and a row of it.
const CHARACTER: i32 = 8;
pub(super) const ROW: i32 = 22;
/// Characters of a title or a name.
const TITLE: usize = 84;
const NAME: usize = 40;

/// How the points of a curve are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum Join {
    /// By straight lines, with a mark at each point.
    Lines,
    /// By steps: the figure holds until the next point.
    Steps,
    /// Not at all: each point is a mark.
    Not,
    /// Not at all: each point is a large mark.
    Apart,
}

/// The points of one series.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Curve {
    /// The place of the series in the legend, which decides about its look.
    pub series: usize,
    pub join: Join,
    pub points: Vec<(f64, f64)>,
}

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    /// Dashed lines between two points: what the figures are held against.
    pub guides: Vec<[(f64, f64); 2]>,
}

pub(super) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The panels below each other, as an SVG document; `about` says what it shows, in words of ours.
pub(in crate::render) fn svg(about: &str, legend: &[&str], charts: &[Chart]) -> Result<String, RenderError> {
    Ok(document(element(legend, charts)?, about))
}

/// The panels below each other, as an SVG element for a page, which gives it its colours.
pub(in crate::render) fn element(legend: &[&str], charts: &[Chart]) -> Result<String, RenderError> {
    let mut text = String::new();
    draw(&mut text, legend, charts).map_err(|error| RenderError::Chart(error.to_string()))?;
    Ok(text)
}

/// Adds a title and the colours of the dark theme to a drawn picture.
pub(super) fn document(mut text: String, about: &str) -> String {
    let inside = text
        .find("<svg")
        .and_then(|start| Some(start + text[start..].find('>')? + 1));
    if let Some(inside) = inside {
        text.insert_str(
            inside,
            &format!("\n<title>{about}</title>\n<style>{STYLE}</style>"),
        );
    }
    text
}

fn draw(text: &mut String, legend: &[&str], charts: &[Chart]) -> Result<(), Box<dyn Error>> {
    let head = 10 + ROW * legend_rows(legend).len() as i32;
    let panel = TOP + PLOT + BOTTOM;
    let height = head + panel * charts.len() as i32;
    let canvas = SVGBackend::with_string(text, (WIDTH as u32, height as u32)).into_drawing_area();
    canvas.fill(&WHITE)?;
    name_series(&canvas, legend)?;
    for (place, chart) in charts.iter().enumerate() {
        draw_panel(&canvas, chart, head + panel * place as i32)?;
    }
    canvas.present()?;
    Ok(())
}

/// Draws the legend.
pub(super) fn name_series(canvas: &Canvas, legend: &[&str]) -> Result<(), Box<dyn Error>> {
    for (row, names) in legend_rows(legend).iter().enumerate() {
        for &(series, x) in names {
            let y = 16 + ROW * row as i32;
            mark(canvas, series, (x + 6, y), 5)?;
            let name = clip(&one_line(legend.get(series).copied().unwrap_or_default()), NAME);
            label(canvas, &name, (x + 18, y), 13, &INK, HPos::Left)?;
        }
    }
    Ok(())
}

/// The places of the names of a legend, row by row.
pub(super) fn legend_rows(legend: &[&str]) -> Vec<Vec<(usize, i32)>> {
    let mut rows: Vec<Vec<(usize, i32)>> = Vec::new();
    let mut end = WIDTH;
    for (series, name) in legend.iter().enumerate() {
        let width = 34 + CHARACTER * name.chars().count().min(NAME + 1) as i32;
        if end + width > WIDTH {
            rows.push(Vec::new());
            end = 14;
        }
        if let Some(row) = rows.last_mut() {
            row.push((series, end));
        }
        end += width;
    }
    rows
}

fn draw_panel(canvas: &Canvas, chart: &Chart, top: i32) -> Result<(), Box<dyn Error>> {
    let (bottom, right) = (top + TOP + PLOT, WIDTH - RIGHT);
    let x = |figure: f64| LEFT + (chart.x.place(figure) * f64::from(right - LEFT)).round() as i32;
    let y = |figure: f64| bottom - (chart.y.place(figure) * f64::from(PLOT)).round() as i32;
    let title = clip(&one_line(&chart.title), TITLE);
    label(canvas, &title, (14, top + 12), 15, &INK, HPos::Left)?;
    label(canvas, &chart.y.name, (14, top + 32), 12, &SOFT, HPos::Left)?;
    for (tick, text) in &chart.y.ticks {
        let at = y(*tick);
        canvas.draw(&PathElement::new(
            vec![(LEFT, at), (right, at)],
            GRID.stroke_width(1),
        ))?;
        label(canvas, text, (LEFT - 8, at), 12, &SOFT, HPos::Right)?;
    }
    for (tick, text) in &chart.x.ticks {
        let at = x(*tick);
        canvas.draw(&PathElement::new(
            vec![(at, top + TOP), (at, bottom)],
            GRID.stroke_width(1),
        ))?;
        label(canvas, text, (at, bottom + 14), 12, &SOFT, HPos::Center)?;
    }
    label(
        canvas,
        &chart.x.name,
        (right, bottom + 34),
        12,
        &SOFT,
        HPos::Right,
    )?;
    for [from, to] in &chart.guides {
        dashed(canvas, (x(from.0), y(from.1)), (x(to.0), y(to.1)))?;
    }
    for curve in &chart.curves {
        let points: Vec<(i32, i32)> = curve.points.iter().map(|&(a, b)| (x(a), y(b))).collect();
        draw_curve(canvas, curve, &points)?;
    }
    Ok(())
}

fn draw_curve(canvas: &Canvas, curve: &Curve, points: &[(i32, i32)]) -> Result<(), Box<dyn Error>> {
    let colour = SERIES[curve.series % SERIES.len()];
    match curve.join {
        Join::Not => {
            let mut points = points.to_vec();
            points.sort_unstable();
            points.dedup();
            for point in points {
                mark(canvas, curve.series, point, 2)?;
            }
        }
        Join::Apart => {
            for &point in points {
                mark(canvas, curve.series, point, 6)?;
            }
        }
        Join::Lines => {
            canvas.draw(&PathElement::new(points.to_vec(), colour.stroke_width(2)))?;
            for &point in points {
                mark(canvas, curve.series, point, 4)?;
            }
        }
        Join::Steps => {
            let mut path: Vec<(i32, i32)> = Vec::new();
            for &(x, y) in points {
                path.extend(path.last().map(|&(_, before)| (x, before)));
                path.push((x, y));
            }
            path.dedup();
            canvas.draw(&PathElement::new(path, colour.stroke_width(2)))?;
            // Marks at a part of the steps: they tell the curves apart.
            for &point in points.iter().step_by((points.len() / 8).max(1)) {
                mark(canvas, curve.series, point, 4)?;
            }
        }
    }
    Ok(())
}

pub(super) fn label(
    canvas: &Canvas,
    text: &str,
    at: (i32, i32),
    size: i32,
    colour: &RGBColor,
    side: HPos,
) -> Result<(), Box<dyn Error>> {
    let style = ("sans-serif", size).into_font().color(colour);
    let style = style.pos(Pos::new(side, VPos::Center));
    canvas.draw(&Text::new(one_line(text).into_owned(), at, style))?;
    Ok(())
}

fn dashed(canvas: &Canvas, from: (i32, i32), to: (i32, i32)) -> Result<(), Box<dyn Error>> {
    const DASHES: i32 = 40;
    let at = |part: i32| {
        let along = |a: i32, b: i32| a + (b - a) * part / (2 * DASHES);
        (along(from.0, to.0), along(from.1, to.1))
    };
    for dash in 0..DASHES {
        let ends = vec![at(2 * dash), at(2 * dash + 1)];
        canvas.draw(&PathElement::new(ends, SOFT.stroke_width(1)))?;
    }
    Ok(())
}

/// The mark of a series: a shape and a colour of its own for six series.
fn mark(canvas: &Canvas, series: usize, at: (i32, i32), size: i32) -> Result<(), Box<dyn Error>> {
    let place = series % SERIES.len();
    let fill = SERIES[place].filled();
    match place {
        0 => canvas.draw(&Circle::new(at, size, fill))?,
        _ => canvas.draw(&Polygon::new(corners(place, at, size), fill))?,
    }
    Ok(())
}

/// The corners of a mark: a square, a triangle, a diamond, a triangle upside down, a cross.
fn corners(place: usize, (x, y): (i32, i32), size: i32) -> Vec<(i32, i32)> {
    let (long, short) = (size + 1, (size + 1) / 3);
    let corners: &[(i32, i32)] = match place {
        1 => &[(-size, -size), (size, -size), (size, size), (-size, size)],
        2 => &[(0, -long), (long, size), (-long, size)],
        3 => &[(0, -long), (long, 0), (0, long), (-long, 0)],
        4 => &[(-long, -size), (long, -size), (0, long)],
        _ => &[
            (-short, -long),
            (short, -long),
            (short, -short),
            (long, -short),
            (long, short),
            (short, short),
            (short, long),
            (-short, long),
            (-short, short),
            (-long, short),
            (-long, -short),
            (-short, -short),
        ],
    };
    corners
        .iter()
        .map(|(right, down)| (x + right, y + down))
        .collect()
}
