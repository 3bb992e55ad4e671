"""What problems share is computed once, and nothing comes of it but speed."""

import numpy as np
import pytest

from deciban import SVM, _core


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
