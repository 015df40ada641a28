"""The real harness with a worker of the SDK, if `ONNX_CONFORMANCE_PROGRAM` is the path of `onnx-conformance`."""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

PROGRAM = os.environ.get("ONNX_CONFORMANCE_PROGRAM")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="ONNX_CONFORMANCE_PROGRAM is not set")
WORKER = Path(__file__).resolve().parents[1] / "workers/run_onnx_reference.py"


def write_case(folder: Path, operator: str, output: float) -> None:
    """A case in the official layout: one node, its input, and the expected output."""
    infos = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", infos[:1], infos[1:])
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for file, value in (("input_0.pb", [-1.0, 2.0]), ("output_0.pb", [output, 2.0])):
        proto = onnx.numpy_helper.from_array(np.array(value, np.float32), "xy"[file[0] == "o"])
        (data / file).write_bytes(proto.SerializeToString())


def test_the_harness_judges_a_worker(tmp_path: Path) -> None:
    assert PROGRAM is not None
    write_case(tmp_path / "cases/test_right", "Abs", 1.0)
    write_case(tmp_path / "cases/test_wrong", "Abs", 3.0)
    write_case(tmp_path / "cases/test_unknown", "NoSuchOperator", 1.0)
    out = tmp_path / "out"
    backend = f"cmd:{shlex.join([sys.executable, str(WORKER)])}"
    command = [PROGRAM, "conformance", "--backend", backend, "--cases", str(tmp_path / "cases"), "--out", str(out)]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    with (out / "results.csv").open(newline="") as table:
        verdicts = {row["name"]: row["verdict"] for row in csv.DictReader(table)}
    assert verdicts == {"test_right": "pass", "test_wrong": "mismatch", "test_unknown": "error"}
