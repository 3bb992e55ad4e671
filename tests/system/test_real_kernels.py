"""Kernel machines on real data: the optimum and the predictions of LIBSVM."""

import lzma

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn import svm
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

from deciban import SVM


def agree(X, y, asked, **options):
    """The same sum of optima over all pairs, and the same labels but where a tolerance decides."""
    theirs = svm.SVC(break_ties=True, tol=1e-6, cache_size=500, **options).fit(X, y)
    ours = SVM(calibration=None, tol=1e-6, **options).fit(X, y)
    assert ours.certificate_.relative_gap <= 1e-5
    assert ours.certificate_.dual == pytest.approx(optimum(theirs, ours), rel=1e-6)
    s = theirs.decision_function(asked)
    first = np.abs(s) if s.ndim == 1 else np.diff(np.sort(s, axis=1)[:, -2:])[:, 0]
    clear = first > 1e-4
    assert clear.mean() > 0.99
    assert_array_equal(ours.predict(asked)[clear], theirs.predict(asked)[clear])
    return ours


def optimum(theirs, ours):
    """Σ over pairs of Σ|β| − ½ βᵀKβ at the rival's coefficients."""
    ends = np.concatenate([[0], np.cumsum(theirs.n_support_)])
    of = [np.arange(ends[c], ends[c + 1]) for c in range(len(theirs.n_support_))]
    K = np.asarray(ours.kernel_.tile(theirs.support_vectors_, theirs.support_vectors_), dtype=np.float64)
    dual = theirs.dual_coef_.toarray() if hasattr(theirs.dual_coef_, "toarray") else theirs.dual_coef_
    total = 0.0
    for j in range(len(of)):
        for i in range(j):
            places = np.concatenate([of[i], of[j]])
            beta = np.concatenate([dual[j - 1, of[i]], dual[i, of[j]]])
            total += np.abs(beta).sum() - 0.5 * beta @ K[np.ix_(places, places)] @ beta
    return float(total)


@pytest.mark.parametrize("options", [{"C": 1.0}, {"kernel": "linear", "C": 0.1}], ids=["rbf", "linear"])
def test_the_people_of_a9a(data, options):
    found = []
    for name in ("a9a.svm.xz", "a9a.t.svm.xz"):
        with lzma.open(data(name)) as file:
            found.append(load_svmlight_file(file, n_features=123))
    (X, y), (asked, truth) = found
    ours = agree(X[:1500], y[:1500], asked[:2000], **options)
    assert 0.82 <= (ours.predict(asked[:2000]) == truth[:2000]).mean() <= 0.86


def test_spambase_in_one_scale(data):
    table = pl.read_csv(data("spambase.csv"), infer_schema_length=None)
    X, y = StandardScaler().fit_transform(table.drop("spam").to_numpy()), table["spam"].to_numpy()
    held = np.arange(len(y)) % 3 == 0
    ours = agree(X[~held], y[~held], X[held], C=3.0)
    assert (ours.predict(X[held]) != y[held]).mean() <= 0.075
    calibrated = SVM(C=3.0).fit(X[~held], y[~held])
    p = calibrated.predict_proba(X[held])
    assert_array_equal(calibrated.classes_[p.argmax(axis=1)], calibrated.predict(X[held]))
    assert -np.log(p[np.arange(len(p)), y[held]]).mean() <= 0.25
    for why in calibrated.explain(X[held][:10]):
        assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans, abs=1e-9)


def test_letters(data):
    table = pl.read_csv(data("letter.csv"), infer_schema_length=None)
    X, y = table.drop("letter", "split").to_numpy().astype(float) / 15.0, table["letter"].to_numpy()
    agree(X[:1200], y[:1200], X[1200:2400], C=10.0)


@pytest.mark.parametrize("options", [{"C": 10.0}, {"kernel": "poly", "degree": 2}], ids=["rbf", "poly"])
def test_written_digits(data, options):
    with np.load(data("mnist.npz")) as file:
        names = sorted(file.files)
        images, labels = (file[next(n for n in names if n in own)] for own in (("X", "x_train"), ("y", "y_train")))
    X = images[:1600].reshape(1600, -1) / 255.0
    agree(X[:800], labels[:800], X[800:], **options)
