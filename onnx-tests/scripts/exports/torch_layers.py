"""Single layers and functions of PyTorch through both exporters: small models that hold every operator that an exporter
can write."""

from functools import partial

from case import Subject
from layer_table import LAYERS
from torch_export import dynamo, legacy, module_of, randomise, seeded

# (opset, whether the first axis is dynamic). The versions of most operators change at 9, 11, 13, 17 and 18.
LEGACY = [(9, False), (11, True), (13, False), (17, True), (20, False)]
# This exporter takes seconds for a layer, so each layer has one of these, in turn.
DYNAMO = [(18, False), (21, True), (23, False), (20, True), (22, False)]


def export(name: str, exporter, opset: int, dynamic: bool):
    seeded(name)
    call, inputs = LAYERS[name]()
    return exporter(randomise(module_of(call)), inputs, opset, dynamic)


def subjects() -> list[Subject]:
    by_tracing = [(name, legacy, *which) for name in LAYERS for which in LEGACY]
    by_export = [(name, dynamo, *DYNAMO[index % len(DYNAMO)]) for index, name in enumerate(LAYERS)]
    return [
        Subject("torch-layers", f"{row[0]}-{row[1].__name__}-{row[2]}", partial(export, *row))
        for row in by_tracing + by_export
    ]
