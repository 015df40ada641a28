"""A worker as a process: both channels, its printed output, how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .harness_side import Blob, frame, model, worker

PLAIN = model({"x": "tensor(string)"}, {"y": "tensor(string)"})
TEXT = Blob("x", "tensor(string)", b"\x10\x08\x32\x02hi")
SCRIPT = """
import os, sys
from onnx_conformance import serve

def load(model, options):
    print("loading")
    sys.stdout.flush()
    os.system("echo from a child; cat")
    return model

def run(session, inputs):
    os.write(1, b"running")
    if "crash" in inputs:
        os.abort()
    return list(inputs.values())

serve(load, run, name="chatty")
"""


@pytest.fixture
def chatty(tmp_path: Path) -> Path:
    script = tmp_path / "chatty.py"
    script.write_text(SCRIPT)
    return script


@pytest.mark.parametrize("stdio", [False, True])
def test_printed_output_cannot_corrupt_a_frame(chatty: Path, stdio: bool) -> None:
    with worker(chatty, stdio=stdio) as peer:
        assert peer.ask("hello", versions=[1]).header["backend"]["name"] == "chatty"
        session = peer.load(PLAIN)
        assert peer.run(session, [TEXT]).header["answer"] == "ran"
        assert peer.ask("shutdown").header["answer"] == "bye"


@pytest.mark.parametrize("stdio", [False, True])
def test_the_end_of_the_channel_ends_the_worker(chatty: Path, stdio: bool) -> None:
    with worker(chatty, stdio=stdio) as peer:
        peer.ask("hello", versions=[1])


def test_a_worker_in_a_run_ends_when_the_harness_is_gone(tmp_path: Path) -> None:
    script = tmp_path / "stuck.py"
    script.write_text("""
import time
from onnx_conformance import orphan, serve

orphan.GRACE = 0.1
serve(lambda model, options: model, lambda session, inputs: time.sleep(60), name="stuck")
""")
    with worker(script, code=4) as peer:
        session = peer.load(PLAIN)
        peer.send(frame({"id": 9, "request": "run", "session": session, "inputs": [TEXT.entry()]}, TEXT.data))


def test_an_invalid_frame_ends_the_worker_with_a_code(chatty: Path) -> None:
    with worker(chatty, code=3) as peer:
        peer.send(b"What is this?" * 10)
    with worker(chatty, code=3) as peer:
        peer.send(frame(b"{}"))


def test_a_crash_is_not_caught(chatty: Path) -> None:
    with worker(chatty, code=-signal.SIGABRT) as peer:
        session = peer.load(model({"crash": "tensor(string)"}, {"y": "tensor(string)"}))
        entry = {**TEXT.entry(), "name": "crash"}
        peer.send(frame({"id": 9, "request": "run", "session": session, "inputs": [entry]}, TEXT.data))


def test_options_are_arguments(chatty: Path) -> None:
    with worker(chatty, "--opt", "threads=2") as peer:
        error = peer.ask("hello", versions=[1]).header["error"]
        assert (error["kind"], error["option"]) == ("option", "threads")


@pytest.mark.parametrize("number", ["", "x", "1", "77", "-1", "99999999999999999999"])
def test_descriptors_that_are_not_pipes_are_named_in_the_error(chatty: Path, number: str) -> None:
    names = {"ONNX_CONFORMANCE_FD_IN": number, "ONNX_CONFORMANCE_FD_OUT": number}
    done = subprocess.run(
        [sys.executable, chatty], env=os.environ | names, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert f"ONNX_CONFORMANCE_FD_IN={number} is not an open pipe" in done.stderr


def test_a_signal_ends_it_at_once(tmp_path: Path) -> None:
    script = tmp_path / "stubborn.py"
    script.write_text(
        "import signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from onnx_conformance import serve\n"
        "serve(lambda model, options: time.sleep(60), None, name='stubborn')\n"
    )
    with subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(frame({"id": 1, "request": "capabilities"}))
        process.stdin.write(frame({"id": 2, "request": "load", "model": len(PLAIN)}, PLAIN))
        process.stdin.flush()
        process.stdout.read(1)
        process.terminate()
        assert process.wait(timeout=5) == -signal.SIGTERM


def test_unknown_arguments_of_serve_are_named() -> None:
    code = "from onnx_conformance import serve; serve(None, None, nam='x')"
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert "serve() has no argument `nam`" in done.stderr
