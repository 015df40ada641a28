//! Images: regions, grids, boxes.

use super::quantization::single;
use super::{Row, row};
use crate::call::{Call, one};
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, known, parameter, wrong_rank};

pub(super) const ROWS: &[Row] = &[
    row("GridSample", 16, grid_sample),
    row("AffineGrid", 20, affine_grid),
    row("RoiAlign", 10, roi_align),
    row("MaxRoiPool", 1, max_roi_pool),
    row("NonMaxSuppression", 10, non_max_suppression),
    row("ImageDecoder", 20, image_decoder),
];

/// The positions of the grid, each with a coordinate for each spatial axis.
pub(super) fn grid_sample(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (x, grid) = (call.at_least_rank(0, 3)?, call.at_least_rank(1, 3)?);
    if x.len() != grid.len() {
        return wrong_rank(format!(
            "an image of rank {} and a grid of rank {} differ",
            x.len(),
            grid.len()
        ));
    }
    call.equal(&x[0], &grid[0], "batches of image and grid")?;
    let last = grid.len() - 1;
    call.equal(
        &grid[last],
        &(x.len() as i64 - 2).into(),
        "coordinates of a point and spatial axes,",
    )?;
    one([&x[..2], &grid[1..last]].concat())
}

/// The size is `[N, C, H, W]` or `[N, C, D, H, W]`.
fn affine_grid(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let size = super::reshaping::listed(call, 1, "")?;
    if size.len() != 4 && size.len() != 5 {
        return parameter(format!("`size` has {} elements, expected 4 or 5", size.len()));
    }
    let size: Vec<_> = size
        .into_iter()
        .map(|extent| extent.unwrap_or_else(|| call.state.symbols.extent()))
        .collect();
    let spatial = size.len() as i64 - 2;
    if let Some(theta) = known(call.ranked::<3>(0))? {
        call.equal(&theta[0], &size[0], "batches of `theta` and `size`")?;
        call.equal(&theta[1], &spatial.into(), "rows of `theta` and spatial axes,")?;
        call.equal(
            &theta[2],
            &(spatial + 1).into(),
            "columns of `theta` and spatial axes with a constant,",
        )?;
    }
    one([&size[..1], &size[2..], &[spatial.into()]].concat())
}

/// One image for each region.
fn roi_align(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [images, channels, _, _] = call.ranked::<4>(0)?;
    let regions = match call.ranked::<2>(1) {
        Ok([regions, four]) => {
            call.equal(&four, &4.into(), "numbers of a region and 4,")?;
            regions
        }
        Err(stop @ Stop::Broken(..)) => return Err(stop),
        Err(Stop::Unknown) => call.unknown(),
    };
    let regions = match call.rank(2) {
        Some(_) => {
            let [indices] = call.ranked::<1>(2)?;
            call.indices(2, &0.into(), &images)?;
            call.equal(&regions, &indices, "regions and batch indices,")?
        }
        None => regions,
    };
    let side = |name: &str| call.int(name).ok_or(Stop::Unknown);
    one(vec![
        regions,
        channels,
        side("output_height")?.into(),
        side("output_width")?.into(),
    ])
}

fn max_roi_pool(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [_, channels, _, _] = call.ranked::<4>(0)?;
    let [regions, five] = match call.rank(1) {
        Some(_) => call.ranked::<2>(1)?,
        None => [call.unknown(), 5.into()],
    };
    call.equal(&five, &5.into(), "numbers of a region and 5,")?;
    match call.ints("pooled_shape").as_deref() {
        Some(&[rows, columns]) => one(vec![regions, channels, rows.into(), columns.into()]),
        Some(other) => parameter(format!("`pooled_shape` has {} entries, expected 2", other.len())),
        None => Err(Stop::Unknown),
    }
}

/// A row of batch, class and box for each selected box.
fn non_max_suppression(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    if call.rank(0).is_some() && call.rank(1).is_some() {
        let [batch, boxes, four] = call.ranked::<3>(0)?;
        let [batches, _, scores] = call.ranked::<3>(1)?;
        call.equal(&four, &4.into(), "numbers of a box and 4,")?;
        call.equal(&batch, &batches, "batches of boxes and scores")?;
        call.equal(&boxes, &scores, "boxes and scores of a class,")?;
    }
    single(call, &[2, 3, 4])?;
    let selected = call.unknown();
    one(vec![selected, 3.into()])
}

fn image_decoder(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    call.ranked::<1>(0).or_else(|stop| match stop {
        Stop::Unknown => Ok([call.unknown()]),
        broken => Err(broken),
    })?;
    let channels = match call.text("pixel_format").as_deref() {
        Some("Grayscale") => 1,
        _ => 3,
    };
    let sides = [call.unknown(), call.unknown()];
    let [rows, columns] = sides;
    one(vec![rows, columns, channels.into()])
}
