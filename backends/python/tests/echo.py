"""Backends for tests: they return their inputs, and fail on request."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onnx_conformance import (
    THREADS,
    Backend,
    Missing,
    Model,
    Option,
    OutOfMemory,
    Placement,
    Unsupported,
    Value,
    serve,
)
from onnx_conformance.worker import answer_all, answerer

from .harness_side import Answer, Peer, read_answer


class TypedRefusal(Exception):
    """An exception of a runtime that means "not supported"."""


class Echo(Backend):
    """Returns its inputs as its outputs, in the order of the graph."""

    name, version, build, provider = "echo", "1.5", "by hand", "paper"
    opsets, devices, operators = {"": 21}, ("paper",), ("Identity-21",)
    options = {"threads": THREADS, "mood": Option("calm", "how it feels", choices=("calm", "glad"))}
    unsupported = (TypedRefusal,)

    def load(self, model: Model, options: Any) -> dict[str, Any]:
        assert set(options) == {"threads", "mood"}
        raise_named(model.proto().producer_name)
        return {"model": model, "names": list(model.signature.outputs), "runs": 0}

    def run(self, session: dict[str, Any], inputs: dict[str, Value]) -> dict[str, Value]:
        session["runs"] += 1
        if inputs:
            raise_named(next(iter(inputs)))
        given = list(inputs.values())
        return dict(zip(session["names"], given, strict=True))

    def placement(self, session: dict[str, Any]) -> list[Placement]:
        return [Placement(name, "paper", "Identity") for name in session["names"]]

    def unload(self, session: dict[str, Any]) -> None:
        session["unloaded"] = True


class Count(Echo):
    """Returns the number of its runs and the sum of its inputs."""

    wants_inputs_at_load = True

    def run(self, session: dict[str, Any], inputs: dict[str, Value]) -> dict[str, Value]:
        session["runs"] += 1
        total = sum(float(np.sum(np.asarray(value))) for value in inputs.values())
        return {"runs": np.array(session["runs"], np.int64), "sum": np.array(total)}


class Absent(Echo):
    """A backend whose runtime is missing."""

    def start(self, options: Any) -> None:
        raise Missing("no paper; buy some")


def raise_named(name: str) -> None:
    """Raises the exception of this name."""
    errors: dict[str, Callable[[], BaseException]] = {
        "unsupported": lambda: Unsupported("no Add", operator="Add"),
        "typed": lambda: TypedRefusal("not this"),
        "value_error": lambda: ValueError("a fault"),
        "memory": lambda: MemoryError("8 GiB"),
        "out_of_memory": lambda: OutOfMemory("the device is full"),
        "long": lambda: ValueError("x" * 3_000_000),
        "surrogate": lambda: ValueError("\ud800"),
    }
    if name in errors:
        raise errors[name]()


def in_memory(backend: Backend, data: bytes, arguments: Sequence[str] = ()) -> list[Answer]:
    """Returns the answers of a backend to requests, without a process."""
    sink = io.BytesIO()
    answer_all(io.BytesIO(data), sink, answerer(backend, arguments))
    sink.seek(0)
    return list(iter(lambda: read_answer(sink), None))


def peer_of(backend: Backend, arguments: Sequence[str] = ()) -> Peer:
    """A peer of a backend in this process."""
    answer = answerer(backend, arguments)
    answers = io.BytesIO()

    class Requests(io.BytesIO):
        """Answers when a request is flushed."""

        def flush(self) -> None:
            at = answers.tell()
            answers.seek(0, io.SEEK_END)
            data = self.getvalue()
            self.seek(0)
            self.truncate()
            answer_all(io.BytesIO(data), answers, answer)
            answers.seek(at)

    return Peer(Requests(), answers)


if __name__ == "__main__":
    serve(Echo())
