"""Both exporters of PyTorch, for modules of any kind."""

import inspect
import io
import warnings
from collections.abc import Callable

import onnx
import torch
from case import Export

warnings.filterwarnings("ignore")


def seeded(name: str) -> None:
    """Draws depend on the subject alone, not on what was exported before it."""
    torch.manual_seed(int.from_bytes(name.encode()[-6:], "little") % (1 << 31))


def randomise(module: torch.nn.Module) -> torch.nn.Module:
    """Gives every normalisation statistics and scales that change the result, and switches training off."""
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
            torch.nn.init.normal_(part.running_mean, std=0.1)
            torch.nn.init.uniform_(part.running_var, 0.5, 1.5)
        if part.__class__.__name__.endswith("Norm") or "BatchNorm" in part.__class__.__name__:
            for parameter, middle in ((getattr(part, "weight", None), 1.0), (getattr(part, "bias", None), 0.0)):
                if isinstance(parameter, torch.nn.Parameter):
                    torch.nn.init.uniform_(parameter, middle - 0.3, middle + 0.3)
    return module.eval()


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, call: Callable):
        super().__init__()
        self.call = call

    def forward(self, *inputs):
        return self.call(*inputs)


def module_of(call: Callable) -> torch.nn.Module:
    return call if isinstance(call, torch.nn.Module) else Function(call)


def legacy(module, inputs: tuple, opset: int, dynamic: bool = False, **options) -> Export:
    """The exporter by tracing (`dynamo=False`)."""
    buffer = io.BytesIO()
    names = [f"x{index}" for index, _ in enumerate(tensors(inputs))]
    axes = {name: {0: "n"} for name, value in zip(names, tensors(inputs)) if value.dim()} if dynamic else None
    torch.onnx.export(
        module, inputs, buffer, opset_version=opset, dynamo=False, input_names=names, dynamic_axes=axes, **options
    )
    model = onnx.load_from_string(buffer.getvalue())
    # Tracing drops inputs that no result depends on.
    kept = {info.name for info in model.graph.input}
    given = {name: value for name, value in zip(names, tensors(inputs)) if name in kept}
    return Export(model, given, results(module, inputs))


def dynamo(module, inputs: tuple, opset: int, dynamic: bool = False, **options) -> Export:
    """The exporter by torch.export (`dynamo=True`)."""
    shapes = shapes_of(module, inputs) if dynamic else None
    program = torch.onnx.export(
        module, inputs, opset_version=opset, dynamo=True, dynamic_shapes=shapes, verbose=False, **options
    )
    declared = {item.version for item in program.model_proto.opset_import if item.domain == ""}
    if declared != {opset}:
        raise ValueError(f"asked for opset {opset}, got {declared}")
    model, given = program.model_proto, tensors(inputs)
    if len(model.graph.input) != len(given):
        raise ValueError(f"the graph has {len(model.graph.input)} inputs, {len(given)} were given")
    return Export(model, {info.name: value for info, value in zip(model.graph.input, given)}, results(module, inputs))


def shapes_of(module: torch.nn.Module, inputs: tuple) -> tuple:
    """The first axis of every input is dynamic. What goes into `*inputs` of the module is a tuple of its own."""
    shapes = tuple(shape_of(value) for value in inputs)
    kinds = [parameter.kind for parameter in inspect.signature(module.forward).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return shapes
    named = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    return (*shapes[:named], shapes[named:])


def shape_of(value):
    if isinstance(value, torch.Tensor):
        return {0: torch.export.Dim.DYNAMIC} if value.dim() else {}
    if isinstance(value, (list, tuple)):
        return type(value)(shape_of(item) for item in value)
    return None


def results(module: torch.nn.Module, inputs: tuple) -> list[torch.Tensor]:
    with torch.no_grad():
        return tensors(module(*inputs))


def tensors(value) -> list[torch.Tensor]:
    """The tensors of nested values, in the order in which PyTorch flattens them; a key-value cache gives its layers'."""
    if value is None:
        return []
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (bool, int, float)):
        return [torch.tensor(value)]
    if isinstance(value, dict):
        return [item for part in value.values() for item in tensors(part)]
    return [item for part in value for item in tensors(part)]


def array_inputs(export: Export) -> dict[str, "numpy.ndarray"]:
    """The inputs as ONNX Runtime takes them."""
    return {name: value.detach().cpu().numpy() for name, value in export.inputs.items()}
