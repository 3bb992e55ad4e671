"""What networks that learn on say of input that is wrong, word for word, and that they stay as they were."""

import numpy as np
from refusals import refused

from deciban import MLPClassifier, MLPRegressor

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
small = {"hidden_layer_sizes": (4,), "max_iter": 2}


def test_labels_outside_the_classes():
    text = "{} has the labels ['egg'], which are none of the classes ['ham', 'spam']"
    strange = [*Y[:5], "egg"]
    model = MLPClassifier(**small).fit(X, Y)
    with refused(text.format("partial_fit"), model=model):
        model.partial_fit(X, strange)
    with refused(text.format("a batch"), model=model):
        model.fit_batches([(X, Y), (X, strange)], ["ham", "spam"])
    new = MLPClassifier(**small)
    with refused(text.format("partial_fit"), model=new):
        new.partial_fit(X, strange, classes=["ham", "spam"])
    text = "classes are ['ham', 'spam'] since the first call; no others can come"
    with refused(text, model=model):
        model.partial_fit(X, Y, classes=["ham", "spam", "egg"])


def test_classes_that_are_missing():
    model = MLPClassifier(**small)
    text = "classes must be given, all labels that may come: the first batch may lack some"
    with refused(text, model=model):
        model.fit_batches([(X, Y)], None)
    with refused("at least two classes are expected; classes are ['ham'] (1 class)", model=model):
        model.fit_batches([(X, Y)], ["ham"])
    with refused("at least two classes are expected; classes are ['ham'] (1 class)", model=model):
        model.partial_fit(X, Y, classes=["ham"])
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.partial_fit(X[:3], Y[:3])


def test_batches_that_are_none():
    model, numbers = MLPClassifier(**small), MLPRegressor(**small)
    for given in (X[0, 0], 5, "rows"):
        text = f"batches must be an iterable of (X, y) or (X, y, weight), got {type(given).__name__}"
        with refused(text, model=model):
            model.fit_batches(given, ["ham", "spam"])
        with refused(text, model=numbers):
            numbers.fit_batches(given)
    with refused("batches must bring (X, y) or (X, y, weight); none came", model=model):
        model.fit_batches([], ["ham", "spam"])
    with refused("a batch must be (X, y) or (X, y, weight), got ndarray", model=model):
        model.fit_batches([X], ["ham", "spam"])
    with refused("a batch must be (X, y) or (X, y, weight), got str", model=model):
        model.fit_batches([(X, Y), "more"], ["ham", "spam"])
    text = "Expected 2D array, got 1D array instead: a batch is rows of features"
    with refused(text, model=model):
        model.fit_batches([(X[0], Y)], ["ham", "spam"])
    with refused("X has 1 features, but MLPClassifier is expecting 2 features as input.", model=model):
        model.fit_batches([(X, Y), (X[:, :1], Y)], ["ham", "spam"])

    class Once:
        """Says that it can begin anew, and cannot."""

        def __init__(self):
            self.batches = iter([(X, Y), (X, Y)])

        def __iter__(self):
            yield from self.batches

    text = "no batch came: an iterator lasts for one epoch; give a list, or something that begins anew"
    with refused(text, model=model):
        model.fit_batches(Once(), ["ham", "spam"])
