"""Conversion of dense tensors between numpy and `TensorProto`.

Every bit pattern of `raw_data` is kept, including those of NaN. The harness and this package always use `raw_data`.
Python's protobuf reads `float_data` by way of double, which may quiet a signalling NaN.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from .elements import BY_NAME, BY_NUMBER, NARROW, STRING, Array, Element, element_of, from_raw, pack, raw_size, to_raw

_MAX_BYTES = 1 << 62
_FIELDS: dict[str, tuple[str, type[np.generic]]] = {
    "float": ("float_data", np.float32),
    "complex64": ("float_data", np.float32),
    "double": ("double_data", np.float64),
    "complex128": ("double_data", np.float64),
    "int64": ("int64_data", np.int64),
    "uint32": ("uint64_data", np.uint32),
    "uint64": ("uint64_data", np.uint64),
}


@dataclass(frozen=True, slots=True)
class RawTensor:
    """A tensor as bytes, packed as in `TensorProto.raw_data`.

    An input has this type if the installed `ml_dtypes` does not have its element type. An output may always have it:

    >>> RawTensor("float6e2m3", (2,), b"\\x41\\x00")
    RawTensor(element='float6e2m3', shape=(2,), data=b'A\\x00')
    """

    element: str
    shape: tuple[int, ...]
    data: bytes

    def __post_init__(self) -> None:
        element = BY_NAME.get(self.element)
        if element is None or element is STRING:
            raise ValueError(f"`{self.element}` is not an element type with bytes")
        expected = raw_size(element, math.prod(self.shape))
        if len(self.data) != expected:
            raise ValueError(
                f"{len(self.data)} bytes for a tensor({self.element}) of shape {self.shape}, expected {expected}"
            )

    @staticmethod
    def of(array: Array) -> RawTensor:
        """Converts an array, except of text.

        >>> import numpy as np, ml_dtypes
        >>> RawTensor.of(np.array([1, -1, 7], ml_dtypes.int4)).data
        b'\\xf1\\x07'
        """
        element = known_element(array)
        if element is STRING:
            raise ValueError("a tensor of strings has no bytes")
        return RawTensor(element.name, array.shape, to_raw(array, element))

    @staticmethod
    def read(element: str, shape: Iterable[int], address: int) -> RawTensor:
        """Reads a tensor from memory of a runtime, which must have the size that `element` and `shape` require."""
        extents = tuple(shape)
        count = raw_size(BY_NAME[element], math.prod(extents))
        return RawTensor(element, extents, ctypes.string_at(address, count) if count else b"")

    def write(self, address: int) -> None:
        """Copies the bytes into memory of a runtime, which must be large enough."""
        ctypes.memmove(address, self.data, len(self.data))

    @property
    def number(self) -> int:
        """The number of the element type in `TensorProto.DataType`."""
        return BY_NAME[self.element].number

    def bits(self) -> npt.NDArray[np.uint8]:
        """The bytes as an array, for a runtime that reads memory."""
        return np.frombuffer(self.data, np.uint8).copy()

    def array(self) -> Array:
        """Converts to an array. Raises ValueError if the installed `ml_dtypes` does not have the element type."""
        element = BY_NAME[self.element]
        if element.dtype is None:
            raise ValueError(f"the installed ml_dtypes has no numpy type for {self.element}")
        return from_raw(self.data, element, self.shape)


def narrow(value: object) -> RawTensor | None:
    """Returns the bytes of a tensor whose element type numpy does not have (bfloat16, float8, int4, …), else None.

    Most runtimes do not know the arrays of `ml_dtypes`: some refuse them, others convert them to another type.
    """
    if isinstance(value, np.ndarray):
        element = element_of(value.dtype)
        return RawTensor.of(value) if element is not None and element.name in NARROW else None
    return value if isinstance(value, RawTensor) else None


def view_as(array: Array, element: str) -> Array:
    """Reinterprets the bits as another element type, for a runtime that returns or accepts only bits.

    >>> import numpy as np
    >>> view_as(np.array([0x3F80], np.uint16), "bfloat16")
    array([1], dtype=bfloat16)
    """
    dtype = BY_NAME[element].dtype
    if dtype is None or dtype.hasobject or array.dtype.hasobject or dtype.itemsize != array.dtype.itemsize:
        raise ValueError(f"an array of {array.dtype} cannot be reinterpreted as {element}")
    return np.asarray(array, order="C").view(dtype)


def known_element(array: Array) -> Element:
    """Returns the element type of an array. Raises ValueError if ONNX has none for it."""
    element = element_of(array.dtype)
    if element is None:
        raise ValueError(f"ONNX has no element type for arrays of {array.dtype}")
    return element


def decode_tensor(proto: TensorProto, expected: Element) -> Array | RawTensor:
    """Decodes a message. Raises ValueError if it is malformed or has another element type."""
    if proto.data_type != expected.number:
        found = BY_NUMBER.get(proto.data_type)
        raise ValueError(f"element type {found.name if found else proto.data_type}, expected {expected.name}")
    if proto.data_location == TensorProto.EXTERNAL or proto.external_data:
        raise ValueError("external data is not allowed in a value")
    shape = tuple(proto.dims)
    if min(shape, default=0) < 0 or math.prod(shape) * 16 > _MAX_BYTES:
        raise ValueError(f"the shape {list(shape)} is invalid")
    if expected is STRING:
        return _strings(list(proto.string_data), shape)
    if proto.HasField("raw_data") or math.prod(shape) == 0:
        return _from_raw_data(proto.raw_data, expected, shape)
    return _from_typed_field(proto, expected, shape)


def _from_raw_data(raw: bytes, element: Element, shape: tuple[int, ...]) -> Array | RawTensor:
    tensor = RawTensor(element.name, shape, raw)
    if element.name == "bool" and max(raw, default=0) > 1:
        raise ValueError("a bool is neither 0 nor 1")
    return tensor if element.dtype is None else tensor.array()


def _from_typed_field(proto: TensorProto, element: Element, shape: tuple[int, ...]) -> Array | RawTensor:
    """Decodes a typed field: two numbers for a complex element, several elements of 2 or 4 bits in a number."""
    field, stored = _FIELDS.get(element.name, ("int32_data", np.int32))
    numbers = np.array(getattr(proto, field), stored)
    if field != "int32_data" or element.bits == 32:
        raw = numbers.tobytes()
    elif element.bits == 16:
        raw = numbers.astype(np.uint16).tobytes()
    elif element.bits == 6:
        raw = pack(numbers.astype(np.uint8), element.bits)
    else:
        raw = numbers.astype(np.uint8).tobytes()
    return _from_raw_data(raw, element, shape)


def _strings(data: list[bytes], shape: tuple[int, ...]) -> Array:
    if len(data) != math.prod(shape):
        raise ValueError(f"{len(data)} strings for the shape {list(shape)}")
    array = np.empty(len(data), dtype=object)
    array[:] = [text.decode("utf-8") for text in data]
    return array.reshape(shape)


def encode_tensor(value: Array | RawTensor, name: str = "") -> tuple[Element, TensorProto]:
    """Returns the element type and the message of a tensor. Raises ValueError if ONNX has no such tensor."""
    proto = TensorProto(name=name or None, dims=value.shape)
    if isinstance(value, RawTensor):
        element, proto.raw_data = BY_NAME[value.element], value.data
    elif (element := known_element(value)) is STRING:
        proto.string_data.extend(_bytes_of(text) for text in value.reshape(-1).tolist())
    else:
        proto.raw_data = to_raw(value, element)
    proto.data_type = element.number
    return element, proto


def _bytes_of(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8")
    raise ValueError(f"an array of objects holds a {type(text).__name__}, expected text")
