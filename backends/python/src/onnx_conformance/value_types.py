"""Types of values, in the notation of the operator schemas: `tensor(float)`, `map(string, tensor(int64))`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from onnx import TypeProto

from .elements import BY_NAME, BY_NUMBER

_MAX_DEPTH = 16
_FORM = "a type is written as `tensor(float)`, `seq(tensor(int64))`, `map(string, tensor(float))`"


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor; `element` is the name of its element type: `float`, `int64`, `bfloat16`."""

    element: str

    def __str__(self) -> str:
        return f"tensor({self.element})"


@dataclass(frozen=True, slots=True)
class SparseType:
    """A sparse tensor."""

    element: str

    def __str__(self) -> str:
        return f"sparse_tensor({self.element})"


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A sequence of values of one type."""

    inner: ValueType

    def __str__(self) -> str:
        return f"seq({self.inner})"


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from integers or strings to values of one type."""

    key: str
    value: ValueType

    def __str__(self) -> str:
        return f"map({self.key}, {self.value})"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value that may be absent."""

    inner: ValueType

    def __str__(self) -> str:
        return f"optional({self.inner})"


ValueType: TypeAlias = TensorType | SparseType | SequenceType | MapType | OptionalType


@lru_cache(maxsize=1024)
def parse_type(text: str) -> ValueType:
    """Parses a type; spaces are ignored. Raises ValueError.

    >>> parse_type("seq(tensor(int64))")
    SequenceType(inner=TensorType(element='int64'))
    """
    return _parse(text, _MAX_DEPTH)


def _parse(text: str, depth: int) -> ValueType:
    if depth == 0:
        raise ValueError(f"more than {_MAX_DEPTH} nested types")
    constructor, bracket, rest = text.strip().partition("(")
    if not bracket or not rest.endswith(")"):
        raise ValueError(f"`{text.strip()[:80]}` is not a type; {_FORM}")
    inner = rest[:-1]
    match constructor.strip():
        case "tensor":
            return TensorType(_element(inner))
        case "sparse_tensor":
            return SparseType(_element(inner))
        case "seq":
            return SequenceType(_parse(inner, depth - 1))
        case "optional":
            return OptionalType(_parse(inner, depth - 1))
        case "map":
            key, _, value = inner.partition(",")
            return MapType(_element(key), _parse(value, depth - 1))
    raise ValueError(f"`{text.strip()[:80]}` is not a type; {_FORM}")


def _element(text: str) -> str:
    name = text.strip()
    if name not in BY_NAME:
        raise ValueError(f"unknown element type `{name[:80]}`")
    return name


def type_of_proto(proto: TypeProto, depth: int = _MAX_DEPTH) -> ValueType | None:
    """Returns the type that a model declares, without its shape; None if it declares none or an unknown one."""
    if depth == 0:
        return None
    match proto.WhichOneof("value"):
        case "tensor_type":
            element = BY_NUMBER.get(proto.tensor_type.elem_type)
            return TensorType(element.name) if element else None
        case "sparse_tensor_type":
            element = BY_NUMBER.get(proto.sparse_tensor_type.elem_type)
            return SparseType(element.name) if element else None
        case "sequence_type":
            inner = type_of_proto(proto.sequence_type.elem_type, depth - 1)
            return inner and SequenceType(inner)
        case "optional_type":
            inner = type_of_proto(proto.optional_type.elem_type, depth - 1)
            return inner and OptionalType(inner)
        case "map_type":
            key = BY_NUMBER.get(proto.map_type.key_type)
            inner = type_of_proto(proto.map_type.value_type, depth - 1)
            return MapType(key.name, inner) if key and inner else None
    return None
