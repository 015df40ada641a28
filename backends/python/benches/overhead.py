"""The overhead of the protocol for a worker in Python: round trip minus run, for a model with one scalar.

Run it in `backends/python`: `python -m benches.overhead`. The other side is a client in Python, whose own time is
included.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from onnx import TensorProto
from tests.harness_side import Blob, Peer, model, worker

ROUNDS = 5000
SCRIPT = """
from onnx_conformance import serve
serve(lambda model, options: None, lambda session, inputs: list(inputs.values()), name="scalar")
"""


def main() -> None:
    """Prints the overhead in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "scalar.py"
        script.write_text(SCRIPT)
        with worker(script) as peer:
            overheads = sorted(measure(peer))
    median, slow = statistics.median(overheads), overheads[len(overheads) * 99 // 100]
    sys.stdout.write(f"{ROUNDS} runs of a scalar model: median {median:.0f} us, 99 % under {slow:.0f} us\n")


def measure(peer: Peer) -> list[float]:
    """The overhead of each run in microseconds, after some runs to warm up."""
    session = peer.load(model({"x": "tensor(float)"}, {"y": "tensor(float)"}))
    scalar = Blob("x", "tensor(float)", TensorProto(data_type=1, raw_data=bytes(4)).SerializeToString())
    overheads = []
    for _ in range(ROUNDS + 500):
        start = time.perf_counter_ns()
        answer = peer.run(session, [scalar])
        elapsed = time.perf_counter_ns() - start
        overheads.append((elapsed - answer.header["nanoseconds"]) / 1000)
    return overheads[500:]


if __name__ == "__main__":
    main()
