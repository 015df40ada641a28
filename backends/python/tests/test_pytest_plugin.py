"""The plugin of pytest, with a program that answers as `onnx-conformance` does."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest_plugins = "pytester"

# A program with four cases. It keeps its command lines, and reports what the file `results.json` says.
PROGRAM = f"""#!{sys.executable}
import json, pathlib, sys
here, words = pathlib.Path(__file__).parent, sys.argv[1:]
with (here / "lines").open("a") as lines:
    print(json.dumps(words), file=lines)
cases = ["onnx-1.22.0/node/test_abs", "onnx-1.22.0/node/test_add", "own/Abs/zero-13", "local/a"]
if "--list=json" in words:
    sys.exit(print(json.dumps({{"version": 1, "cases": [{{"id": case}} for case in cases]}})))
if "--backend" in words and "missing" in words:
    sys.exit("the worker is missing")
out = pathlib.Path(words[words.index("--out") + 1])
out.mkdir()
tests = [
    {{"name": name, "status": status, "rawStatus": verdict, "message": why, "suite": [backend, corpus, suite]}}
    for backend, corpus, suite, name, status, verdict, why in json.loads((here / "results.json").read_text())
]
(out / "ctrf.json").write_text(json.dumps({{"results": {{"tests": tests}}}}))
"""
ABS = ("ort", "onnx-1.22.0", "node", "test_abs", "passed", "pass", "")
ADD = ("ort", "onnx-1.22.0", "node", "test_add", "failed", "mismatch", "3 of 6 elements differ")
OWN = ("ort", "own", "Abs", "zero-13", "skipped", "unsupported", "no kernel for Abs")
LOCAL = ("ort", "local", "", "a", "skipped", "known failure", "crash (base.toml:7)")


class Place:
    """A folder with the program."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.folder = Path(pytester.mkdir("program"))
        program = self.folder / "program.py"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        monkeypatch.setenv("ONNX_CONFORMANCE_PROGRAM", str(program))
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    def check(self, arguments: str, results: Sequence[tuple[str, ...]], **expected: int) -> str:
        """Runs pytest, checks the counts, and returns its output."""
        (self.folder / "results.json").write_text(json.dumps(results))
        (self.folder / "lines").write_text("")
        ended = self.pytester.runpytest_subprocess(*shlex.split(arguments))
        assert ended.parseoutcomes() == expected
        return ended.stdout.str() + ended.stderr.str()

    def lines(self) -> list[list[str]]:
        """The command lines of the program, without the folder of the report."""
        lines = [json.loads(line) for line in (self.folder / "lines").read_text().splitlines()]
        return [[word for word in line if not word.startswith("/")] for line in lines]


@pytest.fixture
def place(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(pytester, monkeypatch)


def test_each_case_is_a_test(place: Place) -> None:
    place.pytester.makepyfile(test_own="def test_of_the_project(): pass")
    results = [ABS, ADD, OWN, LOCAL]
    said = place.check("--onnx-conformance ort -rA", results, passed=2, failed=1, skipped=1, xfailed=1)
    assert "FAILED onnx-conformance::onnx-1.22.0/node/test_add[ort]" in said
    assert "3 of 6 elements differ" in said
    assert "Traceback" not in said
    run = ["conformance", "--quiet", "--out", "--backend", "ort"]
    assert place.lines() == [["conformance", "--list=json", "--backend", "ort"], run]


def test_without_the_option_nothing_is_started(place: Place) -> None:
    place.pytester.makepyfile(test_own="def test_of_the_project(): pass")
    place.check("", [], passed=1)
    assert place.lines() == []


def test_only_selected_cases_run(place: Place) -> None:
    place.check("--onnx-conformance ort -k test_abs", [ABS], passed=1, deselected=3)
    assert place.lines()[1][3:] == ["--filter=onnx-1.22.0/node/test_abs", "--backend", "ort"]
    place.check("--onnx-conformance ort --collect-only", [])
    assert len(place.lines()) == 1


def test_arguments_and_a_baseline_reach_the_program(place: Place) -> None:
    options = "--onnx-conformance new=ort:version=1 --onnx-conformance-args \"--release '1.2 x'\""
    results = [("new", *row[1:]) for row in (ABS, ADD, OWN, LOCAL)]
    options += " --onnx-conformance-baseline base.toml"
    place.check(options, results, passed=1, failed=1, skipped=1, xfailed=1)
    words = ["--quiet", "--out", "--release", "1.2 x", "--backend", "new=ort:version=1"]
    assert place.lines()[1] == ["gate", "--baseline", "base.toml", *words]


def test_a_program_that_fails_fails_every_case(place: Place) -> None:
    said = place.check("--onnx-conformance missing", [], failed=4)
    assert "onnx-conformance ended with exit code 1:\nthe worker is missing" in said


def test_usage(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    both = "--onnx-conformance a --onnx-conformance b --onnx-conformance-baseline base.toml"
    assert "name one" in place.check(both, [])
    monkeypatch.setenv("ONNX_CONFORMANCE_PROGRAM", "/nowhere/onnx-conformance")
    assert "pip install onnx-conformance" in place.check("--onnx-conformance ort", [])
