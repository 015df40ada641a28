#!/usr/bin/env python3
"""A worker of onnx-conformance in Python, after docs/protocol.md.

It runs models of one node, Identity or Abs, with the reference implementation of the `onnx` package, and says of
everything else that it is not supported. Without the package it supports nothing, which is also an answer.

    onnx-conformance conformance --backend 'cmd:docs/examples/worker.py'
"""

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
MAX_HEADER, MAX_PAYLOAD = 1 << 20, 2 << 30
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


def read_frame(stream):
    """A header and its payload; None at the end of the channel."""
    prelude = stream.read(PRELUDE.size)
    if not prelude:
        return None
    magic, layout, header, payload = PRELUDE.unpack(prelude)
    if magic != MAGIC or layout != LAYOUT or header > MAX_HEADER or payload > MAX_PAYLOAD:
        sys.exit(f"not a frame: {prelude!r}")
    return json.loads(stream.read(header)), stream.read(payload)


def write_frame(stream, header, payload):
    text = json.dumps(header).encode()
    stream.write(PRELUDE.pack(MAGIC, LAYOUT, len(text), len(payload)) + text + payload)
    stream.flush()


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
        return {"opsets": {"": onnx.defs.onnx_opset_version()} if onnx else {}, "devices": ["cpu"]}, b""

    def prepare(self, request, payload):
        if onnx is None:
            raise failed("unsupported", "the Python package `onnx` is not installed")
        model = onnx.load_model_from_string(payload[: request["model"]])
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
        session, inputs, start = self.session(request), {}, 0
        for blob in request["inputs"]:
            if not blob["type"].startswith("tensor("):
                raise failed("unsupported", f"values of type {blob['type']}")
            tensor = onnx.TensorProto.FromString(payload[start : start + blob["bytes"]])
            inputs[blob["name"]] = onnx.numpy_helper.to_array(tensor)
            start += blob["bytes"]
        start = time.perf_counter_ns()
        try:
            arrays = session.run(None, inputs)
        except Exception as error:
            raise failed("run", f"{type(error).__name__}: {error}") from error
        nanoseconds = time.perf_counter_ns() - start
        outputs, blobs = [], []
        for name, array in zip(session.output_names, arrays):
            tensor = onnx.numpy_helper.from_array(array, name)
            elem = onnx.TensorProto.DataType.Name(tensor.data_type).lower()
            blobs.append(tensor.SerializeToString())
            outputs.append({"name": name, "type": f"tensor({elem})", "bytes": len(blobs[-1])})
        return {"outputs": outputs, "nanoseconds": nanoseconds}, b"".join(blobs)

    def unload(self, request, payload):
        self.session(request)
        del self.sessions[request["session"]]
        return {}, b""

    def shutdown(self, request, payload):
        return {}, b""


ANSWERS = {"probe": "probed", "load": "loaded", "run": "ran", "unload": "unloaded", "shutdown": "bye"}


def main():
    source, sink = open_channel()
    worker = Worker()
    while frame := read_frame(source):
        request, payload = frame
        name = request["request"]
        try:
            if name not in ("hello", "capabilities", *ANSWERS):
                raise refused("unknown_message", f"message `{name}` is unknown")
            fields, blobs = getattr(worker, name)(request, payload)
            header = {"answer": ANSWERS.get(name, name), **fields}
        except Declined as declined:
            header, blobs = declined.answer, b""
        write_frame(sink, {"id": request["id"], **header}, blobs)
        if name == "shutdown":
            break


if __name__ == "__main__":
    main()
