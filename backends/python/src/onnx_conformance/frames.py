"""Frames: what lies on the channel (docs/protocol.md, "Frames").

No memory is taken for a length before its bytes have arrived.
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
    """What came over the channel is no frame, or a frame would be too long."""


class Source(Protocol):
    """Where frames are read from: a file opened in binary mode."""

    def read(self, count: int, /) -> bytes | None:
        """At most `count` bytes; nothing at the end."""
        ...


class Sink(Protocol):
    """Where frames are written to: a file opened in binary mode."""

    def write(self, data: bytes, /) -> object:
        """Takes all bytes."""
        ...

    def flush(self) -> object:
        """Sends what is buffered."""
        ...


def read_frame(source: Source) -> tuple[bytes, bytes] | None:
    """Waits for a frame; gives its header and payload, or None where the channel ends between two frames."""
    first = source.read(PRELUDE.size) or b""
    if not first:
        return None
    prelude = first + _read(source, PRELUDE.size - len(first))
    magic, layout, header, payload = PRELUDE.unpack(prelude)
    if magic != MAGIC:
        raise FrameError(f"no frame: it starts with {magic!r}, not with the magic bytes")
    if layout != LAYOUT:
        raise FrameError(f"frame layout {layout} is unknown; this side knows layout {LAYOUT}")
    _check("header", header, MAX_HEADER)
    _check("payload", payload, MAX_PAYLOAD)
    return _read(source, header), _read(source, payload)


def write_frame(sink: Sink, header: bytes, blobs: Sequence[bytes] = ()) -> None:
    """Writes a frame whose payload is the blobs end to end, and flushes."""
    for part in (prelude(header, blobs) + header, *blobs):
        sink.write(part)
    sink.flush()


def prelude(header: bytes, blobs: Sequence[bytes]) -> bytes:
    """The bytes before the header. Raises FrameError if the frame would be too long."""
    payload = sum(map(len, blobs))
    _check("header", len(header), MAX_HEADER)
    _check("payload", payload, MAX_PAYLOAD)
    return PRELUDE.pack(MAGIC, LAYOUT, len(header), payload)


def _check(part: str, found: int, most: int) -> None:
    if found > most:
        raise FrameError(f"a {part} of {found} bytes is announced, {most} are allowed")


def _read(source: Source, count: int) -> bytes:
    """Exactly `count` bytes; memory grows with what arrives."""
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
            raise FrameError(f"torn frame: the channel ended {missing} bytes before the next boundary")
        buffer += data
    return bytes(buffer)
