"""Models and pipelines of scikit-learn through skl2onnx, at several opsets, trained on data drawn from a seed."""

import warnings
from functools import partial

import numpy as np
from case import Export, Subject
from sklearn_table import MODELS, data_of
from skl2onnx import to_onnx

warnings.filterwarnings("ignore")

# (opset of ai.onnx, of ai.onnx.ml); each model has two of these, in turn.
OPSETS = [(9, 1), (10, 1), (11, 1), (12, 2), (13, 2), (15, 3), (17, 3), (18, 3), (21, 3), (22, 3)]


def subjects() -> list[Subject]:
    found = []
    for index, (name, row) in enumerate(MODELS.items()):
        for step in (0, 5):
            opset, ml = OPSETS[(index + step) % len(OPSETS)]
            call = partial(export, row, opset, ml)
            found.append(Subject("sklearn", f"{name}-{opset}-{ml}", call, (1e-3, 1e-5)))
    return found


def export(row, opset: int, ml: int) -> Export:
    features, target = data_of(row.data)
    model = row.make().fit(features, target)
    options = {id(model): row.options} if row.options else None
    proto = to_onnx(model, features[:1], target_opset={"": opset, "ai.onnx.ml": ml}, options=options)
    sample = features[:7]
    name = proto.graph.input[0].name
    return Export(proto, {name: sample}, predictions(model, sample, row))


def predictions(model, sample, row) -> list:
    """What scikit-learn answers, in the order and the types in which skl2onnx declares the outputs."""
    if row.answer:
        return row.answer(model, sample)
    if hasattr(model, "predict_proba") and not row.no_scores:
        scores = model.predict_proba(sample).astype(np.float32)
        if row.zipmap:
            return [model.predict(sample), [dict(zip(model.classes_.tolist(), line)) for line in scores]]
        return [model.predict(sample), scores]
    if hasattr(model, "decision_function") and not row.no_scores:
        return [model.predict(sample), model.decision_function(sample).astype(np.float32)]
    if hasattr(model, "predict"):
        answer = model.predict(sample)
        return [answer.astype(np.float32).reshape(len(sample), -1) if answer.dtype.kind == "f" else answer]
    return [model.transform(sample).astype(np.float32)]
