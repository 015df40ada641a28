"""External data that came over the channel, put where a runtime can open it."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from .errors import LoadError


def unpack(files: list[tuple[str, bytes]]) -> tempfile.TemporaryDirectory[str]:
    """Writes the files to a folder of their own. The harness removes `TMPDIR`, so nothing stays after a kill."""
    folder = tempfile.TemporaryDirectory(prefix="external-data-")
    for location, data in files:
        path = Path(folder.name) / inside(location)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except (OSError, ValueError) as error:
            raise LoadError(f"external file `{location}`: {error}") from error
    return folder


def inside(location: str) -> PurePosixPath:
    """A location that stays inside its folder. Raises LoadError."""
    path = PurePosixPath(location)
    if not location or path.is_absolute() or ".." in path.parts or "\0" in location:
        raise LoadError(f"external file `{location}` lies outside the folder")
    return path
