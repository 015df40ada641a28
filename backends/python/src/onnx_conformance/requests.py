"""The fields of a request. Every invalid field is a refusal."""

from __future__ import annotations

import json
from typing import Any

from .errors import Refused, malformed
from .value_types import ValueType, parse_type
from .values import Value, decode_value


class HeaderError(Exception):
    """A header without a valid id, so that no answer is possible."""


class Request:
    """A request: its id, name and fields, and its blobs, which are taken from the payload in order."""

    def __init__(self, header: bytes, payload: bytes) -> None:
        self.fields = _header(header)
        self.id: int = self.fields["id"]
        self.name: str = self.fields["request"]
        self._payload = payload
        self._taken = 0

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
        """Refuses the request if bytes of the payload are left. Called after all blobs are taken."""
        left = len(self._payload) - self._taken
        if left:
            raise malformed(f"the payload has {left} bytes that the header does not describe")

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
        location, count = entry.get("location"), entry.get("bytes")
        if isinstance(location, str) and type(count) is int and count >= 0:
            return location, request.take(location, count)
    raise Refused("malformed", f"message `{request.name}`: a file without location or length")
