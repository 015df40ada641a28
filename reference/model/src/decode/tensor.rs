//! Decodes `TensorProto`: its shape and the location of its elements.

use onnx_tensor::{DType, Tensor, TensorError, dispatch};
use prost::bytes::Bytes;

use super::layout::Layout;
use super::metadata::repeated;
use super::pieces::Pieces;
use super::{Decoder, raw, text, typed};
use crate::error::{ModelError, ModelErrorKind};
use crate::limits::Limit;
use crate::proto::{StringStringEntryProto, TensorProto};
use crate::scan::within;
use crate::source::{Contents, ExternalError};

/// The numbers of `TensorProto.DataLocation`.
const INTERNAL: i32 = 0;
const EXTERNAL: i32 = 1;

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

impl Decoder<'_> {
    /// Decodes a tensor, including its external elements.
    pub(super) fn tensor(&mut self, proto: TensorProto) -> Result<Tensor, ModelError> {
        self.whole(proto, Contents::Read)
    }

    /// Decodes an initializer or an attribute. Its external elements are read only if the source says so.
    pub(super) fn constant(&mut self, proto: TensorProto) -> Result<Tensor, ModelError> {
        self.whole(proto, self.contents)
    }

    fn whole(&mut self, mut proto: TensorProto, contents: Contents) -> Result<Tensor, ModelError> {
        let bytes = proto.raw_data.take().unwrap_or_default();
        self.tensor_with(proto, Raw::Whole(bytes), contents)
    }

    /// Decodes a tensor whose raw_data is separate from its message.
    pub(super) fn tensor_with(
        &mut self,
        proto: TensorProto,
        raw: Raw,
        contents: Contents,
    ) -> Result<Tensor, ModelError> {
        if proto.segment.is_some() {
            return Err(ModelErrorKind::Unsupported {
                what: "a segmented tensor",
            }
            .into());
        }
        let dtype = DType::from_onnx(proto.data_type.unwrap_or_default())?;
        let layout = Layout::new(dtype, self.shape(&proto.dims)?)?;
        self.take(&layout)?;
        match proto.data_location.unwrap_or(INTERNAL) {
            INTERNAL => stored(proto, raw, &layout),
            EXTERNAL => self.external(&proto.external_data, &layout, contents),
            other => Err(ModelErrorKind::DataLocation(other).into()),
        }
    }

    /// Checks the number of axes and that no extent is negative.
    pub(super) fn shape(&self, dims: &[i64]) -> Result<Vec<usize>, ModelErrorKind> {
        within(Limit::Rank, dims.len() as u64, self.limits.rank)?;
        let extent = |(axis, &extent): (usize, &i64)| {
            usize::try_from(extent).map_err(|_| ModelErrorKind::NegativeDim { axis, extent })
        };
        dims.iter().enumerate().map(extent).collect()
    }

    /// Adds the elements of one tensor to the totals and checks the limits.
    fn take(&mut self, layout: &Layout) -> Result<(), ModelErrorKind> {
        within(
            Limit::TensorElements,
            layout.footprint as u64,
            self.limits.tensor_elements,
        )?;
        self.elements = self.elements.saturating_add(layout.count as u64);
        within(Limit::TotalElements, self.elements, self.limits.total_elements)
    }

    /// Reads elements from another file, where they always have the form of raw_data. Their bytes are counted
    /// before they are read.
    fn external(
        &mut self,
        entries: &[StringStringEntryProto],
        layout: &Layout,
        contents: Contents,
    ) -> Result<Tensor, ModelError> {
        if let Some(key) = repeated(entries) {
            let key = String::from_utf8_lossy(key).into_owned();
            return Err(ModelErrorKind::ExternalTwice { key }.into());
        }
        let expected = layout.raw_bytes().ok_or(ModelErrorKind::RawString)?;
        let location = entry(entries, "location").ok_or(ModelErrorKind::Missing {
            field: "external_data.location",
        })?;
        let location = text::utf8(location.to_vec(), "external_data.location")?;
        let offset = number(entries, "offset")?.unwrap_or(0);
        if let Some(found) = number(entries, "length")?.filter(|&length| length != expected as u64) {
            let (shape, dtype) = (layout.shape.clone(), layout.dtype);
            return Err(ModelErrorKind::ExternalSize {
                found,
                expected,
                shape,
                dtype,
            }
            .into());
        }
        let Some(external) = self.external else {
            return Err(ExternalError::Absent { location }.into());
        };
        match contents {
            Contents::Measured => {
                external.measure(&location, offset, expected)?;
                Ok(empty(layout.dtype)?)
            }
            Contents::Read => {
                self.external_bytes = self.external_bytes.saturating_add(expected as u64);
                within(
                    Limit::ExternalBytes,
                    self.external_bytes,
                    self.limits.external_bytes,
                )?;
                raw::tensor(&external.read(&location, offset, expected)?, layout)
            }
        }
    }
}

/// A tensor without elements, which replaces one whose external elements are not read.
fn empty(dtype: DType) -> Result<Tensor, TensorError> {
    dispatch!(all, dtype, T => Tensor::new::<T>(&[0], Vec::new()))
}

/// Decodes the elements that a message holds, in raw_data or a typed field.
fn stored(proto: TensorProto, raw: Raw, layout: &Layout) -> Result<Tensor, ModelError> {
    let field = typed::field_of(layout.dtype);
    let filled = [
        ("float_data", proto.float_data.is_empty()),
        ("int32_data", proto.int32_data.is_empty()),
        ("string_data", proto.string_data.is_empty()),
        ("int64_data", proto.int64_data.is_empty()),
        ("double_data", proto.double_data.is_empty()),
        ("uint64_data", proto.uint64_data.is_empty()),
    ];
    for (name, _) in filled.into_iter().filter(|(_, empty)| !empty) {
        if name != field {
            return Err(ModelErrorKind::FieldOfOther {
                field: name,
                expected: field,
                dtype: layout.dtype,
            }
            .into());
        }
        if !raw.is_empty() {
            return Err(ModelErrorKind::StoredTwice { field }.into());
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
