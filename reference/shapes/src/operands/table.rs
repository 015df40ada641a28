//! The meanings of operands.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use crate::call::Call;
use crate::elements::Elements;
use crate::extent::Expr;
use crate::fact::{integers, reals};
use crate::finding::{Outcome, Stop, known};
use crate::rules::blocks;

/// The elements of the operand of a node at a position.
type Meaning = fn(&mut Call<'_, '_>, usize) -> Outcome<Elements<Expr>>;

/// The elements of an operand; `None` if nothing is said of them, or if what they depend on is not known.
pub(super) fn of(call: &mut Call<'_, '_>, at: usize) -> Option<Elements<Expr>> {
    let (operator, operand) = (call.schema.name, call.formal(at));
    let of = |(operators, operands, _): &&(&[&str], &[&str], Meaning)| {
        (operators.is_empty() || operators.contains(&operator))
            && operands.iter().any(|known| match known.strip_prefix('*') {
                Some(end) => operand.to_lowercase().ends_with(end),
                None => operand.eq_ignore_ascii_case(known),
            })
    };
    let (.., meaning) = ROWS.iter().find(of)?;
    meaning(call, at).ok()
}

/// The length of the list at an operand, where it follows from the other operands.
pub(super) fn length(call: &mut Call<'_, '_>, at: usize) -> Outcome<i64> {
    let rank = i64::try_from(call.shape(0)?.len()).map_err(|_| Stop::Unknown)?;
    Ok(match (call.schema.name, call.formal(at)) {
        ("Pad", "pads") if !call.given(3) => rank.saturating_mul(2),
        ("Resize", "roi") if call.ints("axes").is_none() => rank.saturating_mul(2),
        ("Resize", "sizes" | "scales") if call.ints("axes").is_none() => rank,
        ("Upsample", "scales") | ("MaxUnpool", "output_shape") => rank,
        ("ConvTransposeWithDynamicPads", _) => rank.saturating_sub(2).saturating_mul(2),
        ("AffineGrid", "size") => 4,
        ("PackedAttention" | "GatedDeltaNet", _) => 2,
        _ => return Err(Stop::Unknown),
    })
}

/// Operators, or none for all, with the names of their operands, or `*` and how these end. The first row
/// that fits holds.
const ROWS: &[(&[&str], &[&str], Meaning)] = &[
    // Axes.
    (&["Unsqueeze"], &["axes"], |call, at| {
        // A list of unknown length may have one entry.
        let added = known(call.known_length(at))?.unwrap_or(1);
        distinct(call.shape(0)?.len().saturating_add(added))
    }),
    (&["Squeeze"], &["axes"], squeezed),
    (&["ExpandDims"], &["axis"], |call, _| {
        whole(0, call.shape(0)?.len() + 1)
    }),
    (&[], &["axes"], |call, _| distinct(call.shape(0)?.len())),
    (&["DFT"], &["axis"], |call, _| {
        whole(0, call.shape(0)?.len().saturating_sub(1))
    }),
    (&["Concat", "Tile"], &["axis"], |call, _| {
        whole(0, call.shape(0)?.len())
    }),
    (&[], &["axis"], |call, _| whole(0, call.shape(0)?.len())),
    // Extents and counts.
    (&["Reshape"], &["shape"], |call, _| {
        let shape = call.shape(0)?;
        Ok(Elements::Factors(call.product(&shape)))
    }),
    // An extent of 1 is repeated.
    (&["Expand"], &["shape"], |call, _| {
        let wide = |extent: Expr| if extent.is(1) { 2.into() } else { extent };
        Ok(Elements::Last(call.shape(0)?.into_iter().map(wide).collect()))
    }),
    (&["CenterCropPad"], &["shape"], |_, _| whole(1, 6)),
    (&["Resize"], &["sizes"], resized),
    (&["Resize"], &["roi"], |call, _| {
        // The whole of each axis.
        let rank = call.shape(0)?.len();
        let axes = call.ints("axes").map_or(rank, |axes| axes.len());
        let ends = [0_i64, 1]
            .into_iter()
            .flat_map(|end| std::iter::repeat_n(Expr::from(end), axes));
        Ok(Elements::Last(ends.collect()))
    }),
    (&["Resize", "Upsample"], &["scales"], |_, _| {
        Ok(Elements::Reals(1.0, 2.0))
    }),
    (&["MaxUnpool"], &["output_shape"], unpooled),
    (&["MaxUnpool"], &["I"], |call, at| {
        let indices = call.shape(at)?;
        Ok(Elements::Distinct(usize::MAX, 0.into(), call.product(&indices)))
    }),
    (&["AffineGrid"], &["size"], |call, at| {
        let [batch, axes, _] = call.ranked::<3>(0)?;
        let spatial = call.known_length(at)?.saturating_sub(2);
        let _ = axes;
        Ok(Elements::Last(
            [
                vec![batch],
                (0..=spatial as i64).map(|extent| (extent + 2).into()).collect(),
            ]
            .concat(),
        ))
    }),
    // Most places are in the image.
    (&["AffineGrid"], &["theta"], |_, _| Ok(Elements::Reals(-0.8, 0.8))),
    (&["Col2Im"], &["block_shape"], |_, _| whole(1, 2)),
    (&["Col2Im"], &["image_shape"], blocks::image),
    (&["ConstantOfShape"], &["input"], |_, _| whole(1, 5)),
    (
        &["HannWindow", "HammingWindow", "BlackmanWindow"],
        &["size"],
        |_, _| whole(5, 12),
    ),
    (&["DFT"], &["dft_length"], |_, _| whole(4, 9)),
    (&["STFT"], &["frame_step"], |_, _| whole(1, 3)),
    (&["STFT"], &["frame_length"], |call, _| {
        let signal = call.at_least_rank(0, 2)?;
        Ok(Elements::Last(vec![match known_length(call, 2) {
            Some(window) => window,
            None => signal[1].clone(),
        }]))
    }),
    (&["MelWeightMatrix"], &["num_mel_bins"], |_, _| whole(4, 9)),
    (&["MelWeightMatrix"], &["dft_length"], |_, _| whole(64, 65)),
    (&["MelWeightMatrix"], &["sample_rate"], |_, _| whole(8000, 8001)),
    (&["MelWeightMatrix"], &["lower_edge_hertz"], |_, _| {
        Ok(Elements::Reals(0.0, 100.0))
    }),
    (&["MelWeightMatrix"], &["upper_edge_hertz"], |_, _| {
        Ok(Elements::Reals(3000.0, 4000.0))
    }),
    (&["Tile"], &["repeats", "tiles"], |_, _| whole(1, 4)),
    (&["TopK"], &["k"], |call, _| {
        let shape = call.shape(0)?;
        let at = call.axis(call.int("axis").unwrap_or(-1), shape.len())?;
        whole_to(1, call.add(&shape[at], &1.into()))
    }),
    (&["OneHot"], &["depth"], |_, _| whole(6, 9)),
    (&["OneHot"], &["values"], |_, _| {
        Ok(Elements::Last(vec![0.into(), 3.into()]))
    }),
    (&["Loop"], &["M"], |_, _| whole(2, 5)),
    (&["Loop"], &["cond"], |_, _| whole(1, 2)),
    (&["NonMaxSuppression"], &["max_output_boxes_per_class"], |_, _| {
        whole(2, 5)
    }),
    (&["NonMaxSuppression"], &["iou_threshold"], |_, _| {
        Ok(Elements::Reals(0.3, 0.7))
    }),
    (&["NonMaxSuppression"], &["score_threshold"], |_, _| {
        Ok(Elements::Reals(-1.0, 0.0))
    }),
    (&["CropAndResize"], &["crop_size"], |_, _| whole(2, 5)),
    // Parts and places.
    (&["Split", "SplitToSequence"], &["split"], parts),
    (&["Pad", "ConvTransposeWithDynamicPads"], &["pads"], |_, _| {
        whole(0, 2)
    }),
    (&["Slice"], &["starts"], |_, _| whole(0, 2)),
    (&["Slice"], &["ends"], |_, _| whole(2, 1000)),
    (&["Slice"], &["steps"], |_, _| whole(1, 3)),
    (&["Trilu"], &["k"], |_, _| whole(-1, 2)),
    (&["Range"], &["start"], |_, _| whole(0, 4)),
    (&["Range"], &["limit"], |_, _| whole(8, 12)),
    (&["Range"], &["delta"], |_, _| whole(1, 3)),
    (&["ReverseSequence"], &["sequence_lens"], |call, _| {
        let shape = call.at_least_rank(0, 2)?;
        let at = call.axis(call.int("time_axis").unwrap_or(0), shape.len())?;
        Ok(Elements::Lengths(shape[at].clone()))
    }),
    (&["Scan"], &["sequence_lens"], |call, _| {
        let shape = call.at_least_rank(call.inputs.len().saturating_sub(1), 2)?;
        Ok(Elements::Lengths(shape[1].clone()))
    }),
    (&["RNN", "GRU", "LSTM"], &["sequence_lens"], |call, _| {
        let [first, second, _] = call.ranked::<3>(0)?;
        let is_batch_first = call.int("layout") == Some(1);
        Ok(Elements::Lengths(if is_batch_first { second } else { first }))
    }),
    (
        &["SequenceAt", "SequenceErase", "SequenceInsert"],
        &["position"],
        |_, _| whole(0, 2),
    ),
    (&["MaxRoiPool"], &["rois"], |call, _| {
        let shape = call.at_least_rank(0, 1)?;
        whole_to(0, shape[0].clone())
    }),
    (&["ScatterElements", "Scatter"], &["indices"], |call, _| {
        let shape = call.shape(0)?;
        let at = call.axis_attribute(shape.len())?;
        Ok(Elements::Distinct(at, 0.into(), shape[at].clone()))
    }),
    (&["ScatterND", "GatherND"], &["indices"], |call, at| {
        let (mut data, indices) = (call.shape(0)?, call.shape(at)?);
        let batch = usize::try_from(call.int("batch_dims").unwrap_or(0)).map_err(|_| Stop::Unknown)?;
        data.drain(..batch.min(data.len()));
        let rank = i64::try_from(data.len()).map_err(|_| Stop::Unknown)?;
        call.prefer(
            "axes of an index",
            rank.into(),
            indices.last().cloned().ok_or(Stop::Unknown)?,
        );
        // An input of rank 1 may get the axis of the tuples by a node.
        let axes = indices.last().and_then(Expr::constant);
        if let Some(axes) = axes.and_then(|axes| usize::try_from(axes).ok()) {
            data.truncate(axes);
        }
        Ok(Elements::Places(data))
    }),
    // An update ends within the cache.
    (&["TensorScatter"], &["write_indices"], |call, _| {
        let (cache, update) = (call.shape(0)?, call.shape(1)?);
        let at = call.axis(call.int("axis").unwrap_or(-2), cache.len())?;
        let last = call.sub(&cache[at], update.get(at).ok_or(Stop::Unknown)?);
        whole_to(0, call.add(&last, &1.into()))
    }),
    // Tokens.
    (&["Attention"], &["nonpad_kv_seqlen"], |call, _| {
        let keys = call.at_least_rank(1, 3)?;
        let tokens = if keys.len() == 3 { &keys[1] } else { &keys[2] };
        Ok(Elements::Lengths(tokens.clone()))
    }),
    // The keys of each sequence; a mask of more axes has an entry for each key.
    (
        &["Attention", "MultiHeadAttention", "QAttention"],
        &["mask_index", "key_padding_mask"],
        |call, at| {
            call.ranked::<1>(at)?;
            let keys = call.at_least_rank(usize::from(at == 4), 3)?;
            Ok(Elements::Lengths(
                keys[if keys.len() == 3 { 1 } else { 2 }].clone(),
            ))
        },
    ),
    (&["GroupQueryAttention"], &["total_sequence_length"], |call, _| {
        Ok(Elements::Last(vec![tokens(call)?.1]))
    }),
    (&["GroupQueryAttention"], &["position_ids"], |call, _| {
        let [rows, _] = call.ranked::<2>(7)?;
        whole_to(0, rows)
    }),
    (&["GroupQueryAttention"], &["seqlens_k"], |call, _| {
        // The last position of each sequence; half of the past or more is there.
        let (new, total) = tokens(call)?;
        let past = call.sub(&total, &new);
        let half = call.ceil_div(&past, 2);
        let least = call.add(&new, &half);
        Ok(Elements::Whole(call.sub(&least, &1.into()), total))
    }),
    // A sequence has tokens.
    (
        &["PackedAttention", "PackedMultiHeadAttention", "GatedDeltaNet"],
        &["*cumulative_sequence_length", "cu_seqlens"],
        |call, _| {
            let shape = call.at_least_rank(0, 1)?;
            Ok(Elements::Ascending(shape[0].clone()))
        },
    ),
    // The first position of each sequence, or positions.
    (&["RotaryEmbedding"], &["position_ids"], |call, at| {
        let (data, positions) = (call.at_least_rank(0, 3)?, call.rank(at));
        let rows = call.ranked::<2>(if at == 1 { 2 } else { 1 })?[0].clone();
        let tokens = if data.len() == 3 { &data[1] } else { &data[2] };
        match positions {
            Some(1) => {
                let last = call.sub(&rows, tokens);
                whole_to(0, call.add(&last, &1.into()))
            }
            _ => whole_to(0, rows),
        }
    }),
    // Numbers that an operator divides by, or shifts by.
    (&["Div", "Mod"], &["B"], |call, at| match call.dtype(at) {
        Some(dtype) if dtype.is_integer() => Ok(Elements::NonZero),
        _ => Err(Stop::Unknown),
    }),
    (&["Pow"], &["Y"], |call, at| match call.dtype(at) {
        Some(dtype) if dtype.is_integer() => whole(0, 4),
        _ => Err(Stop::Unknown),
    }),
    (&["BitShift"], &["Y"], |_, _| whole(0, 8)),
    // Real numbers.
    (&["Clip"], &["min"], |call, at| low(call, at)),
    (&["Clip"], &["max"], |call, at| high(call, at)),
    (&["Acosh"], &["input"], |_, _| Ok(Elements::Reals(1.0, 4.0))),
    (&["Acos", "Asin", "Atanh"], &["input"], |_, _| {
        Ok(Elements::Reals(-1.0, 1.0))
    }),
    (&["Log", "Sqrt"], &["input", "X"], |_, _| {
        Ok(Elements::Reals(0.0, 4.0))
    }),
    (&["NonMaxSuppression"], &["boxes"], |_, _| {
        Ok(Elements::Reals(0.0, 1.0))
    }),
    (&["Bernoulli"], &["input"], |_, _| Ok(Elements::Reals(0.0, 1.0))),
    (&["Dropout"], &["ratio"], |_, _| Ok(Elements::Reals(0.1, 0.5))),
    (&["BatchNormalization"], &["var", "input_var"], |_, _| {
        Ok(Elements::Reals(0.5, 2.0))
    }),
    (&[], &["*_scale"], |_, _| Ok(Elements::Reals(0.01, 0.1))),
    (&[], &["*_zero_point"], |call, at| match call.dtype(at) {
        Some(DType::Uint8 | DType::Uint16) => whole(100, 156),
        Some(DType::Int32) => whole(0, 1),
        Some(dtype) if dtype.is_integer() => whole(0, 2),
        _ => Err(Stop::Unknown),
    }),
    (&["DictVectorizer"], &["X"], |call, _| {
        words(call, &["string_vocabulary", "int64_vocabulary"])
    }),
    // What the attributes list.
    (&["LabelEncoder"], &["X"], |call, _| {
        words(
            call,
            &[
                "keys_strings",
                "keys_int64s",
                "keys_floats",
                "keys_tensor",
                "classes_strings",
            ],
        )
    }),
    (
        &["CategoryMapper", "OneHotEncoder"],
        &["X", "input"],
        |call, _| words(call, &["cats_strings", "cats_int64s"]),
    ),
    (&["TfIdfVectorizer"], &["X"], |call, _| {
        words(call, &["pool_strings", "pool_int64s"])
    }),
];

fn whole(least: i64, end: impl TryInto<i64>) -> Outcome<Elements<Expr>> {
    let end = end.try_into().map_err(|_| Stop::Unknown)?;
    Ok(Elements::Whole(least.into(), end.into()))
}

fn whole_to(least: i64, end: Expr) -> Outcome<Elements<Expr>> {
    Ok(Elements::Whole(least.into(), end))
}

fn distinct(rank: usize) -> Outcome<Elements<Expr>> {
    let rank = i64::try_from(rank).map_err(|_| Stop::Unknown)?;
    Ok(Elements::Distinct(0, 0.into(), rank.into()))
}

/// Axes of extent 1 if there are so many, or else any.
fn squeezed(call: &mut Call<'_, '_>, at: usize) -> Outcome<Elements<Expr>> {
    let shape = call.shape(0)?;
    let ones: Vec<Expr> = (0_i64..)
        .zip(&shape)
        .filter(|(_, extent)| extent.is(1))
        .map(|(axis, _)| axis.into())
        .collect();
    match known(call.known_length(at))?.unwrap_or(1) {
        count if count <= ones.len() => Ok(Elements::Last(ones)),
        _ => distinct(shape.len()),
    }
}

/// Twice the extents of an image.
fn unpooled(call: &mut Call<'_, '_>, _: usize) -> Outcome<Elements<Expr>> {
    let mut shape = call.shape(0)?;
    for extent in shape.iter_mut().skip(2) {
        *extent = call.mul(extent, &2.into());
    }
    Ok(Elements::Last(shape))
}

/// The extents of the resized axes and one more, but those of images and channels.
fn resized(call: &mut Call<'_, '_>, _: usize) -> Outcome<Elements<Expr>> {
    let shape = call.shape(0)?;
    let axes = match call.ints("axes") {
        Some(axes) => call.axes(&axes, shape.len())?,
        None => (0..shape.len()).collect(),
    };
    let mut sizes = Vec::with_capacity(axes.len());
    for axis in axes {
        let more = i64::from(shape.len() < 3 || axis >= 2);
        sizes.push(call.add(&shape[axis], &more.into()));
    }
    Ok(Elements::Last(sizes))
}

/// Lengths along the axis, or one length for all parts.
fn parts(call: &mut Call<'_, '_>, at: usize) -> Outcome<Elements<Expr>> {
    let shape = call.shape(0)?;
    let axis = call.axis_attribute(shape.len())?;
    match call.rank(at) {
        Some(0) => whole(1, 3),
        _ => Ok(Elements::Parts(shape[axis].clone())),
    }
}

fn known_length(call: &mut Call<'_, '_>, at: usize) -> Option<Expr> {
    if call.given(at) {
        call.length(at).ok()
    } else {
        None
    }
}

/// The number of new tokens, and that of all with the past ones.
fn tokens(call: &mut Call<'_, '_>) -> Outcome<(Expr, Expr)> {
    let [_, new, _] = call.ranked::<3>(0)?;
    let past = if call.given(3) {
        call.ranked::<4>(3)?[2].clone()
    } else {
        0.into()
    };
    let total = call.add(&new, &past);
    Ok((new, total))
}

fn low(call: &mut Call<'_, '_>, at: usize) -> Outcome<Elements<Expr>> {
    match call.dtype(at) {
        Some(dtype) if dtype.is_integer() => whole(0, 3),
        _ => Ok(Elements::Reals(-1.0, -0.5)),
    }
}

fn high(call: &mut Call<'_, '_>, at: usize) -> Outcome<Elements<Expr>> {
    match call.dtype(at) {
        Some(dtype) if dtype.is_integer() => whole(20, 60),
        _ => Ok(Elements::Reals(0.5, 1.0)),
    }
}

/// The entries of the first of these attributes that the node has.
fn words(call: &mut Call<'_, '_>, attributes: &[&str]) -> Outcome<Elements<Expr>> {
    let list = attributes.iter().find_map(|name| match call.attribute(name)? {
        AttributeValue::Strings(list) => Some(
            list.iter()
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect::<Vec<_>>(),
        ),
        AttributeValue::Ints(list) => Some(list.iter().map(ToString::to_string).collect()),
        AttributeValue::Tensor(tensor) => tensor_words(tensor),
        AttributeValue::Floats(list) => Some(list.iter().map(ToString::to_string).collect()),
        _ => None,
    });
    list.filter(|list| !list.is_empty())
        .map(Elements::Words)
        .ok_or(Stop::Unknown)
}

fn tensor_words(tensor: &Tensor) -> Option<Vec<String>> {
    match tensor {
        Tensor::String(array) => Some(array.iter().cloned().collect()),
        tensor => match integers(tensor) {
            Some(list) => Some(list.iter().map(ToString::to_string).collect()),
            None => Some(reals(tensor)?.iter().map(ToString::to_string).collect()),
        },
    }
}
