"""Every public estimator is written to a file and comes back the same: it answers, learns on and is written alike."""

import json
import re
from functools import cache

import numpy as np
import pytest
from estimators import BY_ID, CASES, Case, answers, fitted, over, public
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Foreign

import deciban
from deciban import (
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    MutualInformation,
    Nystroem,
    TextClassifier,
    TextVectorizer,
    distributions,
    kernels,
    losses,
    store,
)
from deciban.artifact import registry
from deciban.artifact.loading import restore
from deciban.errors import DataError
from deciban.kernels import RBF, Linear

MORE = [
    Case("discriminant-diagonal", GaussianDiscriminant("diagonal", shrinkage="auto"), "measured"),
    Case("discriminant-axes", GaussianDiscriminant(n_components=1), "measured-of-three"),
    Case("logistic-of-three", LogisticRegression(class_weight="balanced", n_jobs=1), "measured-of-three"),
    Case("absolute", LinearRegression(loss="absolute"), "target"),
    Case("calibrated-curve", CalibratedClassifier(GaussianDiscriminant(), "isotonic", cv=3), "measured-of-three"),
    Case("calibrated-line", CalibratedClassifier(LinearSVM(), "platt", cv=3, half_life=10.0), "measured"),
    Case("calibrated-scale", CalibratedClassifier(LinearSVM(), "temperature", cv=3), "measured"),
    Case("calibrated-machine", CalibratedClassifier(SVM(calibration=None), cv=3), "measured"),
    Case("calibrated-texts", CalibratedClassifier(TextClassifier("naive-bayes"), cv=3), "texts"),
    Case("nystroem-sum", Nystroem(Linear() + RBF(0.5), n_components=5), "unlabelled"),
    Case("nystroem-random", Nystroem("polynomial", random_state=np.random.RandomState(3)), "unlabelled"),
    Case("information-of-words", MutualInformation(k=2, likelihood="multinomial"), "counts"),
    Case("vectorizer-characters", TextVectorizer(analyzer="char", ngram_range=(1, 2)), "only-texts"),
    Case("vectorizer-given", TextVectorizer(vocabulary=["free", "noon"], dtype=np.float32), "only-texts"),
]
EVERY = [*CASES, *MORE]
over_all = pytest.mark.parametrize("case", EVERY, ids=[case.id for case in EVERY])
PLAIN = [case for case in EVERY if type(case.estimator).__name__ not in registry.LAYOUTS]
over_plain = pytest.mark.parametrize("case", PLAIN, ids=[case.id for case in PLAIN])


@cache
def fit_case(name):
    return fitted(next(case for case in EVERY if case.id == name))


def save_and_load(case, folder):
    """Return the model of a case, and the one that comes back from its file."""
    fit_case(case.id).save(folder / "model.deciban")
    return fit_case(case.id), deciban.load(folder / "model.deciban")


def test_every_public_estimator_is_registered():
    assert set(registry.ESTIMATORS) == set(public())
    assert set(registry.LAYOUTS) <= set(registry.ESTIMATORS)


def test_every_kernel_loss_and_distribution_is_registered():
    for each in (*kernels.CATALOGUE, *kernels.HISTOGRAMS, *losses.CATALOGUE, *distributions.CATALOGUE):
        assert registry.part(registry.part_name(each)) is each
    assert registry.part_name(dict) is None


@over_all
def test_it_comes_back_as_it_was(case, tmp_path):
    model, again = save_and_load(case, tmp_path)
    assert type(again) is type(model)
    X, _ = case.learn()
    said = answers(model, X)
    assert said
    for name, value in answers(again, X).items():
        np.testing.assert_array_equal(value, said[name], err_msg=name)
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == (tmp_path / "model.deciban").read_bytes()


@over_all
def test_its_explanations_and_its_certificate_come_back(case, tmp_path):
    model, again = save_and_load(case, tmp_path)
    X, _ = case.learn()
    if hasattr(model, "explain"):
        assert explain_or_refuse(again, X[:3]) == explain_or_refuse(model, X[:3])
    if hasattr(type(model), "certificate_"):
        assert json.dumps(again.certificate_.to_json()) == json.dumps(model.certificate_.to_json())


def explain_or_refuse(model, X):
    """Return the explanations of rows, or why there are none."""
    try:
        return model.explain(X)
    except AttributeError as error:
        return str(error)


@over_plain
def test_all_that_was_fitted_comes_back(case, tmp_path):
    model, again = save_and_load(case, tmp_path)
    names = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    assert [name for name in names if not hasattr(again, name)] == []
    assert set(again.get_params()) == set(model.get_params())
    clone(again).fit(*case.learn())


@over_all
def test_it_learns_on(case, tmp_path):
    model, again = save_and_load(case, tmp_path)
    X, y = case.learn()
    for verb in ("partial_fit", "forget"):
        if not hasattr(model, verb) or type(model).__name__.startswith("MLP"):  # whose optimizer begins anew
            continue
        one, other = (copy_by_file(each, tmp_path) for each in (model, again))
        outcome = [update(each, verb, X[:5], None if y is None else y[:5]) for each in (one, other)]
        assert outcome[0] == outcome[1], verb
        for name, value in answers(one, X).items():
            np.testing.assert_array_equal(answers(other, X)[name], value, err_msg=name)


def copy_by_file(model, folder):
    """Return a copy that shares nothing with the model."""
    model.save(folder / "copy.deciban")
    return deciban.load(folder / "copy.deciban")


def update(model, verb, X, y):
    """Return None, or why the model cannot learn or forget these examples."""
    try:
        getattr(model, verb)(X, y)
    except (ValueError, AttributeError) as error:
        return str(error)
    return None


@over()
def test_what_is_not_fitted_is_not_written(case, tmp_path):
    model = clone(case.estimator)
    if model.__sklearn_tags__().requires_fit:
        with pytest.raises(NotFittedError):
            model.save(tmp_path / "model.deciban")
        assert not (tmp_path / "model.deciban").exists()
    else:
        model.save(tmp_path / "model.deciban")
        X, _ = case.learn()
        again = deciban.load(tmp_path / "model.deciban")
        np.testing.assert_array_equal(again.transform(X).toarray(), model.transform(X).toarray())


def test_the_same_fit_is_the_same_bytes_on_any_number_of_threads(tmp_path):
    case = BY_ID["logistic-l1-of-three"]
    for n in (1, 2):
        fitted(case, n_jobs=n, callback=lambda *_: None).save(tmp_path / f"{n}")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def read_parts(case, folder):
    fit_case(case.id).save(folder / "model.deciban")
    stored = store.read(folder / "model.deciban", tables=True)
    return stored.header, {name: tensor.array() for name, tensor in stored.tensors.items()}


def is_refused(header, arrays):
    """Return whether a file is refused, with one sentence; else it is read, and nothing else happens."""
    stored = store.parse(store.to_bytes(header, arrays), "some.deciban", tables=True)
    try:
        restore(stored)
    except DataError as error:
        said = str(error)
    else:
        return False
    assert re.fullmatch(r"(some\.deciban|a model within): [^\n]{20,400}", said), said
    return True


@over_plain
def test_a_tensor_of_another_form_is_refused_or_read(case, tmp_path):
    header, arrays = read_parts(case, tmp_path)
    refusals = 0
    for name, array in arrays.items():
        others = [array[:-1], np.concatenate([array, array]), array.reshape(-1), array[None]] if array.ndim else []
        for other in [*others, array.astype(str).astype("S8").view("u1")]:
            refusals += is_refused(header, {**arrays, name: other})
        assert is_refused(header, {key: each for key, each in arrays.items() if key != name})
    assert not arrays or refusals


def list_nodes(tree, path=()):
    """Yield the path of every node of a tree."""
    yield path
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, each in inner:
        yield from list_nodes(each, (*path, key))


def replace_node(tree, path, value):
    """Return a copy of a tree with another value at a path."""
    copy = json.loads(json.dumps(tree))
    if not path:
        return value
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


@over_plain
def test_any_other_node_is_refused_or_read(case, tmp_path):
    header, arrays = read_parts(case, tmp_path)
    random = np.random.default_rng(0)
    places = list(list_nodes(header["estimator"]))
    for k in random.permutation(len(places))[:25]:
        for value in (None, 3, -1.5, "text", [], {}, {"part": ["Certificate", {}]}, {"estimator": ["os", {}, None]}):
            is_refused({**header, "estimator": replace_node(header["estimator"], places[k], value)}, arrays)


@pytest.mark.parametrize("name", ["predict", "__class__", "fit", "coef_ ", "scorer_", "get_params"])
def test_no_attribute_takes_the_place_of_a_method(name, tmp_path):
    header, arrays = read_parts(BY_ID["logistic"], tmp_path)
    header["estimator"]["estimator"][2][name] = 3
    assert is_refused(header, arrays)


def test_what_a_file_cannot_keep_is_told(tmp_path):
    X, y = BY_ID["logistic"].learn()
    for model, text in (
        (
            CalibratedClassifier(Foreign(), cv=3),
            "keeps Deciban's own estimators; this is LogisticRegression, of skl",
        ),
        (Nystroem(lambda a, b: a @ b.T, n_components=3), "keeps no function, which is code"),
    ):
        with pytest.raises(ValueError, match=text):
            model.fit(X, y).save(tmp_path / "model.deciban")
        assert not (tmp_path / "model.deciban").exists()
