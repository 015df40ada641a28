"""The table of scikit-learn's models, and the data that they are trained on."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn import (
    calibration, cluster, compose, decomposition, discriminant_analysis, ensemble, feature_extraction,
    feature_selection, gaussian_process, impute, kernel_approximation, linear_model, mixture, multiclass, multioutput,
    naive_bayes, neighbors, neural_network, pipeline, preprocessing, random_projection, svm, tree,
)


@dataclass
class Row:
    make: Callable
    data: str = "classes"
    zipmap: bool = False
    options: dict | None = None
    answer: Callable | None = None
    no_scores: bool = False


MODELS: dict[str, Row] = {}


def data_of(kind: str):
    """Features and target: numbers are f32, as skl2onnx's graphs take them."""
    draw = np.random.default_rng(7)
    features = draw.normal(size=(120, 4)).astype(np.float32)
    line = features @ np.array([1.0, -2.0, 0.5, 0.0], dtype=np.float32)
    match kind:
        case "classes":
            return features, np.digitize(line, [-1, 1])
        case "binary":
            return features, (line > 0).astype(np.int64)
        case "names":
            return features, np.array(["blue", "green", "red"])[np.digitize(line, [-1, 1])]
        case "numbers":
            return features, (line + 0.1 * draw.normal(size=120)).astype(np.float32)
        case "doubles":
            return features.astype(np.float64), line.astype(np.float64)
        case "counts":
            return np.abs(np.round(features * 3)), np.digitize(line, [-1, 1])
        case "positive":
            return np.abs(features) + 0.1, np.abs(line) + 0.5
        case "many":
            return features, np.stack([line, -line + features[:, 0]], axis=1).astype(np.float32)
        case "labels":
            return features, np.stack([line > 0, features[:, 1] > 0], axis=1).astype(np.int64)
        case "gaps":
            holes = features.copy()
            holes[draw.random(size=holes.shape) < 0.2] = np.nan
            return holes, np.digitize(line, [-1, 1])
        case "integers":
            return draw.integers(0, 4, size=(120, 3)), np.digitize(line, [-1, 1])
        case "words":
            words = np.array(["red", "green", "blue", "dark red"])
            return words[draw.integers(0, 4, size=(120, 2))].astype(object), np.digitize(line, [-1, 1])
        case "texts":
            words = np.array(["the", "cat", "sat", "on", "mat", "Dog", "ran", "a"])
            lines = [" ".join(words[draw.integers(0, 8, size=6)]) for _ in range(120)]
            return np.array(lines, dtype=object), np.digitize(line, [-1, 1])
    raise ValueError(kind)


def transformed(model, sample):
    answer = model.transform(sample)
    answer = answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)
    return [answer.astype(np.float32)]


def neighbours(model, sample):
    return [model.predict(sample), model.predict_proba(sample).astype(np.float32)]


def outliers(model, sample):
    scores = model.decision_function(sample).astype(np.float32).reshape(-1, 1)
    return [model.predict(sample).reshape(-1, 1), scores]


def clusters(model, sample):
    return [model.predict(sample).astype(np.int64), model.transform(sample).astype(np.float32)]


def mixtures(model, sample):
    return [model.predict(sample), model.predict_proba(sample).astype(np.float32)]


def labels(model, sample):
    """One answer for each target. skl2onnx gives the scores as a tensor or as a sequence."""
    scores = np.stack(model.predict_proba(sample)).astype(np.float32)
    return [model.predict(sample), scores]


def add(name, make, data="classes", **rest):
    MODELS[name] = Row(make, data, **rest)


PLAIN = {"zipmap": False}
COLUMNS = {"zipmap": "columns"}


def classifier(name, make, data="classes", **rest):
    """With the scores as a tensor."""
    add(name, make, data, options=PLAIN, **rest)


# Classifiers
classifier("logistic-regression", linear_model.LogisticRegression)
add("logistic-regression-zipmap", linear_model.LogisticRegression, zipmap=True)
add("logistic-regression-names-zipmap", linear_model.LogisticRegression, "names", zipmap=True)
classifier("logistic-regression-names", linear_model.LogisticRegression, "names")
classifier("logistic-regression-binary", linear_model.LogisticRegression, "binary")
classifier("logistic-regression-doubles", linear_model.LogisticRegression, "integers")
classifier("sgd-classifier", lambda: linear_model.SGDClassifier(loss="log_loss", random_state=0))
classifier("perceptron", lambda: linear_model.Perceptron(random_state=0))
classifier("ridge-classifier", linear_model.RidgeClassifier)
classifier("passive-aggressive", lambda: linear_model.PassiveAggressiveClassifier(random_state=0))
add("linear-svc", lambda: svm.LinearSVC(random_state=0))
classifier("svc-rbf", lambda: svm.SVC(random_state=0), no_scores=True, answer=lambda m, x: [
    m.predict(x), m.decision_function(x).astype(np.float32)])
classifier("svc-probability", lambda: svm.SVC(probability=True, random_state=0))
classifier("svc-poly-names", lambda: svm.SVC(kernel="poly", probability=True, random_state=0), "names")
classifier("nu-svc-sigmoid", lambda: svm.NuSVC(kernel="sigmoid", nu=0.1, probability=True, random_state=0), "binary")
classifier("decision-tree", lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0))
add("decision-tree-zipmap", lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0), "names", zipmap=True)
classifier("extra-tree", lambda: tree.ExtraTreeClassifier(max_depth=4, random_state=0))
classifier("random-forest", lambda: ensemble.RandomForestClassifier(8, max_depth=4, random_state=0))
classifier("random-forest-names", lambda: ensemble.RandomForestClassifier(8, max_depth=4, random_state=0), "names")
classifier("random-forest-binary", lambda: ensemble.RandomForestClassifier(8, max_depth=4, random_state=0), "binary")
classifier("random-forest-labels", lambda: ensemble.RandomForestClassifier(5, max_depth=3, random_state=0), "labels",
           answer=labels)
classifier("extra-trees", lambda: ensemble.ExtraTreesClassifier(8, max_depth=4, random_state=0))
classifier("gradient-boosting", lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0))
classifier("gradient-boosting-binary", lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0), "binary")
classifier("hist-gradient-boosting", lambda: ensemble.HistGradientBoostingClassifier(max_iter=6, random_state=0))
classifier("hist-gradient-boosting-gaps", lambda: ensemble.HistGradientBoostingClassifier(max_iter=6), "gaps")
classifier("ada-boost", lambda: ensemble.AdaBoostClassifier(n_estimators=5, random_state=0))
classifier("bagging", lambda: ensemble.BaggingClassifier(n_estimators=4, random_state=0))
classifier("voting-soft", lambda: ensemble.VotingClassifier([
    ("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3, random_state=0))],
    voting="soft", flatten_transform=False))
classifier("voting-hard", lambda: ensemble.VotingClassifier([
    ("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3, random_state=0))],
    flatten_transform=False), no_scores=True)
classifier("stacking", lambda: ensemble.StackingClassifier([
    ("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3, random_state=0))]))
classifier("k-neighbours", lambda: neighbors.KNeighborsClassifier(5), answer=neighbours)
classifier("k-neighbours-distance", lambda: neighbors.KNeighborsClassifier(4, weights="distance", p=1), answer=neighbours)
classifier("radius-neighbours", lambda: neighbors.RadiusNeighborsClassifier(3.0), answer=neighbours)
classifier("gaussian-bayes", naive_bayes.GaussianNB)
classifier("multinomial-bayes", naive_bayes.MultinomialNB, "counts")
classifier("bernoulli-bayes", naive_bayes.BernoulliNB)
classifier("complement-bayes", naive_bayes.ComplementNB, "counts")
classifier("categorical-bayes", naive_bayes.CategoricalNB, "integers")
classifier("linear-discriminant", discriminant_analysis.LinearDiscriminantAnalysis)
classifier("quadratic-discriminant", discriminant_analysis.QuadraticDiscriminantAnalysis)
classifier("mlp-classifier", lambda: neural_network.MLPClassifier((6, 5), max_iter=60, random_state=0))
classifier("mlp-classifier-logistic",
           lambda: neural_network.MLPClassifier((6,), activation="logistic", max_iter=60, random_state=0), "binary")
classifier("gaussian-process-classifier", lambda: gaussian_process.GaussianProcessClassifier(random_state=0), "binary")
classifier("calibrated", lambda: calibration.CalibratedClassifierCV(svm.LinearSVC(random_state=0), cv=2))
classifier("calibrated-isotonic", lambda: calibration.CalibratedClassifierCV(
    linear_model.LogisticRegression(), method="isotonic", cv=2))
classifier("one-vs-rest", lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()))
classifier("one-vs-one", lambda: multiclass.OneVsOneClassifier(linear_model.LogisticRegression()))
add("multi-output-classifier", lambda: multioutput.MultiOutputClassifier(linear_model.LogisticRegression()),
           "labels", answer=labels)

# Regressors
for name, make in {
    "linear-regression": linear_model.LinearRegression,
    "ridge": linear_model.Ridge,
    "lasso": lambda: linear_model.Lasso(0.1),
    "elastic-net": lambda: linear_model.ElasticNet(0.1),
    "bayesian-ridge": linear_model.BayesianRidge,
    "huber": linear_model.HuberRegressor,
    "lars": linear_model.Lars,
    "omp": linear_model.OrthogonalMatchingPursuit,
    "theil-sen": lambda: linear_model.TheilSenRegressor(random_state=0),
    "ransac": lambda: linear_model.RANSACRegressor(random_state=0),
    "sgd-regressor": lambda: linear_model.SGDRegressor(random_state=0),
    "quantile": lambda: linear_model.QuantileRegressor(alpha=0.1),
    "decision-tree-regressor": lambda: tree.DecisionTreeRegressor(max_depth=4, random_state=0),
    "random-forest-regressor": lambda: ensemble.RandomForestRegressor(8, max_depth=4, random_state=0),
    "extra-trees-regressor": lambda: ensemble.ExtraTreesRegressor(8, max_depth=4, random_state=0),
    "gradient-boosting-regressor": lambda: ensemble.GradientBoostingRegressor(n_estimators=8, random_state=0),
    "hist-gradient-boosting-regressor": lambda: ensemble.HistGradientBoostingRegressor(max_iter=8, random_state=0),
    "ada-boost-regressor": lambda: ensemble.AdaBoostRegressor(n_estimators=4, random_state=0),
    "bagging-regressor": lambda: ensemble.BaggingRegressor(n_estimators=4, random_state=0),
    "svr-rbf": svm.SVR,
    "svr-linear": lambda: svm.SVR(kernel="linear"),
    "nu-svr-poly": lambda: svm.NuSVR(kernel="poly"),
    "linear-svr": lambda: svm.LinearSVR(random_state=0),
    "k-neighbours-regressor": lambda: neighbors.KNeighborsRegressor(5),
    "k-neighbours-regressor-distance": lambda: neighbors.KNeighborsRegressor(4, weights="distance"),
    "mlp-regressor": lambda: neural_network.MLPRegressor(hidden_layer_sizes=(6, 5), max_iter=60, random_state=0),
    "gaussian-process": lambda: gaussian_process.GaussianProcessRegressor(
        gaussian_process.kernels.RBF() + gaussian_process.kernels.WhiteKernel(), random_state=0),
    "gaussian-process-matern": lambda: gaussian_process.GaussianProcessRegressor(
        gaussian_process.kernels.Matern(nu=1.5), alpha=0.1, random_state=0),
    "voting-regressor": lambda: ensemble.VotingRegressor([("a", linear_model.Ridge()), ("b", linear_model.Lasso(0.1))]),
    "stacking-regressor": lambda: ensemble.StackingRegressor([("a", linear_model.Ridge()), ("b", linear_model.Lasso(0.1))]),
}.items():
    add(name, make, "numbers")
add("linear-regression-doubles", linear_model.LinearRegression, "doubles", answer=lambda m, x: [
    m.predict(x).reshape(-1, 1)])
add("gaussian-process-doubles", lambda: gaussian_process.GaussianProcessRegressor(alpha=0.1, random_state=0), "doubles",
    answer=lambda m, x: [m.predict(x).reshape(-1, 1)])
add("poisson", linear_model.PoissonRegressor, "positive")
add("tweedie", lambda: linear_model.TweedieRegressor(power=1.5), "positive")
add("gamma", linear_model.GammaRegressor, "positive")
add("linear-regression-many", linear_model.LinearRegression, "many")
add("multi-task-lasso", lambda: linear_model.MultiTaskLasso(0.1), "many")
add("random-forest-many", lambda: ensemble.RandomForestRegressor(5, max_depth=3, random_state=0), "many")
add("multi-output-regressor", lambda: multioutput.MultiOutputRegressor(linear_model.Ridge()), "many")

# Transformers
for name, (make, data) in {
    "standard-scaler": (preprocessing.StandardScaler, "classes"),
    "min-max-scaler": (preprocessing.MinMaxScaler, "classes"),
    "min-max-scaler-clip": (lambda: preprocessing.MinMaxScaler(clip=True), "classes"),
    "max-abs-scaler": (preprocessing.MaxAbsScaler, "classes"),
    "robust-scaler": (preprocessing.RobustScaler, "classes"),
    "normalizer-l2": (preprocessing.Normalizer, "classes"),
    "normalizer-l1": (lambda: preprocessing.Normalizer("l1"), "classes"),
    "normalizer-max": (lambda: preprocessing.Normalizer("max"), "classes"),
    "binarizer": (lambda: preprocessing.Binarizer(threshold=0.2), "classes"),
    "polynomial": (lambda: preprocessing.PolynomialFeatures(3), "classes"),
    "power": (preprocessing.PowerTransformer, "classes"),
    "power-box-cox": (lambda: preprocessing.PowerTransformer("box-cox"), "positive"),
    "quantile-transformer": (lambda: preprocessing.QuantileTransformer(n_quantiles=20, random_state=0), "classes"),
    "k-bins-ordinal": (lambda: preprocessing.KBinsDiscretizer(4, encode="ordinal", quantile_method="linear"), "classes"),
    "function-transformer": (preprocessing.FunctionTransformer, "classes"),
    "simple-imputer": (impute.SimpleImputer, "gaps"),
    "simple-imputer-median": (lambda: impute.SimpleImputer(strategy="median"), "gaps"),
    "knn-imputer": (lambda: impute.KNNImputer(n_neighbors=3), "gaps"),
    "one-hot": (lambda: preprocessing.OneHotEncoder(handle_unknown="ignore"), "words"),
    "one-hot-integers": (lambda: preprocessing.OneHotEncoder(handle_unknown="ignore"), "integers"),
    "one-hot-drop": (lambda: preprocessing.OneHotEncoder(drop="first"), "words"),
    "ordinal": (preprocessing.OrdinalEncoder, "words"),
    "ordinal-integers": (preprocessing.OrdinalEncoder, "integers"),
    "target-encoder": (lambda: preprocessing.TargetEncoder(target_type="continuous", random_state=0), "positive"),
    "pca": (lambda: decomposition.PCA(2), "classes"),
    "pca-whiten": (lambda: decomposition.PCA(2, whiten=True), "classes"),
    "incremental-pca": (lambda: decomposition.IncrementalPCA(2), "classes"),
    "kernel-pca": (lambda: decomposition.KernelPCA(2, kernel="rbf"), "classes"),
    "truncated-svd": (lambda: decomposition.TruncatedSVD(2, random_state=0), "classes"),
    "select-k-best": (lambda: feature_selection.SelectKBest(k=2), "classes"),
    "variance-threshold": (feature_selection.VarianceThreshold, "classes"),
    "rfe": (lambda: feature_selection.RFE(linear_model.LogisticRegression(), n_features_to_select=2), "classes"),
    "random-projection": (lambda: random_projection.GaussianRandomProjection(3, random_state=0), "classes"),
    "pls": (lambda: __import__("sklearn.cross_decomposition").cross_decomposition.PLSRegression(2), "many"),
    "linear-discriminant-transform": (lambda: pipeline.make_pipeline(
        preprocessing.StandardScaler(), decomposition.PCA(3)), "classes"),
    "feature-union": (lambda: pipeline.make_union(preprocessing.StandardScaler(), decomposition.PCA(2)), "classes"),
    "column-transformer": (lambda: compose.make_column_transformer(
        (preprocessing.StandardScaler(), [0, 1]), (preprocessing.MinMaxScaler(), [2]), remainder="passthrough"), "classes"),
    "count-vectorizer": (feature_extraction.text.CountVectorizer, "texts"),
    "count-vectorizer-bigrams": (lambda: feature_extraction.text.CountVectorizer(ngram_range=(1, 2)), "texts"),
    "count-vectorizer-characters": (lambda: feature_extraction.text.CountVectorizer(
        analyzer="char", ngram_range=(1, 2)), "texts"),
    "tfidf-vectorizer": (feature_extraction.text.TfidfVectorizer, "texts"),
    "tfidf-vectorizer-stop": (lambda: feature_extraction.text.TfidfVectorizer(
        stop_words=["the", "a"], lowercase=False, norm="l1"), "texts"),
    "tfidf-transformer": (feature_extraction.text.TfidfTransformer, "counts"),
}.items():
    add(name, make, data, answer=transformed)
MODELS["pls"].answer = lambda m, x: [m.predict(x).astype(np.float32)]

# Clusters, densities, outliers
add("k-means", lambda: cluster.KMeans(3, random_state=0, n_init=2), answer=clusters)
add("mini-batch-k-means", lambda: cluster.MiniBatchKMeans(3, random_state=0, n_init=2), answer=clusters)
add("gaussian-mixture", lambda: mixture.GaussianMixture(3, random_state=0), answer=mixtures)
add("gaussian-mixture-diagonal", lambda: mixture.GaussianMixture(3, covariance_type="diag", random_state=0), answer=mixtures)
add("gaussian-mixture-tied", lambda: mixture.GaussianMixture(3, covariance_type="tied", random_state=0), answer=mixtures)
add("bayesian-mixture", lambda: mixture.BayesianGaussianMixture(n_components=2, random_state=0), answer=mixtures)
add("isolation-forest", lambda: ensemble.IsolationForest(n_estimators=5, random_state=0), answer=outliers)
add("one-class-svm", svm.OneClassSVM, answer=outliers)
add("local-outlier-factor", lambda: neighbors.LocalOutlierFactor(5, novelty=True), answer=outliers)

# Pipelines
classifier("pipeline-gaps", lambda: pipeline.make_pipeline(
    impute.SimpleImputer(), preprocessing.StandardScaler(), linear_model.LogisticRegression()), "gaps")
classifier("pipeline-words", lambda: pipeline.make_pipeline(
    preprocessing.OneHotEncoder(handle_unknown="ignore"), linear_model.LogisticRegression()), "words")
classifier("pipeline-texts", lambda: pipeline.make_pipeline(
    feature_extraction.text.TfidfVectorizer(), linear_model.LogisticRegression()), "texts")
classifier("pipeline-texts-bayes", lambda: pipeline.make_pipeline(
    feature_extraction.text.CountVectorizer(), naive_bayes.MultinomialNB()), "texts")
classifier("pipeline-pca-svc", lambda: pipeline.make_pipeline(
    preprocessing.StandardScaler(), decomposition.PCA(3), svm.SVC(probability=True, random_state=0)))
classifier("pipeline-polynomial", lambda: pipeline.make_pipeline(
    preprocessing.PolynomialFeatures(2), linear_model.LogisticRegression(max_iter=300)))
classifier("pipeline-select-forest", lambda: pipeline.make_pipeline(
    feature_selection.SelectKBest(k=3), ensemble.RandomForestClassifier(5, max_depth=3, random_state=0)))
