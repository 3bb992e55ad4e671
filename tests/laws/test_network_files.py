"""Laws of multilayer perceptrons as files: they judge as they did, and broken ones are refused."""

import contextlib
import struct
from dataclasses import replace
from functools import cache

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

import deciban
from deciban import MLPClassifier, MLPRegressor, store
from deciban.errors import DataError

COUNT = 24


def cloud():
    random = np.random.default_rng(5)
    X = random.normal(size=(COUNT, 3))
    return np.round(X, 3), (np.abs(X[:, 0]) + X[:, 1] > 0.8).astype(int)


X, TWO = cloud()
THREE = TWO + (X[:, 2] > 0.5)
SPARSE = sparse.csr_array(np.where(X > 0.3, X, 0.0))
FRAME = pd.DataFrame(X, columns=["one", "zwei", "셋"])
MANY = np.column_stack([TWO, X[:, 1] > 0.0]).astype(int)
SHORT = {"max_iter": 4, "hidden_layer_sizes": (5,), "batch_size": 8}
KINDS = {
    "two": (MLPClassifier(**SHORT), X, TWO),
    "texts": (
        MLPClassifier(**{**SHORT, "hidden_layer_sizes": (4, 3)}, activation="tanh"),
        X,
        np.array(["ham", "무료", "spam"])[THREE],
    ),
    "single": (MLPClassifier(**SHORT, output="logistic", class_weight={0: 2.0, 1: 1.0}), X, TWO),
    "each": (MLPClassifier(**SHORT, output="logistic", error="squared", weight_averaging=0.5), X, THREE - 1.0),
    "many": (MLPClassifier(**SHORT, dropout=0.2), X, MANY),
    "linear": (MLPClassifier(**{**SHORT, "hidden_layer_sizes": ()}, solver="descent", schedule="cosine"), X, TWO == 1),
    "doubles": (
        MLPClassifier(**{**SHORT, "hidden_layer_sizes": 4}, dtype="float64", random_state=7, weight_decay=0.1),
        X,
        THREE,
    ),
    "sparse": (MLPClassifier(**SHORT, early_stopping=True, time_limit=1e3), SPARSE, TWO),
    "frame": (MLPClassifier(**SHORT, clip_norm=0.5, class_weight="balanced"), FRAME, TWO),
    "elsewhere": (MLPClassifier(**SHORT), array_api_strict.asarray(X), TWO),
    "regression": (MLPRegressor(**SHORT), X, X[:, 0]),
    "targets": (MLPRegressor(**SHORT, activation="logistic"), FRAME, X[:, :2]),
}
over_kinds = pytest.mark.parametrize("kind", KINDS)
ANSWERS = ("predict", "predict_proba", "predict_log_proba")


def fitted(kind):
    known, rows, y = KINDS[kind]
    return type(known)(**known.get_params()).fit(rows, y)


@cache
def whole(kind):
    """(header, arrays, bytes) of a model."""
    from deciban.mlp.stored import arrays_of, header_of

    model = fitted(kind)
    header, arrays = header_of(model), arrays_of(model)
    return header, arrays, store.to_bytes(header, arrays)


def host(values):
    return np.asarray(values)


@over_kinds
def test_a_file_judges_as_the_model_did(kind, tmp_path):
    model, rows = fitted(kind), KINDS[kind][1]
    path = tmp_path / "network.deciban"
    model.save(path)
    again = deciban.load(path)
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    for method in ANSWERS:
        if hasattr(model, method):
            assert_array_equal(host(getattr(again, method)(rows)), host(getattr(model, method)(rows)))
    if hasattr(model, "explain"):
        label = 1 if kind == "many" else None
        assert again.explain(rows, label=label) == model.explain(rows, label=label)
        assert_array_equal(again.classes_, model.classes_)
        assert again.classes_.dtype == model.classes_.dtype
    assert again.certificate_ == replace(model.certificate_, seconds=0.0)
    assert (again.loss_, again.n_iter_, again.status_) == (model.loss_, model.n_iter_, model.status_)
    assert again.history_ == []
    if kind in ("frame", "targets"):
        assert again.feature_names_in_.tolist() == ["one", "zwei", "셋"]
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == path.read_bytes()


@over_kinds
def test_the_same_fit_gives_the_same_bytes(kind, tmp_path):
    fitted(kind).save(tmp_path / "network.deciban")
    assert (tmp_path / "network.deciban").read_bytes() == whole(kind)[2]


@pytest.mark.parametrize("kind", ["two", "many", "sparse", "frame", "regression"])
def test_who_is_loaded_learns_on_from_the_weights_with_an_optimizer_that_is_new(kind, tmp_path):
    model, (_, rows, y) = fitted(kind), KINDS[kind]
    model.save(tmp_path / "network.deciban")
    again, other = (deciban.load(tmp_path / "network.deciban") for _ in range(2))
    before = [W.copy() for W in again.coefs_]
    again.partial_fit(rows, y)
    assert [each.epoch for each in again.history_] == [model.n_iter_ + 1]
    assert again.certificate_.n == 2 * len(y) - (len(y) - model.certificate_.n)
    if kind in ("two", "frame"):
        assert again.certificate_.class_counts == {0: 2.0 * (y == 0).sum(), 1: 2.0 * (y == 1).sum()}
    for W, V in zip(other.coefs_, before, strict=True):
        assert_array_equal(W, V)  # learning on changes no other model of the same file
    assert any((W != V).any() for W, V in zip(again.coefs_, before, strict=True))
    assert_array_equal(again.predict(rows), other.partial_fit(rows, y).predict(rows))
    fresh = type(model)(**{**model.get_params(), "warm_start": True, "max_iter": 1, "early_stopping": False})
    fresh.network_ = model.network_  # a fit that begins at the weights, and knows no step before
    assert again.history_[-1].loss == fresh.fit(rows, y).history_[-1].loss


def test_names_of_labels_stay_with_their_columns(tmp_path):
    model = MLPClassifier(**SHORT).partial_fit(X, MANY, classes=["zwei", "eins"])
    model.save(tmp_path / "network.deciban")
    again = deciban.load(tmp_path / "network.deciban")
    assert again.classes_.tolist() == ["zwei", "eins"]
    assert again.certificate_.class_counts == model.certificate_.class_counts
    assert again.explain(X[:2], label=0) == model.explain(X[:2], label=0)
    again.partial_fit(X, MANY, classes=["zwei", "eins"])


def test_what_no_file_keeps_is_refused_before_anything_is_written(tmp_path):
    model = MLPClassifier(**SHORT, schedule=lambda epoch: 1.0).fit(X, TWO)
    with pytest.raises(ValueError, match=r"^a file keeps no schedule that is code, as <function .*> is: "):
        model.save(tmp_path / "network.deciban")
    model = MLPClassifier(**SHORT, callback=lambda *told: False, random_state=np.random.RandomState(3)).fit(X, TWO)
    model.save(tmp_path / "network.deciban")
    told = deciban.load(tmp_path / "network.deciban").get_params()
    assert (told["callback"], told["random_state"]) == (None, model.certificate_.seed)


def used(content):
    from deciban.mlp.stored import restore

    model = restore(store.parse(content, "some.deciban", tables=True))
    with np.errstate(all="ignore"):
        for method in ANSWERS:
            if hasattr(model, method):
                getattr(model, method)(X)
        if isinstance(model, MLPClassifier):
            model.explain(X[:1], label=0 if model.multilabel_ else None)
    str(model.certificate_)
    return model


def refused_or_works(header, arrays):
    """A DataError, or numbers."""
    with contextlib.suppress(DataError):
        used(store.to_bytes(header, arrays))


@pytest.mark.parametrize("kind", ["texts", "regression"])
def test_a_file_that_is_altered_is_refused(kind):
    content = whole(kind)[2]
    for place in range(0, len(content), 41):
        with pytest.raises(DataError):
            used(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    for size in range(0, len(content), 201):
        with pytest.raises(DataError):
            used(content[:size])


def test_sizes_beyond_the_file_are_refused():
    content = whole("two")[2]
    header = whole("two")[0]
    size = struct.unpack("<Q", content[:8])[0]
    text = content[8 : 8 + size].replace(b'"shape":[3,5]', b'"shape":[3,5000000000000]')
    assert len(text) > size
    with pytest.raises(DataError):
        used(struct.pack("<Q", len(text)) + text + content[8 + size :])
    for features in (0, -1, 4, 1 << 60, None, 3.0, True):
        table = {**header["table"], "features": features}
        assert refusal({**header, "table": table}, whole("two")[1])


def refusal(header, arrays):
    """What is said of a file that is none."""
    with pytest.raises(DataError) as caught:
        used(store.to_bytes(header, arrays))
    said = str(caught.value)
    assert said.startswith("some.deciban: its model is damaged: ")
    assert said.endswith(". Train again.")
    return said.removeprefix("some.deciban: its model is damaged: ").removesuffix(". Train again.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights.1": np.zeros((3, 5))}, "weights of another type"),
        ({"weights.1": np.zeros((3, 4), np.float32)}, "layers of sizes that do not fit"),
        ({"biases.1": np.zeros((5, 1), np.float32)}, "layers of sizes that do not fit"),
        ({"biases.2": np.full(2, np.inf, np.float32)}, "weights that are not finite"),
        ({"weights.3": np.zeros((2, 2), np.float32)}, "layers that are not whole"),
        ({"weights.2": np.zeros((5, 3), np.float32), "biases.2": np.zeros(3, np.float32)}, "3 outputs, where 2 are"),
        ({"baseline": np.zeros(3, np.float32)}, "a baseline that is no row"),
        ({"baseline": np.full(3, np.nan)}, "a baseline that is no row"),
    ],
    ids=["type", "sizes", "column", "infinite", "half", "outputs", "baseline type", "baseline"],
)
def test_tensors_that_do_not_fit_are_told(change, said):
    header, arrays, _ = whole("two")
    assert refusal(header, {**arrays, **change}).startswith(said)


@pytest.mark.parametrize(
    ("section", "change", "said"),
    [
        (
            "network",
            {"activation": "sine"},
            "activation must be one of 'logistic', 'tanh', 'relu', 'identity', got 'sine'",
        ),
        ("network", {"output": "linear"}, "error='cross_entropy' is of probabilities, which output='linear' does not"),
        ("network", {"error": None}, "error must be one of 'squared', 'cross_entropy', got None"),
        ("network", {"more": 1}, "a network that tells other things"),
        ("network", {"many": True}, "outputs"),
        ("network", {"loss": "low"}, "a loss that is no number"),
        ("network", {"parameters": {"hidden_layer_sizes": ["a"]}}, "hidden layers of no size"),
        ("network", {"parameters": {"tol": [1]}}, "tol that is no parameter"),
        ("certificate", {"status": "splendid"}, "a fit that ended in no known way, 'splendid'"),
        ("certificate", {"iterations": 1.5}, "a number of epochs that is none"),
        ("certificate", {"class_counts": {"0": 1.0}}, "counts of other classes"),
        ("certificate", {"d": 2}, "a certificate of other data"),
        ("table", {"names": ["one"]}, "features without a name"),
    ],
)
def test_headers_that_do_not_fit_are_told(section, change, said):
    header, arrays, _ = whole("two")
    assert refusal({**header, section: {**header[section], **change}}, arrays).startswith(said)


WRONG = st.sampled_from([None, -1, 0, 3, 1e300, "relu", "mlp-regressor", [], {}, True, [1, 2], [["a", 1]], {"a": {}}])


@pytest.mark.parametrize("kind", ["two", "many", "regression"])
@given(st.data())
def test_a_header_that_does_not_fit_is_refused_or_works(kind, data):
    header, arrays, _ = whole(kind)
    section = data.draw(st.sampled_from(sorted(header)))
    inside = isinstance(header[section], dict) and data.draw(st.booleans())
    if inside:
        key = data.draw(st.sampled_from(sorted(header[section])))
        changed = {**header[section], key: data.draw(WRONG)}
    else:
        changed = data.draw(WRONG)
    if section != "model" or changed in ("mlp", "mlp-regressor"):
        refused_or_works({**header, section: changed}, arrays)


@given(st.data())
def test_tensors_that_do_not_fit_are_refused_or_work(data):
    header, known, _ = whole(data.draw(st.sampled_from(["texts", "regression"])))
    arrays = {name: np.array(array) for name, array in known.items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    change = data.draw(st.sampled_from(["gone", "shorter", "empty", "large", "nan", "other", "flat"]))
    if change == "gone":
        del arrays[name]
    elif change in ("shorter", "empty"):
        arrays[name] = arrays[name][: -1 if change == "shorter" else 0]
    elif change == "flat":
        arrays[name] = arrays[name].reshape(-1)
    elif change == "other":
        arrays[name] = arrays[name].astype(data.draw(st.sampled_from([np.float32, np.float64, np.int64, np.uint8])))
    else:
        arrays[name].reshape(-1)[0] = np.nan if change == "nan" else 1e38
    refused_or_works(header, arrays)
