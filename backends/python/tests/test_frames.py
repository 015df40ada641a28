"""Frames: complete ones are read in pieces of any size, all others are errors, no length allocates memory."""

from __future__ import annotations

import io
import struct
import tracemalloc

import pytest

from onnx_conformance.frames import MAX_PAYLOAD, FrameError, prelude, read_frame, write_frame

from .harness_side import MAGIC, frame

WHOLE = frame(b"{}", b"12345")


class Drips(io.RawIOBase):
    """Returns at most `size` bytes at once, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__()
        self._rest, self._size = data, size

    def read(self, count: int = -1, /) -> bytes:
        taken, self._rest = self._rest[: min(count, self._size)], self._rest[min(count, self._size) :]
        return taken


@pytest.mark.parametrize("size", range(1, len(WHOLE) + 1))
def test_a_frame_in_pieces_of_any_size_is_read(size: int) -> None:
    source = Drips(WHOLE + WHOLE, size)
    assert read_frame(source) == (b"{}", b"12345")
    assert read_frame(source) == (b"{}", b"12345")
    assert read_frame(source) is None


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_a_truncated_frame_is_an_error(length: int) -> None:
    with pytest.raises(FrameError, match="truncated frame"):
        read_frame(io.BytesIO(WHOLE[:length]))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"Loading the model, please wait", "not a frame: it starts with b'Loading '"),
        (MAGIC + struct.pack("<IIQ", 2, 2, 0) + b"{}", "frame layout 2 is unknown"),
        (MAGIC + struct.pack("<IIQ", 1, (1 << 20) + 1, 0), "the header has 1048577 bytes"),
        (MAGIC + struct.pack("<IIQ", 1, 2, (2 << 30) + 1), "the payload has 2147483649 bytes"),
        (MAGIC + struct.pack("<IIQ", 1, 2, 2**64 - 1), "the payload has 18446744073709551615 bytes"),
    ],
)
def test_invalid_frames_have_their_error(data: bytes, expected: str) -> None:
    with pytest.raises(FrameError) as error:
        read_frame(io.BytesIO(data))
    assert str(error.value).startswith(expected)


def test_no_memory_is_allocated_for_an_announced_length() -> None:
    tracemalloc.start()
    with pytest.raises(FrameError, match="truncated frame"):
        read_frame(io.BytesIO(MAGIC + struct.pack("<IIQ", 1, 2, 2 << 30) + b"{}" + b"x" * 1000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_frame_has_the_layout_of_the_document() -> None:
    sink = io.BytesIO()
    write_frame(sink, b"{}", [b"123", b"", b"45"])
    assert sink.getvalue() == WHOLE


def test_a_frame_that_is_too_long_is_not_written() -> None:
    with pytest.raises(FrameError, match="the header has"):
        prelude(bytes((1 << 20) + 1), [])

    class Long(bytes):
        def __len__(self) -> int:
            return MAX_PAYLOAD

    with pytest.raises(FrameError, match="the payload has"):
        prelude(b"", [Long(), b"x"])
