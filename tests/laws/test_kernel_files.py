"""Laws of kernel machines as files: they judge as they did, and broken ones are refused."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import deciban
from deciban import SVM, load_libsvm, save_libsvm, store
from deciban.errors import DataError
from deciban.kernels import RBF, Linear
from laws.svms import OTHERS, cloud

TEXTS, LABELS = ["free money", "무료 money", "lunch at noon", "회의 noon"] * 3, ["spam", "spam", "정상", "정상"] * 3


def fitted(kind):
    """A machine, and what it judges."""
    X, y = cloud(2 if kind in ("two", "nu", "sum") else 3)
    if kind == "texts":
        return SVM("spectrum", degree=2).fit(TEXTS, LABELS), TEXTS
    if kind == "gram":
        return SVM("precomputed").fit(X @ X.T, y), X @ X.T
    if kind in OTHERS:
        return OTHERS[kind]().fit(X, X[:, 0]), X
    options = {
        "nu": {"nu": 0.3},
        "rest": {"multi_class": "ovr", "calibration": None},
        "sum": {"kernel": RBF(0.5) * Linear() + Linear()},
        "descending": {"kernel": "poly"},
        "sigmoid": {"kernel": "sigmoid", "gamma": 0.01},
        "single": {"tol": 1e-3},
        "curves": {"calibration": "isotonic"},
    }.get(kind, {})
    X = sparse.csr_array(np.where(X > 0.5, X, 0.0)) if kind == "sparse" else X
    X = X.astype(np.float32) if kind == "single" else X
    return SVM(**options).fit(X, -3 * y if kind == "descending" else y), X


KINDS = ("two", "many", "nu", "rest", "sum", "sparse", "single", "texts", "gram", "curves", *OTHERS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_judges_as_the_model_did(kind, tmp_path):
    model, X = fitted(kind)
    path = tmp_path / "machine.deciban"
    model.save(path)
    again = deciban.load(path)
    assert type(again) is type(model)
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    if hasattr(model, "predict_proba"):
        assert again.explain(X[:2]) == model.explain(X[:2])
    assert getattr(again, "epsilon_", None) == getattr(model, "epsilon_", None)
    assert again.certificate_.primal == model.certificate_.primal
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["two", "many", "nu", "descending", "sparse", "sigmoid", "gram", *OTHERS])
def test_a_file_of_libsvm_judges_as_the_model_did(kind, tmp_path):
    model, X = fitted(kind)
    path = tmp_path / "machine.model"
    save_libsvm(model, path)
    again = load_libsvm(path, model.n_features_in_)
    assert_array_equal(again.predict(X), model.predict(X))
    assert getattr(again, "nu", None) in (None, 0.5)
    assert (getattr(again, "nu", None) is None) == (getattr(model, "nu", None) is None)
    assert_allclose(again.scorer_(X), model.scorer_(X), rtol=1e-12, atol=1e-12)
    if hasattr(model, "predict_proba"):
        assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    with pytest.raises(AttributeError, match="no certificate"):
        again.certificate_  # noqa: B018


def test_labels_of_libsvm_stand_in_any_order(tmp_path):
    path = tmp_path / "machine.model"
    head = "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0.5 -1 2\nlabel 7 -1 3\nnr_sv 1 1 1\nSV\n"
    path.write_text(head + "1 2 1:1\n-1 3 1:2\n-2 -3 1:4\n")
    model = load_libsvm(path)
    assert model.classes_.tolist() == [-1, 3, 7]
    # f(7, −1) = x − 2x − 0.5, f(7, 3) = 2x − 8x + 1, f(−1, 3) = 6x − 12x − 2; turned round, (−1, 7) and (3, 7)
    x = 3.0
    f = model.pairwise_decisions([[x]])[0]
    assert_allclose(f, [-6 * x - 2, x + 0.5, 6 * x - 1])
    path.write_text(
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel -1 1\n"
        "probA -2\nprobB 0\nnr_sv 1 1\nSV\n1 1:1\n-1 1:3\n"
    )
    two = load_libsvm(path)
    assert two.decision_function([[x]]) == pytest.approx([2 * x + 0.5])
    assert two.predict_proba([[x]])[0, 1] == pytest.approx(1 / (1 + np.exp(-2 * (2 * x + 0.5))))


@pytest.fixture(scope="module", params=["many", "curves"])
def whole(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "machine.deciban"
    fitted(request.param)[0].save(path)
    return path.read_bytes()


def used(content, path):
    path.write_bytes(content)
    model = deciban.load(path)
    model.decision_function(np.zeros((2, 3)))
    if model.calibrated_ is not None:
        model.predict_proba(np.zeros((2, 3)))
        model.explain(np.zeros((1, 3)))


def test_a_file_that_is_altered_is_refused(whole, tmp_path):
    path = tmp_path / "machine.deciban"
    for place in range(0, len(whole), 97):
        with pytest.raises(DataError):
            used(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], path)
    for size in range(0, len(whole), 501):
        with pytest.raises(DataError):
            used(whole[:size], path)


WRONG = st.sampled_from([None, -1, 0, 3, 1e300, "rbf", [], {}, True, [1, 2], {"name": "rbf"}])


@given(st.data())
def test_a_header_that_does_not_fit_is_refused_or_works(whole, tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "hostile.deciban"
    path.write_bytes(whole)
    stored = store.read(path, tables=True)
    header = {key: value for key, value in stored.header.items() if key not in ("digest", "schema")}
    arrays = {name: tensor.array() for name, tensor in stored.tensors.items()}
    section = data.draw(st.sampled_from([key for key in header if key not in ("model", "table")] + ["table."]))
    if section == "table." or (isinstance(header[section], dict) and data.draw(st.booleans())):
        part = dict(header[section.rstrip(".")])
        part[data.draw(st.sampled_from(sorted(part)))] = data.draw(WRONG)
        header[section.rstrip(".")] = part
    else:
        header[section] = data.draw(WRONG)
    refused_or_works(store.to_bytes(header, arrays), path)


@given(st.data())
def test_tensors_that_do_not_fit_are_refused_or_work(whole, tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "hostile.deciban"
    path.write_bytes(whole)
    stored = store.read(path, tables=True)
    header = {key: value for key, value in stored.header.items() if key not in ("digest", "schema")}
    arrays = {name: np.array(tensor.array()) for name, tensor in stored.tensors.items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    change = data.draw(st.sampled_from(["gone", "shorter", "nan", "negative", "other", "flat"]))
    if change == "gone":
        del arrays[name]
    elif change == "shorter":
        arrays[name] = arrays[name][:-1]
    elif change == "flat":
        arrays[name] = arrays[name].reshape(-1)
    else:
        arrays[name] = arrays[name].astype(np.float64 if change != "other" else np.uint8)
        if change != "other":
            arrays[name].reshape(-1)[0] = np.nan if change == "nan" else -1.0
    refused_or_works(store.to_bytes(header, arrays), path)


def refused_or_works(content, path):
    """A DataError, or numbers."""
    with contextlib.suppress(DataError):
        used(content, path)
