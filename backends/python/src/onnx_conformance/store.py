"""Models and files of external data on the disk of the worker, by their SHA-256 (docs/protocol.md, "Store")."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import tempfile
from pathlib import Path

FOLDER = "ONNX_CONFORMANCE_STORE"
"""Environment variable with the folder; by default in the user's cache folder."""
SIZE = "ONNX_CONFORMANCE_STORE_BYTES"
"""Environment variable with the maximum size in bytes."""
DEFAULT_SIZE = 4 << 30
_NEW = "new-"
_LOG = logging.getLogger("onnx_conformance")
_DIGEST = re.compile("[0-9a-f]{64}")


def sha256(data: bytes) -> str:
    """The SHA-256 of bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def is_sha256(text: object) -> bool:
    """Whether this is a SHA-256 in 64 lower-case hexadecimal digits."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


class Store:
    """A folder with files that are named by their SHA-256."""

    def __init__(self, folder: Path, size: int = DEFAULT_SIZE) -> None:
        """Makes the folder. Raises OSError if that is not possible."""
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(prefix=_NEW, dir=folder).close()
        self._folder, self._size = folder, size

    @staticmethod
    def open() -> Store | None:
        """The store of this machine; None if its folder cannot be made. The reason is logged."""
        home = os.environ.get("HOME")
        cache = os.environ.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else tempfile.gettempdir())
        folder = os.environ.get(FOLDER) or f"{cache}/onnx-conformance/store"
        try:
            return Store(Path(folder), int(os.environ.get(SIZE) or DEFAULT_SIZE))
        except (OSError, ValueError) as error:
            _LOG.warning("no store of models: `%s`: %s", folder, error)
            return None

    def find(self, digest: str, count: int) -> bytes | None:
        """Returns the bytes with this digest and length, if they are kept and undamaged."""
        path = self._folder / digest
        try:
            data = path.read_bytes() if path.stat().st_size == count else b""
            if len(data) != count or sha256(data) != digest:
                path.unlink()
                return None
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return data

    def keep(self, digest: str, data: bytes) -> None:
        """Keeps bytes, if there is room. A failure is not an error: they are sent again."""
        if len(data) > self._size:
            return
        try:
            self._make_room(self._size - len(data))
            with tempfile.NamedTemporaryFile(prefix=_NEW, dir=self._folder, delete=False) as file:
                file.write(data)
            Path(file.name).replace(self._folder / digest)
        except OSError as error:
            _LOG.warning("the store of models `%s`: %s", self._folder, error)

    def _make_room(self, size: int) -> None:
        """Removes the files that were used least recently until the others have at most `size` bytes."""
        kept = []
        for path in self._folder.iterdir():
            if is_sha256(path.name) or path.name.startswith(_NEW):
                with contextlib.suppress(FileNotFoundError):
                    found = path.stat()
                    kept.append((found.st_mtime_ns, found.st_size, path))
        total = sum(length for _, length, _ in kept)
        for _, length, path in sorted(kept):
            if total <= size:
                break
            path.unlink(missing_ok=True)
            total -= length
