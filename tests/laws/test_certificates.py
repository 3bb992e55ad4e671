"""Laws of certificates: every model has all parts of one, and what it says of errors to come is so."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import deciban
from deciban import SVM, LinearSVM, LogisticRegression, theory
from deciban.certificates.bound import NAMES, Bound, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import EACH
from laws.certificates import CLASSIFIERS, EVERY, data, fit, fitted, rows

over_all = pytest.mark.parametrize("name", list(EVERY))


def value(model, name):
    return model.certificate_.bound(name).value


# --- all parts ---------------------------------------------------------------------------------------------


@over_all
def test_every_certificate_has_all_parts_and_says_them(name):
    proof = fitted(name).certificate_
    line, lines = str(proof), proof.lines()
    assert len(line) <= 200
    for said in (line, *lines):
        assert said.isprintable()
        assert not re.search(r"\b(None|nan|not told)\b", said), said
    assert all(part in line for part in (f"{proof.n:,.10g} examples", "features", "gap", "calibration: "))
    seed = "no seed" if proof.seed is None else f"seed {proof.seed}"
    assert line.endswith(f"deciban {proof.version}, {seed}, data {proof.digest[:12]}")
    headings = [each.split("  ")[0] for each in lines]
    wanted = ["data", "minimised", "optimum", "bounds", "calibration", "reproduce"]
    assert [each for each in headings if each][-6:] == wanted
    assert [each.name for each in proof.bounds] == list(NAMES)


@over_all
def test_json_holds_all_of_it_and_the_same_fit_has_the_same(name):
    proof = fitted(name).certificate_
    told = proof.to_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    again = Certificate.from_json(told, proof.d)
    assert again.to_json() == told
    labels = {str(label): n for label, n in proof.class_counts.items()}
    assert again == replace(proof, seconds=0.0, class_counts=labels)
    assert fit(name).certificate_.to_json() == told


@pytest.mark.parametrize("name", [name for name in EVERY if hasattr(EVERY[name], "save")])
def test_a_file_keeps_all_of_it(name, tmp_path):
    model, path = fitted(name), tmp_path / "m.deciban"
    model.save(path)
    again = deciban.load(path)
    assert again.certificate_.to_json() == model.certificate_.to_json()
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == path.read_bytes()


@over_all
def test_a_bound_says_whether_it_applies_and_whether_it_says_anything(name):
    for bound in fitted(name).certificate_.bounds:
        assert bound.condition
        least = bound.value if bound.value is not None else bound.excess
        assert bool(bound.vacuous) == (least is not None and least >= 1.0)
        assert bound.applies or (bound.value, bound.excess, bound.delta) == (None, None, None)
        assert bound.informative == (bound.applies and bound.value is not None and bound.value < 1.0)
        assert str(bound).startswith(f"{bound.name}: ")


def test_what_an_earlier_version_wrote_is_told_as_far_as_it_goes():
    told = fitted("logistic-l2").certificate_.to_json()
    for name in ("bounds", "calibration", "training_error"):
        del told[name]
    proof = Certificate.from_json(told, 4)
    assert (proof.bounds, proof.calibration, proof.training_error) == ((), None, None)
    assert "bounds not told; calibration not told" in str(proof)
    assert [line.split(" ")[0] for line in proof.lines()] == ["ended", "data", "minimised", "optimum", "reproduce"]
    with pytest.raises(KeyError, match="none, as an earlier version wrote this certificate"):
        proof.bound("vc")
    with pytest.raises(KeyError, match="'vc', 'support vectors'"):
        fitted("logistic-l2").certificate_.bound("vcc")


@pytest.mark.parametrize("name", ["machine-of-a-number", "network", "bayes-poisson", "texts-whole", "texts-linear"])
def test_a_file_of_an_earlier_version_is_read(name, tmp_path):
    path = tmp_path / "m.deciban"
    fitted(name).save(path)
    stored = deciban.store.read(path, tables=True)
    header = {key: value for key, value in stored.header.items() if key not in ("schema", "digest")}
    kept = {"bounds", "calibration", "training_error"}
    header["certificate"] = {key: value for key, value in header["certificate"].items() if key not in kept}
    deciban.store.write(path, header, {key: tensor.array() for key, tensor in stored.tensors.items()})
    again = deciban.load(path).certificate_
    assert str(again)
    assert [each.name for each in again.bounds] in ([], list(NAMES))
    assert again.digest == fitted(name).certificate_.digest


DAMAGE = [
    {"bounds": 3},
    {"bounds": [3]},
    {"bounds": [{}]},
    {"bounds": [{**Bound("vc", True).to_json(), "applies": 1}]},
    {"bounds": [{**Bound("vc", True).to_json(), "name": 1}]},
    {"bounds": [{**Bound("vc", True).to_json(), "value": "1"}]},
    {"bounds": [{**Bound("vc", True).to_json(), "value": float("nan")}]},
    {"bounds": [{**Bound("vc", True).to_json(), "value": 10**400}]},
    {"calibration": 3},
    {"calibration": {"how": 3, "log_loss": None}},
    {"calibration": {"how": "so", "log_loss": "3"}},
    {"training_error": "0"},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
def test_what_is_no_certificate_is_refused(damage):
    told = {**fitted("logistic-l2").certificate_.to_json(), **damage}
    with pytest.raises(ValueError, match=r"a (certificate|bound|calibration) "):
        Certificate.from_json(told, 4)


def test_labels_of_strangers_do_not_steer_the_line():
    X, y = rows()
    labels = np.array(["a\nb\x1b[2J", "무료" * 99])[y]
    proof = LogisticRegression().fit(X, labels).certificate_
    assert str(proof).isprintable()
    assert len(str(proof)) <= 200
    assert all(line.isprintable() for line in proof.lines())
    long = replace(proof, status="exhausted", advice="raise max_iter, " * 40, objective="x" * 999)
    assert len(str(long)) <= 200
    assert str(long).endswith(f"data {proof.digest[:12]}")


# --- what a fit has at hand --------------------------------------------------------------------------------


# NBSVM of the paper changes the weights after the scores of its proof.
LINEAR = [
    name
    for name in CLASSIFIERS
    if name.startswith(("logistic", "softmax", "svm", "nbsvm", "perceptron", "least", "machine"))
    and name != "nbsvm-paper"
]


@pytest.mark.parametrize("name", LINEAR)
def test_the_training_error_of_machines_of_two_classes_is_at_hand(name):
    X, y = data(name)
    model = fitted(name)
    assert model.certificate_.training_error == pytest.approx(1.0 - model.score(X, y), abs=1e-12)


@pytest.mark.parametrize(
    "name", ["nbsvm-paper", "bayes-poisson", "network", "stream-svm", "ridge", "svm-hinge-of-three"]
)
def test_elsewhere_it_is_not(name):
    assert fitted(name).certificate_.training_error is None


@pytest.mark.parametrize("name", list(CLASSIFIERS))
def test_the_vc_bound_is_that_of_the_theory(name):
    model = fitted(name)
    bound, dimension = model.certificate_.bound("vc"), theory.dimension(model)
    assert bound.applies == (dimension.value < np.inf)
    if bound.applies:
        error = model.certificate_.training_error
        wanted = float(theory.vc(40, int(dimension.value), error or 0.0, EACH, growth="sauer"))
        assert bound.excess == pytest.approx(wanted - (error or 0.0))
        assert bound.value == (None if error is None else pytest.approx(wanted))


def test_support_vectors_are_counted_with_their_repetitions():
    X, y = rows()
    times = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    for model in (LinearSVM(tol=1e-10, calibration=None), SVM("linear", tol=1e-10, calibration=None)):
        weighed = clone(model).fit(X, y, times)
        repeated = clone(model).fit(np.repeat(X, times.astype(int), 0), np.repeat(y, times.astype(int)))
        count = repeated.zones_[0].support
        n = int(times.sum())
        assert value(repeated, "support vectors") == pytest.approx(count / (n - 1))
        held = float(times[weighed.zones_[0].each != 0].sum())  # of two that are equal one may hold it alone
        assert value(weighed, "support vectors") == pytest.approx(held / (n - 1))
        assert held >= count
        assert value(repeated, "compression") == pytest.approx(float(theory.compression(count, n, EACH)))
        half = clone(model).fit(X, y, times + 0.5).certificate_
        assert half.bound("compression").condition.startswith("sample weights are no whole numbers")


def test_of_three_classes_the_examples_that_hold_any_boundary_count_once():
    X, y = rows(3)
    for model in (SVM("linear", calibration=None), LinearSVM(calibration=None)):
        model.fit(X, y)
        held = [zone.each != 0 for zone in model.zones_]
        held = model.support_ if isinstance(model, SVM) else np.flatnonzero(np.logical_or.reduce(held))
        assert value(model, "support vectors") == pytest.approx(len(held) / (len(y) - 1))


HELD = {"linear": LinearSVM(tol=1e-7, calibration=None), "kernel": SVM("linear", C=0.3, tol=1e-9, calibration=None)}


@pytest.mark.parametrize("model", HELD.values(), ids=HELD.keys())
def test_leaving_out_what_holds_nothing_changes_nothing(model):
    X, y = rows()
    whole = clone(model).fit(X, y)
    outside = np.flatnonzero(whole.zones_[0].each == 0)
    assert len(outside)
    for i in outside[:5]:  # so that only those that hold it may err where they are left out
        rest = np.arange(len(y)) != i
        without = clone(model).fit(X[rest], y[rest])
        assert_allclose(without.coef_, whole.coef_, atol=1e-4)
        assert without.predict(X[[i]])[0] == y[i]
    few = whole.zones_[0].each != 0
    alone = clone(model).fit(X[few], y[few])
    assert_allclose(alone.coef_, whole.coef_, atol=1e-4)


REASONS = {
    "the rule gamma='scale' read the kernel off the examples": SVM(calibration=None),
    "class weights were balanced over all examples": LinearSVM(class_weight="balanced", calibration=None),
    "ν shares out the errors among all examples": SVM("linear", nu=0.4, calibration=None),
    "the optimum was not reached": LinearSVM(max_iter=1, tol=1e-12, calibration=None),
    "landmarks, drawn from all examples, stand for them": SVM(gamma=0.1, solver="nystroem", calibration=None),
    "every example has a say in what was learnt": LogisticRegression(),
    "a stream does not tell which examples hold the boundary": "stream-svm",
    "the words, and what they weigh, were read off the examples": "texts-machine",
    "it bounds how often a classifier errs, and this is none": "ridge",
}


@pytest.mark.parametrize("reason", REASONS)
def test_why_support_vectors_say_nothing(reason):
    model = REASONS[reason]
    model = fitted(model) if isinstance(model, str) else clone(model).fit(*rows())
    for name in ("support vectors", "compression"):
        bound = model.certificate_.bound(name)
        assert (bound.applies, bound.condition) == (False, reason)


CALIBRATIONS = {
    "logistic-l2": "none: log loss was minimised",
    "svm-hinge": "temperature on 3 folds",
    "svm-margins": "none: only margins",
    "perceptron": "temperature on 3 folds",
    "least-squares": "temperature on 3 folds",
    "ridge": "none: no probabilities",
    "nbsvm-hinge": "temperature on 3 folds",
    "nbsvm-logistic": "none: log loss was minimised",
    "machine-rbf": "temperature on 3 folds",
    "machine-curves": "isotonic on 3 folds",
    "machine-hard-margin": "none: only margins",
    "bayes-poisson": "none: a posterior",
    "network": "none: log loss was minimised",
    "network-of-squares": "none: squared error was minimised",
    "stream-logistic": "none: log loss was minimised",
    "stream-svm": "none: only margins",
    "texts-whole": "none: a posterior",
    "texts-linear": "a line, on 8 of 10 folds",
    "one-class": "none: no probabilities",
}


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_how_probabilities_come_about(name):
    told = fitted(name).certificate_.calibration
    assert told.how == CALIBRATIONS[name]
    assert (told.log_loss is not None) == told.how.startswith(("temperature", "a line"))
    if told.log_loss is not None:
        assert 0.0 < told.log_loss < 2.0


def test_the_held_out_log_loss_is_that_of_the_folds():
    from deciban.data.folds import folds

    X, y = rows()
    model = LinearSVM(tol=1e-8, random_state=3).fit(X, y)
    fold, each = folds(X, 3, 3), np.zeros(len(y))
    for k in range(3):
        part = LinearSVM(tol=1e-8, calibration=None, random_state=3).fit(X[fold != k], y[fold != k])
        margin = np.where(y == 1, 1.0, -1.0)[fold == k] * part.decision_function(X[fold == k])
        each[fold == k] = np.logaddexp(0.0, -model.temperature_ * margin)
    assert model.certificate_.calibration.log_loss == pytest.approx(each.mean(), rel=1e-4)
    assert model.set_params(calibration=None).fit(X, y).certificate_.calibration == Probabilities("none: only margins")
