//! ImageDecoder — the pixels of an encoded image, `[height, width, channels]`, 8 bits each.
//!
//! `image` decodes BMP, PNG, PNM, TIFF and WebP; `hayro-jpeg2000` decodes JPEG 2000. JPEG is decoded by
//! `libjpeg-turbo-rs`, which reproduces libjpeg-turbo bit by bit, including chroma upsampling, because the
//! text names that library as the standard. (The decoder of `image` differs from it by up to 3.) The output
//! is an empty image if the input cannot be decoded, as the text says.
//!
//! Interpretation: an empty image is `[0, 0, channels]`; grayscale is ITU-R 601 luma in 16-bit fixed point,
//! `(19595 R + 38470 G + 7471 B + 32768) >> 16`; alpha is dropped; 16-bit samples are scaled to 8 bits; an
//! image with one channel repeats it three times in RGB.

use std::io::Cursor;

use hayro_jpeg2000::{DecodeSettings, DecoderContext};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use libjpeg_turbo_rs::{PixelFormat, StreamingDecoder};
use onnx_tensor::{DType, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("ImageDecoder", &[v(20, First, decode_image)]);

/// A decoded image, as red, green, blue for each pixel.
struct Rgb {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

/// The result of a decoder: an image, `None` if it cannot decode the input, or an error if the image
/// exceeds the budget.
type Decoded = Result<Option<Rgb>, OpError>;

fn decode_image(call: &Call<'_>) -> Result<Outputs, OpError> {
    let bytes: Vec<u8> = call.tensor(0)?.to_vec()?;
    let order: &[fn([u8; 3]) -> u8] = match call.string("pixel_format")? {
        "RGB" => &[|[r, _, _]| r, |[_, g, _]| g, |[_, _, b]| b],
        "BGR" => &[|[_, _, b]| b, |[_, g, _]| g, |[r, _, _]| r],
        "Grayscale" => &[luma],
        other => return Err(OpError::invalid(format!("`pixel_format` is {other:?}"))),
    };
    let empty = Rgb {
        width: 0,
        height: 0,
        pixels: Vec::new(),
    };
    let image = decode(call, &bytes)?.unwrap_or(empty);
    let samples = image
        .pixels
        .iter()
        .flat_map(|&pixel| order.iter().map(move |sample| sample(pixel)));
    one(Tensor::new(
        &[image.height, image.width, order.len()],
        samples.collect(),
    )?)
}

fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((19595 * u32::from(r) + 38470 * u32::from(g) + 7471 * u32::from(b) + 0x8000) >> 16) as u8
}

/// The first bytes of a JP2 file and of a raw JPEG 2000 codestream.
const JPEG_2000: [&[u8]; 2] = [b"\0\0\0\x0CjP  ", b"\xFF\x4F\xFF\x51"];

fn decode(call: &Call<'_>, bytes: &[u8]) -> Decoded {
    if JPEG_2000.iter().any(|magic| bytes.starts_with(magic)) {
        return jpeg_2000(call, bytes);
    }
    match image::guess_format(bytes) {
        Ok(ImageFormat::Jpeg) => jpeg(call, bytes),
        Ok(format) => other(call, bytes, format),
        Err(_) => Ok(None),
    }
}

fn reserve(call: &Call<'_>, width: usize, height: usize) -> Result<(), OpError> {
    call.reserve(&[height, width, 4], DType::Uint8)
}

fn jpeg(call: &Call<'_>, bytes: &[u8]) -> Decoded {
    let Ok(header) = StreamingDecoder::new(bytes) else {
        return Ok(None);
    };
    reserve(call, header.header().width.into(), header.header().height.into())?;
    let Ok(image) = libjpeg_turbo_rs::decompress_to(bytes, PixelFormat::Rgb) else {
        return Ok(None);
    };
    Ok(Some(Rgb {
        width: image.width,
        height: image.height,
        pixels: pixels(&image.data, 3),
    }))
}

fn jpeg_2000(call: &Call<'_>, bytes: &[u8]) -> Decoded {
    let Ok(image) = hayro_jpeg2000::Image::new(bytes, &DecodeSettings::default()) else {
        return Ok(None);
    };
    let (width, height) = (image.width() as usize, image.height() as usize);
    reserve(call, width, height)?;
    let colours = usize::from(image.color_space().num_channels());
    let mut context = DecoderContext::default();
    let Ok(decoded) = image.decode(&mut context) else {
        return Ok(None);
    };
    let channels = colours + usize::from(image.has_alpha());
    let data = decoded.data_u8();
    let complete = data.len() == width * height * channels && matches!(colours, 1 | 3);
    Ok(complete.then(|| Rgb {
        width,
        height,
        pixels: pixels(&data, channels),
    }))
}

/// Pixels of one or three color channels, with or without alpha.
fn pixels(data: &[u8], channels: usize) -> Vec<[u8; 3]> {
    let pixel = |samples: &[u8]| match samples {
        [r, g, b, ..] => [*r, *g, *b],
        [gray, ..] => [*gray; 3],
        [] => [0; 3],
    };
    data.chunks_exact(channels).map(pixel).collect()
}

fn other(call: &Call<'_>, bytes: &[u8], format: ImageFormat) -> Decoded {
    let Ok(decoder) = ImageReader::with_format(Cursor::new(bytes), format).into_decoder() else {
        return Ok(None);
    };
    let (width, height) = decoder.dimensions();
    reserve(call, width as usize, height as usize)?;
    let Ok(image) = DynamicImage::from_decoder(decoder) else {
        return Ok(None);
    };
    let pixels = image.to_rgb8().pixels().map(|pixel| pixel.0).collect();
    Ok(Some(Rgb {
        width: width as usize,
        height: height as usize,
        pixels,
    }))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn bytes(parts: &[&[u8]]) -> [Tensor; 1] {
        [Tensor::vector(parts.concat())]
    }

    #[test]
    fn formats_of_pixels() {
        let file = bytes(&[b"P6 1 2 255\n", &[255, 0, 0, 10, 20, 30]]);
        for (format, channels, expected) in [
            ("RGB", 3, vec![255_u8, 0, 0, 10, 20, 30]),
            ("BGR", 3, vec![0, 0, 255, 30, 20, 10]),
            ("Grayscale", 1, vec![76, 18]),
        ] {
            let expected = [Tensor::new(&[2, 1, channels], expected).unwrap()];
            exact(
                ("", "ImageDecoder", 20),
                &file,
                &[attribute("pixel_format", format)],
                &expected,
            );
        }
        refused(
            ("", "ImageDecoder", 20),
            &values(&file),
            &[attribute("pixel_format", "RGBA")],
            "RGBA",
        );
    }

    #[test]
    fn corrupt_data_is_an_empty_image_and_size_is_reserved() {
        let empty = [Tensor::new(&[0, 0, 3], Vec::<u8>::new()).unwrap()];
        let jpeg = b"\xFF\xD8\xFF\xE0";
        for damaged in [
            &b""[..],
            b"no image",
            b"P6 9 9 255\n",
            jpeg,
            b"\x89PNG\r\n\x1A\n",
            b"\0\0\0\x0CjP  ",
        ] {
            exact(("", "ImageDecoder", 20), &bytes(&[damaged]), &[], &empty);
        }
        refused(
            ("", "ImageDecoder", 20),
            &values(&bytes(&[b"P6 60000 60000 255\n"])),
            &[],
            "budget",
        );
    }
}
