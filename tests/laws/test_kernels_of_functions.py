"""Laws of kernels that are functions: what they are shown is what scikit-learn shows them."""

import pytest
from numpy.testing import assert_allclose

from deciban import SVM, Nystroem, OneClassSVM, SVMRegressor
from deciban.kernels import RBF
from laws.svms import cloud

MODELS = {
    "classes": lambda kernel: SVM(kernel, calibration=None),
    "nu": lambda kernel: SVM(kernel, nu=0.3, calibration=None),
    "regression": lambda kernel: SVMRegressor(kernel),
    "nu regression": lambda kernel: SVMRegressor(kernel, nu=0.4),
    "one class": lambda kernel: OneClassSVM(kernel),
    "landmarks": lambda kernel: Nystroem(kernel, n_components=400),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_function_sees_whole_arrays(name):
    X, y = cloud(n=400)
    shapes = set()

    def kernel(A, B):
        shapes.add((len(A), len(B)))
        return RBF(0.5).tile(A, B)

    model = MODELS[name](kernel).fit(X, X[:, 0] if "regression" in name else y)
    assert {rows for rows, _ in shapes} <= ({400, 256} if name == "landmarks" else {400})  # a sample measures the loss
    shapes.clear()
    new = cloud(n=70, seed=1)[0]
    said = model.transform if name == "landmarks" else model.predict
    one = said(new)
    assert {rows for rows, _ in shapes} == {70}
    known = MODELS[name](RBF(0.5)).fit(X, X[:, 0] if "regression" in name else y)
    if name != "landmarks":
        assert_allclose(one, known.predict(new), atol=1e-6)
