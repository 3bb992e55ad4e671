"""Laws of features that stand for a kernel: what they reproduce, how nearly, and what that costs a machine."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from deciban import SVM, LinearSVM, Nystroem, RandomFourier
from deciban.features.deviation import Deviation
from deciban.kernels import RBF, Function, Gaussian, Linear, Polynomial, Precomputed, Spectrum, by_name
from tiers import examples

KERNELS = [
    "linear",
    "rbf",
    "gaussian",
    "poly",
    RBF(0.3) + Linear(),
    RBF(0.5) * Polynomial(degree=2),
    Function(lambda X, Z: np.exp(-np.abs(X[:, None] - Z[None]).sum(axis=2))),
    "precomputed",
]
TEXTS = ["무료 상품 당첨", "무료 상품", "안녕하세요", "안녕 무료", "abab", "", "abc", "상품"]
seeds = st.integers(0, 2**32 - 1)
over = pytest.mark.parametrize("kernel", KERNELS, ids=str)
both = pytest.mark.parametrize("family", [Nystroem, RandomFourier])


def rows(seed=0, n=40, d=4, dtype=np.float64):
    """X (n, d) of which two rows are equal, one is 0, and half the entries are 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.5)
    X[0], X[1] = 0.0, X[-1]
    return X.astype(dtype)


def learnable(kernel, X):
    return RBF(0.4).tile(X, X) if kernel == "precomputed" else X


@over
@examples(10)
@given(seed=seeds)
def test_all_rows_as_landmarks_lose_nothing(kernel, seed):
    X = learnable(kernel, rows(seed))
    model = Nystroem(kernel, coef0=1.0).fit(X)
    F = model.transform(X)
    K = model.kernel_.tile(X, model.kernel_.centres(X))
    assert_allclose(F @ F.T, K, atol=1e-8 * np.abs(K).max())
    assert model.error_.largest <= 1e-8 * model.error_.scale
    assert model.says_.startswith("all 40 rows are landmarks, fewer than the 500 asked for; rank ")
    assert 1 <= model.rank_ <= 39  # two rows are equal


@pytest.mark.parametrize("kernel", ["rbf", "poly", RBF(0.3) + Linear()], ids=str)
def test_single_precision_loses_only_its_rounding(kernel):
    X = rows(dtype=np.float32)
    model = Nystroem(kernel, coef0=1.0).fit(X)
    assert model.transform(X).dtype == np.float32
    assert model.deviation(X).largest <= 2e-6 * model.error_.scale


@over
@examples(10)
@given(seed=seeds, m=st.integers(1, 30))
def test_at_landmarks_it_is_exact_and_elsewhere_too_small(kernel, seed, m):
    X = learnable(kernel, rows(seed))
    model = Nystroem(kernel, m, coef0=1.0, random_state=seed).fit(X)
    at, F = model.landmark_rows_, model.transform(X)
    K = model.kernel_.tile(X, model.kernel_.centres(X))
    scale = np.abs(K).max()
    assert len(set(at)) == len(at) == m == F.shape[1]
    assert_allclose(F @ F[at].T, K[:, at], atol=1e-5 * scale)
    assert np.linalg.eigvalsh(K - F @ F.T)[0] >= -1e-6 * scale  # K minus what is represented is a kernel (Schur)
    assert np.linalg.eigvalsh(F @ F.T)[0] >= -1e-9 * scale


@over
def test_more_landmarks_are_nearer(kernel):
    X = learnable(kernel, rows(n=80))
    order = np.random.default_rng(3).permutation(80)
    errors = [Nystroem(kernel, landmarks=order[:m]).fit(X).deviation(X).rms for m in (2, 8, 24, 80)]
    scale = Nystroem(kernel, 1).fit(X).deviation(X).scale
    assert all(more <= fewer + 1e-9 * scale for fewer, more in pairwise(errors))
    assert errors[-1] <= 1e-8 * scale < errors[0]


@pytest.mark.parametrize("kernel", [Spectrum(2), Spectrum(1) + Spectrum(2, normalized=True), "spectrum"], ids=str)
def test_texts(kernel):
    model = Nystroem(kernel, degree=2).fit(TEXTS)
    K = model.kernel_.tile(TEXTS, TEXTS)
    F = model.transform(TEXTS)
    assert_allclose(F @ F.T, K, atol=1e-8 * K.max())
    few = Nystroem(kernel, degree=2, landmarks=TEXTS[:3]).fit(TEXTS)
    assert_allclose(few.transform(TEXTS), Nystroem(kernel, degree=2, landmarks=[0, 1, 2]).fit(TEXTS).transform(TEXTS))
    assert few.deviation(TEXTS, [[0, 7], [1, 2]]).largest <= 1e-8 * K.max()


def test_landmarks_may_be_points_of_ones_own():
    X = rows()
    own, named = Nystroem(landmarks=X[[5, 3]]).fit(X), Nystroem(landmarks=[5, 3]).fit(X)
    assert_array_equal(own.transform(X), named.transform(X))
    assert named.landmark_rows_.tolist() == [5, 3]
    assert not hasattr(own, "landmark_rows_")
    assert not hasattr(named.set_params(landmarks=X[[5, 3]]).fit(X), "landmark_rows_")


def test_what_is_no_kernel_is_said():
    model = Nystroem("tanh", gamma=2.0, coef0=-1.0).fit(rows())
    K = model.kernel_.tile(rows(), rows())
    values, vectors = np.linalg.eigh(K)
    F = model.transform(rows())
    assert_allclose(F @ F.T, (vectors * np.maximum(values, 0.0)) @ vectors.T, atol=1e-8)
    assert "the kernel is not positive semi-definite on the landmarks (smallest eigenvalue -" in model.says_
    assert "semi-definite" not in Nystroem().fit(rows()).says_


@pytest.mark.parametrize("kernel", ["rbf", "gaussian", RBF(0.4), Gaussian(1.3)], ids=str)
def test_random_frequencies_have_the_kernel_as_their_mean(kernel):
    X, D, S = rows(n=12), 20, 400
    models = [RandomFourier(kernel, D, gamma="median", random_state=seed).fit(X) for seed in range(S)]
    K = models[0].kernel_.tile(X, X)
    mean = np.mean([F @ F.T for F in (model.transform(X) for model in models)], axis=0)
    assert_allclose(np.square(models[0].transform(X)).sum(axis=1), 1.0, rtol=1e-12)
    assert (np.abs(mean - K) <= 5.0 * (1.0 - K**2) / np.sqrt(D * S) + 1e-9).all()  # five standard deviations


@pytest.mark.parametrize(("kernel", "variance"), [("rbf", 0.6), (RBF(0.4), 0.8), (Gaussian(2.0), 0.25)], ids=str)
def test_frequencies_are_normal_of_the_variance_that_the_width_says(kernel, variance):
    drawn = RandomFourier(kernel, 20_000, gamma=0.3).fit(rows(n=3)).frequencies_
    assert drawn.shape == (4, 10_000)
    assert np.mean(drawn**2) == pytest.approx(variance, rel=0.035)  # five standard deviations
    assert np.mean(drawn**4) == pytest.approx(3.0 * variance**2, rel=0.08)


def test_the_error_of_random_frequencies_falls_with_the_root_of_their_number():
    X = rows(n=60)
    K = by_name("rbf", X).tile(X, X)
    for D in (50, 200, 800):
        squares = [RandomFourier(n_components=D, random_state=s).fit(X).deviation(X).rms ** 2 for s in range(20)]
        expected = np.sqrt(np.mean((1.0 - K**2) ** 2) / D)
        assert np.sqrt(np.mean(squares)) == pytest.approx(expected, rel=0.25)


@both
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_is_sparse_and_precision_stays(family, dtype):
    X = rows(dtype=dtype)
    model, lean = family(n_components=20).fit(X), family(n_components=20).fit(sparse.csr_array(X))
    F = model.transform(X)
    assert F.dtype == dtype
    assert F.shape == (40, 20) == (40, len(model.get_feature_names_out()))
    atol = 1e-8 if dtype == np.float64 else 2e-6
    for other in (model.transform(sparse.csr_matrix(X)), lean.transform(X), lean.transform(sparse.csr_array(X))):
        assert isinstance(other, np.ndarray)
        assert other.dtype == dtype
        assert_allclose(other @ other.T, F @ F.T, atol=atol)
    wide = family(n_components=20).fit(X.astype(np.float64)).transform(X.astype(np.float64))
    assert_allclose(F @ F.T, wide @ wide.T, atol=atol)
    assert model.error_.rms == pytest.approx(lean.error_.rms, abs=atol)


@both
def test_one_seed_makes_the_same_bytes(family):
    X = rows()
    once, again, none = (family(n_components=10, random_state=seed).fit(X) for seed in (0, 0, None))
    assert once.transform(X).tobytes() == again.transform(X).tobytes() == none.transform(X).tobytes()
    assert clone(once).fit(X).transform(X).tobytes() == once.fit(X).transform(X).tobytes()
    assert family(n_components=10, random_state=1).fit(X).transform(X).tobytes() != once.transform(X).tobytes()


@both
def test_tiles_change_nothing(family, monkeypatch):
    X = rows()
    model = family(n_components=10).fit(X)
    whole, measured = model.transform(X), model.deviation(X)
    monkeypatch.setattr("deciban.features.approximation.TILE", 30)
    monkeypatch.setattr("deciban.features.deviation.TILE", 90)
    assert_allclose(model.transform(X), whole, atol=1e-9)
    parts = model.deviation(X)
    assert_allclose([parts.largest, parts.rms, parts.scale], [measured.largest, measured.rms, measured.scale])
    assert parts.pairs == measured.pairs == 1600


@both
def test_the_deviation_is_that_of_the_pairs(family):
    X = rows(1, n=90)
    model = family(n_components=10).fit(rows())
    F = model.transform(X)
    differences = F @ F.T - model.kernel_.tile(X, X)
    pairs = np.random.default_rng(0).integers(0, 90, size=(200, 2))
    for chosen, found in (
        (differences.reshape(-1), model.deviation(X)),
        (differences[tuple(pairs.T)], model.deviation(X, pairs)),
    ):
        assert found.pairs == len(chosen)
        assert found.largest == pytest.approx(np.abs(chosen).max())
        assert found.rms == pytest.approx(np.sqrt(np.mean(chosen**2)))
    assert model.deviation(X, np.zeros((0, 2), dtype=int)) == Deviation(0.0, 0.0, 0, 0.0)


def moons():
    X, y = make_moons(1200, noise=0.2, random_state=0)
    return X, y, 600


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], 300


@pytest.mark.parametrize("features", [Nystroem(n_components=150), RandomFourier(n_components=1000)], ids=str)
@pytest.mark.parametrize("held_out", [moons, cancer])
def test_a_linear_machine_of_the_features_is_as_good_as_the_kernel_machine(held_out, features):
    X, y, n = held_out()
    exact = make_pipeline(StandardScaler(), SVM("rbf", calibration=None)).fit(X[:n], y[:n])
    nearly = make_pipeline(StandardScaler(), clone(features), LinearSVM(calibration=None)).fit(X[:n], y[:n])
    assert nearly.score(X[n:], y[n:]) >= exact.score(X[n:], y[n:]) - 0.01


def test_a_gram_matrix_is_judged_by_its_columns():
    X, new = rows(), rows(5, n=7)
    of_rows = Nystroem(RBF(0.4), 10).fit(X)
    of_gram = Nystroem(Precomputed(), 10).fit(RBF(0.4).tile(X, X))
    assert_allclose(of_gram.transform(RBF(0.4).tile(new, X)), of_rows.transform(new), atol=1e-6)


@pytest.mark.deep
@pytest.mark.parametrize("model", [Nystroem(), Nystroem("poly"), RandomFourier()], ids=str)
def test_scikit_learn_finds_nothing_to_complain_about(model):
    results = check_estimator(model, on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= 47
