"""Write a worker of onnx-conformance in Python: the harness then runs the official tests of ONNX on your runtime.

A worker is a program that loads models and runs them when the harness says so. This package owns the protocol; what
is left are two functions:

>>> import onnx, onnx.reference
>>> from onnx_conformance import serve
>>> def load(model, options):
...     return onnx.reference.ReferenceEvaluator(model.proto())
>>> def run(session, inputs):
...     return session.run(None, inputs)
>>> serve(load, run, name="onnx_reference", version=onnx.__version__)  # doctest: +SKIP

- `serve`, `Backend`, `Model`, `Signature`, `Placement`: what a backend is.
- `Unsupported`, `OutOfMemory`, `Missing` and others: how it declines.
- `Option`, `THREADS`, `SPINNING`: its options.
- `SparseTensor`, `RawTensor`, `NARROW`, `narrow`, `view_as`: values that numpy lacks.
"""

from .backend import Backend, Options, Outputs, Placement
from .elements import NARROW
from .errors import BackendError, LoadError, Missing, OptionError, OutOfMemory, RunError, Unsupported
from .model import Model, Signature
from .options import SPINNING, THREADS, Option
from .tensors import RawTensor, narrow, view_as
from .value_types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseType,
    TensorType,
    ValueType,
    parse_type,
)
from .values import SparseTensor, Value
from .worker import serve

__version__ = "0.1.0"

__all__ = [
    "NARROW",
    "SPINNING",
    "THREADS",
    "Backend",
    "BackendError",
    "LoadError",
    "MapType",
    "Missing",
    "Model",
    "Option",
    "OptionError",
    "OptionalType",
    "Options",
    "OutOfMemory",
    "Outputs",
    "Placement",
    "RawTensor",
    "RunError",
    "SequenceType",
    "Signature",
    "SparseTensor",
    "SparseType",
    "TensorType",
    "Unsupported",
    "Value",
    "ValueType",
    "narrow",
    "parse_type",
    "serve",
    "view_as",
]
