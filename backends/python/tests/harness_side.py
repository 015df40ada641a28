"""The harness side of the protocol, for tests of the worker side.

It is written from docs/protocol.md alone and shares no code with the package.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from onnx import TypeProto, ValueInfoProto, helper

MAGIC = b"\x89ONXW\r\n\x1a"
ELEMENTS = [
    "float",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "string",
    "bool",
    "float16",
    "double",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
    "bfloat16",
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "uint4",
    "int4",
    "float4e2m1",
    "float8e8m0",
    "uint2",
    "int2",
    "float6e2m3",
    "float6e3m2",
]
"""In the order of `TensorProto.DataType`, which starts with 1."""


def frame(header: dict[str, Any] | bytes, payload: bytes = b"") -> bytes:
    """A frame as bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return MAGIC + struct.pack("<IIQ", 1, len(text), len(payload)) + text + payload


@dataclass(frozen=True)
class Blob:
    """A value of a payload."""

    name: str
    type: str
    data: bytes

    def entry(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.type, "bytes": len(self.data)}


@dataclass(frozen=True)
class Answer:
    """A header and its payload."""

    header: dict[str, Any]
    payload: bytes

    def blobs(self, field: str = "outputs", skip: int = 0) -> list[Blob]:
        at, found = skip, []
        for entry in self.header[field]:
            found.append(Blob(entry["name"], entry["type"], self.payload[at : at + entry["bytes"]]))
            at += entry["bytes"]
        return found


def read_answer(stream: IO[bytes]) -> Answer | None:
    """Reads the next answer; None at the end of the channel."""
    prelude = stream.read(24)
    if not prelude:
        return None
    assert prelude[:8] == MAGIC, prelude
    layout, header, payload = struct.unpack("<IIQ", prelude[8:])
    assert layout == 1
    return Answer(json.loads(stream.read(header)), stream.read(payload))


def value_info(name: str, type_text: str) -> ValueInfoProto:
    """A graph's input or output of a type."""
    return helper.make_value_info(name, _type_proto(type_text))


def _type_proto(text: str) -> TypeProto:
    constructor, _, inner = text.rstrip(")").partition("(")
    inner = text[len(constructor) + 1 : -1]
    proto = TypeProto()
    if constructor in ("tensor", "sparse_tensor"):
        dense = proto.tensor_type if constructor == "tensor" else proto.sparse_tensor_type
        dense.elem_type = ELEMENTS.index(inner) + 1
    elif constructor == "map":
        key, _, value = inner.partition(",")
        proto.map_type.key_type = ELEMENTS.index(key) + 1
        proto.map_type.value_type.CopyFrom(_type_proto(value.strip()))
    else:
        field = proto.sequence_type if constructor == "seq" else proto.optional_type
        field.elem_type.CopyFrom(_type_proto(inner))
    return proto


def model(inputs: dict[str, str], outputs: dict[str, str], **more: Any) -> bytes:
    """A model with these input and output types and without nodes, for a worker that does not use nodes."""
    graph = helper.make_graph(
        [],
        "g",
        [value_info(name, text) for name, text in inputs.items()],
        [value_info(name, text) for name, text in outputs.items()],
        **more,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()


class Peer:
    """A client of a worker over a pair of streams."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers, self._next = requests, answers, 1

    def ask(self, request: str, payload: bytes = b"", **fields: Any) -> Answer:
        """Sends a request and returns its answer, whose id is checked."""
        number, self._next = self._next, self._next + 1
        self.send(frame({"id": number, "request": request, **fields}, payload))
        answer = read_answer(self._answers)
        assert answer is not None, "the channel ended"
        assert answer.header["id"] == number
        return answer

    def send(self, data: bytes) -> None:
        self._requests.write(data)
        self._requests.flush()

    def load(self, data: bytes, **fields: Any) -> int:
        answer = self.ask("load", data, model=len(data), **fields)
        assert answer.header["answer"] == "loaded", answer.header
        return int(answer.header["session"])

    def run(self, session: int, inputs: Sequence[Blob], **fields: Any) -> Answer:
        payload = b"".join(blob.data for blob in inputs)
        return self.ask("run", payload, session=session, inputs=[blob.entry() for blob in inputs], **fields)

    def end(self) -> None:
        self._requests.close()


@contextmanager
def worker(script: Path, *arguments: str, stdio: bool = False, code: int = 0) -> Iterator[Peer]:
    """Starts a worker process, which must exit with `code` when its channel ends."""
    command = [sys.executable, str(script), *arguments]
    if stdio:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())
        assert process.stdin is not None
        assert process.stdout is not None
        peer, answers = Peer(process.stdin, process.stdout), process.stdout
    else:
        (child_in, requests), (out, child_out) = os.pipe(), os.pipe()
        names = {"ONNX_CONFORMANCE_FD_IN": str(child_in), "ONNX_CONFORMANCE_FD_OUT": str(child_out)}
        process = subprocess.Popen(
            command, pass_fds=(child_in, child_out), stdin=subprocess.DEVNULL, env=_environment() | names
        )
        os.close(child_in)
        os.close(child_out)
        answers = os.fdopen(out, "rb")
        peer = Peer(os.fdopen(requests, "wb"), answers)
    try:
        yield peer
        peer.end()
        assert process.wait(timeout=30) == code
    finally:
        process.kill()
        process.wait()
        answers.close()


def _environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith("ONNX_CONFORMANCE_FD")}
