"""Gradient-boosted forests of LightGBM and XGBoost through onnxmltools."""

import warnings
from functools import partial

import lightgbm
import numpy as np
import xgboost
from case import Export, Subject
from onnxmltools import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from sklearn_table import data_of

warnings.filterwarnings("ignore")

OPSETS = [9, 11, 13, 15]
SMALL = dict(n_estimators=6, random_state=0)
LIGHT = dict(**SMALL, num_leaves=6, verbose=-1, deterministic=True, num_threads=1)
EXTREME = dict(**SMALL, max_depth=3, n_jobs=1)

# Name → (model, data).
MODELS = {
    "lightgbm-binary": (lambda: lightgbm.LGBMClassifier(**LIGHT), "binary"),
    "lightgbm-classes": (lambda: lightgbm.LGBMClassifier(**LIGHT), "classes"),
    "lightgbm-gaps": (lambda: lightgbm.LGBMClassifier(**LIGHT), "gaps"),
    "lightgbm-random-forest": (lambda: lightgbm.LGBMClassifier(
        **LIGHT, boosting_type="rf", bagging_freq=1, bagging_fraction=0.7), "binary"),
    "lightgbm-regressor": (lambda: lightgbm.LGBMRegressor(**LIGHT), "numbers"),
    "lightgbm-poisson": (lambda: lightgbm.LGBMRegressor(**LIGHT, objective="poisson"), "positive"),
    "lightgbm-quantile": (lambda: lightgbm.LGBMRegressor(**LIGHT, objective="quantile", alpha=0.7), "numbers"),
    "lightgbm-dart": (lambda: lightgbm.LGBMRegressor(**LIGHT, boosting_type="dart"), "numbers"),
    "lightgbm-categories": (lambda: lightgbm.LGBMClassifier(**LIGHT, min_data_per_group=1, cat_smooth=0.0), "integers"),
    "xgboost-binary": (lambda: xgboost.XGBClassifier(**EXTREME), "binary"),
    "xgboost-classes": (lambda: xgboost.XGBClassifier(**EXTREME), "classes"),
    "xgboost-gaps": (lambda: xgboost.XGBClassifier(**EXTREME), "gaps"),
    "xgboost-forest": (lambda: xgboost.XGBRFClassifier(**EXTREME), "binary"),
    "xgboost-regressor": (lambda: xgboost.XGBRegressor(**EXTREME), "numbers"),
    "xgboost-poisson": (lambda: xgboost.XGBRegressor(**EXTREME, objective="count:poisson"), "positive"),
    "xgboost-logistic": (lambda: xgboost.XGBRegressor(**EXTREME, objective="reg:logistic"), "binary"),
    "xgboost-base-score": (lambda: xgboost.XGBRegressor(**EXTREME, base_score=3.0), "numbers"),
}


def export(name: str, opset: int) -> Export:
    make, kind = MODELS[name]
    features, target = data_of(kind)
    features = np.asarray(features, dtype=np.float32)
    more = {"categorical_feature": [0]} if name == "lightgbm-categories" else {}
    model = make().fit(features, target, **more)
    types = [("input", FloatTensorType([None, features.shape[1]]))]
    if name.startswith("lightgbm"):
        proto = convert_lightgbm(model, initial_types=types, target_opset=opset, zipmap=False)
    else:
        proto = convert_xgboost(model, initial_types=types, target_opset=opset)
    sample = features[:7]
    answer = model.predict(sample)
    if hasattr(model, "predict_proba"):
        outputs = [answer.astype(np.int64), model.predict_proba(sample).astype(np.float32)]
    else:
        outputs = [answer.astype(np.float32).reshape(-1, 1)]
    return Export(proto, {"input": sample}, outputs)


def subjects() -> list[Subject]:
    return [
        Subject("boosted", f"{name}-{opset}", partial(export, name, opset), (1e-3, 1e-5))
        for index, name in enumerate(MODELS)
        for opset in (OPSETS[index % 4], OPSETS[(index + 2) % 4])
    ]
