"""The element types of ONNX, and the bits of their elements.

In an array, an element of fewer than 8 bits takes one byte. In a file, such elements are packed, the first in the
lowest bits; an element may span two bytes (onnx.proto, "raw_data").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Element:
    """An element type."""

    name: str
    """The name inside `tensor(…)`."""
    number: int
    """The number in `TensorProto.DataType`."""
    bits: int
    """The bits of one element in a file; 0 for strings."""
    dtype: np.dtype[Any] | None
    """The numpy type; None if the installed `ml_dtypes` does not have it. Such tensors are `RawTensor`s."""


def _dtype(name: str) -> np.dtype[Any] | None:
    scalar = getattr(np, name, None) or getattr(ml_dtypes, name, None)
    return None if scalar is None else np.dtype(scalar)


def _elements() -> tuple[Element, ...]:
    rows = (
        ("float", 1, 32, "float32"),
        ("uint8", 2, 8, "uint8"),
        ("int8", 3, 8, "int8"),
        ("uint16", 4, 16, "uint16"),
        ("int16", 5, 16, "int16"),
        ("int32", 6, 32, "int32"),
        ("int64", 7, 64, "int64"),
        ("string", 8, 0, "object_"),
        ("bool", 9, 8, "bool_"),
        ("float16", 10, 16, "float16"),
        ("double", 11, 64, "float64"),
        ("uint32", 12, 32, "uint32"),
        ("uint64", 13, 64, "uint64"),
        ("complex64", 14, 64, "complex64"),
        ("complex128", 15, 128, "complex128"),
        ("bfloat16", 16, 16, "bfloat16"),
        ("float8e4m3fn", 17, 8, "float8_e4m3fn"),
        ("float8e4m3fnuz", 18, 8, "float8_e4m3fnuz"),
        ("float8e5m2", 19, 8, "float8_e5m2"),
        ("float8e5m2fnuz", 20, 8, "float8_e5m2fnuz"),
        ("uint4", 21, 4, "uint4"),
        ("int4", 22, 4, "int4"),
        ("float4e2m1", 23, 4, "float4_e2m1fn"),
        ("float8e8m0", 24, 8, "float8_e8m0fnu"),
        ("uint2", 25, 2, "uint2"),
        ("int2", 26, 2, "int2"),
        ("float6e2m3", 27, 6, "float6_e2m3fn"),
        ("float6e3m2", 28, 6, "float6_e3m2fn"),
    )
    return tuple(Element(name, number, bits, _dtype(numpy)) for name, number, bits, numpy in rows)


ELEMENTS = _elements()
"""All element types, in the order of the specification."""
BY_NAME = {element.name: element for element in ELEMENTS}
BY_NUMBER = {element.number: element for element in ELEMENTS}
STRING = BY_NAME["string"]
NARROW = frozenset(element.name for element in ELEMENTS if element.number >= BY_NAME["bfloat16"].number)
"""The names of the element types that numpy does not have."""
SUB_BYTE = frozenset(element.name for element in ELEMENTS if 0 < element.bits < 8)
"""The names of the element types of fewer than 8 bits."""
_BY_DTYPE = {element.dtype: element for element in ELEMENTS if element.dtype is not None}
_SIGNED = ("int4", "int2")


def element_of(dtype: np.dtype[Any]) -> Element | None:
    """Returns the element type of an array with this numpy type; every text type is `string`."""
    found = _BY_DTYPE.get(dtype) or _BY_DTYPE.get(dtype.newbyteorder("="))
    if found is None and dtype.kind in "USO":
        return STRING
    return found


def raw_size(element: Element, count: int) -> int:
    """The bytes of `count` elements in a file."""
    return (count * element.bits + 7) // 8


def to_raw(array: Array, element: Element) -> bytes:
    """Encodes the elements of an array as in a file."""
    if element.bits >= 8:
        return np.asarray(array, dtype=element.dtype, order="C").tobytes()
    return pack(np.asarray(array, order="C").reshape(-1).view(np.uint8), element.bits)


def from_raw(raw: bytes, element: Element, shape: tuple[int, ...]) -> Array:
    """Decodes the elements in a file to a writable array. The caller must check the size of `raw`."""
    assert element.dtype is not None  # noqa: S101
    if element.bits >= 8:
        return np.frombuffer(raw, dtype=element.dtype).copy().reshape(shape)
    count = math.prod(shape)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=count * element.bits, bitorder="little")
    patterns = np.packbits(bits.reshape(count, element.bits), axis=1, bitorder="little").reshape(-1)
    if element.name in _SIGNED:
        unused = np.full(1, 8 - element.bits, np.uint8)
        signed = (patterns << unused).view(np.int8) >> unused.view(np.int8)
        return signed.astype(element.dtype).reshape(shape)
    return patterns.view(element.dtype).reshape(shape)


def pack(patterns: npt.NDArray[np.uint8], bits: int) -> bytes:
    """Packs bit patterns of fewer than 8 bits, one in each byte, as in a file."""
    unpacked = np.unpackbits(patterns[:, None], axis=1, count=bits, bitorder="little")
    return np.packbits(unpacked, bitorder="little").tobytes()
