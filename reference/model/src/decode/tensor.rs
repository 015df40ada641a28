//! Decodes `TensorProto`: its shape and the location of its elements.

use onnx_tensor::{DType, StoredTensor, Tensor, Value};
use prost::bytes::Bytes;

use super::layout::Layout;
use super::metadata::repeated;
use super::pieces::Pieces;
use super::{Decoder, raw, text, typed};
use crate::error::{ModelError, ModelErrorKind};
use crate::limits::Limit;
use crate::proto::{EXTERNAL, INTERNAL, StringStringEntryProto, TensorProto};
use crate::scan::within;
use crate::source::{ExternalData, ExternalError, Folder};

/// The content of raw_data; empty if the field is not set.
pub(super) enum Raw {
    Whole(Bytes),
    Pieces(Pieces),
}

impl Raw {
    fn is_empty(&self) -> bool {
        match self {
            Raw::Whole(bytes) => bytes.is_empty(),
            Raw::Pieces(pieces) => pieces.len() == 0,
        }
    }
}

/// The size from which an external initializer may stay in its file, in bytes. A smaller one may be a shape
/// or an index, which others need to know.
const LARGE: u64 = 64 << 10;

/// The place of external elements.
struct Place {
    location: String,
    offset: u64,
    /// The length in bytes.
    bytes: usize,
}

impl Decoder<'_> {
    /// Decodes a tensor, including its external elements.
    pub(super) fn tensor(&mut self, mut proto: TensorProto) -> Result<Tensor, ModelError> {
        let bytes = proto.raw_data.take().unwrap_or_default();
        self.tensor_with(proto, Raw::Whole(bytes))
    }

    /// Decodes an initializer. Its external elements stay in the file if they and those that were read before
    /// are too many.
    pub(super) fn initializer(&mut self, proto: TensorProto) -> Result<Value, ModelError> {
        if proto.data_location == Some(EXTERNAL) {
            let layout = self.layout(&proto)?;
            nothing_beside(&proto, proto.raw_data.as_ref().is_none_or(Bytes::is_empty))?;
            let place = place(&proto.external_data, &layout)?;
            let bytes = place.bytes as u64;
            if let Some(folder) = self.external.and_then(ExternalData::folder)
                && bytes >= LARGE
                && self.external_bytes.saturating_add(bytes) > self.resident
            {
                self.external(&place)?
                    .measure(&place.location, place.offset, place.bytes)?;
                return Ok(Value::Stored(StoredTensor {
                    dtype: layout.dtype,
                    shape: layout.shape,
                    folder: folder.to_owned(),
                    location: place.location,
                    offset: place.offset,
                }));
            }
        }
        self.tensor(proto).map(Value::Tensor)
    }

    /// Decodes a tensor whose raw_data is separate from its message.
    pub(super) fn tensor_with(&mut self, proto: TensorProto, raw: Raw) -> Result<Tensor, ModelError> {
        let layout = self.layout(&proto)?;
        self.take(&layout)?;
        match proto.data_location.unwrap_or(INTERNAL) {
            INTERNAL => stored(proto, raw, &layout),
            EXTERNAL => {
                nothing_beside(&proto, raw.is_empty())?;
                let place = place(&proto.external_data, &layout)?;
                // Their bytes are counted before they are read.
                self.external_bytes = self.external_bytes.saturating_add(place.bytes as u64);
                within(
                    Limit::ExternalBytes,
                    self.external_bytes,
                    self.limits.external_bytes,
                )?;
                let external = self.external(&place)?;
                raw::tensor(
                    &external.read(&place.location, place.offset, place.bytes)?,
                    &layout,
                )
            }
            other => Err(ModelErrorKind::DataLocation(other).into()),
        }
    }

    /// Element type, shape and count of a tensor.
    fn layout(&self, proto: &TensorProto) -> Result<Layout, ModelError> {
        if proto.segment.is_some() {
            return Err(ModelErrorKind::Unsupported {
                what: "a segmented tensor",
            }
            .into());
        }
        let dtype = DType::from_onnx(proto.data_type.unwrap_or_default())?;
        let layout = Layout::new(dtype, self.shape(&proto.dims)?)?;
        within(
            Limit::TensorElements,
            layout.footprint as u64,
            self.limits.tensor_elements,
        )?;
        Ok(layout)
    }

    fn external(&self, place: &Place) -> Result<&dyn ExternalData, ExternalError> {
        self.external.ok_or_else(|| ExternalError::Absent {
            location: place.location.clone(),
        })
    }

    /// Checks the number of axes and that no extent is negative.
    pub(super) fn shape(&self, dims: &[i64]) -> Result<Vec<usize>, ModelErrorKind> {
        within(Limit::Rank, dims.len() as u64, self.limits.rank)?;
        let extent = |(axis, &extent): (usize, &i64)| {
            usize::try_from(extent).map_err(|_| ModelErrorKind::NegativeDim { axis, extent })
        };
        dims.iter().enumerate().map(extent).collect()
    }

    /// Adds the elements of one tensor to the total and checks the limit.
    fn take(&mut self, layout: &Layout) -> Result<(), ModelErrorKind> {
        self.elements = self.elements.saturating_add(layout.count as u64);
        within(Limit::TotalElements, self.elements, self.limits.total_elements)
    }
}

/// Reads the elements of a tensor that stayed in its file.
///
/// # Errors
/// The file is gone or shorter than before, or its bytes are not elements of this type.
pub fn read_stored(stored: &StoredTensor) -> Result<Tensor, ModelError> {
    let layout = Layout::new(stored.dtype, stored.shape.clone())?;
    let bytes = layout.raw_bytes().ok_or(ModelErrorKind::RawString)?;
    let folder = Folder::new(&stored.folder);
    raw::tensor(&folder.read(&stored.location, stored.offset, bytes)?, &layout)
}

/// Where external elements are; they always have the form of raw_data.
fn place(entries: &[StringStringEntryProto], layout: &Layout) -> Result<Place, ModelError> {
    if let Some(key) = repeated(entries) {
        let key = String::from_utf8_lossy(key).into_owned();
        return Err(ModelErrorKind::ExternalTwice { key }.into());
    }
    let bytes = layout.raw_bytes().ok_or(ModelErrorKind::RawString)?;
    let location = entry(entries, "location").ok_or(ModelErrorKind::Missing {
        field: "external_data.location",
    })?;
    let location = text::utf8(location.to_vec(), "external_data.location")?;
    let offset = number(entries, "offset")?.unwrap_or(0);
    if let Some(found) = number(entries, "length")?.filter(|&length| length != bytes as u64) {
        let (shape, dtype) = (layout.shape.clone(), layout.dtype);
        return Err(ModelErrorKind::ExternalSize {
            found,
            expected: bytes,
            shape,
            dtype,
        }
        .into());
    }
    Ok(Place {
        location,
        offset,
        bytes,
    })
}

/// The name of the field of bytes.
const RAW: &str = "raw_data";

/// The typed fields that have elements.
fn filled(proto: &TensorProto) -> impl Iterator<Item = &'static str> + use<> {
    let fields = [
        ("float_data", proto.float_data.is_empty()),
        ("int32_data", proto.int32_data.is_empty()),
        ("string_data", proto.string_data.is_empty()),
        ("int64_data", proto.int64_data.is_empty()),
        ("double_data", proto.double_data.is_empty()),
        ("uint64_data", proto.uint64_data.is_empty()),
    ];
    fields
        .into_iter()
        .filter(|(_, empty)| !empty)
        .map(|(name, _)| name)
}

/// A message whose elements are in another file holds none itself: which of both count would be open.
fn nothing_beside(proto: &TensorProto, no_raw: bool) -> Result<(), ModelErrorKind> {
    let raw = (!no_raw).then_some(RAW);
    match raw.or_else(|| filled(proto).next()) {
        Some(field) => Err(ModelErrorKind::StoredTwice {
            first: "external data",
            field,
        }),
        None => Ok(()),
    }
}

/// Decodes the elements that a message holds, in raw_data or a typed field.
fn stored(proto: TensorProto, raw: Raw, layout: &Layout) -> Result<Tensor, ModelError> {
    let field = typed::field_of(layout.dtype);
    for name in filled(&proto) {
        if name != field {
            return Err(ModelErrorKind::FieldOfOther {
                field: name,
                expected: field,
                dtype: layout.dtype,
            }
            .into());
        }
        if !raw.is_empty() {
            let first = RAW;
            return Err(ModelErrorKind::StoredTwice { first, field }.into());
        }
    }
    match raw {
        // Some writers add an empty raw_data to a typed field; it is ignored.
        raw if raw.is_empty() => typed::tensor(proto, layout),
        Raw::Whole(bytes) => raw::tensor(&bytes, layout),
        Raw::Pieces(pieces) => raw::in_pieces(pieces, layout),
    }
}

/// Returns the value of a key.
fn entry<'a>(entries: &'a [StringStringEntryProto], key: &str) -> Option<&'a [u8]> {
    entries
        .iter()
        .find(|entry| entry.key.as_deref() == Some(key.as_bytes()))
        .and_then(|entry| entry.value.as_deref())
}

/// Returns the value of a key as a number of bytes, which is written in decimal.
fn number(entries: &[StringStringEntryProto], key: &'static str) -> Result<Option<u64>, ModelErrorKind> {
    let Some(bytes) = entry(entries, key) else {
        return Ok(None);
    };
    let value = String::from_utf8_lossy(bytes);
    match value.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(ModelErrorKind::ExternalNumber {
            key,
            value: value.into_owned(),
        }),
    }
}
