"""Every element type to the bit, in both directions."""

from __future__ import annotations

import dataclasses
import random

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

from onnx_conformance import NARROW, RawTensor, elements, narrow, tensors, view_as
from onnx_conformance.elements import BY_NAME, ELEMENTS, Element, raw_size

from .echo import Echo, peer_of
from .harness_side import Blob, model

SHAPES = [(), (0,), (1,), (3,), (2, 3), (4,), (5, 1, 1), (0, 3), (257,)]


def raw_bytes(element: Element, count: int) -> bytes:
    """Random bits, those after the last element zero; bools are 0 or 1."""
    draw = random.Random(f"{element.name} {count}")
    if element.name == "bool":
        return bytes(draw.randrange(2) for _ in range(count))
    data = bytearray(draw.randbytes(raw_size(element, count)))
    unused = len(data) * 8 - count * element.bits
    if unused:
        data[-1] &= 0xFF >> unused
    return bytes(data)


def blob_of(name: str, shape: tuple[int, ...]) -> Blob:
    proto = TensorProto(name="x", dims=shape, data_type=BY_NAME[name].number)
    count = int(np.prod(shape, dtype=int))
    if name == "string":
        proto.string_data.extend([b"", b"a\0\xc3\xbc", "日本".encode()][index % 3] for index in range(count))
    else:
        proto.raw_data = raw_bytes(BY_NAME[name], count)
    return Blob("x", f"tensor({name})", proto.SerializeToString())


def check_echo(blob: Blob) -> None:
    peer = peer_of(Echo())
    session = peer.load(model({"x": blob.type}, {"y": blob.type}))
    answer = peer.run(session, [blob])
    assert answer.header["answer"] == "ran", answer.header
    (found,) = answer.blobs()
    assert found.type == blob.type
    sent, back = TensorProto.FromString(blob.data), TensorProto.FromString(found.data)
    assert (list(back.dims), back.data_type) == (list(sent.dims), sent.data_type)
    assert (back.raw_data, list(back.string_data)) == (sent.raw_data, list(sent.string_data))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [element.name for element in ELEMENTS])
def test_every_type_keeps_its_bits(name: str, shape: tuple[int, ...]) -> None:
    check_echo(blob_of(name, shape))


@pytest.mark.parametrize("name", sorted(NARROW))
def test_a_type_unknown_to_ml_dtypes_is_transferred_as_bytes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = dataclasses.replace(BY_NAME[name], dtype=None)
    for module in (elements, tensors):
        monkeypatch.setitem(module.BY_NAME, name, lacking)
    assert isinstance(tensors.decode_tensor(TensorProto.FromString(blob_of(name, (3,)).data), lacking), RawTensor)
    check_echo(blob_of(name, (3,)))


def test_the_types_are_those_of_the_specification() -> None:
    # An older `onnx` knows fewer.
    known = {name.lower(): number for name, number in TensorProto.DataType.items() if number}
    assert known.items() <= {element.name: element.number for element in ELEMENTS}.items()
    assert [element.number for element in ELEMENTS] == list(range(1, 29))


@pytest.mark.parametrize(
    ("array", "raw"),
    [
        # 1 + 15 << 4, then 7; -1 is 15 in two's complement of 4 bits.
        (np.array([1, -1, 7], ml_dtypes.int4), b"\xf1\x07"),
        # 1 | 2 << 2 | 3 << 4 | 0 << 6, then 2.
        (np.array([1, 2, 3, 0, 2], ml_dtypes.uint2), b"\x39\x02"),
        # -2 is 2 in 2 bits, -1 is 3: 2 | 3 << 2.
        (np.array([-2, -1], ml_dtypes.int2), b"\x0e"),
        # Patterns 1, 2, 3, 4 of 6 bits: 1 | 2 << 6 | 3 << 12 | 4 << 18 = 0x103081.
        (np.array([1, 2, 3, 4], np.uint8).view(ml_dtypes.float6_e2m3fn), b"\x81\x30\x10"),
        # 1.0 is sign 0, exponent 127, mantissa 0: 0x3f80.
        (np.array([1.0], ml_dtypes.bfloat16), b"\x80\x3f"),
        (np.array([1 + 2j], np.complex64), b"\x00\x00\x80\x3f\x00\x00\x00\x40"),
        (np.array([[1, 2], [3, 4]], np.uint8).T, b"\x01\x03\x02\x04"),
        (np.array([1], ">i4"), b"\x01\x00\x00\x00"),
    ],
)
def test_bytes_are_those_of_the_file_format(array: elements.Array, raw: bytes) -> None:
    tensor = RawTensor.of(array)
    assert tensor.data == raw
    assert np.array_equal(
        tensor.array().view(np.uint8), np.ascontiguousarray(array, tensor.array().dtype).view(np.uint8)
    )


FIELDS = {
    "float": [1.5, -0.0],
    "double": [1.5, 1e300],
    "int64": [-1, 2**62],
    "uint64": [2**63, 1],
    "uint32": [1, 2**31],
}
FIELDS |= {"int32": [-5, 5], "bool": [True, False], "float16": [0.5, 2.0], "bfloat16": [0.5, 2.0], "complex64": [1j, 2]}
FIELDS |= {"int4": [-8, 7], "uint2": [3, 1], "float8e4m3fn": [0.5, 448.0], "float6e3m2": [-0.5, 28], "int8": [-1, 5]}


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_typed_fields_of_a_tensor_are_read(name: str) -> None:
    element = BY_NAME[name]
    expected = np.array(FIELDS[name], element.dtype)
    proto = TensorProto(dims=[2], data_type=element.number)
    field, values = typed_storage(name, expected)
    getattr(proto, field).extend(values)
    found = tensors.decode_tensor(proto, element)
    assert isinstance(found, np.ndarray)
    assert RawTensor.of(found) == RawTensor.of(expected)


def typed_storage(name: str, array: elements.Array) -> tuple[str, list[float] | list[int]]:
    """The field of the file format and its numbers (onnx.proto, "int32_data")."""
    raw = RawTensor.of(array).data
    if name in ("float", "complex64"):
        return "float_data", np.frombuffer(raw, np.float32).tolist()
    if name in ("double", "int64"):
        return f"{name}_data", array.tolist()
    if name in ("uint32", "uint64"):
        return "uint64_data", array.tolist()
    if name in ("float16", "bfloat16"):
        return "int32_data", np.frombuffer(raw, np.uint16).tolist()
    if name == "float6e3m2":
        return "int32_data", array.view(np.uint8).tolist()
    return "int32_data", array.astype(np.int32).tolist() if name in ("int32", "bool", "int8") else list(raw)


def test_bits_of_another_type() -> None:
    assert view_as(np.array([0x3F80], np.uint16), "bfloat16").dtype == ml_dtypes.bfloat16
    with pytest.raises(ValueError, match="cannot be reinterpreted as"):
        view_as(np.array([1.0], np.float32), "bfloat16")
    with pytest.raises(ValueError, match="cannot be reinterpreted as"):
        view_as(np.array(["a"], object), "int64")


def test_types_unknown_to_numpy_are_narrow() -> None:
    assert narrow(np.array([1.0], ml_dtypes.bfloat16)) == RawTensor("bfloat16", (1,), b"\x80\x3f")
    assert narrow(np.array([1.0])) is None
    assert narrow([1.0]) is None


def test_memory_of_a_runtime_is_read_and_written() -> None:
    memory = np.zeros(3, np.uint16)
    tensor = RawTensor.of(np.array([1, 2, 3], ml_dtypes.bfloat16))
    tensor.write(memory.ctypes.data)
    assert RawTensor.read("bfloat16", [3], memory.ctypes.data) == tensor
    assert RawTensor.read("bfloat16", [0], 0) == RawTensor("bfloat16", (0,), b"")
