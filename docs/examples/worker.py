#!/usr/bin/env python3
"""A worker of onnx-conformance in Python without the SDK, after docs/protocol.md.

It runs models of one node, Identity or Abs, with the reference implementation of the `onnx` package, and says of
everything else that it is not supported. Without the package it supports nothing, which is also an answer.
For a worker of your own, use the SDK in backends/python: it does all of this.

    cargo xtask conformance --backend 'cmd:docs/examples/worker.py' --filter '*/node/test_a*'
"""

import itertools
import json
import os
import struct
import sys
import time

try:
    import onnx
    import onnx.numpy_helper
    import onnx.reference
except ImportError:
    onnx = None

MAGIC = b"\x89ONXW\r\n\x1a"
LAYOUT = 1
PRELUDE = struct.Struct("<8sIIQ")
MAX_HEADER, MAX_PAYLOAD, MAX_RUNS = 1 << 20, 2 << 30, 40_000
OPERATORS = ("Identity", "Abs")


class Declined(Exception):
    """Why a request has no answer of its own kind; holds the answer that it gets."""

    def __init__(self, answer):
        self.answer = answer


def failed(kind, message, **more):
    return Declined({"answer": "failed", "error": {"kind": kind, "message": message, **more}})


def refused(reason, message):
    return Declined({"answer": "refused", "reason": reason, "message": message})


def open_channel():
    """Two descriptors named in the environment, else stdin and stdout, which are then moved aside."""
    names = os.environ.get("ONNX_CONFORMANCE_FD_IN"), os.environ.get("ONNX_CONFORMANCE_FD_OUT")
    if all(names):
        numbers = [int(name) for name in names]
    else:
        numbers = [os.dup(0), os.dup(1)]
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
    for number in numbers:
        os.set_inheritable(number, False)
    return os.fdopen(numbers[0], "rb"), os.fdopen(numbers[1], "wb")


def read(stream, count):
    """Exactly `count` bytes; memory grows with what arrives."""
    data = bytearray()
    while len(data) < count:
        part = stream.read(min(count - len(data), 1 << 20))
        if not part:
            sys.exit(f"truncated frame: {count - len(data)} bytes are missing")
        data += part
    return bytes(data)


def read_frame(stream):
    """A header and its payload; None at the end of the channel."""
    first = stream.read(1)
    if not first:
        return None
    magic, layout, header, payload = PRELUDE.unpack(first + read(stream, PRELUDE.size - 1))
    if magic != MAGIC or layout != LAYOUT or header > MAX_HEADER or payload > MAX_PAYLOAD:
        sys.exit(f"not a frame: it starts with {magic!r}")
    return json.loads(read(stream, header)), read(stream, payload)


def write_frame(stream, header, payload):
    text = json.dumps(header).encode()
    stream.write(PRELUDE.pack(MAGIC, LAYOUT, len(text), len(payload)) + text + payload)
    stream.flush()


def decode(session, blobs, payload):
    """The inputs that the header names, and what is left of the payload."""
    declared = {info.name: info.type.tensor_type.elem_type for info in session.proto_.graph.input}
    inputs = {}
    for blob in blobs:
        if not blob["type"].startswith("tensor("):
            raise failed("unsupported", f"values of type {blob['type']}")
        if len(payload) < blob["bytes"]:
            raise refused("malformed", f"the payload ends inside of `{blob['name']}`")
        tensor = onnx.TensorProto.FromString(payload[: blob["bytes"]])
        if declared.get(blob["name"]) != tensor.data_type:
            raise failed("run", f"the model has no input `{blob['name']}` of type {blob['type']}")
        inputs[blob["name"]] = onnx.numpy_helper.to_array(tensor)
        payload = payload[blob["bytes"] :]
    return inputs, payload


def encode(session, arrays):
    """The entries of the outputs in the header, and their blobs."""
    outputs, blobs = [], []
    for name, array in zip(session.output_names, arrays, strict=True):
        tensor = onnx.numpy_helper.from_array(array, name)
        element = onnx.TensorProto.DataType.Name(tensor.data_type).lower()
        blobs.append(tensor.SerializeToString())
        outputs.append({"name": name, "type": f"tensor({element})", "bytes": len(blobs[-1])})
    return outputs, b"".join(blobs)


def timed_run(session, inputs):
    """The time of a run in nanoseconds, and its outputs."""
    start = time.perf_counter_ns()
    try:
        arrays = session.run(None, inputs)
    except Exception as error:
        raise failed("run", f"{type(error).__name__}: {error}") from error
    return time.perf_counter_ns() - start, arrays


class Worker:
    def __init__(self):
        self.sessions = {}
        self.count = 0

    def hello(self, request, payload):
        if 1 not in request["versions"]:
            raise refused("version", "this worker speaks version 1")
        version = getattr(onnx, "__version__", "none")
        return {"version": 1, "backend": {"name": "python", "version": version, "build": sys.version}}, b""

    def capabilities(self, request, payload):
        # A worker whose threads can be set names `threads` among its options here, and takes `--opt threads=N`.
        return {"opsets": {"": onnx.defs.onnx_opset_version()} if onnx else {}, "devices": ["cpu"]}, b""

    def prepare(self, request, payload):
        if onnx is None:
            raise failed("unsupported", "the Python package `onnx` is not installed")
        if len(payload) < request["model"]:
            raise refused("malformed", "the payload ends inside of the model")
        try:
            model = onnx.load_model_from_string(payload[: request["model"]])
        except Exception as error:
            raise failed("load", f"{type(error).__name__}: {error}") from error
        if not model.HasField("graph"):
            raise failed("load", "the file has no graph")
        for node in model.graph.node:
            if node.op_type not in OPERATORS or len(model.graph.node) != 1:
                raise failed("unsupported", f"only one node of {OPERATORS}", operator=node.op_type)
        return onnx.reference.ReferenceEvaluator(model)

    def probe(self, request, payload):
        self.prepare(request, payload)
        return {}, b""

    def load(self, request, payload):
        start = time.perf_counter_ns()
        model = self.prepare(request, payload)
        self.count += 1
        self.sessions[self.count] = model
        return {"session": self.count, "nanoseconds": time.perf_counter_ns() - start}, b""

    def session(self, request):
        if request["session"] not in self.sessions:
            raise refused("unknown_session", f"session {request['session']} is not loaded")
        return self.sessions[request["session"]]

    def run(self, request, payload):
        session = self.session(request)
        inputs, rest = decode(session, request["inputs"], payload)
        if rest:
            raise refused("malformed", f"the payload has {len(rest)} bytes that the header does not describe")
        nanoseconds, arrays = timed_run(session, inputs)
        outputs, blobs = encode(session, arrays)
        return {"outputs": outputs, "nanoseconds": nanoseconds}, blobs

    def bench(self, request, payload):
        session, warmup, iterations = self.session(request), request["warmup"], request["iterations"]
        if iterations < 1 or not request["sets"] or warmup + iterations > MAX_RUNS:
            raise refused("malformed", f"at least one set and one iteration, and at most {MAX_RUNS} runs")
        sets = []
        for blobs in request["sets"]:
            inputs, payload = decode(session, blobs, payload)
            sets.append(inputs)
        before = [timed_run(session, inputs)[0] for inputs in itertools.islice(itertools.cycle(sets), warmup)]
        times, kept = [], {}
        for number, inputs in enumerate(itertools.islice(itertools.cycle(sets), iterations)):
            elapsed, arrays = timed_run(session, inputs)
            times.append(elapsed)
            if number in (0, iterations - 1):
                kept[number] = encode(session, arrays)
        (first, first_blobs), (last, last_blobs) = kept[0], kept[iterations - 1]
        fields = {"warmup_nanoseconds": before, "nanoseconds": times, "first": first, "last": last}
        return fields, first_blobs + last_blobs

    def unload(self, request, payload):
        self.session(request)
        del self.sessions[request["session"]]
        return {}, b""

    def shutdown(self, request, payload):
        return {}, b""


ANSWERS = {"hello": "hello", "capabilities": "capabilities", "probe": "probed", "load": "loaded", "run": "ran"}
ANSWERS |= {"bench": "benched", "unload": "unloaded", "shutdown": "bye"}


def answer(worker, request, payload):
    """The header and the payload of the answer."""
    name = request["request"]
    try:
        if sys.argv[1:]:
            raise failed("option", "this worker has no options", option=sys.argv[-1])
        if name not in ANSWERS:
            raise refused("unknown_message", f"message `{name}` is unknown")
        fields, blobs = getattr(worker, name)(request, payload)
        return {"id": request["id"], "answer": ANSWERS[name], **fields}, blobs
    except Declined as declined:
        return {"id": request["id"], **declined.answer}, b""
    except (KeyError, TypeError, ValueError) as error:
        message = f"message `{name}`: {type(error).__name__}: {error}"
        return {"id": request["id"], "answer": "refused", "reason": "malformed", "message": message}, b""


def main():
    source, sink = open_channel()
    worker = Worker()
    while frame := read_frame(source):
        write_frame(sink, *answer(worker, *frame))
        if frame[0]["request"] == "shutdown":
            break


if __name__ == "__main__":
    main()
