"""Apache TVM: the ONNX frontend of Relax, compiled for the processor."""

import os

import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from onnx_conformance import SUB_BYTE, THREADS, serve


def load(model, options):
    model.signature.only_tensors(without=SUB_BYTE)
    os.environ["TVM_NUM_THREADS"] = str(options["threads"])
    machine = relax.VirtualMachine(tvm.compile(from_onnx(model.proto()), target="llvm"), tvm.cpu())
    return machine["main"], model.signature


def plain(value):
    return value.numpy() if isinstance(value, tvm.runtime.Tensor) else [plain(inner) for inner in value]


def run(session, inputs):
    main, signature = session
    outputs = plain(main(*[tvm.runtime.tensor(inputs[name]) for name in signature.inputs]))
    return [outputs] if len(signature.outputs) == 1 else outputs


UNSUPPORTED = (tvm.error.OpNotImplemented, tvm.error.OpAttributeUnImplemented, NotImplementedError)
serve(load, run, name="tvm", version=tvm.__version__, options={"threads": THREADS}, unsupported=UNSUPPORTED)
