"""External data from the channel, written to files that a runtime can open."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from .errors import LoadError


def unpack(files: list[tuple[str, bytes]]) -> tempfile.TemporaryDirectory[str]:
    """Writes the files to a new folder. The harness removes `TMPDIR`, so nothing remains if the worker is killed."""
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
    """Returns a location as a path. Raises LoadError if it is outside of its folder."""
    path = PurePosixPath(location)
    if not location or path.is_absolute() or ".." in path.parts or "\0" in location:
        raise LoadError(f"external file `{location}` is outside of the folder")
    return path
