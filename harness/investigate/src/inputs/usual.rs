//! The extents that dimensions get if nothing else decides them.

use std::collections::BTreeMap;

use onnx_model::ValueInfo;
use onnx_tensor::{Dim, ValueType};

/// The default extent of a batch: of a batch of one, strides and broadcasts do not show.
pub(super) const BATCH: usize = 2;
/// The same of rows of features: one row reaches one leaf of a tree. There are more of short rows.
const ROWS: usize = 64;
const MOST_ROWS: usize = 256;
/// The elements up to which a table has more than [`ROWS`] rows.
const TABLE: usize = 1 << 13;
/// The most elements of such a row.
const FEATURES: usize = 1 << 10;
/// The elements of a sample from which on a second one costs much: an image, a second of sound.
const HEAVY: usize = 1 << 16;
/// The default number of nodes, edges, boxes or points.
const THINGS: usize = 8;
/// The default extent of a sequence.
const SEQUENCE: usize = 16;
/// The default height of an image: two such images cost less than one of the usual size.
pub(super) const HEIGHT: usize = 96;
/// The default width of an image, which is not its height: a model that exchanges them is then wrong.
pub(super) const WIDTH: usize = 128;
/// The extents of an image whose latency is measured.
const PHOTO: [(usize, usize); 2] = [(HEIGHT, 224), (WIDTH, 256)];
/// The default number of samples of a sound: a second at the usual rate.
const SOUND: usize = 16_000;
/// The extent from which on a multiple costs much.
pub(super) const LARGE: usize = 128;
/// The default of other extents: a loop over lanes of 4 or 8 has a tail.
pub(super) const OTHER: usize = 10;

/// The extent where a latency is measured.
pub(super) fn timed(extent: usize) -> usize {
    let photo = PHOTO.iter().find(|(usual, _)| *usual == extent);
    photo.map_or(extent, |(_, photo)| *photo)
}

/// The name of a dimension: its own, or `input:axis` if it has none.
pub(super) fn key(info: &ValueInfo, axis: usize, dim: &Dim) -> Option<String> {
    match dim {
        Dim::Named(name) if onnx_shapes::is_name(name) => Some(name.clone()),
        // Converters write `?` and similar for every extent that is not known.
        Dim::Named(_) | Dim::Unknown => Some(format!("{}:{axis}", info.name)),
        Dim::Fixed(_) => None,
    }
}

pub(super) fn shape(info: &ValueInfo) -> Option<&[Dim]> {
    match &info.value_type {
        Some(ValueType::Tensor { shape, .. } | ValueType::Sparse { shape, .. }) => shape.as_deref(),
        Some(ValueType::Sequence(_) | ValueType::Map { .. } | ValueType::Optional(_)) | None => None,
    }
}

/// The axis that decides a default extent: an image whose last axis has few channels has its height and width
/// before them, as TensorFlow has.
pub(super) fn place(info: &ValueInfo, axis: usize) -> usize {
    match (shape(info), axis) {
        (Some([_, first, _, Dim::Fixed(1..=4)]), 1 | 2) if !matches!(first, Dim::Fixed(_)) => axis + 1,
        _ => axis,
    }
}

/// The usual extent of each batch: the least of those for the inputs that have it.
pub(super) fn batches(inputs: &[ValueInfo], has_ids: impl Fn(&ValueInfo) -> bool) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for info in inputs {
        let dims = shape(info).unwrap_or_default();
        for (axis, dim) in dims.iter().enumerate() {
            let Some(key) = key(info, axis, dim) else { continue };
            if default(&info.name, &key, place(info, axis), dims.len()).is_none() {
                let extent = batch(info, axis, has_ids(info));
                let known = found.entry(key).or_insert(extent);
                *known = extent.min(*known);
            }
        }
    }
    found
}

/// The usual extent of the axis of an input that is a batch: many where an input is a table of features,
/// which several ids of an embedding are not.
fn batch(info: &ValueInfo, axis: usize, has_ids: bool) -> usize {
    let dims = shape(info).unwrap_or_default();
    let others = dims.iter().enumerate().filter(|(other, _)| *other != axis);
    let extents = others.map(|(other, dim)| match (dim, key(info, other, dim)) {
        (Dim::Fixed(extent), _) => *extent,
        (_, Some(key)) => default(&info.name, &key, place(info, other), dims.len()).unwrap_or(BATCH),
        (_, None) => OTHER,
    });
    let elements = extents.fold(1_usize, usize::saturating_mul);
    // Integers of an open number are tokens.
    let is_table = match &info.value_type {
        Some(ValueType::Tensor { dtype, .. }) if dtype.is_integer() => {
            dims.get(1).is_none_or(|dim| matches!(dim, Dim::Fixed(_)))
        }
        _ => true,
    };
    let is_table = is_table && !(has_ids && elements > 1);
    match dims.len() {
        1 | 2 if is_table && elements <= FEATURES => (TABLE / elements.max(1)).clamp(ROWS, MOST_ROWS),
        _ if elements >= HEAVY => 1,
        _ => BATCH,
    }
}

/// A default extent for a dimension, by its name and that of its input, or else by its position; `None` for a
/// batch.
pub(super) fn default(input: &str, name: &str, axis: usize, rank: usize) -> Option<usize> {
    let (input, name) = (input.to_lowercase(), name.to_lowercase());
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_sound = || {
        let words = ["wave", "audio", "sound", "samples", "pcm"];
        words
            .iter()
            .any(|word| input.contains(word) || name.contains(word))
    };
    if rank <= 2 && axis + 1 == rank && is_sound() {
        Some(SOUND)
    } else if has(&["batch"]) || axis == 0 && name == "n" {
        None
    } else if has(&["node", "edge", "box", "roi", "point", "detection", "queries"]) {
        Some(THINGS)
    } else if has(&["seq", "len", "time", "token", "frame", "step"]) || name == "t" {
        Some(SEQUENCE)
    } else if has(&["height"]) || name == "h" {
        Some(HEIGHT)
    } else if has(&["width"]) || name == "w" {
        Some(WIDTH)
    } else {
        match (rank, axis) {
            (_, 0) => None,
            (4, 1) => Some(3),
            (4, 2) => Some(HEIGHT),
            (4, _) => Some(WIDTH),
            (2, 1) => Some(SEQUENCE),
            _ => Some(OTHER),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::DType;

    use super::*;

    fn input(name: &str, shape: Vec<Dim>) -> ValueInfo {
        ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(shape),
            }),
        }
    }

    #[test]
    fn the_default_of_an_extent_follows_its_name_and_place() {
        let check = |input: &str, name: &str, axis: usize, rank: usize, expected: Option<usize>| {
            let found = default(input, name, axis, rank);
            assert_eq!(found, expected, "{name} of {input}, {axis} of {rank}");
        };
        check("waveforms", "N", 1, 2, Some(SOUND));
        check("x", "num_samples", 0, 1, Some(SOUND));
        check("audio_signal", "audio_signal:2", 2, 3, Some(OTHER));
        check("waveforms", "waveforms:0", 0, 2, None);
        check("x", "seq", 1, 2, Some(SEQUENCE));
        check("boxes", "num_boxes", 0, 2, Some(THINGS));
        check("x", "t", 1, 3, Some(SEQUENCE));
        check("pixel_values", "pixel_values:2", 2, 4, Some(HEIGHT));
        check("pixel_values", "pixel_values:3", 3, 4, Some(WIDTH));
    }

    #[test]
    fn the_channels_of_an_image_may_be_last() {
        let axes = |last: Dim| {
            let image = input("a_0", vec![Dim::Unknown, Dim::Unknown, Dim::Unknown, last]);
            [1, 2].map(|axis| default("a_0", "unk", place(&image, axis), 4))
        };
        assert_eq!(axes(Dim::Fixed(3)), [Some(HEIGHT), Some(WIDTH)]);
        assert_eq!(axes(Dim::Fixed(64)), [Some(3), Some(HEIGHT)]);
        assert_eq!(axes(Dim::Unknown), [Some(3), Some(HEIGHT)]);
    }

    #[test]
    fn a_batch_is_as_large_as_its_samples_permit() {
        let batch_of = |infos: &[ValueInfo]| batches(infos, |_| false)["batch"];
        let with = |dims: &[usize]| {
            let fixed = dims.iter().map(|extent| Dim::Fixed(*extent));
            let shape = [Dim::Named("batch".to_owned())].into_iter().chain(fixed);
            input("x", shape.collect())
        };
        let check = |infos: &[ValueInfo], expected| assert_eq!(batch_of(infos), expected, "{infos:?}");
        check(&[with(&[13])], MOST_ROWS);
        check(&[with(&[])], MOST_ROWS);
        check(&[with(&[128])], ROWS);
        check(&[with(&[4096])], BATCH);
        check(&[with(&[16, 64])], BATCH);
        check(&[with(&[3, 224, 224])], 1);
        // One batch in two inputs.
        check(&[with(&[13]), with(&[16, 64])], BATCH);
        check(&[with(&[3, 224, 224]), with(&[13])], 1);
        // Characters of a word are no features; one category for each row is.
        let of_ids = |dims: &[usize]| batches(&[with(dims)], |_| true)["batch"];
        assert_eq!([of_ids(&[21]), of_ids(&[1])], [BATCH, MOST_ROWS]);
    }
}
