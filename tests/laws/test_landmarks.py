"""Laws of machines over landmarks: the exact one where all rows are landmarks, else one that knows what it may lose."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import deciban
from deciban import SVM, kernel_solvers
from deciban.kernel_solvers import KernelProblem, certificate, nystroem, smo
from deciban.kernel_solvers.nystroem import Approximate
from deciban.kernel_solvers.problem import Limits
from deciban.kernels import RBF, Linear, Polynomial
from laws.svms import TIGHT, cloud

KERNELS = {"rbf": RBF(0.5), "poly": Polynomial(0.5, 1.0, 2), "linear": Linear(), "sum": RBF(0.3) + Linear()}


def fitted(count, X, y, **options):
    return SVM(solver=Approximate(count), **{"calibration": None, **options}).fit(X, y)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_where_all_rows_are_landmarks_it_is_the_exact_machine(kernel, form):
    X, y = cloud(n=70)
    weight = 1.0 + np.arange(70) % 3
    near = SVM(KERNELS[kernel], solver="nystroem", calibration=None, **TIGHT).fit(form(X), y, weight)
    exact = SVM(KERNELS[kernel], calibration=None, **TIGHT).fit(form(X), y, weight)
    assert near.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-6)
    assert near.certificate_.status == exact.certificate_.status == "converged"
    assert near.certificate_.kkt_violation <= 1e-6
    assert_allclose(near.decision_function(form(X)), exact.decision_function(form(X)), atol=1e-4)
    assert near.zones_[0].outside == pytest.approx(exact.zones_[0].outside, abs=2)
    assert near.zones_[0].outside + near.zones_[0].support == 70


@pytest.mark.parametrize("style", ["ovo", "ovr"])
def test_many_classes_and_texts(style):
    X, y = cloud(3)
    near, exact = (SVM(solver=by, multi_class=style, calibration=None, **TIGHT).fit(X, y) for by in ("nystroem", "smo"))
    assert near.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-6)
    texts, labels = ["free money", "money now", "lunch at noon", "noon"] * 3, ["spam", "spam", "ham", "ham"] * 3
    near, exact = (
        SVM("spectrum", solver=by, calibration=None, **TIGHT).fit(texts, labels) for by in ("nystroem", "smo")
    )
    assert near.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-6)
    assert near.predict(texts).tolist() == labels


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("count", [4, 15, 60])
def test_the_exact_optimum_is_where_it_is_said_to_be(kernel, count):
    X, y = cloud(n=150)
    problem = KernelProblem.classification(KERNELS[kernel], X, np.where(y == 1, 1.0, -1.0), np.full(150, 2.0))
    exact = kernel_solvers.solve(problem, Limits(tol=1e-9), "smo")
    best = certificate.prove(problem, exact.beta)
    found = Approximate(count).solve(problem, Limits(tol=1e-5, max_iter=100_000))
    proof = nystroem.prove_landmarks(problem, found)
    assert proof.bound <= best.primal * (1.0 + 1e-8)
    assert best.dual <= proof.primal * (1.0 + 1e-8)
    assert proof.bound <= proof.dual + 1e-9 * proof.primal
    assert abs(proof.relative_gap) <= 2e-5
    f = KERNELS[kernel].tile(X, X[found.landmarks.rows]) @ found.landmarks.coefficients
    assert_allclose(proof.scores, f, atol=1e-8)
    assert (found.beta >= problem.lo).all()
    assert (found.beta <= problem.hi).all()
    assert abs(found.beta.sum()) <= 1e-9


def test_more_landmarks_lose_less_and_it_is_said():
    X, y = cloud(n=300)
    exact = SVM(calibration=None, **TIGHT).fit(X, y).certificate_.primal
    bounds = []
    for count in (5, 30, 150):
        told = fitted(count, X, y).certificate_
        assert told.status == "approximation"
        words = re.match(
            rf"an approximation by {count} landmarks for 300 rows; its objective is at most (\S+) % above that of the "
            r"exact machine; over [\d,]+ pairs of rows the features differ from the kernel by .*"
            r"More landmarks need more memory_mb; solver='blocks' is exact$",
            told.advice,
        )
        bounds.append(float(words[1]) / 100.0)
        assert told.primal - exact <= bounds[-1] * told.primal * (1.0 + 1e-2)
        assert told.advice in "\n".join(told.lines())
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 0.01


def test_a_bound_from_a_sample_is_near_the_whole_one(monkeypatch):
    X, y = cloud(n=300)
    problem = KernelProblem.classification(RBF(0.5), X, np.where(y == 1, 1.0, -1.0), np.ones(300))
    found = Approximate(40).solve(problem, Limits())
    whole = nystroem.prove_landmarks(problem, found)
    assert whole.error == 0.0
    monkeypatch.setattr(nystroem, "_VALUES", 1)
    monkeypatch.setattr(nystroem, "_ROWS", 60)
    few = [nystroem.prove_landmarks(problem, found, seed) for seed in range(20)]
    assert all(each.error > 0.0 for each in few)
    assert np.mean([abs(each.bound - whole.bound) <= 2.0 * each.error for each in few]) >= 0.8
    assert "(± " in nystroem.describe_landmarks(few)


@pytest.mark.parametrize("options", [{}, {"multi_class": "ovr"}, {"calibration": "isotonic"}], ids=str)
@pytest.mark.parametrize("C", [2, 3])
def test_it_judges_explains_and_is_kept_like_any_machine(C, options, tmp_path):
    X, y = cloud(C, n=90)
    model = fitted(30, X, y, **{"calibration": "temperature", **options})
    machines = C if C == 3 and "multi_class" not in options else 1
    assert len(model.support_) <= 30 * machines
    assert_array_equal(model.support_vectors_, X[model.support_])
    p = model.predict_proba(X)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    why = model.explain(X[:1])[0]
    assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans, abs=1e-9)
    model.save(tmp_path / "m.deciban")
    again = deciban.load(tmp_path / "m.deciban")
    assert_array_equal(again.predict_proba(X), p)
    assert again.certificate_.advice == model.certificate_.advice
    many = SVM(**{**model.get_params(), "n_jobs": 2}).fit(X, y)
    assert many.dual_coef_.tobytes() == model.dual_coef_.tobytes()


def problem_of(N, **changes):
    X, side = np.zeros((N, 1)), np.where(np.arange(N) % 2, 1.0, -1.0)
    price = np.full(N, changes.get("C", 1.0))
    if "nu" in changes:
        return KernelProblem.nu_classification(RBF(), X, side, price, changes["nu"])
    return KernelProblem.classification(RBF(), X, side, price)


def test_auto_approximates_beyond_a_stated_number_of_rows_only(monkeypatch):
    most = kernel_solvers.LARGE
    assert f"2. nystroem: classes of more than {most:,} rows at a finite C" in kernel_solvers.decision_table()
    assert kernel_solvers.choose(problem_of(most)).name == "blocks"
    assert kernel_solvers.choose(problem_of(most + 1)).name == "nystroem"
    assert kernel_solvers.choose(problem_of(most + 1, nu=0.5)).name == "blocks"
    assert kernel_solvers.choose(problem_of(most + 1, C=np.inf)).name == "blocks"
    monkeypatch.setattr(kernel_solvers, "LARGE", 290)
    X, y = cloud(n=300)
    assert SVM(solver="smo").fit(X, y).certificate_.status == "converged"
    monkeypatch.setattr(smo, "solve", lambda *_, **__: pytest.fail("a fold was learnt exactly"))
    model = SVM(memory_mb=0.1).fit(X, y)
    assert (model.certificate_.status, model.solution_[0].solver) == ("approximation", "nystroem")
    assert len(model.solution_[0].landmarks.rows) == 256
    assert model.predict_proba(X).shape == (300, 2)


def test_whoever_stops_it_gets_an_honest_machine():
    X, y = cloud(n=200)
    told = fitted(40, X, y, C=1e3, tol=1e-12, max_iter=1).certificate_
    assert told.status == "exhausted"
    assert "an approximation by 40 landmarks" in told.advice
    assert told.relative_gap >= 0.0


def test_a_warm_start_begins_at_the_last_dual():
    X, y = cloud(n=200)
    cold = fitted(40, X, y, C=3.0, tol=1e-8)
    warm = fitted(40, X, y, C=1.0, tol=1e-8, warm_start=True).set_params(C=3.0).fit(X, y)
    assert warm.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=1e-7)
