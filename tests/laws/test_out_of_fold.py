"""Laws of what is held out for a calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from deciban import SVM, LeastSquaresClassifier, LinearSVM
from deciban.calibration.out_of_fold import hold_out

seeds = st.integers(0, 2**32 - 1)


def examples(seed, counts):
    """Different rows, of so many in each class."""
    y = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(seed).normal(size=(len(y), 2)), y


@given(seeds, st.sampled_from([2, 3, 10]), st.sampled_from([0, 250]))
def test_the_first_folds_are_held_out_until_they_tell_enough(seed, k, each):
    shares = np.random.default_rng(seed).dirichlet(np.ones(3))
    X, y = examples(seed, np.random.default_rng(seed).multinomial(12_000, shares) + 1)
    splits = hold_out(X, y, k, seed, each)
    told = []
    for n in range(1, len(splits) + 1):
        counts = np.bincount(y[np.concatenate([outside for _, outside in splits[:n]])], minlength=3)
        told.append(counts.sum() >= 5000 and counts.sum() - counts.max() >= 500 and counts.min() >= each)
    assert not any(told[:-1])
    assert told[-1] or len(splits) == k
    held = np.concatenate([outside for _, outside in splits])
    assert len(np.unique(held)) == len(held)
    for inside, outside in splits:
        assert_array_equal(np.sort(np.concatenate([inside, outside])), np.arange(len(y)))


@given(seeds, st.integers(2, 4))
def test_repeated_examples_hold_out_no_fewer_others(seed, times):
    X, y = examples(seed, [9000, 3000])
    once, again = hold_out(X, y, 3, 0), hold_out(np.repeat(X, times, axis=0), np.repeat(y, times), 3, 0)
    assert len(once) == len(again)
    for (_, one), (_, other) in zip(once, again, strict=True):
        assert_array_equal(np.repeat(one, times), other // times)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((400, 400), "3 folds"),
        ((9000, 9000), "1 of 3 folds"),
        ((17_000, 900), "2 of 3 folds"),
        ((17_700, 300), "3 folds"),
    ],
    ids=str,
)
def test_the_certificate_tells_how_many_folds_were_held_out(counts, told):
    X, y = examples(1, counts)
    X = X + y[:, None]
    for model in (LinearSVM(loss="squared_hinge"), LeastSquaresClassifier()):
        assert str(model.fit(X, y).certificate_.calibration).startswith(f"temperature on {told}")


@pytest.mark.deep
def test_the_certificate_of_a_kernel_machine_tells_it_too():
    X, y = examples(1, (9000, 9000))
    model = SVM(calibration="isotonic").fit(X + 3.0 * y[:, None], y)
    assert str(model.certificate_.calibration).startswith("isotonic on 1 of 3 folds")
