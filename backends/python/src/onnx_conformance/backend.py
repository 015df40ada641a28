"""The interface of a backend: it describes itself, loads models and runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .errors import Unsupported
from .model import Model
from .options import Option, Setting
from .profile import Profile
from .values import Value

Options: TypeAlias = Mapping[str, Setting]
Outputs: TypeAlias = Mapping[str, object] | Sequence[object]
"""All outputs: by name, or in the order of the graph."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The provider of a node: name or first output of the node, device or execution provider, operator."""

    node: str
    provider: str
    operator: str | None = None


class Backend:
    """A runtime under test. Set the attributes that apply, and implement `load` and `run`.

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
    """The short name of the runtime."""
    version = ""
    """The version of the runtime."""
    build = ""
    """How the runtime was built and where it was loaded from, as free text."""
    provider = ""
    """The device or execution provider meant to run the models. A backend that sets it implements `placement`."""
    wants_inputs_at_load = False
    """Whether the backend uses `Model.constants`."""
    opsets: Mapping[str, int] = {}
    """The highest opset of each domain; `""` is `ai.onnx`."""
    devices: Sequence[str] = ()
    """The available devices or execution providers."""
    operators: Sequence[str] = ()
    """The supported operator versions: `Softmax-13`, `ai.onnx.ml.Scaler-1`."""
    options: Mapping[str, Option] = {}
    """The options by name. If the number of threads can be set, `threads` must be one of them."""
    unsupported: tuple[type[BaseException], ...] = ()
    """Exception types of the runtime that mean "not supported"."""

    def start(self, options: Options) -> None:
        """Called once, before anything else. Raises `Missing` if the runtime or its device is not available."""

    def load(self, model: Model, options: Options) -> Any:
        """Loads a model and returns the session that `run` receives. A failure is a load error."""
        raise NotImplementedError

    def run(self, session: Any, inputs: dict[str, Value]) -> Outputs:
        """Runs the model once; only this is timed. `inputs` does not contain omitted optional inputs."""
        raise NotImplementedError

    def placement(self, session: Any) -> Sequence[Placement]:
        """Returns the provider of each node, if the runtime knows it."""
        del session
        return ()

    def profile(self, model: Model, options: Options, inputs: dict[str, Value], runs: int) -> Profile:
        """Loads a model, runs it once, and then measures the steps of `runs` runs."""
        del model, options, inputs, runs
        raise Unsupported("this worker reports no times of steps")

    def unload(self, session: Any) -> None:
        """Releases what is not released when the session is dropped."""


class FunctionBackend(Backend):
    """A backend made of two functions."""

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
