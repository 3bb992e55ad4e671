"""Spark in its local mode: what is learnt from its data frames is what one process learns from the rows."""

import shutil
import sys

import numpy as np
import pytest
from estimators import CASES

from deciban import LogisticRegression, NaiveBayes, TextClassifier
from deciban.distributed import fit, predict
from deciban.errors import DataError, UsageError

sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed: pip install pyspark")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java: apt install default-jre-headless"),
    pytest.mark.filterwarnings("ignore"),  # those of PySpark itself
]
COUNTS = [case for case in CASES if case.id in ("bayes-multinomial-of-three", "bayes-gaussian", "discriminant")]


@pytest.fixture(scope="module")
def spark():
    """A session of two threads, whose workers are this Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def frame_of(spark, X, y, partitions):
    """A data frame of columns x0, x1, … and "label", and the names of the columns."""
    names = [f"x{j}" for j in range(X.shape[1])]
    rows = [(*map(float, row), str(label)) for row, label in zip(X, y, strict=True)]
    return spark.createDataFrame(rows, [*names, "label"]).repartition(partitions), names


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case.id)
def test_sums_are_those_of_one_process(case, spark):
    X, y = case.learn()
    frame, names = frame_of(spark, X, y, 3)
    model = fit(case.new(), frame, "label", columns=names, engine=spark)
    np.testing.assert_array_equal(model.predict_proba(X), case.new().fit(X, np.asarray(y).astype(str)).predict_proba(X))


def test_a_minimum_has_the_objective_of_a_fit_in_memory(spark):
    X, y = next(case for case in CASES if case.id == "logistic").learn()
    frame, names = frame_of(spark, X, y, 3)
    parted = fit(LogisticRegression(), frame, "label", columns=names, engine=spark).certificate_
    at_once = LogisticRegression().fit(X, np.asarray(y).astype(str)).certificate_
    assert parted.primal - at_once.primal <= parted.primal - parted.dual
    assert at_once.primal - parted.primal <= at_once.primal - at_once.dual


def test_texts_are_counted(spark):
    texts, y = next(case for case in CASES if case.id == "texts-bayes").learn()
    rows = [(text, str(label)) for text, label in zip(texts, y, strict=True)]
    frame = spark.createDataFrame(rows, ["text", "label"]).repartition(3)
    model = fit(TextClassifier("naive-bayes"), frame, "label", columns="text", engine=spark)
    own = TextClassifier("naive-bayes").fit(texts, np.asarray(y).astype(str))
    np.testing.assert_array_equal(model.predict_proba(texts), own.predict_proba(texts))


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_predictions_are_those_of_one_process(spark, method):
    X, y = next(case for case in CASES if case.id == "bayes-multinomial-of-three").learn()
    frame, names = frame_of(spark, X, y, 3)
    rows = frame.toPandas()
    model = NaiveBayes().fit(rows[names], rows["label"])
    found = predict(model, frame, columns=names, method=method).toPandas()
    assert found.columns.tolist() == [*names, "label", "prediction"]
    np.testing.assert_array_equal(np.array(found["prediction"].tolist()), getattr(model, method)(found[names]))


def test_what_cannot_be_learnt_is_named(spark):
    frame, names = frame_of(spark, np.ones((4, 2)), ["a", "b", "a", "b"], 1)
    with pytest.raises((DataError, UsageError), match="other"):
        fit(NaiveBayes(), frame, "label", columns=[*names, "other"], engine=spark)
    with pytest.raises(UsageError, match="no partitions"):
        fit(NaiveBayes(), frame.limit(0), "label", columns=names, engine=spark)
