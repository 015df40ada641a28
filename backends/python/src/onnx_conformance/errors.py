"""What a backend raises to say why it did not do what it was asked.

Any other exception is an error of the stage in which it was raised: `load` or `run`.
"""

from __future__ import annotations


class BackendError(Exception):
    """A failure of a kind that the protocol knows. `kind` decides the verdict of the case."""

    kind = "run"

    def fields(self) -> dict[str, str]:
        """The fields of the error beside its kind and message."""
        return {}


class Unsupported(BackendError):
    """The backend knows that it cannot do this: an operator, a version, an element type, a feature.

    >>> raise Unsupported("Softmax of opset 13 for bfloat16", operator="Softmax")
    Traceback (most recent call last):
    onnx_conformance.errors.Unsupported: Softmax of opset 13 for bfloat16

    Raise it only for what you know. A failure without a type is an error, and the report counts it as one.
    """

    kind = "unsupported"

    def __init__(self, message: str, operator: str | None = None) -> None:
        super().__init__(message)
        self.operator = operator

    def fields(self) -> dict[str, str]:
        """The operator, where the refusal is about one."""
        return {} if self.operator is None else {"operator": self.operator}


class LoadError(BackendError):
    """The model cannot be loaded. Any other exception in `load` says the same."""

    kind = "load"


class RunError(BackendError):
    """The model cannot be run. Any other exception in `run` says the same."""

    kind = "run"


class OutOfMemory(BackendError):
    """An allocation failed. `MemoryError` says the same."""

    kind = "out_of_memory"


class Missing(BackendError):
    """The runtime or the device is not there. The run ends with exit code 6 and this message."""

    kind = "missing"


class OptionError(BackendError):
    """An option that is not known, or a value that it cannot take. The run ends with exit code 6."""

    kind = "option"

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option

    def fields(self) -> dict[str, str]:
        """The option."""
        return {"option": self.option}


class Refused(Exception):
    """The request itself is at fault; `reason` is one of the protocol's."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def malformed(message: str) -> Refused:
    """A request whose fields are missing or wrong, or whose values cannot be decoded."""
    return Refused("malformed", message)
