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
from .requests import HeaderError, Request
from .service import Answer, Service, failed
from .values import Value

LOG_LEVEL = "ONNX_CONFORMANCE_LOG"
"""The variable that says how much is logged to stderr: `info` adds the traceback of each error."""
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
    """Serves a backend until the harness says `shutdown` or closes the channel; then the process ends.

    Either with an object of a subclass of `Backend`, or with two functions and what `Backend` has as attributes:

    >>> def load(model, options):
    ...     return onnx.reference.ReferenceEvaluator(model.proto())
    >>> def run(session, inputs):
    ...     return session.run(None, inputs)
    >>> serve(load, run, name="onnx_reference", version=onnx.__version__)  # doctest: +SKIP

    The arguments of the process are the options, each as `--opt key=value`. If one is wrong, or the runtime is
    missing, this is the answer to every request, so that the harness can tell a person.
    """
    backend = first if isinstance(first, Backend) else FunctionBackend(first, run, description)
    if started_by_hand():
        sys.stderr.write("this is a worker of onnx-conformance: it is started by the harness, not by hand\n")
        sys.exit(_NO_CHANNEL)
    try:
        source, sink = open_channel()
    except ChannelError as error:
        sys.stderr.write(f"no channel to the harness: {error}\n")
        sys.exit(_NO_CHANNEL)
    _prepare_process()
    try:
        answer_all(source, sink, answerer(backend, sys.argv[1:]))
    except (FrameError, HeaderError, OSError) as error:
        sys.stderr.write(f"the channel to the harness broke: {error}\n")
        sys.exit(_BROKEN_CHANNEL)
    sys.exit(0)


def _prepare_process() -> None:
    logging.basicConfig(stream=sys.stderr, level=os.environ.get(LOG_LEVEL, "warning").upper())
    with contextlib.suppress(ValueError, OSError):
        # The stack of a crash in native code goes to the report by way of stderr.
        faulthandler.enable(sys.stderr)
    # The harness cancels by this signal, and kills 100 ms later: there is no time to tidy up, and no need to.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def answerer(backend: Backend, arguments: Sequence[str]) -> Callable[[Request], Answer]:
    """What answers the requests: the backend, or the error by which it did not start."""
    try:
        options = parse_options(arguments, backend.options)
        backend.start(options)
    except Exception as error:
        kind = "missing" if not isinstance(error, BackendError) else error.kind
        refusal = failed(error, kind), list[bytes]()
        return lambda _: refusal
    return Service(backend, options).answer


def answer_all(source: Source, sink: Sink, answer: Callable[[Request], Answer]) -> None:
    """Answers requests one after the other until `shutdown` or the end of the channel.

    Raises FrameError or HeaderError where there is no id to answer to.
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
