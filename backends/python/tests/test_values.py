"""Every kind of value arrives unchanged, and an invalid output is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import MapProto, OptionalProto, SequenceProto, SparseTensorProto, TensorProto

from onnx_conformance import Backend, Model, SparseTensor, Value, parse_type
from onnx_conformance.values import decode_value, encode_value

from .echo import Echo, peer_of
from .harness_side import Blob, model


def tensor(*values: float, number: int = 1) -> TensorProto:
    dtype = {1: np.float32, 7: np.int64, 11: np.float64}[number]
    return TensorProto(dims=[len(values)], data_type=number, raw_data=np.array(values, dtype).tobytes())


def sequence(*values: TensorProto) -> SequenceProto:
    return SequenceProto(elem_type=1, tensor_values=values)


def mapping(number: int, **keys: Any) -> MapProto:
    count = sum(map(len, keys.values()))
    return MapProto(key_type=number, values=sequence(*[tensor(index) for index in range(count)]), **keys)


STRINGS = TensorProto(dims=[2], data_type=TensorProto.STRING, string_data=[b"", "ü".encode()])
SPARSE = SparseTensorProto(values=tensor(2, number=11), indices=tensor(5, number=7), dims=[2, 3])
CASES: list[tuple[str, Any]] = [
    ("seq(tensor(float))", sequence(tensor(1), tensor(2, 3))),
    ("seq(tensor(int64))", SequenceProto(elem_type=1)),
    ("seq(tensor(string))", sequence(STRINGS)),
    ("seq(seq(tensor(string)))", SequenceProto(elem_type=3)),
    ("seq(seq(tensor(float)))", SequenceProto(elem_type=3, sequence_values=[sequence(tensor(1))])),
    ("seq(map(int64, tensor(float)))", SequenceProto(elem_type=4, map_values=[mapping(7, keys=[-7, 8])])),
    ("map(int64, tensor(float))", mapping(7, keys=[-7])),
    ("map(uint64, tensor(float))", mapping(13, keys=[-1, 3])),
    ("map(string, tensor(float))", mapping(8, string_keys=[b"k", b""])),
    ("map(string, tensor(float))", mapping(8)),
    ("optional(tensor(float))", OptionalProto(elem_type=1, tensor_value=tensor(1))),
    ("optional(tensor(float))", OptionalProto(elem_type=0)),
    ("optional(seq(tensor(string)))", OptionalProto(elem_type=0)),
    ("optional(seq(tensor(string)))", OptionalProto(elem_type=3, sequence_value=sequence(STRINGS))),
    ("sparse_tensor(double)", SPARSE),
    ("seq(sparse_tensor(double))", SequenceProto(elem_type=2, sparse_tensor_values=[SPARSE])),
    ("seq(optional(tensor(float)))", SequenceProto(elem_type=5, optional_values=[OptionalProto(elem_type=0)])),
]


@pytest.mark.parametrize(("text", "message"), CASES)
def test_every_kind_of_value_arrives_unchanged(text: str, message: Any) -> None:
    peer = peer_of(Echo())
    session = peer.load(model({"x": text}, {"y": text}))
    answer = peer.run(session, [Blob("x", text, message.SerializeToString())])
    assert answer.header["answer"] == "ran", answer.header
    (found,) = answer.blobs()
    assert found.type == text
    back = type(message).FromString(found.data)
    named = back.values if isinstance(back, SparseTensorProto) else back
    assert named.name == "y"
    named.ClearField("name")
    assert back == message


FLOAT = np.array([1.0], np.float32)


@pytest.mark.parametrize(
    ("value", "declared", "expected"),
    [
        (FLOAT, "tensor(float)", "tensor(float)"),
        # The output of the run is sent without conversion: the harness, not the worker, finds that it is wrong.
        (FLOAT.astype(np.float64), "tensor(float)", "tensor(double)"),
        ([FLOAT], "tensor(float)", "seq(tensor(float))"),
        (None, "tensor(float)", "optional(tensor(float))"),
        (FLOAT, "seq(tensor(float))", "tensor(float)"),
        (np.float32(1), "tensor(float)", "tensor(float)"),
        (1.5, "tensor(float)", "tensor(float)"),
        (True, "tensor(bool)", "tensor(bool)"),
        ("a", "tensor(string)", "tensor(string)"),
        (np.array(["a", "b"]), "tensor(string)", "tensor(string)"),
        ({1: 0.5}, "map(int64, tensor(float))", "map(int64, tensor(float))"),
        ({np.int64(1): FLOAT}, "tensor(float)", "map(int64, tensor(float))"),
        ([{}], "seq(map(string, tensor(float)))", "seq(map(string, tensor(float)))"),
        ((FLOAT, FLOAT), "optional(seq(tensor(float)))", "optional(seq(tensor(float)))"),
        (SparseTensor(FLOAT, np.array([0]), (3,)), "tensor(float)", "sparse_tensor(float)"),
    ],
)
def test_an_output_determines_its_own_type(value: Any, declared: str, expected: str) -> None:
    found, blob = encode_value(value, parse_type(declared), "y")
    assert str(found) == expected
    decode_value(blob, found)


class Gives(Backend):
    """A backend that returns the outputs given to its constructor."""

    def __init__(self, outputs: Any) -> None:
        self._outputs = outputs

    def load(self, model: Model, options: Any) -> None:
        del model, options

    def run(self, session: Any, inputs: dict[str, Value]) -> Any:
        del session, inputs
        return self._outputs


@pytest.mark.parametrize(
    ("outputs", "declared", "expected"),
    [
        ([], "tensor(float)", "expected 1 outputs, got 0"),
        ([FLOAT, FLOAT], "tensor(float)", "expected 1 outputs, got 2"),
        ({"z": FLOAT}, "tensor(float)", "expected the outputs ['y'], got ['z']"),
        ({"y": FLOAT, "z": FLOAT}, "tensor(float)", "expected the outputs ['y'], got ['y', 'z']"),
        (FLOAT, "tensor(float)", "expected a list or a dict of outputs, got a ndarray"),
        ("y", "tensor(float)", "expected a list or a dict of outputs, got a str"),
        ([object()], "tensor(float)", "output `y`: a object is not a value"),
        ([np.array(["a", 1], object)], "tensor(string)", "output `y`: an array of objects holds a int"),
        ([np.zeros(1, "datetime64[s]")], "tensor(float)", "output `y`: ONNX has no element type for"),
        ([[FLOAT, FLOAT.astype(int)]], "seq(tensor(float))", "output `y`: a sequence of tensor(float) contains a"),
        ([0.1], "tensor(float)", "output `y`: 0.1 is not a float"),
        ([{1: FLOAT, "a": FLOAT}], "map(int64, tensor(float))", "output `y`: a str is not a map key"),
        ([{2**64: FLOAT}], "map(int64, tensor(float))", "output `y`: the key 18446744073709551616 has more"),
        ([["\ud800"]], "seq(tensor(string))", "output `y`: 'utf-8' codec can't encode"),
    ],
)
def test_an_invalid_output_is_an_error_of_the_run(outputs: Any, declared: str, expected: str) -> None:
    peer = peer_of(Gives(outputs))
    session = peer.load(model({}, {"y": declared}))
    error = peer.run(session, []).header["error"]
    assert error["kind"] == "run"
    assert error["message"].startswith(expected), error["message"]


def test_requested_outputs_have_the_order_of_the_graph() -> None:
    names = ["a", "b", "c"]
    peer = peer_of(Gives([FLOAT] * 3))
    session = peer.load(model({}, dict.fromkeys(names, "tensor(float)")))
    assert [blob.name for blob in peer.run(session, []).blobs()] == names
    assert [blob.name for blob in peer.run(session, [], outputs=["c", "a"]).blobs()] == ["a", "c"]


FLOATS = TensorProto(dims=[2], data_type=1, raw_data=bytes(8))


def changed(**fields: Any) -> bytes:
    proto = TensorProto.FromString(FLOATS.SerializeToString())
    for name, value in fields.items():
        proto.ClearField(name)
        if isinstance(value, list):
            getattr(proto, name).extend(value)
        else:
            setattr(proto, name, value)
    return proto.SerializeToString()


@pytest.mark.parametrize(
    ("text", "data", "expected"),
    [
        ("tensor(float)", b"\xff", "the bytes are not a valid TensorProto"),
        ("tensor(float)", changed(dims=[3]), "8 bytes for a tensor(float) of shape (3,), expected 12"),
        ("tensor(float)", changed(dims=[-2]), "the shape [-2] is invalid"),
        ("tensor(float)", changed(dims=[2**62, 2**62]), "the shape [4611686018427387904, 4611686018427387904] is"),
        ("tensor(float)", changed(dims=[2**40]), "8 bytes for a tensor(float) of shape (1099511627776,)"),
        ("tensor(float)", changed(data_type=7), "element type int64, expected float"),
        ("tensor(float)", changed(data_type=99), "element type 99, expected float"),
        ("tensor(float)", changed(data_location=1), "external data is not allowed in a value"),
        ("tensor(bool)", changed(data_type=9, raw_data=b"\2\0"), "a bool is neither 0 nor 1"),
        ("tensor(string)", changed(data_type=8, raw_data=b""), "0 strings for the shape [2]"),
        ("tensor(string)", changed(data_type=8, string_data=[b"\xff", b""]), "'utf-8' codec can't decode"),
        (
            "seq(tensor(float))",
            SequenceProto(sequence_values=[sequence()]).SerializeToString(),
            "it has sequence_v",
        ),
        ("optional(seq(tensor(float)))", OptionalProto(tensor_value=FLOATS).SerializeToString(), "it has tensor_v"),
        ("map(int64, tensor(float))", mapping(7, keys=[1, 1]).SerializeToString(), "2 keys, 1 distinct ones, for 2"),
        ("map(int64, tensor(float))", mapping(8, string_keys=[b"a"]).SerializeToString(), "keys of type 8, expected"),
        ("sparse_tensor(float)", b"", "a sparse tensor without values or indices"),
        ("tensor(flaot)", b"", "unknown element type `flaot`"),
        ("list(tensor(float))", b"", "`list(tensor(float))` is not a type"),
        ("seq(" * 9999 + "tensor(float)" + ")" * 9999, b"", "more than 16 nested types"),
    ],
)
def test_a_value_that_cannot_be_decoded_is_refused(text: str, data: bytes, expected: str) -> None:
    peer = peer_of(Echo())
    session = peer.load(model({"x": "tensor(float)"}, {"y": "tensor(float)"}))
    header = peer.run(session, [Blob("x", text, data)]).header
    assert (header["answer"], header["reason"]) == ("refused", "malformed")
    assert header["message"].startswith(f"value `x`: {expected}"), header["message"]
