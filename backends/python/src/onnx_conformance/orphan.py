"""A worker whose harness is gone ends, even in the middle of a run.

On the same Linux machine the kernel ends a worker with its harness. Elsewhere (another system, the far end of
`ssh`) only the channel tells: its other end is closed.
"""

from __future__ import annotations

import os
import select
import threading
import time
from typing import BinaryIO

GRACE = 10.0
"""Seconds that the worker has to answer what it has read: recorded requests may be piped into a worker."""
_LEFT_ALONE = 4


def end_with_channel(source: BinaryIO) -> None:
    """Ends the process some seconds after the other side of `source` was closed."""
    if hasattr(select, "poll"):
        threading.Thread(target=_watch, args=[source.fileno()], daemon=True).start()


def _watch(descriptor: int) -> None:
    poller = select.poll()
    poller.register(descriptor, 0)
    if any(event & select.POLLHUP for _, event in poller.poll()):
        time.sleep(GRACE)
        os._exit(_LEFT_ALONE)
