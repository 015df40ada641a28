"""The main loop of a worker."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, overload

from .backend import Backend, FunctionBackend, Options, Outputs
from .channel import ChannelError, open_channel, started_by_hand
from .errors import BackendError
from .frames import FrameError, Sink, Source, prelude, read_frame, write_frame
from .model import Model
from .options import parse_options
from .orphan import end_with_channel
from .requests import HeaderError, Request
from .service import Answer, Service, failed
from .values import Value

LOG_LEVEL = "ONNX_CONFORMANCE_LOG"
"""Environment variable with the log level of stderr: `info` adds the traceback of each error."""
_NO_CHANNEL = 2
_BROKEN_CHANNEL = 3


@overload
def serve(backend: Backend, /) -> NoReturn: ...
@overload
def serve(
    load: Callable[[Model, Options], Any],
    run: Callable[[Any, dict[str, Value]], Outputs],
    /,
    **description: Any,
) -> NoReturn: ...
def serve(first: Any, run: Any = None, /, **description: Any) -> NoReturn:
    """Serves a backend until the harness sends `shutdown` or closes the channel. Then the process ends.

    Call it with an object of a subclass of `Backend`, or with two functions and the attributes of `Backend`:

    >>> def load(model, options):
    ...     return onnx.reference.ReferenceEvaluator(model.proto())
    >>> def run(session, inputs):
    ...     return session.run(None, inputs)
    >>> serve(load, run, name="onnx_reference", version=onnx.__version__)  # doctest: +SKIP

    The arguments of the process are the options, each as `--opt key=value`. If one is invalid, or the runtime is
    missing, this error is the answer to every request, so the harness can show it.
    """
    backend = first if isinstance(first, Backend) else FunctionBackend(first, run, description)
    if started_by_hand():
        sys.stderr.write("this is a worker of onnx-conformance: the harness starts it\n")
        sys.exit(_NO_CHANNEL)
    try:
        source, sink = open_channel()
    except ChannelError as error:
        sys.stderr.write(f"no channel to the harness: {error}\n")
        sys.exit(_NO_CHANNEL)
    end_with_channel(source)
    _prepare_process()
    try:
        answer_all(source, sink, answerer(backend, sys.argv[1:]))
    except (FrameError, HeaderError, OSError) as error:
        sys.stderr.write(f"the channel to the harness failed: {error}\n")
        sys.exit(_BROKEN_CHANNEL)
    sys.exit(0)


def _prepare_process() -> None:
    logging.basicConfig(stream=sys.stderr, level=os.environ.get(LOG_LEVEL, "warning").upper())
    with contextlib.suppress(ValueError, OSError):
        # The stack of a crash in native code goes to stderr, and from there to the report.
        faulthandler.enable(sys.stderr)
    # The harness sends this signal to cancel, and kills the process 100 ms later: cleanup is not needed.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def answerer(backend: Backend, arguments: Sequence[str]) -> Callable[[Request], Answer]:
    """Returns the function that answers requests: the backend, or the error of its start."""
    try:
        options = parse_options(arguments, backend.options)
        backend.start(options)
    except Exception as error:
        kind = "missing" if not isinstance(error, BackendError) else error.kind
        refusal = failed(error, kind), list[bytes]()
        return lambda _: refusal
    return Service(backend, options).answer


def answer_all(source: Source, sink: Sink, answer: Callable[[Request], Answer]) -> None:
    """Answers requests in order until `shutdown` or the end of the channel.

    Raises FrameError or HeaderError if a request has no valid id.
    """
    while (frame := read_frame(source)) is not None:
        request = Request(*frame)
        del frame
        fields, blobs = answer(request)
        header = _header(request.id, fields)
        try:
            prelude(header, blobs)
        except FrameError as error:
            refusal = {"answer": "refused", "reason": "too_long", "message": str(error)}
            header, blobs = _header(request.id, refusal), []
        write_frame(sink, header, blobs)
        if request.name == "shutdown":
            break


def _header(number: int, fields: dict[str, Any]) -> bytes:
    return json.dumps({"id": number, **fields}, separators=(",", ":")).encode("utf-8")
