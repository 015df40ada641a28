"""Conversion of values between Python and the messages of `onnx-data.proto`.

| ONNX                       | Python                                                                      |
|----------------------------|-----------------------------------------------------------------------------|
| `tensor(…)`                | `numpy.ndarray`; of `object` with `str` for strings; else a `RawTensor`     |
| `sparse_tensor(…)`         | `SparseTensor`                                                              |
| `seq(…)`                   | `list`; the type gives the element type of an empty one                     |
| `map(…)`                   | `dict`                                                                      |
| `optional(…)`              | the value, or `None` if it is absent                                        |

An output determines its own type. The declared type of the model is used only for a value that has none: an empty
list, `None`, and Python's own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from onnx import MapProto, OptionalProto, SequenceProto, SparseTensorProto, TensorProto

from .elements import BY_NAME, Array
from .tensors import RawTensor, decode_tensor, encode_tensor
from .value_types import MapType, OptionalType, SequenceType, SparseType, TensorType, ValueType


@dataclass(frozen=True, slots=True)
class SparseTensor:
    """A sparse tensor as ONNX stores it: `values` at `indices` (positions or coordinates), zero elsewhere."""

    values: Array | RawTensor
    indices: Array
    shape: tuple[int, ...]


Value: TypeAlias = Array | RawTensor | SparseTensor | list[Any] | dict[Any, Any] | None

_Message: TypeAlias = TensorProto | SparseTensorProto | SequenceProto | MapProto | OptionalProto

_MESSAGES: dict[type, type[_Message]] = {
    TensorType: TensorProto,
    SparseType: SparseTensorProto,
    SequenceType: SequenceProto,
    MapType: MapProto,
    OptionalType: OptionalProto,
}
# The fields of SequenceProto and OptionalProto, in the order of their numbers in `DataType`.
_KINDS = (TensorType, SparseType, SequenceType, MapType, OptionalType)
_SEQUENCE_FIELDS = (
    "tensor_values",
    "sparse_tensor_values",
    "sequence_values",
    "map_values",
    "optional_values",
)
_OPTIONAL_FIELDS = ("tensor_value", "sparse_tensor_value", "sequence_value", "map_value", "optional_value")


def decode_value(data: bytes, value_type: ValueType) -> Value:
    """Decodes a blob. Raises ValueError if it is not a value of that type."""
    try:
        message = _MESSAGES[type(value_type)].FromString(data)
    except Exception as error:
        raise ValueError(f"the bytes are not a valid {_MESSAGES[type(value_type)].__name__}: {error}") from error
    return _decode(message, value_type)


def _decode(message: Any, value_type: ValueType) -> Value:
    match value_type:
        case TensorType(element):
            return decode_tensor(message, BY_NAME[element])
        case SparseType(element):
            return _decode_sparse(message, element)
        case SequenceType(inner):
            field = _only_field(message, inner, _SEQUENCE_FIELDS)
            return [_decode(value, inner) for value in getattr(message, field)]
        case MapType(key, inner):
            return _decode_map(message, key, inner)
        case OptionalType(inner):
            field = _only_field(message, inner, _OPTIONAL_FIELDS)
            return _decode(getattr(message, field), inner) if message.HasField(field) else None


def _only_field(message: Any, inner: ValueType, fields: tuple[str, ...]) -> str:
    """Returns the field of values of a type. Raises ValueError if another field is set."""
    number = _KINDS.index(type(inner))
    filled = [field.name for field, _ in message.ListFields() if field.name in fields]
    if filled and (filled != [fields[number]] or message.elem_type not in (0, number + 1)):
        raise ValueError(f"it has {', '.join(filled)} and element type {message.elem_type}, expected {inner}")
    return fields[number]


def _decode_sparse(message: SparseTensorProto, element: str) -> SparseTensor:
    if not message.HasField("values") or not message.HasField("indices"):
        raise ValueError("a sparse tensor without values or indices")
    indices = decode_tensor(message.indices, BY_NAME["int64"])
    assert isinstance(indices, np.ndarray)  # noqa: S101
    return SparseTensor(decode_tensor(message.values, BY_NAME[element]), indices, tuple(message.dims))


def _decode_map(message: MapProto, key: str, inner: ValueType) -> dict[Any, Any]:
    if message.key_type not in (0, BY_NAME[key].number):
        raise ValueError(f"keys of type {message.key_type}, expected {key}")
    keys: list[Any] = list(message.keys)
    if key == "string":
        keys = [text.decode("utf-8") for text in message.string_keys]
    elif key == "uint64":
        keys = [number % (1 << 64) for number in keys]
    field = _only_field(message.values, inner, _SEQUENCE_FIELDS)
    values = [_decode(value, inner) for value in getattr(message.values, field)]
    if len(keys) != len(values) or len(set(keys)) != len(keys):
        raise ValueError(f"{len(keys)} keys, {len(set(keys))} distinct ones, for {len(values)} values")
    return dict(zip(keys, values, strict=True))


def encode_value(value: object, declared: ValueType | None, name: str = "") -> tuple[ValueType, bytes]:
    """Returns the type and the blob of a value. Raises ValueError if it has none."""
    found, message = _encode(value, declared, name)
    return found, message.SerializeToString()


def _encode(value: object, declared: ValueType | None, name: str = "") -> tuple[ValueType, _Message]:
    if value is None or isinstance(declared, OptionalType):
        return _encode_optional(value, declared, name)
    match value:
        case np.ndarray() | RawTensor():
            element, tensor = encode_tensor(value, name)
            return TensorType(element.name), tensor
        case np.generic():
            return _encode(np.asarray(value), declared, name)
        case SparseTensor():
            return _encode_sparse(value, name)
        case Mapping():
            return _encode_map(value, declared, name)
        case bool() | int() | float() | complex() | str() | bytes():
            return _encode(_scalar(value, declared), declared, name)
        case Sequence():
            inner, sequence = _encode_sequence(value, declared.inner if isinstance(declared, SequenceType) else None)
            if name:
                sequence.name = name
            return SequenceType(inner), sequence
    raise ValueError(f"a {type(value).__name__} is not a value; return a numpy array, a list, a dict or None")


def _encode_optional(value: object, declared: ValueType | None, name: str) -> tuple[ValueType, OptionalProto]:
    inner = declared.inner if isinstance(declared, OptionalType) else declared
    if value is None:
        if inner is None:
            raise ValueError("None, and the model does not declare its type")
        return OptionalType(inner), OptionalProto(name=name or None, elem_type=0)
    inner, message = _encode(value, inner)
    number = _KINDS.index(type(inner))
    optional = OptionalProto(name=name or None, elem_type=number + 1)
    getattr(optional, _OPTIONAL_FIELDS[number]).CopyFrom(message)
    return OptionalType(inner), optional


def _encode_sequence(values: Sequence[object], declared: ValueType | None) -> tuple[ValueType, SequenceProto]:
    encoded = [_encode(value, declared) for value in values]
    inner = encoded[0][0] if encoded else declared
    if inner is None:
        raise ValueError("an empty sequence, and the model does not declare its element type")
    for found, _ in encoded:
        if found != inner:
            raise ValueError(f"a sequence of {inner} contains a {found}")
    number = _KINDS.index(type(inner))
    sequence = SequenceProto(elem_type=number + 1)
    getattr(sequence, _SEQUENCE_FIELDS[number]).extend(message for _, message in encoded)
    return inner, sequence


def _encode_sparse(value: SparseTensor, name: str) -> tuple[ValueType, SparseTensorProto]:
    element, values = encode_tensor(value.values, name)
    _, indices = encode_tensor(np.asarray(value.indices, dtype=np.int64))
    return SparseType(element.name), SparseTensorProto(values=values, indices=indices, dims=value.shape)


def _encode_map(value: Mapping[Any, object], declared: ValueType | None, name: str) -> tuple[ValueType, MapProto]:
    known = declared if isinstance(declared, MapType) else None
    inner, values = _encode_sequence(list(value.values()), known.value if known else None)
    keys = list(value)
    text = all(isinstance(key, str) for key in keys) and (bool(keys) or known is None or known.key == "string")
    key = "string" if text else known.key if known and known.key != "string" else "int64"
    message = MapProto(name=name or None, key_type=BY_NAME[key].number, values=values)
    if text:
        message.string_keys.extend(entry.encode("utf-8") for entry in keys)
    else:
        message.keys.extend(_int_key(entry) for entry in keys)
    return MapType(key, inner), message


def _int_key(key: object) -> int:
    """Returns a key as int64; a larger uint64 becomes the int64 with the same bits."""
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer)):
        raise ValueError(f"a {type(key).__name__} is not a map key; all keys are integers, or all are text")
    number = int(key)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError(f"the key {number} has more than 64 bits")
    return number - (1 << 64) if number >= 1 << 63 else number


def _scalar(value: object, declared: ValueType | None) -> Array:
    """Converts a Python number or text; it has the declared element type if that represents it exactly."""
    if isinstance(value, (str, bytes)):
        return np.array(value, dtype=object)
    element = BY_NAME[declared.element] if isinstance(declared, TensorType) else None
    if element is None or element.dtype is None or element.dtype.hasobject:
        raise ValueError(f"a {type(value).__name__} has no element type of ONNX; return a numpy array")
    array: Array = np.array(value).astype(element.dtype)
    if array.item() != value and value == value:
        raise ValueError(f"{value!r} is not a {element.name}; return a numpy array")
    return array
