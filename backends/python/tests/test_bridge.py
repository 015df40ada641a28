"""The bridge to modules with the interface of `onnx.backend.base`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnx_conformance.bridge import Bridge

from .echo import peer_of
from .harness_side import Blob, Peer, model, value_info

MODULE = """
import unittest
import onnx.backend.base
import onnx.reference

__version__ = "3.2"

class Rep(onnx.backend.base.BackendRep):
    def __init__(self, model):
        self.session = onnx.reference.ReferenceEvaluator(model)

    def run(self, inputs, **kwargs):
        return tuple(self.session.run(None, dict(zip(self.session.input_names, inputs))))

class Reference(onnx.backend.base.Backend):
    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        return model.graph.node[0].op_type != "Neg"

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        operator = model.graph.node[0].op_type
        if operator == "Sin":
            raise unittest.SkipTest("no Sin")
        if operator == "Cos":
            raise NotImplementedError("Cos")
        if operator == "Tan":
            raise RuntimeError("unsupported, says a text")
        return None if operator == "Exp" else Rep(model)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

is_compatible, prepare, supports_device = Reference.is_compatible, Reference.prepare, Reference.supports_device
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_backend.py").write_text(MODULE)
    (tmp_path / "some_broken.py").write_text("import some_thing_that_is_not_there")
    (tmp_path / "some_faulty.py").write_text("1 / 0")
    (tmp_path / "some_empty.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)


def unary(operator: str, inputs: int = 1, **more: Any) -> bytes:
    names = ["x", "w"][:inputs]
    node = helper.make_node(operator, names, ["y"])
    infos = [value_info(name, "tensor(float)") for name in names]
    graph = helper.make_graph([node], "g", infos, [value_info("y", "tensor(float)")], **more)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()


def blob(name: str, value: float) -> Blob:
    proto = onnx.numpy_helper.from_array(np.array(value, np.float32), name)
    return Blob(name, "tensor(float)", proto.SerializeToString())


def load(peer: Peer, data: bytes) -> dict[str, Any]:
    return peer.ask("load", data, model=len(data)).header


@pytest.mark.parametrize("text", ["some_backend", "some_backend:CPU", "some_backend.Reference"])
def test_a_module_runs_models(text: str) -> None:
    peer = peer_of(Bridge(text))
    backend = peer.ask("hello", versions=[1]).header["backend"]
    assert (backend["name"], backend["version"]) == (f"onnx-backend:{text}", "3.2")
    session = load(peer, unary("Abs"))["session"]
    (found,) = peer.run(session, [blob("x", -2.5)]).blobs()
    assert TensorProto.FromString(found.data).raw_data == np.float32(2.5).tobytes()


@pytest.mark.parametrize(
    ("operator", "kind", "message"),
    [
        ("Neg", "unsupported", "`some_backend` reports that the model is not compatible"),
        ("Sin", "unsupported", "SkipTest: no Sin"),
        ("Cos", "unsupported", "NotImplementedError: Cos"),
        ("Exp", "unsupported", "`some_backend` returned None from `prepare` for this model"),
        ("Tan", "load", "RuntimeError: unsupported, says a text"),
    ],
)
def test_only_typed_refusals_are_unsupported(operator: str, kind: str, message: str) -> None:
    error = load(peer_of(Bridge("some_backend")), unary(operator))["error"]
    assert (error["kind"], error["message"]) == (kind, message)


def test_inputs_that_override_initializers_are_unsupported() -> None:
    peer = peer_of(Bridge("some_backend"))
    weight = onnx.numpy_helper.from_array(np.array(3, np.float32), "w")
    session = load(peer, unary("Add", 2, initializer=[weight]))["session"]
    assert peer.run(session, [blob("x", 1)]).header["answer"] == "ran"
    assert peer.run(session, [blob("x", 1), blob("w", 1)]).header["error"]["kind"] == "unsupported"
    assert "input `x` is missing" in peer.run(session, [blob("w", 1)]).header["error"]["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("some_nowhere", "module `some_nowhere` cannot be imported ("),
        ("some_broken", "No module named 'some_thing_that_is_not_there'"),
        ("some_faulty", "ZeroDivisionError: division by zero"),
        ("some_backend.Nothing", "module `some_backend.Nothing` cannot be imported: `some_backend` has no `Nothing`"),
        ("some_empty", "`some_empty` is not a backend: it has no `prepare`"),
        ("some_backend:GPU", "`some_backend` does not support the device GPU"),
        ("", "module `` cannot be imported ("),
    ],
)
def test_a_missing_module_is_missing(text: str, message: str) -> None:
    error = peer_of(Bridge(text)).ask("hello", versions=[1]).header["error"]
    assert error["kind"] == "missing"
    assert message in error["message"]


def test_a_failure_of_the_module_is_a_load_error() -> None:
    assert load(peer_of(Bridge("some_backend.Reference")), model({}, {}))["error"]["kind"] == "load"
