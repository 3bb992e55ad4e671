"""A path over C: each price ends where a fit of its own does, and the simplest that is good enough is chosen."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from deciban import SVM
from deciban.kernel_machines import path

Cs = (0.1, 1.0, 10.0)


def rings(C: int, n: int = 150) -> tuple[Any, Any]:
    """Rings about the origin, and some noise."""
    rng = np.random.default_rng(C)
    y = rng.integers(C, size=n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), y + 1.0 + rng.normal(scale=0.3, size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.array(["a", "b", "c", "d"])[y]


def svm(**options: Any) -> SVM:
    return SVM(**{"calibration": None, "tol": 1e-8, **options})


@pytest.mark.parametrize("style", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("C", [2, 3])
def test_each_price_ends_where_a_fit_of_its_own_does(C: int, kernel: str, style: str) -> None:
    X, y = rings(C)
    model = svm(kernel=kernel, degree=2, coef0=1.0, multi_class=style)
    found = path(model, X, y, Cs=Cs, cv=3)
    assert [each.C for each in found.tried] == list(Cs)
    for each in found.tried:
        alone = svm(kernel=kernel, degree=2, coef0=1.0, multi_class=style, C=each.C).fit(X, y)
        assert each.certificate.status == "converged"
        assert each.certificate.primal == pytest.approx(alone.certificate_.primal, rel=1e-6)
        assert each.interval[0] <= each.error <= each.interval[1]


@pytest.mark.parametrize("memory", [0.05, 200.0])
def test_with_the_whole_matrix_in_memory_or_without(memory: float) -> None:
    X, y = rings(3)
    here, there = (path(svm(memory_mb=mb), X, y, Cs=Cs, cv=3) for mb in (memory, 50.0))
    assert here.C == there.C
    for a, b in zip(here.tried, there.tried, strict=True):
        assert (a.error, a.n_support) == (b.error, b.n_support)
        assert a.certificate.primal == pytest.approx(b.certificate.primal, rel=1e-6)


def test_threads_change_nothing() -> None:
    X, y = rings(4)
    one, two = (path(svm(n_jobs=n), X, y, Cs=Cs, cv=3) for n in (1, 2))
    assert one.model.dual_coef_.tobytes() == two.model.dual_coef_.tobytes()
    assert [each[:4] for each in one.tried] == [each[:4] for each in two.tried]


def test_other_kernels_rows_and_weights() -> None:
    X, y = rings(2)
    gram = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=2))
    weight = np.random.default_rng(0).integers(1, 3, size=len(y))
    known = path(svm(gamma=0.5), X, y, weight, Cs=Cs, cv=3)
    by_sparse = path(svm(gamma=0.5), sparse.csr_array(X), y, weight, Cs=Cs, cv=3)
    by_copies = path(svm(gamma=0.5), np.repeat(X, weight, axis=0), np.repeat(y, weight), Cs=Cs, cv=3)
    for other in (by_sparse, by_copies):
        assert other.C == known.C
        for a, b in zip(known.tried, other.tried, strict=True):
            assert a.error == pytest.approx(b.error, abs=1e-12)
            assert a.certificate.primal == pytest.approx(b.certificate.primal, rel=1e-6)
    of_gram = path(svm(kernel="precomputed"), gram, y, weight, Cs=Cs, cv=3)
    for a, b in zip(known.tried, of_gram.tried, strict=True):
        assert a.certificate.primal == pytest.approx(b.certificate.primal, rel=1e-6)


def test_the_simplest_that_is_good_enough_has_learnt_everything() -> None:
    X, y = rings(3)
    model = svm()
    found = path(model, X, y, Cs=(100.0, 0.001, 1.0), cv=3)
    best = min(found.tried, key=lambda each: each.error)
    enough = [each.C for each in found.tried if each.error <= best.error + best.standard_error]
    assert found.C == min(enough) == found.model.C
    alone = svm(C=found.C).fit(X, y)
    assert (found.model.predict(X) == alone.predict(X)).all()
    assert found.model.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=1e-6)
    assert found.model.n_features_in_ == 2
    assert not hasattr(model, "solution_")


@pytest.mark.parametrize(
    ("options", "how", "words"),
    [
        ({"nu": 0.5}, {}, "nu=None"),
        ({}, {"Cs": []}, "Cs is empty"),
        ({}, {"Cs": [np.inf]}, "finite prices"),
        ({}, {"Cs": [0.0]}, "C must be a number > 0"),
        ({}, {"cv": 1}, "whole number of folds from 2"),
    ],
    ids=["nu", "none", "infinite", "zero", "one fold"],
)
def test_what_no_path_can_go_along_is_refused(options: Any, how: Any, words: str) -> None:
    X, y = rings(2)
    with pytest.raises(ValueError, match=words):
        path(svm(**options), X, y, **how)


def test_control_c_keeps_the_prices_that_are_complete() -> None:
    X, y = rings(2)

    class Stopper:
        def __init__(self) -> None:
            self.heard = 0

        def __call__(self, iteration: int, primal: float, gap: float) -> bool:
            self.heard += 1
            if self.heard == 8:  # of four problems a price: in the second one
                raise KeyboardInterrupt
            return False

    stopped = path(svm(callback=Stopper(), tol=1e-3, n_jobs=1), X, y, Cs=Cs, cv=3)
    assert 1 <= len(stopped.tried) < len(Cs)
