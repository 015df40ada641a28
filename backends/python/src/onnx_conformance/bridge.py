"""A worker over any module with the interface of `onnx.backend.base`.

    python -m onnx_conformance.bridge MODULE[:DEVICE]

The harness starts it for `--backend onnx-backend:MODULE[:DEVICE]`. The module, or a class that the text names after it,
has `prepare`, and may have `is_compatible` and `supports_device`:

    onnx-backend:onnxruntime.backend
    onnx-backend:my_package.backend.MyBackend:CUDA:1

A model is unsupported if `is_compatible` says so, or if the module raises `unittest.SkipTest` (as the test runner of
`onnx` has it) or `NotImplementedError`. Whatever else it raises is an error.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import unittest
from types import ModuleType
from typing import Any

import numpy as np

from .backend import Backend, Options
from .errors import Missing, RunError, Unsupported
from .model import Model, Signature
from .values import Value
from .worker import serve

_USAGE = "use: python -m onnx_conformance.bridge MODULE[:DEVICE]\n"


class Bridge(Backend):
    """The backend behind a module; `text` is `MODULE` or `MODULE:DEVICE`."""

    unsupported = (NotImplementedError, unittest.SkipTest)

    def __init__(self, text: str) -> None:
        self._path, _, device = text.partition(":")
        self._device = device or "CPU"
        self._module: Any = None
        self.name = f"onnx-backend:{text}"
        self.devices = (self._device,)

    def start(self, options: Options) -> None:
        """Imports the module and asks for the device."""
        del options
        self._module = _imported(self._path)
        self.version, self.build = _version(self._path), str(getattr(self._module, "__file__", ""))
        supports = getattr(self._module, "supports_device", None)
        if supports is not None and not supports(self._device):
            raise Missing(f"`{self._path}` does not support the device {self._device}")

    def load(self, model: Model, options: Options) -> tuple[Any, Signature]:
        """Prepares a model that the module does not decline."""
        del options
        proto = model.proto()
        compatible = getattr(self._module, "is_compatible", None)
        if compatible is not None and not compatible(proto, self._device):
            raise Unsupported(f"`{self._path}` says that the model is not compatible with it")
        prepared = self._module.prepare(proto, self._device)
        if prepared is None:
            raise Unsupported(f"`{self._path}` prepares nothing of this model")
        return prepared, model.signature

    def run(self, session: tuple[Any, Signature], inputs: dict[str, Value]) -> list[object]:
        """Runs with the inputs by their positions, which is all that the interface knows."""
        prepared, signature = session
        missing = [name for name in signature.inputs if name not in inputs]
        if missing:
            raise RunError(f"input `{missing[0]}` is not given, and the interface knows inputs by position only")
        if len(inputs) != len(signature.inputs):
            raise Unsupported("values over initializers: the interface of onnx.backend.base has no names for them")
        outputs = prepared.run([inputs[name] for name in signature.inputs])
        if not isinstance(outputs, (list, tuple)):
            raise RunError(f"the module gave a {type(outputs).__name__}, expected a tuple of outputs")
        # Arrays of a device are done only when they are copied: that belongs to the run.
        return [_settled(output) for output in outputs]


def _settled(output: object) -> object:
    foreign = hasattr(output, "__array__") and not isinstance(output, (np.ndarray, np.generic))
    return np.asarray(output) if foreign else output


def _imported(path: str) -> Any:
    """The module of this name, or what lies in one: `package.module.Class`."""
    found, rest = _module(path)
    for name in rest:
        if not hasattr(found, name):
            raise Missing(f"module `{path}` does not import: `{found.__name__}` has no `{name}`")
        found = getattr(found, name)
    if not hasattr(found, "prepare"):
        raise Missing(f"`{path}` is no backend: it has no `prepare` (interface of onnx.backend.base)")
    return found


def _module(path: str) -> tuple[Any, list[str]]:
    """The longest module at the beginning of a path, and the names that follow."""
    names = path.split(".")
    for count in range(len(names), 0, -1):
        name = ".".join(names[:count])
        try:
            module: ModuleType = importlib.import_module(name)
        except Exception as error:
            if count > 1 and _is_absent(name, error):
                continue
            message = f"module `{path}` does not import ({sys.executable}): {type(error).__name__}: {error}"
            raise Missing(message) from error
        return module, names[count:]
    raise Missing(f"`{path}` names no module; {_USAGE.strip()}")


def _is_absent(name: str, error: Exception) -> bool:
    """Whether this very module, or a package around it, is not there; not one that it imports."""
    return isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}.")


def _version(path: str) -> str:
    """The version of the package that a module belongs to; empty where it has none."""
    top = path.partition(".")[0]
    found = getattr(sys.modules.get(top), "__version__", None)
    if found is not None:
        return str(found)
    try:
        return importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        return ""


def main() -> None:
    """Serves the module that the first argument names."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("--"):
        sys.stderr.write(_USAGE)
        sys.exit(2)
    serve(Bridge(sys.argv.pop(1)))


if __name__ == "__main__":
    main()
