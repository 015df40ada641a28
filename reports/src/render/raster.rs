//! A picture as a PNG file.
//!
//! The text is drawn with DejaVu Sans, which is part of the program: fonts of the system are not read,
//! so that the same picture has the same bytes on every machine. The style of the dark theme is for
//! screens only, so that the PNG is light.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::RenderError;

/// Pixels for each unit of the SVG, in both directions.
pub const PNG_SCALE: f32 = 2.0;

/// The pixels of the largest bitmap: 128 MiB of memory. A larger picture has a smaller scale.
const MAX_PIXELS: f32 = (1 << 25) as f32;

/// The only font family.
const FAMILY: &str = "DejaVu Sans";

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// The picture `svg` as the bytes of a PNG file, with [`PNG_SCALE`] pixels for each unit, or fewer where
/// that would be more than 2^25 pixels.
///
/// # Errors
/// [`RenderError::Chart`] if `svg` is not an SVG document, or a side of the bitmap is less than a pixel.
pub fn png(svg: &str) -> Result<Vec<u8>, RenderError> {
    let options = Options {
        font_family: FAMILY.to_owned(),
        fontdb: Arc::clone(&FONTS),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| RenderError::Chart(error.to_string()))?;
    let size = tree.size();
    let scale = PNG_SCALE.min((MAX_PIXELS / size.width() / size.height()).sqrt());
    let pixels = |units: f32| (units * scale).round() as u32;
    let mut bitmap = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| RenderError::Chart("a side of the bitmap is less than a pixel".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut bitmap.as_mut());
    bitmap
        .encode_png()
        .map_err(|error| RenderError::Chart(error.to_string()))
}
