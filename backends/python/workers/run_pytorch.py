"""PyTorch on the processor, by the converter onnx2torch."""

import onnx2torch
import torch

from onnx_conformance import THREADS, Unsupported, serve


def load(model, options):
    torch.set_num_threads(options["threads"])
    return onnx2torch.convert(model.proto()).eval(), model.signature


def tensor(value):
    try:
        return torch.from_numpy(value)
    except TypeError as error:  # not an array, or an element type that PyTorch does not take from numpy
        raise Unsupported(str(error)) from error


def run(session, inputs):
    module, signature = session
    with torch.no_grad():
        outputs = module(*[tensor(inputs[name]) for name in signature.inputs])
    outputs = outputs if isinstance(outputs, (list, tuple)) and len(signature.outputs) > 1 else [outputs]
    return [output.numpy() if isinstance(output, torch.Tensor) else output for output in outputs]


OPTIONS, UNSUPPORTED = {"threads": THREADS}, (NotImplementedError,)
serve(load, run, name="pytorch", version=torch.__version__, options=OPTIONS, unsupported=UNSUPPORTED)
