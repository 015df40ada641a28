"""The outputs of a run as the protocol transfers them: in the order of the graph, without conversion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import RunError
from .model import Signature
from .values import encode_value

Blobs = tuple[list[dict[str, Any]], list[bytes]]


def encode_outputs(outputs: object, signature: Signature, wanted: Sequence[str] | None = None) -> Blobs:
    """Returns the header entries and the blobs of the requested outputs; of all if `wanted` is None."""
    entries, blobs = [], []
    for name, value in _in_order(outputs, list(signature.outputs)):
        if wanted is not None and name not in wanted:
            continue
        try:
            value_type, blob = encode_value(value, signature.outputs[name], name)
        except (ValueError, TypeError, OverflowError) as error:
            raise RunError(f"output `{name}`: {error}") from error
        entries.append({"name": name, "type": str(value_type), "bytes": len(blob)})
        blobs.append(blob)
    return entries, blobs


def _in_order(outputs: object, names: list[str]) -> list[tuple[str, object]]:
    if isinstance(outputs, Mapping):
        missing = [name for name in names if name not in outputs]
        unknown = [name for name in outputs if name not in names]
        if missing or unknown:
            raise RunError(f"expected the outputs {names}, got {list(outputs)}")
        return [(name, outputs[name]) for name in names]
    if not isinstance(outputs, Sequence) or isinstance(outputs, (str, bytes)):
        raise RunError(f"expected a list or a dict of outputs, got a {type(outputs).__name__}")
    if len(outputs) != len(names):
        raise RunError(f"expected {len(names)} outputs, got {len(outputs)}")
    return list(zip(names, outputs, strict=True))
