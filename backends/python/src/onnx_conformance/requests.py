"""The fields of a request. Every invalid field is a refusal."""

from __future__ import annotations

import json
from typing import Any

from .errors import Refused, malformed
from .store import Store, is_sha256, sha256
from .value_types import ValueType, parse_type
from .values import Value, decode_value


class HeaderError(Exception):
    """A header without a valid id, so that no answer is possible."""


class NotStored(Exception):
    """The store does not have bytes that the header names by digest. The answer has these digests."""

    def __init__(self, digests: list[str]) -> None:
        super().__init__(", ".join(digests))
        self.digests = digests


class Request:
    """A request: its id, name and fields, and its blobs, which are taken from the payload in order."""

    def __init__(self, header: bytes, payload: bytes) -> None:
        self.fields = _header(header)
        self.id: int = self.fields["id"]
        self.name: str = self.fields["request"]
        self._payload = payload
        self._taken = 0
        self.store: Store | None = None
        """Where bytes are found that the header names by digest."""
        self._missing: list[str] = []

    def count(self, field: str, default: int | None = None) -> int:
        """Returns a non-negative integer."""
        number = self._get(field, default)
        if not _is_count(number):
            raise malformed(f"message `{self.name}`: field `{field}` is not a non-negative integer")
        return int(number)

    def session(self) -> int:
        """Returns the number of the session."""
        return self.count("session")

    def items(self, field: str, default: list[Any] | None = None) -> list[Any]:
        """Returns a list; the field is required if there is no default."""
        found = self._get(field, default)
        if not isinstance(found, list):
            raise malformed(f"message `{self.name}`: field `{field}` is not a list")
        return found

    def text(self, field: str) -> str | None:
        """Returns text, or None if the field is missing."""
        found = self.fields.get(field)
        if found is not None and not isinstance(found, str):
            raise malformed(f"message `{self.name}`: field `{field}` is not text")
        return found

    def names(self, field: str) -> list[str] | None:
        """Returns a list of names, or None if the field is missing."""
        if self.fields.get(field) is None:
            return None
        found = self.items(field)
        if not all(isinstance(name, str) for name in found):
            raise malformed(f"message `{self.name}`: field `{field}` is not a list of names")
        return found

    def take(self, what: str, count: int) -> bytes:
        """Takes the next blob of the payload."""
        left = len(self._payload) - self._taken
        if count > left:
            raise malformed(f"`{what}` has {count} bytes in the header, but the payload has {left} left")
        start, self._taken = self._taken, self._taken + count
        return self._payload[start : self._taken]

    def model(self) -> bytes:
        """Takes the model of `load` or `probe`."""
        return self.file("model", self._get("model", None))

    def file(self, what: str, part: object) -> bytes:
        """Takes the bytes of a model or of an external file: from the payload, or by digest from the store."""
        if type(part) is int and _is_count(part):
            return self.take(what, part)
        named = part if isinstance(part, dict) else {}
        digest, count = named.get("sha256"), named.get("bytes")
        if type(count) is not int or count < 0:
            raise malformed(f"message `{self.name}`: field `{what}` is not a non-negative integer")
        if not isinstance(digest, str) or not is_sha256(digest):
            raise malformed(f"`{what}`: expected a SHA-256 of 64 lower-case hexadecimal digits")
        if self.store is None:
            raise malformed(f"`{what}` is named by a digest, but this worker has offered no store")
        if named.get("sent") is True:
            data = self.take(what, count)
            if sha256(data) != digest:
                raise malformed(f"`{what}` has the SHA-256 {sha256(data)}, the header says {digest}")
            self.store.keep(digest, data)
            return data
        found = self.store.find(digest, count)
        if found is None:
            self._missing.append(digest)
        return found or b""

    def values(self, blobs: list[Any]) -> dict[str, Value]:
        """Decodes the values that the header describes."""
        found: dict[str, Value] = {}
        for blob in blobs:
            name, value_type, count = _blob(blob, self.name)
            if name in found:
                raise malformed(f"message `{self.name}`: two values have the name `{name}`")
            data = self.take(name, count)
            try:
                found[name] = decode_value(data, parse_type(value_type))
            except ValueError as error:
                raise malformed(f"value `{name}`: {error}") from error
        return found

    def declared(self, blobs: list[Any]) -> dict[str, ValueType]:
        """Returns the types of the values that the header describes."""
        return {name: parse_type(value_type) for name, value_type, _ in (_blob(blob, self.name) for blob in blobs)}

    def finish(self) -> None:
        """Refuses the request if bytes of the payload are left. Called after all blobs are taken.

        Raises NotStored if bytes that the header names by digest are missing.
        """
        left = len(self._payload) - self._taken
        if left:
            raise malformed(f"the payload has {left} bytes that the header does not describe")
        if self._missing:
            raise NotStored(self._missing)

    def _get(self, field: str, default: Any) -> Any:
        found = self.fields.get(field, default)
        if found is None:
            raise malformed(f"message `{self.name}`: missing field `{field}`")
        return found


def _is_count(number: object) -> bool:
    return type(number) is int and 0 <= number < 1 << 64


def _header(header: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise HeaderError(f"the header is not a message: {error}") from error
    if not isinstance(fields, dict) or not _is_count(fields.get("id")) or not isinstance(fields.get("request"), str):
        raise HeaderError("the header is not a message: it has no id or no name")
    return fields


def _blob(blob: object, request: str) -> tuple[str, str, int]:
    if isinstance(blob, dict):
        name, value_type, count = blob.get("name"), blob.get("type"), blob.get("bytes")
        if isinstance(name, str) and isinstance(value_type, str) and type(count) is int and count >= 0:
            return name, value_type, count
    raise malformed(f"message `{request}`: a value without name, type or length")


def file_of(entry: object, request: Request) -> tuple[str, bytes]:
    """Returns an external file of `load` or `probe`: its location and content."""
    if isinstance(entry, dict):
        location, part = entry.get("location"), entry.get("bytes")
        if isinstance(location, str) and part is not None:
            return location, request.file(location, part)
    raise Refused("malformed", f"message `{request.name}`: a file without location or length")
