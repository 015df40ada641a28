"""Frames: the unit of transfer on the channel (docs/protocol.md, "Frames").

Memory is allocated for received bytes, never for an announced length.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

MAGIC = b"\x89ONXW\r\n\x1a"
LAYOUT = 1
MAX_HEADER = 1 << 20
MAX_PAYLOAD = 2 << 30
PRELUDE = struct.Struct("<8sIIQ")

_CHUNK = 1 << 20


class FrameError(Exception):
    """The channel delivered something that is not a frame, or a frame is too long."""


class Source(Protocol):
    """A source of frames: a file opened in binary mode."""

    def read(self, count: int, /) -> bytes | None:
        """Reads at most `count` bytes; returns no bytes at the end."""
        ...


class Sink(Protocol):
    """A sink of frames: a file opened in binary mode."""

    def write(self, data: bytes, /) -> object:
        """Writes all bytes."""
        ...

    def flush(self) -> object:
        """Sends the buffered bytes."""
        ...


def read_frame(source: Source) -> tuple[bytes, bytes] | None:
    """Waits for a frame. Returns its header and payload, or None if the channel ends between two frames."""
    first = source.read(PRELUDE.size) or b""
    if not first:
        return None
    prelude = first + _read(source, PRELUDE.size - len(first))
    magic, layout, header, payload = PRELUDE.unpack(prelude)
    if magic != MAGIC:
        raise FrameError(f"not a frame: it starts with {magic!r}, not with the magic bytes")
    if layout != LAYOUT:
        raise FrameError(f"frame layout {layout} is unknown; the supported layout is {LAYOUT}")
    _check("header", header, MAX_HEADER)
    _check("payload", payload, MAX_PAYLOAD)
    return _read(source, header), _read(source, payload)


def write_frame(sink: Sink, header: bytes, blobs: Sequence[bytes] = ()) -> None:
    """Writes a frame whose payload is the concatenated blobs, and flushes."""
    for part in (prelude(header, blobs) + header, *blobs):
        sink.write(part)
    sink.flush()


def prelude(header: bytes, blobs: Sequence[bytes]) -> bytes:
    """Returns the bytes before the header. Raises FrameError if the frame is too long."""
    payload = sum(map(len, blobs))
    _check("header", len(header), MAX_HEADER)
    _check("payload", payload, MAX_PAYLOAD)
    return PRELUDE.pack(MAGIC, LAYOUT, len(header), payload)


def _check(part: str, found: int, max_length: int) -> None:
    if found > max_length:
        raise FrameError(f"the {part} has {found} bytes, the limit is {max_length}")


def _read(source: Source, count: int) -> bytes:
    """Reads exactly `count` bytes; memory grows with the bytes received."""
    if count <= _CHUNK:
        data = source.read(count) if count else b""
        if data is not None and len(data) == count:
            return data
        buffer = bytearray(data or b"")
    else:
        buffer = bytearray()
    while (missing := count - len(buffer)) > 0:
        data = source.read(min(missing, _CHUNK))
        if not data:
            raise FrameError(f"truncated frame: the channel ended {missing} bytes too early")
        buffer += data
    return bytes(buffer)
