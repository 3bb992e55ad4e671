"""Comparisons of every kind of data: which families there are, how large they are, and what they cannot say."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import deciban
from deciban import NaiveBayes
from deciban.data.copies import copies_of_rows
from deciban.data.folds import deal_grouped
from deciban.evaluation.compare import learners_of
from laws.compared import Spy, clouds, columns, counts, letters, of_pandas

DATA = {
    "texts": (letters, ("naive-bayes", "svm", "logistic", "nbsvm")),
    "a frame": (columns, ("naive-bayes", "discriminant", "logistic", "svm")),
    "a pandas frame": (of_pandas, ("naive-bayes", "discriminant", "logistic", "svm")),
    "rows": (lambda: (clouds()[0].tolist(), clouds()[1]), ("naive-bayes", "discriminant")),
    "a matrix": (counts, ("naive-bayes", "discriminant", "logistic", "svm")),
    "a sparse matrix": (lambda: (sparse.csr_array(counts()[0]), counts()[1]), ("naive-bayes", "logistic", "svm")),
}


@pytest.mark.parametrize(("data", "families"), DATA.values(), ids=DATA)
def test_families_of_every_kind_of_data(data, families):
    X, y = data()
    known = [each.name for each in learners_of(None, X, np.array(y), 0, 1)]
    assert known[: len(families)] == list(families)
    names = [*families[:2]]
    found = deciban.compare(names, X, y, folds=3, sizes=[8], n_jobs=1)
    assert [row.model for row in found.rows] == names
    assert found.left_out == {}
    for row in found.rows:
        assert row.error < 0.45
        assert row.log_loss < 1.0
        assert row.size > 300
        assert row.fit_seconds > 0.0 < row.predict_seconds
        assert [point.n for point in row.curve] == [8, found.train]


def test_a_mapping_may_name_a_family_beside_an_estimator():
    X, y = counts()
    found = deciban.compare({"ours": "logistic", "theirs": LogisticRegression()}, X, y, folds=3, sizes=())
    assert found["ours"].size_of_file
    assert not found["theirs"].size_of_file
    assert found["theirs"].size >= LogisticRegression().fit(X, y).coef_.nbytes


def test_the_size_is_that_of_the_file(tmp_path):
    X, y = counts()
    model = NaiveBayes("gaussian")
    found = deciban.compare({"bayes": model}, X, y, folds=2, sizes=())
    learnt = deal_grouped(y, copies_of_rows(X).group, np.ones(len(y)), 2, 0) != 1
    model.fit(X[learnt], y[learnt]).save(tmp_path / "m.deciban")
    assert (found["bayes"].size, found["bayes"].size_of_file) == ((tmp_path / "m.deciban").stat().st_size, True)


def test_a_subset_without_a_class_gives_it_no_probability():
    X, y = clouds(90, 3)
    y = np.where(np.arange(90) % 9 == 0, "c", np.where(y == "a", "a", "b"))
    found = deciban.compare({"bayes": GaussianNB(), "ours": "logistic"}, X, y, folds=3, sizes=[4])
    few, whole = found["bayes"].curve
    assert few.n == 4
    assert few.log_loss > 60.0 > whole.log_loss
    assert deciban.compare({"bayes": GaussianNB()}, X, y, folds=3)["bayes"].curve[0].n > 4


def test_rows_that_are_equal_because_there_are_so_few_are_dealt_apart():
    y = np.arange(100) % 2
    X = np.where(np.arange(100) % 10 < 2, 1 - y, y)[:, None]
    found = deciban.compare(["naive-bayes"], X, y, sizes=())
    assert (found["naive-bayes"].error, found.copies) == (0.2, 0)


def test_a_classifier_without_probabilities_and_one_that_says_what_is_no_label():
    X, y = clouds()
    found = deciban.compare({"spy": Spy()}, X, y, sizes=())
    assert (found["spy"].log_loss, found["spy"].log_loss_error, found["spy"].error) == (None, None, 0.5)
    with pytest.raises(ValueError, match="'spy' gives no probabilities"):
        found.judgements("spy")

    class Odd(Spy):
        def predict(self, X):
            return np.full(len(X), "zz")

    assert deciban.compare({"odd": Odd()}, X, y, sizes=())["odd"].error == 1.0
