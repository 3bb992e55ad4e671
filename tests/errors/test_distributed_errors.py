"""What cannot be learnt in partitions is said word for word, and the model stays as it was."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from refusals import refused

from deciban import NBSVM, SVM, LogisticRegression, MLPClassifier, MutualInformation, NaiveBayes, TextClassifier
from deciban.distributed import fit, newton, on_spark
from deciban.errors import DataError, UsageError

X = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0], [1.0, 4.0]])
Y = np.array(["ham", "ham", "spam", "spam"])
_AS = "Expected an estimator whose state is a sum over rows, or a smooth linear model."


@pytest.fixture
def engine():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def unreadable():
    raise OSError(5, "Input/output error", "part-1.parquet")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            [(X, Y), (X[:, :1], Y)],
            "partition 1 has 1 columns, and partition 0 has 2 columns. All partitions must have the same columns in "
            "the same order. Select them, or write the data anew.",
        ),
        (
            [(X, Y), (X.astype(np.float32), Y)],
            "partition 1 has columns of type float32 where partition 0 has float64. All partitions must have the same "
            "types. Cast them to one type.",
        ),
        (
            [(X, Y), (X, Y[:2])],
            "partition 1: X has 4 rows and y has 2. Expected as many labels as rows",
        ),
        (
            [(X, Y), (-X, Y)],
            "partition 1: Negative values in data for a multinomial model: row 0, feature 0 is -2; a multinomial "
            "feature is a finite count ≥ 0",
        ),
        ([(X, Y), unreadable], "partition 1: [Errno 5] Input/output error: 'part-1.parquet'"),
        ([(X, Y), X], "partition 1: expected (X, y) or (X, y, sample_weight), got ndarray"),
        (
            [(X, Y), (X, np.arange(4))],
            "partition 0 and partition 1: labels must be of one kind, but 'ham' was learnt before and 0 came now: give "
            "all labels as text or all as numbers",
        ),
        (
            [(X[:0], Y[:0])] * 3,
            "all 3 partitions are empty. Expected rows in one at least. Check the path, or the filter.",
        ),
    ],
    ids=["columns", "types", "lengths", "values", "unreadable", "no-pair", "labels", "empty"],
)
def test_a_partition_that_does_not_fit_is_named(parts, text, engine):
    model = NaiveBayes().fit(X, Y)
    with refused(text, DataError, model):
        fit(model, parts, engine=engine)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (
            MLPClassifier(),
            f"MLPClassifier cannot be fitted in partitions. {_AS} Steps of a network follow one another: fit it to a "
            "sample, in memory.",
        ),
        (
            SVM(),
            f"SVM cannot be fitted in partitions. {_AS} Fit Nystroem or RandomFourier to a sample, and a linear model "
            "to what it makes of the partitions.",
        ),
        (
            TextClassifier("mlp"),
            "TextClassifier cannot be fitted in partitions with model='mlp', which is learnt from all texts at once. "
            f"{_AS} Choose model='naive-bayes', 'nbsvm', 'logistic' or 'svm'.",
        ),
        (
            NBSVM(loss="hinge", calibration=None),
            "NBSVM cannot be fitted in partitions with loss='hinge', which has no Hessian. Expected a smooth loss. "
            "Choose loss='logistic' or loss='squared_hinge'.",
        ),
        (
            NBSVM(loss="squared_hinge"),
            "NBSVM cannot be fitted in partitions with calibration='temperature', for which folds are held out of all "
            "rows. Expected margins alone. Choose calibration=None.",
        ),
    ],
    ids=["mlp", "svm", "texts", "hinge", "calibration"],
)
def test_an_estimator_that_is_no_sum_is_refused(model, text, engine):
    with refused(text, UsageError, model):
        fit(model, [(X, Y)], engine=engine)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"C": -1.0}, "C must be a number > 0, got -1.0"),
        ({"weighting": "tf"}, "weighting must be 'unit-idf', 'idf' or 'none', got 'tf'"),
    ],
)
def test_parameters_of_linear_models_of_texts_are_refused_before_a_text_is_read(options, text, engine):
    model = TextClassifier("svm", **options)
    with refused(text, ValueError, model):
        fit(model, [lambda: pytest.fail("a partition was read")], engine=engine)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([(["a b", "c"], ["x"])], "partition 0: X has 2 rows and y has 1. Expected as many labels as rows"),
        ([(["a"], ["x"]), (["b", 3], ["y", "x"])], "partition 1: "),
        ([(["a"], ["x"]), (["b"], ["x"])], "at least two classes are expected; all labels are 'x'"),
        ([(["!", "?"], ["x", "y"])], "No words were found in the items: nothing to learn from."),
        (
            [([], []), ([], [])],
            "all 2 partitions are empty. Expected rows in one at least. Check the path, or the filter.",
        ),
    ],
    ids=["lengths", "numbers", "one-class", "no-words", "empty"],
)
def test_texts_that_teach_a_linear_model_nothing_are_refused(parts, text, engine):
    model = TextClassifier("nbsvm")
    with pytest.raises(DataError) as caught:
        fit(model, parts, engine=engine)
    assert str(caught.value).startswith(text)
    assert vars(model) == vars(TextClassifier("nbsvm"))


def test_selectors_that_need_the_rows_are_refused(engine):
    with refused(
        "partition 0: k='auto' holds examples out, and a table has none: give a whole number or 'all'", DataError
    ):
        fit(MutualInformation(k="auto"), [(X, Y)], engine=engine)
    with refused(
        "partition 0: continuous features need their neighbours, not a table: give discrete_features=True", DataError
    ):
        fit(MutualInformation(discrete_features=False), [(X, Y)], engine=engine)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            (X, Y),
            "X is ndarray. Expected Dask collections, a Spark data frame, a dataset, files by label or a list of "
            "partitions (X, y). Call the estimator's own fit with rows that are in memory already.",
        ),
        (
            ([X], [Y]),
            "y is given beside a list of partitions. Expected partitions (X, y), or (X, y, sample_weight). Put the "
            "labels of each partition beside its rows.",
        ),
        (([], None), "X has no partitions. Expected at least one. Check the path, or the list."),
    ],
    ids=["array", "apart", "none"],
)
def test_what_is_no_data_in_partitions_is_refused(given, text, engine):
    with refused(text, UsageError):
        fit(NaiveBayes(), *given, engine=engine)


def test_an_engine_that_takes_no_work_is_refused(engine):
    engine.shutdown()
    with refused(
        "the executor takes no more work: cannot schedule new futures after shutdown. Expected one that is open. Call "
        "fit inside its with block.",
        UsageError,
    ):
        fit(NaiveBayes(), [(X, Y)], engine=engine)
    with refused(
        "engine is str. Expected a Dask Client, a SparkSession or an executor of concurrent.futures. Pass "
        "engine=ProcessPoolExecutor() to use the cores of this machine.",
        UsageError,
    ):
        fit(NaiveBayes(), [(X, Y)], engine="dask")


def test_what_spark_cannot_do_is_said():
    connected = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with refused(
        "the session is one of Spark Connect, which has no RDDs. Expected a session in the driver. Start one with "
        "SparkSession.builder.master(...).",
        UsageError,
    ):
        fit(NaiveBayes(), [(X, Y)], engine=connected)
    assert str(on_spark._translate(ValueError("… can not serialize object larger than 2G"))) == (
        "a partition has more than 2 GB of encoded rows, or of sums, which Spark cannot send. Expected smaller ones. "
        "Make more of them by X.repartition."
    )
    other = ValueError("another")
    assert on_spark._translate(other) is other


def test_corners_need_the_hessian(engine, monkeypatch):
    monkeypatch.setattr(newton, "_CORNERS", 1)
    model = LogisticRegression(penalty="l1")
    with refused(
        "a penalty with corners needs the Hessian of all features in partitions, which of 2 features and 1 scores is "
        "too large, or of classes together. Expected at most 1 features, and classes one against the rest. Choose "
        "penalty='l2', multi_class='ovr', or fewer features.",
        UsageError,
        model,
    ):
        fit(model, [(X, Y)], engine=engine)
