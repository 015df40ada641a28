"""The exceptions of a backend.

Any other exception is an error of the stage that raises it: `load` or `run`.
"""

from __future__ import annotations


class BackendError(Exception):
    """A failure of one of the protocol's kinds. `kind` decides the verdict of the case."""

    kind = "run"

    def fields(self) -> dict[str, str]:
        """The fields of the error other than its kind and message."""
        return {}


class Unsupported(BackendError):
    """The backend knows that it does not support this: an operator, a version, an element type, a feature.

    >>> raise Unsupported("Softmax of opset 13 for bfloat16", operator="Softmax")
    Traceback (most recent call last):
    onnx_conformance.errors.Unsupported: Softmax of opset 13 for bfloat16

    Raise it only for a known limitation. A failure without a type is an error, and the report counts it as an error.
    """

    kind = "unsupported"

    def __init__(self, message: str, operator: str | None = None) -> None:
        super().__init__(message)
        self.operator = operator

    def fields(self) -> dict[str, str]:
        """The operator concerned, if there is one."""
        return {} if self.operator is None else {"operator": self.operator}


class NotTaken(BackendError):
    """The runtime runs the model, but the requested provider or device does not take every node.

    Raise it only if no other provider may run the rest. The message names the first nodes that are not taken.
    """

    kind = "not_taken"


class LoadError(BackendError):
    """The model cannot be loaded. Any other exception in `load` has the same effect."""

    kind = "load"


class RunError(BackendError):
    """The model cannot be run. Any other exception in `run` has the same effect."""

    kind = "run"


class OutOfMemory(BackendError):
    """An allocation failed. `MemoryError` has the same effect."""

    kind = "out_of_memory"


class Missing(BackendError):
    """The runtime or the device is not available. The run ends with exit code 6 and this message."""

    kind = "missing"


class OptionError(BackendError):
    """An option is unknown, or its value is invalid. The run ends with exit code 6."""

    kind = "option"

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option

    def fields(self) -> dict[str, str]:
        """The option."""
        return {"option": self.option}


class Refused(Exception):
    """The request is invalid; `reason` is one of the protocol's reasons."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def malformed(message: str) -> Refused:
    """The refusal of a request with missing or invalid fields, or with values that cannot be decoded."""
    return Refused("malformed", message)
