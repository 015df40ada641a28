//! Col2Im: blocks of an image as columns.

use super::reshaping;
use super::windows::{Padding, Windows};
use crate::call::{Call, one};
use crate::elements::Elements;
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, parameter};

/// Images of more blocks are not looked for.
const MAX_BLOCKS: i64 = 10_000;

/// The rows are the channels of a block one after another.
pub(super) fn col2im(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [images, rows, columns] = call.ranked::<3>(0)?;
    let (image, block) = (reshaping::listed(call, 1, "")?, call.list(2).ok());
    if let Some(block) = block.as_ref().filter(|block| block.len() != image.len()) {
        return parameter(format!(
            "an image of {} axes has a block of {}",
            image.len(),
            block.len()
        ));
    }
    let channels = match &block {
        Some(block) => {
            let elements = call.product(block);
            call.multiple(&rows, &elements, "rows of blocks")?
        }
        None => call.up_to(&rows),
    };
    let known: Option<Shape> = image.iter().cloned().collect();
    if let Some((image, block)) = known.zip(block) {
        let windows = Windows::read(call, image.len())?;
        let counts = windows.counts(call, &image, &block)?;
        let blocks = call.product(&counts);
        call.equal(&columns, &blocks, "columns and number of blocks")?;
    }
    let mut shape = vec![images, channels];
    for extent in image {
        shape.push(extent.unwrap_or_else(|| call.state.symbols.extent()));
    }
    one(shape)
}

/// An image that has as many blocks as there are columns: of blocks of one element, if they are not known.
pub(crate) fn image(call: &mut Call<'_, '_>, at: usize) -> Outcome<Elements<Expr>> {
    let [.., columns] = call.ranked::<3>(0)?;
    if let (Some(count), Ok(axes)) = (columns.constant(), call.known_length(at)) {
        let block = call.numbers(2).ok().filter(|block| block.len() == axes);
        let block = block.unwrap_or_else(|| vec![1; axes]);
        if let Some(image) = extents(&Windows::read(call, axes)?, &block, count) {
            return Ok(Elements::Last(image.into_iter().map(Expr::from).collect()));
        }
    }
    Ok(Elements::Factors(columns))
}

/// The extents of an image with so many blocks, about as many along each axis.
fn extents(windows: &Windows, block: &[i64], blocks: i64) -> Option<Vec<i64>> {
    let Some((last, before)) = block.split_last() else {
        return (blocks == 1).then(Vec::new);
    };
    let at = before.len();
    let Padding::Explicit(pads) = &windows.padding else {
        return None;
    };
    let (stride, dilation) = (*windows.strides.get(at)?, *windows.dilations.get(at)?);
    let pads = pads.get(at)?.checked_add(*pads.get(at + pads.len() / 2)?)?;
    let counts = (1..=blocks.min(MAX_BLOCKS)).filter(|count| blocks % count == 0);
    let mut counts: Vec<i64> = counts.collect();
    let even = (blocks as f64).powf(1.0 / block.len() as f64).ln();
    counts.sort_by(|a, b| {
        let [a, b] = [a, b].map(|count| ((*count as f64).ln() - even).abs());
        a.total_cmp(&b)
    });
    counts.into_iter().find_map(|count| {
        let span = last.checked_sub(1)?.checked_mul(dilation)?.checked_add(1)?;
        let least = stride
            .checked_mul(count - 1)?
            .checked_add(span)?
            .checked_sub(pads)?;
        // A remainder that is less than a step adds no block.
        let extent = least.max(1);
        if extent - least >= stride {
            return None;
        }
        let mut image = extents(windows, before, blocks / count)?;
        image.push(extent);
        Some(image)
    })
}
