"""Probabilities of LIBSVM's model files, against LIBSVM itself as scikit-learn carries it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file, load_iris, load_svmlight_file
from sklearn.svm import SVC, NuSVC

import deciban
from deciban import SVM, load_libsvm, save_libsvm


def trained(make, X, y):
    """A model of LIBSVM with probabilities, as `svm-train -b 1` makes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return make(kernel="rbf", gamma=0.5, probability=True, random_state=0).fit(X, y)


def text_of(model, order):
    """Its file, the labels as LIBSVM numbers them; `order` turns two of them round."""
    labels = [int(label) for label in model.classes_]
    rho, coef = -np.atleast_1d(model._intercept_), model._dual_coef_
    n, vectors = [int(k) for k in model._n_support], model.support_vectors_
    A, B = model._probA, model._probB  # its public names are deprecated
    if order:  # the second class first: f, and with it A, changes its sign
        labels, n = labels[::-1], n[::-1]
        first = np.arange(len(vectors)) >= n[1]
        places = np.concatenate([np.flatnonzero(first), np.flatnonzero(~first)])
        rho, coef, vectors, B = -rho, -coef[:, places], vectors[places], -B
    lines = ["svm_type c_svc", "kernel_type rbf", "gamma 0.5", f"nr_class {len(labels)}", f"total_sv {len(vectors)}"]
    for name, values in ("rho", rho), ("label", labels), ("probA", A), ("probB", B), ("nr_sv", n):
        lines.append(
            f"{name} {' '.join(repr(float(v)) if name not in ('label', 'nr_sv') else str(int(v)) for v in values)}"
        )
    lines.append("SV")
    for k, row in enumerate(vectors):
        own = " ".join(repr(float(c)) for c in coef[:, k])
        lines.append(f"{own} {' '.join(f'{j + 1}:{float(x)!r}' for j, x in enumerate(row))}")
    return "\n".join(lines) + "\n"


def data(C):
    X, y = load_iris(return_X_y=True)
    X, y = (X, y) if C == 3 else (X[50:], y[50:])
    return X + np.random.default_rng(0).normal(0.0, 0.6, X.shape), y + 3


@pytest.mark.parametrize("make", [SVC, NuSVC])
@pytest.mark.parametrize(("C", "turned"), [(2, False), (2, True), (3, False)])
def test_probabilities_are_those_of_libsvm(make, C, turned, tmp_path):
    X, y = data(C)
    theirs = trained(make, X, y)
    path = tmp_path / "model"
    path.write_text(text_of(theirs, turned))
    ours = load_libsvm(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        p = theirs.predict_proba(X)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    if C == 2:  # LIBSVM 3.25 and later has the logistic curve itself; scikit-learn's earlier one couples a single pair
        assert_allclose(ours.predict_proba(X), p, atol=0.005)
        f, A, B = -theirs.decision_function(X), theirs._probA[0], theirs._probB[0]
        p = np.column_stack([1.0 / (1.0 + np.exp(A * f + B)), 1.0 / (1.0 + np.exp(-A * f - B))])
    assert_allclose(ours.predict_proba(X), p, atol=1e-10)
    assert_allclose(ours.predict_log_proba(X), np.log(p), atol=1e-7)
    assert ours.predict(X).tolist() == theirs.classes_[p.argmax(axis=1)].tolist()
    assert_allclose(ours.decision_function(X) if C == 2 else 0.0, theirs.decision_function(X) if C == 2 else 0.0)
    for why, row in zip(ours.explain(X[:5]), p, strict=False):
        first, second = np.sort(row)[::-1][:2]
        assert why.decibans == pytest.approx(10.0 * np.log10(first / second), abs=1e-6)

    save_libsvm(ours, path)
    again = load_libsvm(path)
    assert_allclose(again.predict_proba(X), ours.predict_proba(X), atol=1e-13)
    ours.save(tmp_path / "model.deciban")
    kept = deciban.load(tmp_path / "model.deciban")
    assert kept.predict_proba(X).tolist() == ours.predict_proba(X).tolist()


@pytest.mark.parametrize("C", [2, 3])
def test_labels_as_load_svmlight_file_returns_them(C, tmp_path):
    X, y = data(C)
    dump_svmlight_file(X, y, str(tmp_path / "data"))
    X, y = load_svmlight_file(str(tmp_path / "data"))
    assert y.dtype == np.float64
    model = SVM(gamma=0.5).fit(X, y)
    save_libsvm(model, tmp_path / "model")
    again = load_libsvm(tmp_path / "model")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)


def test_densities_of_one_class_and_the_noise_of_a_regression(tmp_path):
    marks = [-0.9, -0.5, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.5, 0.7]
    head = "kernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n"
    path, kept = tmp_path / "model", tmp_path / "model.deciban"
    told = " ".join(map(str, marks))
    path.write_text(f"svm_type one_class\n{head}prob_density_marks {told}\nSV\n1 1:1\n")
    model = load_libsvm(path)
    save_libsvm(model, path)
    model.save(kept)
    for each in model, load_libsvm(path), deciban.load(kept):
        p = each.predict_proba([[-1.0], [-0.15], [0.05], [0.9]])
        assert_allclose(p[:, 1], [0.001, 0.3, 0.5, 0.999])
        assert_allclose(p.sum(axis=1), 1.0)
    path.write_text(f"svm_type epsilon_svr\n{head}probA 0.25\nSV\n1 1:1\n")
    model = load_libsvm(path)
    save_libsvm(model, path)
    model.save(kept)
    assert [each.noise_scale_ for each in (model, load_libsvm(path), deciban.load(kept))] == [0.25] * 3
