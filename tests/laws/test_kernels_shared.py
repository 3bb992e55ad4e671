"""What problems share is computed once, and nothing comes of it but speed."""

import numpy as np
import pytest

from deciban import SVM, _core, kernel_solvers
from deciban.kernel_machines.pairs_together import know_gram
from deciban.kernel_solvers import finishing
from deciban.kernels.items import items


def three(d: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Three classes of d features."""
    rng = np.random.default_rng(d)
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, d)) + 0.4 * (np.arange(d) % 3 == y[:, None]), y


@pytest.mark.parametrize("style", ["ovo", "ovr"])
@pytest.mark.parametrize("d", [4, 80])
def test_machines_solved_together_are_those_solved_alone(d: int, style: str) -> None:
    X, y = three(d)
    options = {"calibration": None, "tol": 1e-8, "C": 3.0, "multi_class": style}
    alone = SVM(**options, solver="blocks").fit(X, y)
    for memory in (0.02, 200.0):
        found = SVM(**options, memory_mb=memory, n_jobs=1).fit(X, y)
        assert found.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=1e-6)
        assert np.allclose(found.intercept_, alone.intercept_, atol=1e-4)
        two = SVM(**options, memory_mb=memory, n_jobs=2).fit(X, y)
        assert two.dual_coef_.tobytes() == found.dual_coef_.tobytes()


@pytest.mark.parametrize("memory", [0, 3000, 1 << 20])
def test_rows_that_are_kept_are_those_computed(memory: int) -> None:
    X = np.random.default_rng(0).normal(size=(600, 5))
    rng = np.random.default_rng(1)
    tiles = _core.KernelTiles(X, "rbf", [0.3], memory=memory)
    K = np.exp(-0.3 * np.square(X[:, None] - X[None]).sum(axis=2))
    for some in (None, rng.permutation(600)[:300], None):
        tiles.restrict(some)
        wanted = slice(None) if some is None else some
        for _ in range(4):
            rows, c = rng.permutation(600)[:40], rng.normal(size=40)
            assert tiles.combination(rows, c) == pytest.approx(K[wanted][:, rows] @ c, abs=1e-5)


def test_what_is_kept_changes_no_bit_of_a_sum() -> None:
    X, rng = np.random.default_rng(0).normal(size=(600, 5)), np.random.default_rng(1)
    asked = [(rng.permutation(600)[:40], rng.normal(size=40)) for _ in range(12)]
    found = set()
    for memory in (0, 3000, 30_000, 200_000, 1 << 21):
        tiles = _core.KernelTiles(X, "rbf", [0.3], memory=memory)
        found.add(b"".join(tiles.combination(rows, c).tobytes() for rows, c in asked))
    assert len(found) == 1


@pytest.mark.parametrize("memory", [0.1, 0.15, 0.3])
def test_threads_that_share_memory_change_no_bit(memory: float) -> None:
    X, y = three(4, 180)
    options = {"C": 3.0, "multi_class": "ovr", "memory_mb": memory, "calibration": None, "solver": "blocks"}
    one, two = (SVM(**options, n_jobs=n).fit(X, y) for n in (1, 2))
    assert two.dual_coef_.tobytes() == one.dual_coef_.tobytes()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_one_gram_matrix_for_pairs_and_folds_is_the_same_machine(kernel: str, C: float) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(3, 4))[y] + rng.normal(size=(120, 4))
    known = SVM(kernel, C=C).fit(X, y)
    asked = SVM(kernel, C=C, memory_mb=0.2).fit(X, y)  # all of K, and as much again, does not fit
    assert know_gram(asked, items(asked, X, y, None)) is None
    assert know_gram(known, items(known, X, y, None)) is not None
    for one, other in zip(known.certificates_, asked.certificates_, strict=True):
        assert one.primal == pytest.approx(other.primal, rel=1e-10)
    np.testing.assert_allclose(known.pairwise_decisions(X), asked.pairwise_decisions(X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(known.predict_proba(X), asked.predict_proba(X), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("style", ["ovo", "ovr"])
@pytest.mark.parametrize("rows", [1, 30, 10_000])
def test_large_problems_that_need_more_rows_go_on_by_blocks(
    style: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = three(4, 180)
    options = {"tol": 1e-8, "C": 3.0, "multi_class": style, "memory_mb": 0.3}
    known = SVM(**options).fit(X, y)
    for name, value in (("ROWS", 0), ("FEW_ROWS", rows), ("_LARGEST", 0)):
        monkeypatch.setattr(finishing, name, value)
    monkeypatch.setattr(kernel_solvers, "SMALL", 130)  # of each against each the largest pair alone has more
    found, two = (SVM(**options, n_jobs=n).fit(X, y) for n in (1, 2))
    by = [each.solver for each in found.solution_]
    sizes = [len(each.beta) for each in found.solution_]
    assert by == ["blocks" if n > 130 and rows < 100 else "smo" for n in sizes]
    assert found.certificate_.status == "converged"
    assert found.certificate_.primal == pytest.approx(known.certificate_.primal, rel=1e-6)
    np.testing.assert_allclose(found.predict_proba(X), known.predict_proba(X), atol=1e-4)
    assert two.dual_coef_.tobytes() == found.dual_coef_.tobytes()
    assert two.predict_proba(X).tobytes() == found.predict_proba(X).tobytes()


def test_small_problems_beside_large_ones_are_finished_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2, 3], [600, 450, 40, 30])
    X = rng.normal(size=(len(y), 3)) + np.eye(4, 3)[y]
    model = SVM(calibration=None, tol=1e-3).fit(X, y)
    assert know_gram(model, items(model, X, y, None)) is None
    gaps = [each.relative_gap for each in model.certificates_]
    sizes = np.array([len(each.beta) for each in model.solution_])
    assert (sizes > finishing.ROWS).sum() == 1
    assert (np.array(gaps)[sizes <= finishing.ROWS] < 1e-9).all()
    assert np.array(gaps)[sizes > finishing.ROWS] < 1e-3


KERNELS = [("rbf", [0.3]), ("linear", []), ("polynomial", [0.5, 1.0, 3.0]), ("tanh", [0.1, 0.0])]


@pytest.mark.parametrize(("kernel", "parameters"), KERNELS)
@pytest.mark.parametrize("m", [1, 15, 16, 17, 150])
def test_scores_of_few_rows_are_those_of_many(kernel: str, parameters: list[float], m: int) -> None:
    rng = np.random.default_rng(m)
    X, Z, c = rng.normal(size=(40, 7)), rng.normal(size=(m, 7)), rng.normal(size=(m, 3))
    c[::4, 1] = 0.0
    for ends in ([], [m // 3, m // 2, m]):
        many = _core.kernel_scores(X, Z, c, kernel, parameters, ends=ends)
        for n in (1, 2, 3, 4, 5):
            few = _core.kernel_scores(X[:n], Z, c, kernel, parameters, ends=ends)
            assert few.tobytes() == many[:n].tobytes()
