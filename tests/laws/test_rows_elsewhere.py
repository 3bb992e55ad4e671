"""Laws of rows in arrays of other libraries: they stay where they are, in parts, in tiles and as features."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import SVM, kernel_solvers
from deciban.data import devices
from deciban.data.digest import digest
from deciban.data.folds import folds
from deciban.features.nystroem import Nystroem
from deciban.features.random_fourier import RandomFourier
from deciban.kernel_solvers.blocks import Tiles
from deciban.kernel_solvers.problem import KernelProblem
from deciban.kernels import RBF, Function, Linear
from laws.containers import host, same_place
from laws.svms import cloud

# What is as large as X stays where it is.


def test_no_more_than_parts_of_the_rows_come_to_the_host(monkeypatch):
    xp = pytest.importorskip("array_api_strict")
    X, y = cloud(2, n=600, d=20)
    T = xp.asarray(X, device=xp.Device("device1"))
    seen = []
    bring = xp._array_object.Array.__dlpack__

    def watched(self, **options):
        seen.append(self.size)
        return bring(self, **options)

    monkeypatch.setattr(xp._array_object.Array, "__dlpack__", watched)
    monkeypatch.setattr(devices, "PART", 1000)
    monkeypatch.setattr("deciban.kernels.arrays._SQUARED", 1000)
    monkeypatch.setattr("deciban.data.folds._ROWS", 50)
    monkeypatch.setattr(kernel_solvers.blocks, "BLOCK", 32)
    model = SVM(C=0.1, calibration_folds=2).fit(T, y)
    model.predict_proba(T)
    Nystroem(n_components=20).fit(T).transform(T)
    RandomFourier(n_components=20).fit(T).transform(T)
    assert max(seen) <= 2 * 32 * 32 < X.size
    assert sum(size > 600 for size in seen) <= 20 + 3 * 24  # X is read over for its name and its folds


def test_tiles_stay_within_the_memory_and_are_kept(there):
    X, _ = cloud(n=400)
    rows, asked = [], []

    def rbf(A, Z):
        asked.append((A.shape[0], Z.shape[0]))
        return RBF(0.5).tile(A, Z)

    problem = KernelProblem.one_class(Function(rbf), there(X), np.ones(400), 0.5)
    r = np.random.default_rng(0)
    for memory in (200_000, 2_000_000):
        tiles = Tiles(problem, memory)
        asked.clear()
        for k in range(4):
            rows = np.sort(r.choice(100, 60, replace=False)) + 50 * (k // 2)
            weights = r.normal(size=60)
            assert_allclose(tiles.combination(rows, weights), RBF(0.5).tile(X, X[rows]) @ weights, atol=1e-10)
        assert max(a * b for a, b in asked) * 8 <= memory
        total = sum(min(pair) for pair in asked)
        assert total == 240 if memory == 200_000 else total < 200
    twice = np.array([3, 3, 5])
    assert_allclose(tiles.combination(twice, np.ones(3)), RBF(0.5).tile(X, X[twice]).sum(axis=1), atol=1e-10)


@pytest.mark.parametrize("shape", [(7,), (300, 7), (4, 40_000), (0, 3)])
def test_the_same_numbers_have_the_same_name(there, shape, monkeypatch):
    values = np.random.default_rng(0).normal(size=shape)
    monkeypatch.setattr(devices, "PART", 1 << 10)
    for dtype in (np.float32, np.float64):
        assert digest(there(values.astype(dtype))) == digest(values.astype(dtype))
    if len(shape) == 2:
        assert_array_equal(folds(there(values), 5, 3), folds(values, 5, 3))


# Features.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "made",
    [
        lambda **o: Nystroem(n_components=15, **o),
        lambda **o: Nystroem(RBF(0.3) + Linear(), landmarks=[3, 5, 8]),
        lambda **o: RandomFourier(n_components=31),
    ],
    ids=["nystroem", "landmarks", "fourier"],
)
def test_the_same_features(there, made, dtype):
    X = cloud(n=80)[0].astype(dtype)
    T = there(X)
    one, other = made().fit(X), made().fit(T)
    close = {"atol": 1e-5 if dtype == np.float32 else 1e-10}
    F = other.transform(T)
    assert same_place(F, T)
    assert F.dtype == T.dtype
    assert_allclose(host(F), one.transform(X), **close)
    assert_allclose(other.transform(X), one.transform(X), **close)
    assert_allclose(host(one.transform(T)), one.transform(X), **close)
    for ours, theirs in (
        (other.error_, one.error_),
        (other.deviation(T, [[0, 1], [2, 3]]), one.deviation(X, [[0, 1], [2, 3]])),
    ):
        assert (ours.largest, ours.rms) == pytest.approx((theirs.largest, theirs.rms), abs=1e-6)
    assert other.deviation(T).rms == pytest.approx(one.deviation(X).rms, abs=1e-6)
    again = pickle.loads(pickle.dumps(other))
    assert_allclose(again.transform(X), one.transform(X), **close)


def test_landmarks_of_ones_own(there):
    X, Z = cloud(n=80)[0], np.random.default_rng(1).normal(size=(9, 3))
    one = Nystroem(landmarks=Z).fit(X).transform(X)
    for own in (Z, Z.tolist(), there(Z), sparse.csr_array(Z)):
        assert_allclose(host(Nystroem(landmarks=own).fit(there(X)).transform(there(X))), one, atol=1e-9)
    assert_allclose(Nystroem(landmarks=there(Z)).fit(X).transform(X), one, atol=1e-9)
    K = RBF(0.5).tile(X, X)
    gram = Nystroem("precomputed", n_components=10)
    assert_allclose(host(gram.fit(there(K)).transform(there(K))), gram.fit(K).transform(K), atol=1e-7)
