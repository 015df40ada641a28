"""The workers of the documents work: docs/backends.md, the example without the SDK, the ready workers."""

from __future__ import annotations

import re
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from .harness_side import Blob, value_info, worker

REPOSITORY = Path(__file__).resolve().parents[3]
WORKERS = REPOSITORY / "backends/python/workers"
PACKAGES = {"onnx_reference": "onnx", "onnxruntime": "onnxruntime", "openvino": "openvino", "tvm": "tvm"}


def absolute(element: int = TensorProto.FLOAT) -> bytes:
    infos = [helper.make_tensor_value_info(name, element, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "g", infos[:1], infos[1:])
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def check_abs(script: Path) -> None:
    proto = onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(helper.make_tensor("x", 1, [2], [-1.5, 2])))
    blob = Blob("x", "tensor(float)", proto.SerializeToString())
    with worker(script) as peer:
        assert peer.ask("hello", versions=[1]).header["answer"] == "hello"
        assert peer.ask("capabilities").header["answer"] == "capabilities"
        session = peer.load(absolute())
        (found,) = peer.run(session, [blob]).blobs()
        assert found.name == "y"
        assert onnx.numpy_helper.to_array(TensorProto.FromString(found.data)).tolist() == [1.5, 2.0]
        sets = [[blob.entry()]] * 2
        benched = peer.ask("bench", blob.data * 2, session=session, warmup=1, iterations=3, sets=sets).header
        assert (len(benched["warmup_nanoseconds"]), len(benched["nanoseconds"])) == (1, 3)
        assert benched["first"] == benched["last"]
        assert peer.ask("dance").header["reason"] == "unknown_message"
        assert peer.run(99, []).header["reason"] == "unknown_session"
        assert peer.ask("load", b"\xff", model=1).header["answer"] == "failed"
        assert peer.ask("unload", session=session).header["answer"] == "unloaded"
        assert peer.ask("shutdown").header["answer"] == "bye"


def test_the_worker_of_the_guide_works(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/backends.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "my_worker.py").write_text(code)
    check_abs(tmp_path / "my_worker.py")


def test_the_example_without_the_sdk_works() -> None:
    check_abs(REPOSITORY / "docs/examples/worker.py")


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_ready_worker_works_if_its_runtime_is_installed(name: str) -> None:
    pytest.importorskip(PACKAGES[name])
    check_abs(WORKERS / f"run_{name}.py")


def test_a_worker_has_at_most_thirty_lines_and_versions_pinned_by_hash() -> None:
    scripts = sorted(WORKERS.glob("run_*.py"))
    assert len(scripts) >= 5
    for script in scripts:
        assert len(script.read_text().splitlines()) <= 30, script
        pins = WORKERS / "requirements" / f"{script.stem.removeprefix('run_')}.txt"
        packages = [line for line in pins.read_text().replace("\\\n", " ").splitlines() if not line.startswith("#")]
        pinned = re.compile(r"[\w-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+")
        assert packages, pins
        assert all(pinned.fullmatch(line.strip()) for line in packages), pins


def test_types_are_read_from_every_declaration() -> None:
    info = value_info("x", "map(string, tensor(float))")
    assert info.type.map_type.key_type == TensorProto.STRING
