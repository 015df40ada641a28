"""The file descriptors of a worker's channel (docs/protocol.md, "Channel")."""

from __future__ import annotations

import os
import stat
import sys
from typing import BinaryIO

FD_IN = "ONNX_CONFORMANCE_FD_IN"
FD_OUT = "ONNX_CONFORMANCE_FD_OUT"


class ChannelError(Exception):
    """The environment variables contain descriptors that are not open pipes."""


def started_by_hand() -> bool:
    """Whether the worker was started in a terminal."""
    return FD_IN not in os.environ and sys.stdin is not None and sys.stdin.isatty()


def open_channel() -> tuple[BinaryIO, BinaryIO]:
    """Opens the streams for requests and answers. Call it once, before anything is printed.

    The channel is the pair of pipes in the environment variables, or else stdin and stdout. Then 0 reads from the
    null device and 1 writes to stderr, so that a library that prints cannot corrupt a frame.
    """
    names = os.environ.get(FD_IN), os.environ.get(FD_OUT)
    if names[0] is not None and names[1] is not None:
        source, sink = _inherited(FD_IN, names[0]), _inherited(FD_OUT, names[1])
    else:
        source, sink = _moved_aside()
    for descriptor in (source, sink):
        os.set_inheritable(descriptor, False)
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


def _inherited(variable: str, text: str) -> int:
    hint = f"{variable}={text} is not an open pipe; unset both variables to use stdin and stdout"
    try:
        descriptor = int(text)
        mode = os.fstat(descriptor).st_mode
    except (ValueError, OverflowError, OSError) as error:
        raise ChannelError(hint) from error
    if descriptor < 3 or not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise ChannelError(hint)
    return descriptor


def _moved_aside() -> tuple[int, int]:
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, sink
