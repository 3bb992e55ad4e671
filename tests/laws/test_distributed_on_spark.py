"""Spark in its local mode: what is learnt from its data frames is what one process learns from the rows."""

import os
import shutil
import signal
import sys
from importlib.util import find_spec
from threading import Timer

import numpy as np
import pytest
from estimators import CASES
from partitions import PARTITIONINGS, DiesOnce, by_label, whole
from sklearn.base import clone

from deciban import LinearSVM, LogisticRegression, NaiveBayes, TextClassifier
from deciban.distributed import fit, on_spark, predict, spark_rows
from deciban.errors import DataError, UsageError
from errors.refusals import refused

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed: pip install pyspark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java: apt install default-jre-headless"),
    pytest.mark.filterwarnings("ignore"),  # those of PySpark itself
]
RANDOM = np.random.default_rng(0)
N, D = 54, 5
X = np.round(2.0 * np.abs(RANDOM.normal(size=(N, D))) * (RANDOM.random((N, D)) < 0.6))
SCORES = X @ RANDOM.normal(size=(D, 3)) + RANDOM.gumbel(size=(N, 3)) + [1.0, 0.0, -1.0]
THREE = np.array(["ham", "news", "spam"])[SCORES.argmax(axis=1)]
TWO = np.where(THREE == "ham", "ham", "spam")
NAMES = [f"x{j}" for j in range(D)]
SUMS = [case for case in CASES if case.id.startswith(("bayes", "discriminant", "texts-b"))]
OF_COLUMNS = [case for case in SUMS if case.id in ("bayes-multinomial-of-three", "bayes-gaussian", "discriminant")]


def thirds(X, y):
    """Three parts, each with some of each label."""
    return [(X[k::3], y[k::3]) for k in range(3)]


MINIMA = {
    "logistic": (LogisticRegression(), TWO, by_label),
    "each": (LogisticRegression(C=0.3, multi_class="ovr"), THREE, thirds),
    "squared-hinge": (LinearSVM(loss="squared_hinge", calibration=None), TWO, whole),
}


@pytest.fixture(scope="module")
def spark():
    """A session of two threads, whose workers are this Python; what fails is tried four times, as on a cluster."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # workers unpickle what is defined here
        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")  # begins sooner
        session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def frame_of(spark, partitions):
    """A data frame of columns x0, x1, … and "label", each partition as it is given."""
    rows = [[(*map(float, row), str(label)) for row, label in zip(*part, strict=True)] for part in partitions]
    names = [f"x{j}" for j in range(len(partitions[0][0][0]))]
    schema = ", ".join([*(f"{name} double" for name in names), "label string"])
    each = spark.sparkContext.parallelize(rows, len(rows)).flatMap(iter)
    return spark.createDataFrame(each, schema, verifySchema=False), names


def vectors_of(spark, rows, y, kind):
    """A data frame of Spark ML's vectors, dense, sparse, or either by turns."""
    from pyspark.ml.linalg import Vectors

    dense = [Vectors.dense(row) for row in rows]
    thin = [Vectors.sparse(len(row), np.flatnonzero(row), row[row != 0.0]) for row in rows]
    either = [(thin if k % 2 else dense)[k] for k in range(len(rows))]
    vectors = {"dense": dense, "sparse": thin, "either": either}[kind]
    return spark.createDataFrame(list(zip(vectors, map(str, y), strict=True)), ["x", "label"]).repartition(2)


def require_same_minimum(found, at_once):
    assert found.certificate_.status == "converged"
    assert found.certificate_.dual <= at_once.certificate_.primal * (1 + 1e-12)
    assert at_once.certificate_.dual <= found.certificate_.primal * (1 + 1e-12)


@pytest.mark.parametrize("case", SUMS, ids=lambda case: case.id)
def test_sums_of_partitions_in_a_list_are_the_file_of_one_process(case, spark, tmp_path):
    rows, y = case.learn()
    found = fit(case.new(), by_label(rows, y), engine=spark)
    for name, model in (("found", found), ("at once", case.new().fit(rows, y))):
        model.save(tmp_path / name)
    assert (tmp_path / "found").read_bytes() == (tmp_path / "at once").read_bytes()


@pytest.mark.parametrize("partition", PARTITIONINGS)
@pytest.mark.parametrize("case", OF_COLUMNS, ids=lambda case: case.id)
def test_sums_of_a_frame_are_those_of_one_process(case, partition, spark):
    rows, y = case.learn()
    frame, names = frame_of(spark, partition(np.asarray(rows), np.asarray(y)))
    model = fit(case.new(), frame, "label", columns=names, engine=spark)
    at_once = case.new().fit(rows, np.asarray(y).astype(str))
    np.testing.assert_array_equal(model.predict_proba(rows), at_once.predict_proba(rows))


@pytest.mark.parametrize("name", MINIMA)
def test_a_minimum_has_the_objective_of_a_fit_in_memory(name, spark):
    model, y, partition = MINIMA[name]
    frame, names = frame_of(spark, partition(X, y))
    require_same_minimum(fit(clone(model), frame, "label", columns=names, engine=spark), clone(model).fit(X, y))


def test_partitions_in_a_list_are_learnt_too(spark):
    model = fit(LogisticRegression(), by_label(X, TWO), engine=spark)
    require_same_minimum(model, LogisticRegression().fit(X, TWO))


@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
def test_a_column_of_texts_is_learnt(model, spark):
    words = np.array([f"w{j}" for j in range(30)])
    texts = [" ".join(words[RANDOM.integers(0, 30, 6) // (1 + (y == "ham"))]) for y in TWO]  # ham has half of them
    frame = spark.createDataFrame(list(zip(texts, TWO.tolist(), strict=True)), ["text", "label"]).repartition(2)
    options = {} if model == "naive-bayes" else {"C": 0.1}
    found = fit(TextClassifier(model, words=(1, 1), **options), frame, "label", columns="text", engine=spark)
    at_once = TextClassifier(model, words=(1, 1), **options).fit(texts, TWO)
    assert found.model_.encoder.book == at_once.model_.encoder.book
    if model == "naive-bayes":
        np.testing.assert_array_equal(found.predict_proba(texts), at_once.predict_proba(texts))
    else:
        require_same_minimum(found, at_once)
        assert found.certificate_.calibration.how == at_once.certificate_.calibration.how


@pytest.mark.parametrize("kind", ["dense", "sparse", "either"])
def test_vectors_of_spark_are_rows(kind, spark):
    frame = vectors_of(spark, X, THREE, kind)
    at_once = NaiveBayes().fit(X, THREE)
    model = fit(NaiveBayes(), frame, "label", engine=spark)
    np.testing.assert_array_equal(model.predict_proba(X), at_once.predict_proba(X))
    found = predict(model, frame, columns="x").collect()
    assert [row.prediction for row in found] == at_once.predict([row.x.toArray() for row in found]).tolist()


def test_batches_make_a_detour_where_spark_does_not_give_them(spark, monkeypatch):
    frame, names = frame_of(spark, by_label(X, THREE))
    made = spark_rows._as_streams
    monkeypatch.delattr("pyspark.serializers.NoOpSerializer")
    monkeypatch.setattr(spark_rows, "_as_streams", lambda batches: made(batches))
    model = fit(NaiveBayes(), frame, "label", columns=names, engine=spark)
    np.testing.assert_array_equal(model.predict_proba(X), NaiveBayes().fit(X, THREE).predict_proba(X))


def test_parquet_that_spark_reads_is_learnt_with_weights(spark, tmp_path):
    import pandas as pd

    table = pd.DataFrame({**dict(zip(NAMES, X.T, strict=True)), "label": THREE, "weight": np.arange(N) % 3})
    for k in range(2):
        table[k::2].to_parquet(tmp_path / f"part-{k}.parquet")
    frame = spark.read.parquet(str(tmp_path))
    found = fit(NaiveBayes("gaussian"), frame, "label", columns=NAMES, sample_weight="weight", engine=spark)
    at_once = NaiveBayes("gaussian").fit(X, THREE, np.arange(N) % 3)
    np.testing.assert_array_equal(found.predict_proba(X), at_once.predict_proba(X))


@pytest.mark.parametrize(
    ("y", "method"),
    [(THREE, "predict"), (SCORES.argmax(axis=1), "predict"), (TWO == "ham", "predict"), (THREE, "predict_proba")],
    ids=["text", "int", "bool", "probabilities"],
)
def test_predictions_are_a_column_more(y, method, spark):
    frame, names = frame_of(spark, by_label(X, THREE))
    model = NaiveBayes().fit(X, y)
    found = predict(model, frame, columns=names, method=method)
    assert found.columns == [*names, "label", "prediction"]
    rows = np.array(found.drop("label", "prediction").collect())
    told = np.array([row.prediction for row in found.select("prediction").collect()])
    np.testing.assert_array_equal(told, getattr(model, method)(rows))


def test_weights_are_broadcast_once_an_iteration_and_each_pass_is_one_job_of_a_task_a_core(spark, monkeypatch):
    frame, names = frame_of(spark, by_label(X, TWO))
    context, sent, passes = spark.sparkContext, [], []
    broadcast, reduce = context.broadcast, on_spark.OnSpark.reduce
    monkeypatch.setattr(context, "broadcast", lambda value: sent.append(value) or broadcast(value))

    def counted(engine, task, *given):
        context.setJobGroup(f"pass {len(passes)}", "")
        passes.append(type(task).__name__)
        return reduce(engine, task, *given)

    monkeypatch.setattr(on_spark.OnSpark, "reduce", counted)
    fit(LogisticRegression(), frame, "label", columns=names, engine=spark)
    assert len(sent) == len(passes) > 3
    told = context.statusTracker()
    jobs = [told.getJobIdsForGroup(f"pass {k}") for k in range(len(passes))]
    assert [len(each) for each in jobs] == [1] * len(passes)
    stages = [told.getStageInfo(told.getJobInfo(job).stageIds[0]) for (job,) in jobs]
    whole = [stage.numTasks for name, stage in zip(passes, stages, strict=True) if name != "Local"]
    assert whole == [context.defaultParallelism] * len(
        whole
    )  # as many tasks as cores, though there are five partitions


def test_a_worker_that_is_killed_changes_nothing(spark, tmp_path):
    flags = [tmp_path / "0", tmp_path / "3"]
    parts = by_label(X, THREE)
    for flag in flags:
        parts[int(flag.name)] = DiesOnce(parts[int(flag.name)], flag)
    found = fit(NaiveBayes(), parts, engine=spark)
    assert all(flag.exists() for flag in flags)
    np.testing.assert_array_equal(found.predict_proba(X), NaiveBayes().fit(X, THREE).predict_proba(X))


def test_workers_that_are_killed_between_iterations_change_nothing(spark):
    frame, names = frame_of(spark, thirds(X, TWO))
    killed = set()

    def kill(*told):
        pids = spark.sparkContext.parallelize(range(2), 2).map(lambda _: os.getpid()).collect()
        for pid in {*pids} if not killed else ():
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)

    model = fit(LogisticRegression(callback=kill), frame, "label", columns=names, engine=spark)
    undisturbed = fit(LogisticRegression(), frame, "label", columns=names, engine=spark)
    assert killed
    assert os.getpid() not in killed
    np.testing.assert_array_equal(model.coef_, undisturbed.coef_)


def test_ctrl_c_leaves_the_model_as_it_was_and_the_session_open(spark):
    frame, names = frame_of(spark, whole(X, THREE))
    slow = frame.mapInArrow(_sleep, frame.schema)
    model = NaiveBayes()
    Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        fit(model, slow, "label", columns=names, engine=spark)
    assert not hasattr(model, "classes_")
    assert fit(model, frame, "label", columns=names, engine=spark).classes_.tolist() == ["ham", "news", "spam"]


def _sleep(batches):
    from time import sleep

    sleep(60)
    yield from batches


def test_what_cannot_be_learnt_is_named(spark):
    frame, names = frame_of(spark, whole(X, THREE))
    frame.createOrReplaceTempView("rows")
    with refused(
        "X has no column 'other'. Expected one of 'x0', 'x1', 'x2', 'x3', 'x4', 'label'. Check its name.", UsageError
    ):
        fit(NaiveBayes(), frame, "label", columns=[*names, "other"], engine=spark)
    with pytest.raises(UsageError, match="no partitions"):
        fit(NaiveBayes(), frame.limit(0), "label", columns=names, engine=spark)
    with pytest.raises(DataError, match=r"^all 1 partitions are empty"):
        fit(NaiveBayes(), frame.where("x0 < 0"), "label", columns=names, engine=spark)
    with pytest.raises(DataError, match=r"^partition 0: .*x1"):
        fit(LogisticRegression(), spark.sql("select x0, 'a' x1, label from rows"), "label", engine=spark)
    with refused(
        "partition 0: row 0 has no label: its 'label' is null. Expected a label in every row. Leave it out", DataError
    ):
        fit(NaiveBayes(), spark.sql("select x0, nullif(label, label) label from rows"), "label", engine=spark)
    with pytest.raises(UsageError, match=r"^y must name the column of the labels of a Spark data frame"):
        fit(NaiveBayes(), frame, THREE, engine=spark)


def test_what_cannot_be_predicted_is_named(spark):
    frame, names = frame_of(spark, whole(X, THREE))
    model = NaiveBayes().fit(X, THREE)
    with pytest.raises(UsageError, match=r"^X has no column 'other'"):
        predict(model, frame, columns="other")
    with pytest.raises(UsageError, match=r"^X has a column 'prediction' already"):
        predict(model, predict(model, frame, columns=names), columns=names)
    with pytest.raises(UsageError, match=r"^X is pyspark\S*\.RDD\. Expected a data frame"):
        predict(model, spark.sparkContext.parallelize([1]))
