"""The model that a worker receives, and its external data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnx_conformance import SUB_BYTE, Backend, Model, SequenceType, Signature, TensorType, Unsupported, Value

from .echo import peer_of
from .harness_side import model, value_info

WEIGHTS = np.arange(4, dtype=np.float32)


def with_external_data(location: str) -> bytes:
    """A model whose output is a constant in an external file."""
    weight = TensorProto(name="w", dims=[4], data_type=1, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    node = helper.make_node("Identity", ["w"], ["y"])
    graph = helper.make_graph([node], "g", [], [value_info("y", "tensor(float)")], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()


class Reads(Backend):
    """Reads the constant from a file or from the inlined model."""

    def __init__(self, way: str) -> None:
        self._way = way

    def load(self, model: Model, options: Any) -> list[Value]:
        proto = onnx.load(model.file()) if self._way == "file" else onnx.load_model_from_string(model.inlined())
        return [onnx.numpy_helper.to_array(proto.graph.initializer[0])]

    def run(self, session: list[Value], inputs: dict[str, Value]) -> list[Value]:
        return session


@pytest.mark.parametrize("way", ["file", "inlined"])
@pytest.mark.parametrize("sent", ["over the channel", "as a folder"])
def test_external_data_is_read(way: str, sent: str, tmp_path: Path) -> None:
    data, weights = with_external_data("sub/w.bin"), WEIGHTS.tobytes()
    peer = peer_of(Reads(way))
    if sent == "as a folder":
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub/w.bin").write_bytes(weights)
        session = peer.load(data, folder=str(tmp_path))
    else:
        files = [{"location": "sub/w.bin", "bytes": len(weights)}]
        answer = peer.ask("load", data + weights, model=len(data), files=files).header
        session = answer["session"]
    (found,) = peer.run(session, []).blobs()
    assert TensorProto.FromString(found.data).raw_data == weights


@pytest.mark.parametrize("location", ["../w.bin", "/etc/w.bin", "", "a/../../w.bin"])
def test_a_file_outside_of_the_folder_is_refused(location: str) -> None:
    data = model({}, {"y": "tensor(float)"})
    files = [{"location": location, "bytes": 1}]
    error = peer_of(Reads("file")).ask("load", data + b"w", model=len(data), files=files).header["error"]
    assert error["kind"] == "load"
    assert error["message"] == f"external file `{location}` is outside of the folder"


@pytest.mark.parametrize("way", ["file", "inlined"])
def test_external_data_outside_of_the_folder_is_not_read(way: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "folder").mkdir()
    data = with_external_data("../secret")
    header = peer_of(Reads(way)).ask("load", data, model=len(data), folder=str(tmp_path / "folder")).header
    assert header["error"]["kind"] == "load"


def test_initializers_are_not_inputs() -> None:
    data = model(
        {"x": "tensor(float)", "w": "tensor(float)", "s": "seq(tensor(int64))"},
        {"y": "tensor(float)"},
        initializer=[TensorProto(name="w", dims=[0], data_type=1)],
    )
    signature = Signature.of(onnx.load_model_from_string(data))
    assert signature.inputs == {"x": TensorType("float"), "s": SequenceType(TensorType("int64"))}
    assert signature.defaults == {"w"}
    assert signature.outputs == {"y": TensorType("float")}


def test_invalid_models_are_load_errors() -> None:
    error = peer_of(Reads("file")).ask("load", b"\xff", model=1).header["error"]
    assert error["kind"] == "load"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("tensor(float)", None),
        ("tensor(int8)", None),
        ("tensor(int4)", "input `x` of type tensor(int4)"),
        ("tensor(float4e2m1)", "input `x` of type tensor(float4e2m1)"),
        ("seq(tensor(float))", "input `x` of type seq(tensor(float))"),
        ("optional(tensor(float))", "input `x` of type optional(tensor(float))"),
    ],
)
def test_a_runtime_refuses_inputs_other_than_its_tensors(declared: str, message: str | None) -> None:
    signature = Signature.of(onnx.load_model_from_string(model({"x": declared}, {"y": declared})))
    if message is None:
        signature.only_tensors(without=SUB_BYTE)
        return
    with pytest.raises(Unsupported) as refused:
        signature.only_tensors(without=SUB_BYTE)
    assert str(refused.value) == message
