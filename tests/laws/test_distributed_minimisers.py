"""Linear models learn in partitions what they learn at once: the same objective, within a gap that is proven."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from partitions import ENGINES, PARTITIONINGS, DiesOnce, backwards, by_label, dask_processes, processes, threads
from scipy import sparse

from deciban import NBSVM, LinearSVM, LogisticRegression
from deciban.certificates.duality import prove
from deciban.data.examples import examples
from deciban.data.folds import hashes
from deciban.distributed import encoding, fit, mapped, newton
from deciban.distributed.minimising import Minimised
from deciban.distributed.passes import Along, Direction, Hessians, Look, Point, Times
from deciban.errors import StorageError
from deciban.models import log_count_ratios

RANDOM = np.random.default_rng(0)
N, D = 120, 7
X = RANDOM.normal(size=(N, D)) * (RANDOM.random((N, D)) < 0.6)
SCORES = X @ RANDOM.normal(size=(D, 3)) + RANDOM.gumbel(size=(N, 3)) + [1.0, 0.0, -1.0]
TWO, THREE = np.array(["no", "yes"])[(SCORES[:, 0] > 1.0).astype(int)], SCORES.argmax(axis=1)
MODELS = {
    "two": (LogisticRegression(), TWO),
    "no-intercept": (LogisticRegression(C=30.0, fit_intercept=False), TWO),
    "no-penalty": (LogisticRegression(penalty=None), TWO),
    "balanced": (LogisticRegression(class_weight="balanced"), TWO),
    "softmax": (LogisticRegression(C=0.3), THREE),
    "softmax-no-intercept": (LogisticRegression(fit_intercept=False), THREE),
    "each": (LogisticRegression(multi_class="ovr"), THREE),
    "squared-hinge": (LinearSVM(loss="squared_hinge", calibration=None), TWO),
    "squared-hinge-each": (LinearSVM(loss="squared_hinge", calibration=None, class_weight={1: 3.0}), THREE),
    "hinge": (LinearSVM(loss="hinge", calibration=None), TWO),
    "hinge-each": (LinearSVM(loss="hinge", calibration=None, C=0.05, class_weight="balanced"), THREE),
    "hinge-l1": (LinearSVM(loss="hinge", penalty="l1", C=0.1, calibration=None), TWO),
    "hinge-no-intercept": (LinearSVM(loss="hinge", calibration=None, C=30.0, fit_intercept=False), TWO),
    "l1": (LogisticRegression(penalty="l1", C=0.3), TWO),
    "l1-each": (LogisticRegression(penalty="l1", multi_class="ovr", C=0.3), THREE),
    "l1-no-intercept": (LogisticRegression(penalty="l1", C=0.1, fit_intercept=False), TWO),
    "elastic-net": (LogisticRegression(penalty="elasticnet", l1_ratio=0.7, C=0.2), TWO),
    "ratios": (NBSVM(tol=1e-6), TWO),
    "ratios-each": (NBSVM(C=3.0, class_weight="balanced", tol=1e-6), THREE),
    "ratios-no-pull": (NBSVM(pull=0.0, interpolation=0.25, fit_intercept=False, tol=1e-6), TWO),
    "ratios-squared-hinge": (NBSVM(loss="squared_hinge", calibration=None, alpha=0.3, tol=1e-6), TWO),
    "squared-hinge-l1": (LinearSVM(loss="squared_hinge", penalty="l1", C=0.05, calibration=None), TWO),
}
EVERY = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    with request.param() as found:
        yield found


@pytest.fixture(params=["hessian", "gradients"])
def way(request, monkeypatch):
    if request.param == "gradients":
        monkeypatch.setattr(newton, "_FEW", 0)
    return request.param


def new(name, **parameters):
    model, y = MODELS[name]
    return type(model)(**{**model.get_params(), **parameters}), y


@pytest.mark.pairs
@EVERY
@pytest.mark.parametrize("partition", PARTITIONINGS)
@pytest.mark.parametrize("rows", [X, sparse.csr_array(X)], ids=["dense", "csr"])
def test_the_objective_is_that_of_all_rows_within_the_gap(name, partition, rows, way, engine):
    model, y = new(name)
    fit(model, partition(rows, y), engine=engine)
    at_once, proof = new(name)[0].fit(rows, y), model.certificate_
    assert proof.status == "converged"
    assert proof.dual <= at_once.certificate_.primal * (1 + 1e-12)
    assert at_once.certificate_.dual <= proof.primal * (1 + 1e-12)
    assert proof.primal - proof.dual <= 1e-6 * proof.primal * max(1, len(model.solution_))
    assert proof.training_error == (None if proof.training_error is None else np.mean(model.predict(rows) != y))
    assert model.predict(rows).tolist() == pytest.approx(at_once.predict(rows).tolist()) or (y == TWO).all()
    assert model.classes_.tolist() == at_once.classes_.tolist()


@EVERY
def test_the_certificate_is_what_the_rows_prove(name, engine):
    model, y = new(name, tol=1e-3)
    fit(model, by_label(X, y), engine=engine)
    given = examples(model, X, y, None)
    proofs = [
        prove(problem, found.w, found.b) for problem, found in zip(model._problems(given), model.solution_, strict=True)
    ]
    proof = model.certificate_
    np.testing.assert_allclose(proof.primal, sum(each.primal for each in proofs), rtol=1e-12)
    assert proof.dual <= new(name, tol=1e-9)[0].fit(X, y).certificate_.primal * (1 + 1e-12)
    assert proof.dual >= (1.0 - 1e-3 * len(proofs)) * proof.primal
    if getattr(model, "loss", "") != "hinge":  # whose slopes at its kink are those of the stages
        np.testing.assert_allclose(proof.dual, sum(each.dual for each in proofs), rtol=2e-3)


@EVERY
def test_weights_do_not_depend_on_the_number_of_workers(name):
    found = []
    for workers in (1, 3):
        model, y = new(name)
        with ThreadPoolExecutor(workers) as executor:
            found.append(fit(model, backwards(X, y), engine=executor))
    np.testing.assert_array_equal(found[0]._get_weights(), found[1]._get_weights())
    np.testing.assert_array_equal(found[0].intercept_, found[1].intercept_)


@pytest.mark.parametrize("name", ["two", "each", "squared-hinge"])
@pytest.mark.parametrize("rows", [X, sparse.csr_array(X), sparse.csr_array(np.round(X))], ids=["dense", "csr", "whole"])
def test_the_hessian_is_what_its_products_say_and_the_derivative_of_the_gradient(name, rows):
    model, y = new(name)
    encoded, survey = encoding.Encode(model)(encoding.Part(0, "", lambda: (rows, y)))
    part = survey.part.__class__(0, "", lambda: encoded)
    objective, _ = Minimised(model)._objective([survey])
    K = objective.outputs
    w, b = RANDOM.normal(size=(K, D)), RANDOM.normal(size=K)
    tables = Hessians(objective)(part, (), Point(w, b, 0))
    q = RANDOM.normal(size=(K, D + 1))
    product = Times(objective)(part, (), Direction(Point(w, b, 0), q))
    np.testing.assert_allclose(np.einsum("kij,kj->ki", tables, q), product, rtol=1e-10)

    def gradient(t):
        sums = Look(objective)(part, (), Point(w + t * q[:, :-1], b + t * q[:, -1], 1))
        return -np.column_stack([sums.v.sum(axis=0), sums.up.sum(axis=0)])

    np.testing.assert_allclose((gradient(1e-6) - gradient(-1e-6)) / 2e-6, product, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("width", [0.0, 0.1])
@pytest.mark.parametrize("name", ["two", "each", "softmax", "squared-hinge", "squared-hinge-each"])
def test_losses_along_a_step_are_those_of_its_points(name, width):
    model, y = new(name)
    encoded, survey = encoding.Encode(model)(encoding.Part(0, "", lambda: (X, y)))
    part = survey.part.__class__(0, "", lambda: encoded)
    objective = replace(Minimised(model)._objective([survey])[0], width=0.0 if name == "softmax" else width)
    K = objective.outputs
    w, b, q = RANDOM.normal(size=(K, D)), RANDOM.normal(size=K), RANDOM.normal(size=(K, D + 1))
    lengths = RANDOM.random((3, 1 if objective.joint else K))
    found = Along(objective, lengths)(part, (), Direction(Point(w, b, 0), q))
    for t, losses in zip(lengths, found, strict=True):
        there = Point(w + t[:, None] * q[:, :-1], b + t * q[:, -1], 1)
        np.testing.assert_allclose(losses, Look(objective)(part, (), there).loss, rtol=1e-12)


@pytest.mark.parametrize("name", ["hinge-l1", "l1-each", "elastic-net"])
def test_a_time_limit_holds_within_a_step_around_corners(name, monkeypatch):
    given, solve = [], newton.problem_solve
    monkeypatch.setattr(newton, "problem_solve", lambda problem, limits: given.append(limits) or solve(problem, limits))
    model, y = new(name, time_limit=30.0)
    with ThreadPoolExecutor(2) as executor:
        fit(model, by_label(X, y), engine=executor)
    left = [limits.time_limit for limits in given]
    assert left[0] <= 30.0
    assert left == sorted(left, reverse=True)


@pytest.mark.parametrize("enough", [8, 1000])
@pytest.mark.parametrize("y", [TWO, THREE, np.arange(N) == 5], ids=["two", "three", "one-of-all"])
def test_the_same_rows_tell_what_naive_bayes_is_worth(y, enough, monkeypatch):
    monkeypatch.setattr(log_count_ratios, "_ENOUGH", enough)
    counts = np.abs(np.round(2.0 * X))
    for binary in (True, False):
        with threads() as executor:
            found = fit(NBSVM(binary=binary), backwards(counts, y), engine=executor)
        np.testing.assert_allclose(found.pull_, NBSVM(binary=binary).fit(counts, y).pull_, rtol=1e-9)


def test_more_rows_are_drawn_where_some_lack_a_side():
    assert list(log_count_ratios.divisors_of_sample(4096 * 300.0)) == [300, 18, 1]
    rows, y = RANDOM.integers(0, 2, (3000, 12)).astype(float), np.where(np.arange(3000) == 7, 1.0, -1.0)
    asked, hashed, even = [], hashes(rows, 0), np.where(np.arange(3000) % 2, 1.0, -1.0)

    def both(X, kept, *given):
        asked.append(len(kept))
        return 1.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_count_ratios, "_ENOUGH", 10)
        patch.setattr(log_count_ratios, "worth_of_sample", both)
        log_count_ratios.worth(rows, y, np.ones(3000), np.ones((2, 12)), 1.0, hashed)
        log_count_ratios.worth(rows, even, np.ones(3000), np.ones((2, 12)), 1.0, hashed)
    assert 0 < asked[1] < 40 < asked[0] <= 3000


@EVERY
def test_newton_takes_few_iterations(name, way):
    model, y = new(name)
    with threads() as executor:
        fit(model, backwards(X, y), engine=executor)
    assert model.n_iter_.max() <= (80 if getattr(model, "loss", "") == "hinge" else 12)


@EVERY
def test_a_callback_is_told_of_the_objective_itself_iteration_by_iteration(name):
    seen = []
    model, y = new(name, callback=lambda *at: seen.append(at))
    with threads() as executor:
        fit(model, backwards(X, y), engine=executor)
    iterations, primals, gaps = map(np.array, zip(*seen, strict=True))
    proof = model.certificate_
    assert (np.diff(iterations) >= 0).all()
    assert iterations[-1] == model.n_iter_.max()
    assert (primals - gaps <= proof.primal * (1 + 1e-12)).all()
    np.testing.assert_allclose(primals[-1], proof.primal, rtol=1e-9)


def test_weights_of_rows_are_repetitions():
    weight = np.arange(N) % 3
    with threads() as executor:
        parts = [(X[i::4], TWO[i::4], weight[i::4]) for i in range(4)]
        model = fit(LogisticRegression(tol=1e-10), parts, engine=executor)
        repeated = [(np.repeat(X, weight, axis=0), np.repeat(TWO, weight))]
        again = fit(LogisticRegression(tol=1e-10), repeated, engine=executor)
    np.testing.assert_allclose(model.certificate_.primal, again.certificate_.primal, rtol=1e-9)
    np.testing.assert_allclose(model.coef_, again.coef_, atol=1e-4)
    assert model.certificate_.class_counts == again.certificate_.class_counts


def test_rows_are_kept_in_32_bits_where_that_loses_nothing(tmp_path):
    kinds = []
    for rows in (sparse.csr_array(np.round(X)), sparse.csr_array(X / 3)):
        encoded, _ = encoding.Encode(LogisticRegression())(encoding.Part(0, "", lambda rows=rows: (rows, TWO)))
        mapped.write(encoded, tmp_path / "part")
        found = mapped.Mapped(str(tmp_path / "part"))()
        kinds.append((found.X.data.dtype.itemsize, found.X.indices.dtype.itemsize))
        assert (rows != found.X).nnz == 0
        assert found.labels[found.y].tolist() == TWO.tolist()
    assert kinds == [(4, 4), (8, 4)]


def test_files_are_gone_after_a_fit_and_after_an_error(tmp_path, monkeypatch):
    with threads() as executor:
        fit(LogisticRegression(), backwards(X, TWO), engine=executor, scratch=tmp_path)
        assert not list(tmp_path.iterdir())

        def on_full_disk(path, mode="r", **settings):
            return open("/dev/full" if "w" in mode else path, mode, **settings)

        monkeypatch.setattr(mapped, "open", on_full_disk, raising=False)
        model = LogisticRegression()
        with pytest.raises(
            StorageError, match=r"^the disk of .* is full\. Expected [\d,]+ more bytes\. Make room there"
        ):
            fit(model, backwards(X, TWO), engine=executor, scratch=tmp_path)
    assert not list(tmp_path.iterdir())
    assert not hasattr(model, "coef_")


def test_ctrl_c_returns_the_best_weights_so_far():
    def stop(iteration, objective, gap):
        raise KeyboardInterrupt

    with threads() as executor:
        model = fit(LogisticRegression(callback=stop), backwards(X, TWO), engine=executor)
    assert model.certificate_.status == "interrupted"
    assert model.certificate_.primal < len(TWO) * np.log(2.0)


@pytest.mark.deep
@pytest.mark.parametrize("workers", [processes, dask_processes])
def test_a_worker_that_dies_changes_nothing(workers, tmp_path):
    parts, model = backwards(X, TWO), LogisticRegression()
    with threads() as executor:
        at_ease = fit(LogisticRegression(), parts, engine=executor)
    parts[5] = DiesOnce(parts[5], tmp_path / "died")
    with workers() as engine:
        fit(model, parts, engine=engine)
    assert (tmp_path / "died").exists()
    np.testing.assert_array_equal(model.coef_, at_ease.coef_)
