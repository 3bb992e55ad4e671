"""What kernel machines say of input that is wrong, word for word, and that they stay as they were."""

import numpy as np
import pytest
from refusals import refused

from deciban import SVM, LinearSVM, OneClassSVM, SVMRegressor, load_libsvm, save_libsvm
from deciban.errors import DataError
from deciban.kernel_solvers.nystroem import Approximate
from deciban.kernels import RBF, Function

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
THREE = ["a", "b", "c"] * 2
SHARED = [
    ({"gamma": -1.0}, "gamma must be a finite number > 0, 'scale', 'auto' or 'median', got -1.0"),
    ({"kernel": "poly", "degree": 0}, "degree must be a whole number from 1, got 0"),
    ({"tol": 0}, "tol must be a number > 0, got 0"),
    ({"max_iter": 0}, "max_iter must be a whole number from 1, got 0"),
    ({"time_limit": -1.0}, "time_limit must be a number > 0, got -1.0"),
    ({"memory_mb": 0}, "memory_mb must be a number > 0, got 0"),
    ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0, got 0: -1 is all cores, -2 all but one"),
    ({"random_state": -1}, "random_state must be from 0 to 2^64 − 1, got -1"),
]
CLASSES = [
    ({"C": 0}, "C must be a number > 0, got 0"),
    ({"C": float("nan")}, "C must be a number > 0, got nan"),
    ({"nu": 0}, "nu must be a number > 0 and at most 1, got 0"),
    ({"nu": 1.5}, "nu must be a number > 0 and at most 1, got 1.5"),
    ({"multi_class": "all"}, "multi_class must be 'ovo' or 'ovr', got 'all'"),
    ({"calibration_folds": 1}, "calibration_folds must be a whole number of folds from 2, got 1"),
    ({"calibration": "platt"}, "calibration must be None, 'temperature' or 'isotonic', got 'platt'"),
    ({"class_weight": {"egg": 2.0}}, "class_weight names ['egg'], which no label is; labels are ['ham', 'spam']"),
    ({"class_weight": {"ham": 0.0}}, "class_weight of 0 leaves a class without examples: leave the rows out instead"),
]
NUMBERS = [
    ({"C": float("inf")}, "C must be a finite number > 0, got inf"),
    ({"epsilon": -0.1}, "epsilon must be a finite number ≥ 0, got -0.1"),
    ({"epsilon": "a"}, "epsilon must be a finite number ≥ 0, got 'a'"),
    ({"nu": 0}, "nu must be a number > 0 and at most 1, got 0"),
    ({"nu": 1.5}, "nu must be a number > 0 and at most 1, got 1.5"),
]
STRANGE = [({"nu": 0.0}, "nu must be a number > 0 and at most 1, got 0.0")]
CASES = [
    (family, options, text)
    for family, own in ((SVM, CLASSES), (SVMRegressor, NUMBERS), (OneClassSVM, STRANGE))
    for options, text in (*SHARED, *own)
]


def _never(iteration, primal, gap):
    raise AssertionError(f"iteration {iteration} of a fit that was to be refused")


@pytest.mark.parametrize(("family", "options", "text"), CASES, ids=str)
def test_a_wrong_parameter_is_refused_before_anything_is_solved_and_what_was_learnt_stays(family, options, text):
    y = X[:, 0] if family is SVMRegressor else Y
    model = family().fit(X, y).set_params(**{"callback": _never} | options)
    with refused(text, model=model):
        model.fit(X, y)


def test_data_that_cannot_be_learnt():
    model = SVM().fit(X, Y)
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.fit(X, ["ham"] * 6)
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.fit(X[:1], ["ham"])
    with refused("at least two classes are expected; all labels are 1 (1 class)", model=model):
        model.fit(X, [1, 1, 1, 2, 2, 2], [1, 1, 1, 0, 0, 0])
    with refused("X has 1 features, but SVM is expecting 2 features as input.", model=model):
        model.predict(X[:, :1])
    for bad, words in ((np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")):
        worse = X.copy()
        worse[3, 1] = bad
        with pytest.raises(ValueError, match=words):
            model.fit(worse, Y)
    large = X.copy()
    large[4, 0] = -1e150
    text = "row 4, feature 0 is -1e+150; sizes up to 1e+100 are expected: give the feature in a larger unit"
    with refused(text, DataError, model):
        model.fit(large, Y)
    numbers = SVMRegressor().fit(X, X[:, 0])
    with refused("target 2 is 1e+150; sizes up to 1e+100 are expected: take a larger unit", DataError, numbers):
        numbers.fit(X, [0.0, 0.0, 1e150, 0.0, 0.0, 0.0])


def test_memory_for_less_than_two_rows():
    text = (
        "memory_mb=2e-05 is too small: two rows of the kernel of 6 examples, for each of 1 problems at once, are "
        "4.58e-05 MiB"
    )
    model = SVM().fit(X, Y)
    with refused(text, model=model.set_params(memory_mb=2e-5)):
        model.fit(X, Y)


def test_a_nu_that_is_too_large_names_the_largest():
    text = (
        "nu=0.8 is infeasible: the smaller one of two classes allows at most 0.666667; give nu up to that, or "
        "class_weight='balanced'"
    )
    model = SVM(nu=0.3).fit(X, Y)
    with refused(text, model=model.set_params(nu=0.8)):
        model.fit(X, ["ham", "ham", "spam", "spam", "spam", "spam"])
    SVM(nu=0.8, class_weight="balanced").fit(X, ["ham", "ham", "spam", "spam", "spam", "spam"])


def test_points_that_are_all_equal_have_no_street_of_a_given_share():
    text = "the classes are not told apart by this kernel, and the ν street has no width: choose another nu or kernel"
    model = SVM(nu=0.5, calibration=None).fit(X, Y)
    with refused(text, DataError, model):
        model.fit(np.ones((6, 2)), Y)


def test_classes_that_overlap_have_no_hard_margin():
    model = SVM("linear", C=np.inf, calibration=None).fit(X, Y)
    text = (
        "the hard margin (C=inf) needs classes that a hyperplane separates, and none separates these: the point (1, 0) "
        "is a mixture of examples of either class. Give a finite C, which lets errors have a price."
    )
    rows, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]], ["ham", "ham", "spam"]
    with refused(text, DataError, model):
        model.fit(rows, y)
    with refused(text, DataError):
        LinearSVM(C=np.inf, calibration=None).fit(rows, y)
    text = (
        "the hard margin (C=inf) needs classes that the kernel separates, and it does not separate these: in the "
        "kernel's space the examples 1 mix to what 3 mix to. Give a finite C, which lets errors have a price."
    )
    with refused(text, DataError, model.set_params(kernel="rbf")):
        model.fit([[0.0], [1.0], [2.0], [1.0]], ["ham", "ham", "spam", "spam"])


def test_gram_matrices_and_functions_that_are_none():
    model = SVM("precomputed", calibration=None).fit(X @ X.T, Y)
    with pytest.raises(DataError, match="square Gram matrix"):
        model.fit(X @ X.T[:, :5], Y)
    lopsided = X @ X.T
    lopsided[0, 1] += 1.0
    with pytest.raises(DataError, match="must be symmetric"):
        model.fit(lopsided, Y)
    with pytest.raises(ValueError, match="X has 5 features, but SVM is expecting 6 features"):
        model.predict(X @ X.T[:, :5])
    own = SVM(RBF(), calibration=None).fit(X, Y)
    for function, words in (
        (lambda A, B: np.full((len(A), len(B)), np.nan), "must return finite numbers"),
        (lambda A, B: np.zeros((1, 1)), "must return a value for each pair of rows"),
        (lambda A, B: A.sum(axis=1)[:, None] - B.sum(axis=1), "must be symmetric"),
    ):
        with pytest.raises(DataError, match=words):
            own.set_params(kernel=function).fit(X, Y)


def test_texts_and_what_are_none():
    model = SVM("spectrum", calibration=None).fit(["money", "noon"], ["spam", "ham"])
    with refused("a list of texts is expected; item 1 is int", DataError, model):
        model.fit(["money", 3], ["spam", "ham"])
    with refused("a list of texts is expected, got str", DataError, model):
        model.predict("money")
    with refused("Found array with 0 sample(s) while a minimum of 1 is required: no texts were given", model=model):
        model.predict([])


def test_landmarks_are_of_classes_at_a_finite_price():
    text = "solver 'nystroem' needs classes at a finite C: not ν, the hard margin, regression or one class"
    near = {"solver": "nystroem", "calibration": None}
    with refused(text):
        SVM(nu=0.5, **near).fit(X, Y)
    with refused(text):
        SVM("linear", C=np.inf, **near).fit(X, Y)
    with refused(text):
        SVMRegressor(solver="nystroem").fit(X, X[:, 0])
    with refused(text):
        OneClassSVM(solver="nystroem").fit(X)
    with refused("count must be a whole number from 1, got 0"):
        SVM(solver=Approximate(0)).fit(X, Y)


def test_margins_without_calibration_are_no_probabilities():
    model = SVM(calibration=None).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    text = (
        "this SVM has no probabilities: a margin becomes a log-odds by calibration; fit with calibration='temperature'"
    )
    with refused(text, AttributeError, model):
        model.explain(X)
    with refused("by must be 'feature' or 'vector', got 'word'"):
        SVM().fit(X, Y).explain(X, by="word")
    with refused("weights of features are of the linear kernel; this one is 'rbf'", AttributeError):
        model.coef_  # noqa: B018


def test_margins_are_of_two_classes_and_pairs_of_more():
    model = SVM(calibration=None).fit(X, THREE)
    with refused("margins are of two classes; this model has 3", model=model):
        model.functional_margins(X, THREE)
    model = SVM(calibration=None).fit(X, Y)
    with refused("labels ['ham', 'spam'] are expected, got 'egg'", model=model):
        model.geometric_margins(X, [*Y[:5], "egg"])
    with refused("Found input variables with inconsistent numbers of samples: [6, 5]", model=model):
        model.functional_margins(X, Y[:5])
    text = "there are decisions of pairs only for three classes or more with multi_class='ovo'"
    with refused(text, model=model):
        model.pairwise_decisions(X)


def test_what_a_callback_raises_is_raised():
    model = SVM(calibration=None).fit(X, Y)

    def callback(*_):
        raise RuntimeError("no more")

    model.set_params(callback=callback)
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, Y)


def test_what_files_of_libsvm_cannot_hold(tmp_path):
    path = tmp_path / "machine.model"
    cases = (
        (SVM().fit(X, Y), "LIBSVM's labels are whole numbers; these are ['ham', 'spam']: number the classes"),
        (
            SVM(calibration="isotonic").fit(X, [0, 1] * 3),
            "LIBSVM's files hold a scale of log-odds, no curve: fit with calibration='temperature', or None",
        ),
        (
            SVM(multi_class="ovr").fit(X, [0, 1, 2, 0, 1, 2]),
            "LIBSVM's files are of each class against each: fit with multi_class='ovo'",
        ),
        (SVM("multiquadric").fit(X, [0, 1] * 3), "LIBSVM has no kernel 'multiquadric': save as a .deciban file"),
        (
            SVM("spectrum").fit(["money", "noon"], [0, 1]),
            "LIBSVM has no kernel 'spectrum': save as a .deciban file",
        ),
    )
    for model, text in cases:
        with refused(text):
            save_libsvm(model, path)
    with refused("a file keeps no kernel 'function': it is code; keep the code and fit again"):
        SVM(Function(lambda A, B: A @ B.T)).fit(X, Y).save(path)
    assert not path.exists()


GOOD = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
label 1 -1
nr_sv 1 1
SV
1 1:1 3:-2
-1 2:0.5
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("svm_type c_svc", "svm_type soft", "expected svm_type to be one of c_svc"),
        ("gamma 0.5", "gamma -0.5", "its kernel is not one: gamma must be a finite number > 0"),
        ("gamma 0.5", "gamma much", "expected gamma to be 1 number; it is not"),
        ("gamma 0.5", "colour red", "line 3: expected a LIBSVM model; it says 'colour red'"),
        ("total_sv 2", "total_sv 3", "3 support vectors are announced, 2 lines follow"),
        ("label 1 -1", "label 1 1", "expected label to be 2 different labels"),
        ("nr_sv 1 1", "nr_sv 3 -1", "support vectors are announced"),
        ("rho 0.25", "rho nan", "expected rho to be 1 number"),
        ("-1 2:0.5", "-1 2:nan", "line 11: expected 1 coefficients and place:value pairs in order, got '-1 2:nan'"),
        ("1:1 3:-2", "3:1 1:-2", "line 10: expected 1 coefficients"),
        ("1:1 3:-2", "0:1 3:-2", "line 10: expected 1 coefficients"),
        ("SV\n", "", "line 9: expected a LIBSVM model"),
    ],
)
def test_files_that_are_not_of_libsvm(tmp_path, old, new, words):
    path = tmp_path / "machine.model"
    path.write_text(GOOD)
    assert load_libsvm(path).classes_.tolist() == [-1, 1]
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_libsvm(path)
    assert words in str(caught.value)
