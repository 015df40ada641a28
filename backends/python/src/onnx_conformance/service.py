"""Answers one request."""

from __future__ import annotations

import logging
import tempfile
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import onnx

from .backend import Backend
from .clock import bench, measured, without_collector
from .errors import BackendError, Refused, malformed
from .files import unpack
from .model import Model, Signature
from .options import Setting, shown
from .outputs import Blobs, encode_outputs
from .requests import NotStored, Request, file_of
from .store import Store

VERSION = 1
MAX_RUNS = 40_000
MAX_PROFILED = 1_000
_MAX_MESSAGE = 32 << 10
_LOG = logging.getLogger("onnx_conformance")

Answer = tuple[dict[str, Any], list[bytes]]


@dataclass
class _Loaded:
    """A loaded model, and the temporary folders that it may read; they are removed with it."""

    session: Any
    signature: Signature
    folders: list[tempfile.TemporaryDirectory[str] | None]


class Service:
    """A backend with its loaded models."""

    def __init__(self, backend: Backend, options: Mapping[str, Setting]) -> None:
        self._backend, self._options = backend, options
        self._loaded: dict[int, _Loaded] = {}
        self._next = 1
        self._store: Store | None = None
        self._handlers: dict[str, tuple[str, Callable[[Request], Answer]]] = {
            "hello": ("hello", self._hello),
            "capabilities": ("capabilities", self._capabilities),
            "probe": ("probed", self._probe),
            "load": ("loaded", self._load),
            "placement": ("placed", self._placement),
            "run": ("ran", self._run),
            "bench": ("benched", self._bench),
            "profile": ("profiled", self._profile),
            "unload": ("unloaded", self._unload),
            "shutdown": ("bye", lambda _: ({}, [])),
        }

    def answer(self, request: Request) -> Answer:
        """Executes a request; a failure is an answer too."""
        request.store = self._store
        try:
            if request.name not in self._handlers:
                raise Refused("unknown_message", f"message `{request.name[:80]}` is unknown")
            name, handler = self._handlers[request.name]
            fields, blobs = handler(request)
            return {"answer": name, **fields}, blobs
        except NotStored as missing:
            return {"answer": "missing", "sha256": missing.digests}, []
        except Refused as refused:
            return {"answer": "refused", "reason": refused.reason, "message": _short(str(refused))}, []
        except Exception as error:
            stage = "load" if request.name in ("load", "probe") else "run"
            return failed(error, stage, self._backend.unsupported), []

    def _hello(self, request: Request) -> Answer:
        offered = request.items("versions")
        if VERSION not in offered:
            raise Refused("version", f"no common protocol version: offered {offered[:8]}, supported [{VERSION}]")
        backend = self._backend
        description = {
            "name": backend.name,
            "version": backend.version,
            "build": backend.build,
            "options": {name: shown(value) for name, value in self._options.items()},
            "wants_inputs_at_load": backend.wants_inputs_at_load,
            "provider": backend.provider,
        }
        if request.fields.get("store") is not True:
            return {"version": VERSION, "backend": description}, []
        self._store = Store.open()
        return {"version": VERSION, "backend": description, "store": self._store is not None}, []

    def _capabilities(self, request: Request) -> Answer:
        del request
        backend = self._backend
        fields = {
            "opsets": dict(backend.opsets),
            "devices": list(backend.devices),
            "operators": list(backend.operators),
            "options": {name: option.help for name, option in backend.options.items()},
        }
        return fields, []

    def _load(self, request: Request) -> Answer:
        nanoseconds, loaded = self._make(request)
        number, self._next = self._next, self._next + 1
        self._loaded[number] = loaded
        return {"session": number, "nanoseconds": nanoseconds}, []

    def _probe(self, request: Request) -> Answer:
        _, loaded = self._make(request)
        self._backend.unload(loaded.session)
        return {}, []

    def _profile(self, request: Request) -> Answer:
        runs = request.count("runs")
        if not 1 <= runs <= MAX_PROFILED:
            raise malformed(f"{runs} runs requested, expected 1 to {MAX_PROFILED}")
        entries = request.items("inputs", [])
        model, unpacked = self._model_of(request)
        model.signature.check(request.declared(entries))
        inputs = model.constants
        if not self._backend.wants_inputs_at_load:
            model.constants = {}
        try:
            return self._backend.profile(model, self._options, inputs, runs).fields(), []
        finally:
            for folder in (unpacked, model.place):
                if folder is not None:
                    folder.cleanup()

    def _make(self, request: Request) -> tuple[int, _Loaded]:
        model, unpacked = self._model_of(request)
        nanoseconds, session = measured(partial(self._backend.load, model, self._options))
        return nanoseconds, _Loaded(session, model.signature, [unpacked, model.place])

    def _model_of(self, request: Request) -> tuple[Model, tempfile.TemporaryDirectory[str] | None]:
        """The model of a request with its inputs as constants, and the folder of its files."""
        data = request.model()
        files = [file_of(entry, request) for entry in request.items("files", [])]
        constants = request.values(request.items("inputs", []))
        folder = request.text("folder")
        request.finish()
        unpacked = unpack(files) if files else None
        place = unpacked.name if unpacked else folder
        signature = Signature.of(onnx.load_model_from_string(data))
        return Model(data, signature, Path(place) if place else None, constants), unpacked

    def _placement(self, request: Request) -> Answer:
        loaded = self._model(request)
        placed = self._backend.placement(loaded.session)
        rows = [{"node": row.node, "operator": row.operator, "provider": row.provider} for row in placed]
        return {"placement": rows}, []

    def _run(self, request: Request) -> Answer:
        loaded = self._model(request)
        entries = request.items("inputs")
        inputs = request.values(entries)
        wanted = request.names("outputs")
        request.finish()
        loaded.signature.check(request.declared(entries))
        nanoseconds, outputs = measured(partial(self._backend.run, loaded.session, inputs))
        entries, blobs = encode_outputs(outputs, loaded.signature, wanted)
        return {"outputs": entries, "nanoseconds": nanoseconds}, blobs

    def _bench(self, request: Request) -> Answer:
        loaded = self._model(request)
        warmup, iterations = request.count("warmup"), request.count("iterations")
        sets = request.items("sets")
        _check_bench(warmup, iterations, sets)
        inputs = [request.values(blobs) for blobs in sets]
        request.finish()
        for blobs in sets:
            loaded.signature.check(request.declared(blobs))
        kept: dict[str, Blobs] = {}

        def see(number: int, outputs: object) -> None:
            for name in ["first"] * (number == 0) + ["last"] * (number == iterations - 1):
                kept[name] = encode_outputs(outputs, loaded.signature)

        run = partial(self._backend.run, loaded.session)
        with without_collector():
            before = bench(run, warmup, inputs, lambda *_: None)
            times = bench(run, iterations, inputs, see)
        (first, some), (last, more) = kept["first"], kept["last"]
        fields = {"warmup_nanoseconds": before, "nanoseconds": times, "first": first, "last": last}
        return fields, some + more

    def _unload(self, request: Request) -> Answer:
        loaded = self._model(request)
        del self._loaded[request.session()]
        self._backend.unload(loaded.session)
        return {}, []

    def _model(self, request: Request) -> _Loaded:
        number = request.session()
        if number not in self._loaded:
            raise Refused("unknown_session", f"session {number} is not loaded")
        return self._loaded[number]


def _check_bench(warmup: int, iterations: int, sets: list[Any]) -> None:
    if iterations == 0:
        raise malformed("at least one iteration is needed")
    if not sets or not all(isinstance(blobs, list) for blobs in sets):
        raise malformed("at least one set of inputs is needed, an empty one for a model without inputs")
    if warmup + iterations > MAX_RUNS:
        raise malformed(f"{warmup + iterations} runs requested, the maximum is {MAX_RUNS}; send several requests")


def failed(error: BaseException, stage: str, unsupported: tuple[type[BaseException], ...] = ()) -> dict[str, Any]:
    """Makes the answer for an exception. The traceback is logged."""
    _LOG.info("%s", "".join(traceback.format_exception(error)))
    fields: dict[str, str] = {}
    if isinstance(error, BackendError):
        kind, message, fields = error.kind, str(error), error.fields()
    elif isinstance(error, MemoryError):
        kind, message = "out_of_memory", f"MemoryError: {error}"
    else:
        kind = "unsupported" if isinstance(error, unsupported) else stage
        message = f"{type(error).__name__}: {error}"
    return {"answer": "failed", "error": {"kind": kind, "message": _short(message), **fields}}


def _short(message: str) -> str:
    """Shortens a message so that it fits into a header."""
    text = message.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= _MAX_MESSAGE else text[: _MAX_MESSAGE - 1] + "…"
