"""Naive Bayes as a file: what was saved is loaded, to the last bit, and any other bytes are refused in plain words."""

import json
import re
import warnings
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import deciban
from deciban import NaiveBayes, TextClassifier, store
from deciban.distributions import Bernoulli, Categorical, Gaussian, Poisson
from deciban.errors import DataError
from deciban.mail.filter import Filter
from deciban.models.stored import arrays_of, header_of, restore
from laws.labelled import EVERY, over
from laws.stored import altered
from laws.test_store import ANY_JSON, CHANGE, FOREIGN, fields, put
from tiers import examples

PEOPLE = pl.DataFrame(
    {
        "age": [25.5, 52.0, None, 38.0, 41.0, 33.5],
        "job": ["clerk", "judge", "clerk", None, "nurse", "clerk"],
        "visits": [3, 0, 1, 4, 2, None],
        "member": [True, False, True, None, True, False],
    }
)
BOUGHT = np.array(["no", "yes", "yes", "no", "no", "yes"])
COUNTS = np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0], [4, 0, 0], [0, 0, 2], [1, 2, 0]])
GAPS = np.where(COUNTS == 1, np.nan, COUNTS / 2.0)
COLUMNS = {"age": Gaussian(shared=True), "job": "categorical", "visits": Poisson(2.0, 0.5), "member": "bernoulli"}
MODELS = {
    "auto": (NaiveBayes("auto"), PEOPLE),
    "columns": (NaiveBayes(COLUMNS, alpha=0.5, class_prior=[0.25, 0.75]), PEOPLE),
    "left out": (NaiveBayes({**COLUMNS, "visits": None, "job": Categorical(2.0)}, class_prior="smoothed"), PEOPLE),
    "labels by place": (NaiveBayes("auto"), PEOPLE.rows()),
    "multinomial": (NaiveBayes(), COUNTS),
    "complement": (NaiveBayes("complement", alpha=2.0, estimate="map"), COUNTS),
    "bernoulli": (NaiveBayes(Bernoulli(2.0, 0.5, binarize=0.7)), GAPS),
    "categorical": (NaiveBayes("categorical"), COUNTS),
    "gaussian": (NaiveBayes("gaussian", class_prior="uniform"), GAPS),
    "gaussian given": (NaiveBayes(Gaussian(mean=1.0, kappa=2.0, variance=0.5, nu=3.0)), GAPS),
}
over_models = pytest.mark.parametrize("name", MODELS)


@cache
def learnt(name):
    known, X = MODELS[name]
    weight = np.array([1.0, 2.0, 0.3, 1.0, 1.0, 4.0])
    return NaiveBayes(**known.get_params()).fit(X, BOUGHT, weight)


@cache
def whole(name):
    """(header, arrays, bytes) of a model."""
    header = header_of(learnt(name))
    arrays = arrays_of(learnt(name))
    return header, arrays, store.to_bytes(header, arrays)


def content_of(known):
    return store.to_bytes(header_of(known), arrays_of(known))


def read_back(content):
    return restore(store.parse(content, "some.deciban", tables=True))


def use(content, name):
    """Everything that is ever done with what a file holds."""
    X = MODELS[name][1]
    known = read_back(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that the rows here do not bear, and of numbers out of this world
        _use(known, X)


def _use(known, X):
    assert np.isfinite(known.predict_proba(X)).all()
    known.predict(X)
    known.explain(X[:2])
    known.credible_interval(X)
    content_of(known)
    known.partial_fit(X, known.classes_[np.arange(6) % len(known.classes_)]).predict(X)
    str(known.certificate_)


def refusal(content, name="auto"):
    """What is said of bytes that are not a model."""
    with pytest.raises(DataError) as caught:
        use(content, name)
    said = str(caught.value)
    assert re.fullmatch(r"[^\n]{20,500}", said), said
    return said


def refused_or_served(content, name):
    try:
        use(content, name)
    except DataError:
        refusal(content, name)


def alike(one, other, X):
    assert one.get_params() == other.get_params() or one.class_prior == [0.25, 0.75]
    assert_array_equal(one.classes_, other.classes_)
    assert one.classes_.dtype == other.classes_.dtype
    assert one.counts_ == other.counts_
    assert one.columns_ == other.columns_
    assert one.certificate_.to_json() == other.certificate_.to_json()
    assert_array_equal(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X))
    assert_array_equal(one.credible_interval(X), other.credible_interval(X))
    assert one.explain(X) == other.explain(X)


@over_models
def test_what_was_saved_is_loaded_and_learns_on(name, tmp_path):
    X, path = MODELS[name][1], tmp_path / "model.deciban"
    known = NaiveBayes(**learnt(name).get_params()).fit(X, BOUGHT)
    known.save(path)
    content = path.read_bytes()
    for other in (deciban.load(path), deciban.load(path)):
        alike(known, other, X)
        other.partial_fit(X[:3], BOUGHT[:3])
        alike(NaiveBayes(**known.get_params()).fit(X, BOUGHT).partial_fit(X[:3], BOUGHT[:3]), other, X)
        other.forget(X[:3], BOUGHT[:3]).save(path)
        assert path.read_bytes() == content  # what was forgotten was never learnt, to the last byte
        assert (other + known).class_count_.sum() == 12.0


@over(EVERY)
@examples(3)
@given(data=st.data())
def test_every_distribution_of_the_catalogue_is_kept(case, data):
    from deciban.distributions import Mixed

    drawn = data.draw(case.data())
    if isinstance(case.family, Mixed):
        likelihood = {j: part for js, part in case.family.parts for j in js}
    else:
        likelihood = case.family
    known = NaiveBayes(likelihood).fit(drawn.X, drawn.y, drawn.weight)
    content = content_of(known)
    alike(known, read_back(content), drawn.X)


@pytest.mark.parametrize(
    "labels",
    [[3, -1, 7, 3, -1, 7], [True, False] * 3, [1.0, 2.0] * 3, np.array(["b", "a"] * 3, dtype=object)],
    ids=str,
)
def test_labels_of_any_type_come_back(labels):
    known = NaiveBayes().fit(COUNTS, labels)
    content = content_of(known)
    alike(known, read_back(content), COUNTS)


def test_declared_labels_stay_declared():
    known = NaiveBayes().partial_fit(COUNTS, BOUGHT, classes=["maybe"])
    other = read_back(content_of(known))
    assert other.classes_.tolist() == ["maybe", "no", "yes"]
    yes = BOUGHT == "yes"
    assert other.forget(COUNTS[yes], BOUGHT[yes]).classes_.tolist() == ["maybe", "no"]


@over_models
def test_the_same_model_is_the_same_bytes(name):
    known, X = MODELS[name]
    again = [NaiveBayes(**known.get_params()).fit(X, BOUGHT) for _ in range(2)]
    one, other = map(content_of, again)
    assert one == other


@over_models
def test_a_file_cut_off_or_changed_is_refused(name):
    content, rng = whole(name)[2], np.random.default_rng(97)
    for end in [*range(0, len(content), 499), len(content) - 1]:
        assert refusal(content[:end]).startswith("some.deciban: expected a")
    size = int.from_bytes(content[:8], "little")
    for place in [*rng.integers(0, len(content), 30), *rng.integers(0, 8 + size, 30), *range(12)]:
        refusal(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


@examples(5)
@given(changes=st.lists(CHANGE, min_size=1, max_size=4))
def test_a_file_with_stretches_replaced_is_refused(changes):
    content = before = whole("columns")[2]
    for where, length, replacement in changes:
        place = int(where * len(content))
        content = content[:place] + replacement + content[place + length :]
    if content != before:
        refusal(content)


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused(kind):
    refusal(FOREIGN[kind])


@pytest.mark.parametrize("name", ["auto", "columns", "multinomial", "gaussian given"])
def test_a_header_of_another_form_is_refused_or_served(name):
    header, arrays, _ = whole(name)
    for path in fields(header):
        without = store.to_bytes(put(header, path, KeyError), arrays)
        if path[:1] == ("certificate",) and path[1:]:
            continue  # a certificate is made again from the counts
        if path[:3] != ("bayes", "likelihood", "by column"):
            refusal(without, name)
        for value in ANY_JSON:
            refused_or_served(store.to_bytes(put(header, path, value), arrays), name)
    for section in ("bayes", "table"):
        refusal(store.to_bytes(put(header, (section, "more"), 1), arrays), name)


def inside(values, path=()):
    """Every place in lists within lists."""
    for k, value in enumerate(values):
        yield (*path, k)
        if isinstance(value, list | dict):
            yield from inside(value, (*path, k)) if isinstance(value, list) else fields(value, (*path, k))


@pytest.mark.parametrize("name", ["columns", "labels by place"])
def test_likelihoods_and_columns_of_another_form_are_refused_or_served(name):
    header, arrays, _ = whole(name)
    lists = [
        ("classes",),
        ("declared",),
        ("table", "names"),
        *(("table", "columns", key) for key in ("names", "kinds")),
    ]
    lists += [("table", "columns", "categories"), ("bayes", "likelihood"), ("bayes", "likelihood", "by column")]
    for start in lists:
        values = header
        for key in start:
            values = values.get(key) if isinstance(values, dict) else None
        for path in inside(values) if isinstance(values, list) else ():
            for value in ANY_JSON:
                refused_or_served(store.to_bytes(put(header, (*start, *path), value), arrays), name)


@pytest.mark.parametrize("name", ["columns", "labels by place", "complement", "bernoulli", "categorical"])
def test_tensors_of_another_form_are_refused_or_served(name):
    header, arrays, _ = whole(name)
    for key, other, content in altered(header, arrays, lambda _: [np.nan, -np.inf, -1.0, 1e300, 1e9, 0.5]):
        refused_or_served(content, name)
        if other.shape != arrays[key].shape or other.dtype != arrays[key].dtype:
            refusal(content, name)
    for key in arrays:
        if key.rpartition(".")[2] not in ("missing", "gone"):
            refusal(store.to_bytes(header, {k: v for k, v in arrays.items() if k != key}), name)
    refusal(store.to_bytes(header, {**arrays, "state.9.n": np.zeros(2)}), name)
    refusal(store.to_bytes(header, {**arrays, "more": np.zeros(2)}), name)


def test_a_file_is_of_a_table_or_of_texts(tmp_path):
    path, other = tmp_path / "table.deciban", tmp_path / "text.deciban"
    learnt("auto").save(path)
    TextClassifier().fit(["cheap pills", "noon lunch"], ["spam", "ham"]).save(other)
    with pytest.raises(DataError) as caught:
        Filter.load(path)
    assert str(caught.value) == (
        f"{path}: expected a filter of mail or texts; this is a model of a table. "
        "Use deciban.load from Python, or the command, which judges rows with it and learns more."
    )
    assert isinstance(deciban.load(path), NaiveBayes)
    assert isinstance(deciban.load(other), TextClassifier)
    text, table = json.loads(json.dumps(store.read(other).header)), whole("auto")[0]
    refusal(store.to_bytes({**table, "text": text["text"]}, whole("auto")[1]))
