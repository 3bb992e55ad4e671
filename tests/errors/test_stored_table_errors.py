"""What saving and loading of naive Bayes say of what a file cannot hold, word for word; and the file stays."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from deciban import LogisticRegression, NaiveBayes, load, store
from deciban.distributions import Gaussian, Mixed
from deciban.errors import DataError, NoInputError, StorageError
from deciban.models.stored import arrays_of, header_of, restore
from deciban.table_models.served import ServedTable
from errors.refusals import refused

X = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0], [4.0, 1.0]])
Y = ["a", "b", "a", "b"]


def test_a_distribution_of_ones_own_cannot_be_kept(tmp_path):
    model = NaiveBayes(Mixed((((0,), Gaussian()), ((1,), Gaussian(shared=True))), 2)).fit(X, Y)
    text = (
        "a file keeps the distributions Bernoulli, Categorical, Multinomial, Complement, Poisson, Gaussian, by name, "
        f"by object or by column; got {model.likelihood!r}"
    )
    with refused(text, model=model):
        model.save(tmp_path / "model.deciban")
    assert not list(tmp_path.iterdir())


def test_parameters_that_changed_after_the_fit_are_not_those_of_the_counts(tmp_path):
    model = NaiveBayes("gaussian").fit(X, Y)
    model.save(tmp_path / "model.deciban")
    before = (tmp_path / "model.deciban").read_bytes()
    model.set_params(likelihood="poisson")
    with refused("what was learnt with other parameters cannot be kept with these: fit again", model=model):
        model.save(tmp_path / "model.deciban")
    assert (tmp_path / "model.deciban").read_bytes() == before


def test_what_is_not_learnt_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        NaiveBayes().save(tmp_path / "model.deciban")
    model = NaiveBayes().partial_fit(X, Y).forget(X, Y)
    with refused("nothing is learnt: every example was forgotten; fit or partial_fit first", NotFittedError, model):
        model.save(tmp_path / "model.deciban")


def test_where_no_file_can_be(tmp_path):
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(StorageError, match="could not be written"):
        model.save(tmp_path / "none" / "model.deciban")
    with pytest.raises(NoInputError, match="there is none of that name"):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    ("section", "key", "value", "text"),
    [
        (
            "bayes",
            "alpha",
            "one",
            "expected 'bayes.alpha' in its header to be a number. The file is not one that this program wrote; train "
            "again.",
        ),
        (
            "bayes",
            "estimate",
            "mean",
            "its model is damaged: estimate must be one of 'bayes', 'predictive', 'map', 'ml', got 'mean'. Train "
            "again.",
        ),
        (
            "table",
            "features",
            3,
            "its model is damaged: expected numbers of the shape (2, 3), got float64 of (2, 2). Train again.",
        ),
        (None, "classes", ["b", "a"], "its model is damaged: classes that are no labels in order. Train again."),
        (
            None,
            "table",
            {},
            "expected 'table' in its header with the fields columns, features, labels, names. The file is not one that "
            "this program wrote; train again.",
        ),
    ],
    ids=str,
)
def test_a_file_that_does_not_fit_together_is_refused(section, key, value, text):
    model = NaiveBayes().fit(X, Y)
    header, arrays = header_of(model), arrays_of(model)
    (header if section is None else header[section])[key] = value
    stored = store.parse(store.to_bytes(header, arrays), "some.deciban", tables=True)
    with refused(f"some.deciban: {text}", DataError):
        restore(stored)


def test_a_file_of_an_estimator_is_not_for_the_command(tmp_path):
    path = tmp_path / "m.deciban"
    LogisticRegression().fit(X, Y).save(path)
    text = f"{path}: expected a model of texts or of typed columns; this is 'LogisticRegression'. Load it in Python: "
    with refused(f"{text}deciban.load.", DataError):
        ServedTable.from_stored(store.read(path, tables=True))
