"""What a backend is: it describes itself, loads models and runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .model import Model
from .options import Option, Setting
from .values import Value

Options: TypeAlias = Mapping[str, Setting]
Outputs: TypeAlias = Mapping[str, object] | Sequence[object]
"""All outputs: by name, or in the order of the graph."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a node ran: its name or first output, its operator, and the device or execution provider."""

    node: str
    provider: str
    operator: str | None = None


class Backend:
    """A runtime under test. Set the attributes that apply, and write `load` and `run`.

    >>> class Double(Backend):
    ...     name, version = "double", "1.0"
    ...
    ...     def load(self, model, options):
    ...         return model.signature
    ...
    ...     def run(self, session, inputs):
    ...         return [2 * value for value in inputs.values()]
    >>> serve(Double())  # doctest: +SKIP
    """

    name = "python"
    """Short name of the runtime."""
    version = ""
    """The runtime's own version."""
    build = ""
    """How it was built and from where it was loaded; free text."""
    provider = ""
    """The device or execution provider that models are meant to run on. Whoever names one has `placement`."""
    wants_inputs_at_load = False
    """Whether `Model.constants` is wanted."""
    opsets: Mapping[str, int] = {}
    """The highest opset for each domain; `""` is `ai.onnx`."""
    devices: Sequence[str] = ()
    """Devices or execution providers at hand."""
    operators: Sequence[str] = ()
    """The operator versions it has: `Softmax-13`, `ai.onnx.ml.Scaler-1`."""
    options: Mapping[str, Option] = {}
    """The options that it understands. `threads` must be among them if its threads can be set."""
    unsupported: tuple[type[BaseException], ...] = ()
    """Exceptions of the runtime that say "not supported" by their type."""

    def start(self, options: Options) -> None:
        """Called once, before anything else: raise `Missing` if the runtime or its device is not there."""

    def load(self, model: Model, options: Options) -> Any:
        """Compiles a model; what it gives stands for the model in `run`. What goes wrong is a load error."""
        raise NotImplementedError

    def run(self, session: Any, inputs: dict[str, Value]) -> Outputs:
        """Runs once; only this is timed. An omitted optional input is not among `inputs`."""
        raise NotImplementedError

    def placement(self, session: Any) -> Sequence[Placement]:
        """Which node runs where, if the runtime can tell."""
        del session
        return ()

    def unload(self, session: Any) -> None:
        """Frees what does not free itself when the session is forgotten."""


class FunctionBackend(Backend):
    """A backend of two functions."""

    def __init__(self, load: Any, run: Any, description: Mapping[str, Any]) -> None:
        unknown = [name for name in description if not hasattr(Backend, name)]
        if unknown:
            raise TypeError(f"serve() has no argument `{unknown[0]}`")
        for name, value in description.items():
            setattr(self, name, value)
        self._load, self._run = load, run

    def load(self, model: Model, options: Options) -> Any:
        """Calls the first function."""
        return self._load(model, options)

    def run(self, session: Any, inputs: dict[str, Value]) -> Outputs:
        """Calls the second function."""
        outputs: Outputs = self._run(session, inputs)
        return outputs
