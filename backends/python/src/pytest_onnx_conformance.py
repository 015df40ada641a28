"""A plugin of pytest: cases of onnx-conformance as tests, for one backend or several.

    pytest --onnx-conformance 'cmd:python my_worker.py' --onnx-conformance-args "--filter '*/node/*'"

The program `onnx-conformance` lists the cases when tests are collected, and runs all selected ones together before the
first of them, in isolated workers and in parallel. A test has the id `onnx-conformance::CASE[BACKEND]`.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = "ONNX_CONFORMANCE_PROGRAM"
COLLECTED = pytest.StashKey[int]()


@dataclass(frozen=True)
class Result:
    """What the program says about a case: a status of CTRF, the verdict, and the reason."""

    status: str
    verdict: str
    message: str


class Harness:
    """The program with the arguments of the command line, and its results once it ran."""

    def __init__(self, config: pytest.Config) -> None:
        self.backends: list[str] = config.getoption("onnx_conformance")
        self.baseline: str | None = config.getoption("onnx_conformance_baseline")
        self.arguments = shlex.split(config.getoption("onnx_conformance_args"))
        if self.baseline and len(self.backends) != 1:
            raise pytest.UsageError("--onnx-conformance-baseline is that of one backend: name one")
        self.filters: list[str] = []
        self.ran = False
        self.results: dict[tuple[str, str], Result] = {}
        self.failure = "the report has no result of this case"

    def cases(self) -> list[str]:
        """The ids of the cases that the arguments select."""
        ended = self.start("conformance", "--list=json")
        if ended.returncode != 0:
            raise pytest.UsageError(f"onnx-conformance lists no cases:\n{ended.stderr.strip()}")
        return [case["id"] for case in json.loads(ended.stdout)["cases"]]

    def result(self, case: Case) -> Result:
        """The result of a case; the first call runs all selected cases."""
        if not self.ran:
            self.ran = True
            with tempfile.TemporaryDirectory() as folder:
                self.run(Path(folder) / "report")
        try:
            return self.results[case.case, case.backend]
        except KeyError:
            raise CaseFailed(self.failure) from None

    def run(self, folder: Path) -> None:
        """Runs the selected cases and keeps their results."""
        command = ["gate", "--baseline", self.baseline] if self.baseline else ["conformance"]
        ended = self.start(*command, "--quiet", "--out", str(folder), *self.filters)
        report = folder / "ctrf.json"
        if not report.is_file():
            self.failure = f"onnx-conformance ended with exit code {ended.returncode}:\n{ended.stderr.strip()}"
            return
        for test in json.loads(report.read_text())["results"]["tests"]:
            backend, corpus, suite = test["suite"]
            case = "/".join(part for part in (corpus, suite, test["name"]) if part)
            self.results[case, backend] = Result(test["status"], test["rawStatus"], test.get("message", ""))

    def start(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of the program with the given arguments and backends."""
        program = os.environ.get(PROGRAM, "onnx-conformance")
        backends = [word for backend in self.backends for word in ("--backend", backend)]
        try:
            return subprocess.run(  # noqa: S603
                [program, *command, *self.arguments, *backends], capture_output=True, text=True, check=False
            )
        except OSError as error:
            message = f"cannot start {program} ({error}): pip install onnx-conformance, or set {PROGRAM}"
            raise pytest.UsageError(message) from error


class Cases(pytest.Collector):
    """All cases."""

    def collect(self) -> Iterable[pytest.Item]:
        """The cases are added to the items of the session."""
        return []


class Case(pytest.Item):
    """A case on a backend."""

    def __init__(self, *, harness: Harness, case: str, backend: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.harness, self.case, self.backend = harness, case, backend
        self.add_marker("onnx_conformance")

    def runtest(self) -> None:
        """Fails, skips or passes as the program decided."""
        result = self.harness.result(self)
        if result.status == "skipped" and result.verdict == "known failure":
            pytest.xfail(result.message)
        if result.status == "skipped":
            pytest.skip(result.message or result.verdict)
        if result.status != "passed":
            raise CaseFailed(result.message or result.verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reason of the program, without a traceback of this module."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """The place of the case in reports."""
        return "onnx-conformance", None, self.name


class CaseFailed(Exception):
    """A case does not pass; the text is the reason."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("onnx-conformance", "cases of ONNX on a backend")
    group.addoption(
        "--onnx-conformance",
        action="append",
        default=[],
        metavar="BACKEND",
        help="run the cases of ONNX on this backend as tests: `ort`, `cmd:python my_worker.py` (repeatable)",
    )
    group.addoption(
        "--onnx-conformance-args",
        default="",
        metavar="ARGS",
        help="arguments of `onnx-conformance conformance`, quoted as in a shell: cases, policy, time limit",
    )
    group.addoption(
        "--onnx-conformance-baseline",
        metavar="FILE",
        help="a baseline: its failures are expected, and only others fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line("markers", "onnx_conformance: a case of onnx-conformance on a backend")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the cases, before options such as `-k` select among all tests."""
    if not config.getoption("onnx_conformance"):
        return
    if hasattr(config, "workerinput"):
        raise pytest.UsageError("onnx-conformance runs cases in parallel itself: use it without pytest-xdist")
    harness = Harness(config)
    parent = Cases.from_parent(session, name="onnx-conformance", nodeid="onnx-conformance")
    for case in harness.cases():
        for text in harness.backends:
            place = {"case": case, "backend": name_in_reports(text)}
            name = "{case}[{backend}]".format(**place)
            items.append(Case.from_parent(parent, name=name, harness=harness, **place))
    config.stash[COLLECTED] = len(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Lets the program run only the cases that are left, if some are."""
    if len(session.items) < session.config.stash.get(COLLECTED, 0):
        cases = [item for item in session.items if isinstance(item, Case)]
        for first in cases[:1]:
            first.harness.filters = [f"--filter={case}" for case in dict.fromkeys(item.case for item in cases)]


def name_in_reports(backend: str) -> str:
    """The name of a backend in reports: `new` of `new=ort:version=1.31.1`, else the text itself."""
    name, equals, _ = backend.partition("=")
    return name if equals and ":" not in name else backend
