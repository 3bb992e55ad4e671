"""What is predicted in partitions is what the model predicts of all rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from estimators import CASES, fitted
from partitions import dask_processes, processes, threads
from pyarrow import parquet
from scipy import sparse

from deciban import NaiveBayes, TextClassifier
from deciban.distributed import predict
from deciban.distributed.scoring import METHODS
from deciban.errors import UsageError
from errors.refusals import refused

JUDGES = [
    case for case in CASES if case.id in ("bayes-multinomial-of-three", "logistic", "least-squares", "texts-bayes")
]
EVERY = pytest.mark.parametrize("case", JUDGES, ids=lambda case: case.id)


def pieces(X):
    """X in partitions, one of them empty."""
    return [X[:7], X[7:7], X[7:30], X[30:]]


def methods_of(model):
    return [name for name in METHODS if hasattr(model, name)]


@EVERY
@pytest.mark.parametrize("workers", [None, threads, pytest.param(processes, marks=pytest.mark.deep)])
def test_partitions_are_predicted_as_all_rows(case, workers):
    model, (X, _) = fitted(case), case.learn()
    for method in methods_of(model):
        whole = getattr(model, method)(X)
        if workers is None:
            found = [*predict(model, pieces(X), method=method)]
        else:
            with workers() as engine:
                found = [*predict(model, iter(pieces(X)), engine=engine, method=method)]
        assert [len(each) for each in found] == [7, 0, 23, len(X) - 30]
        np.testing.assert_array_equal(np.concatenate(found), whole)
        assert {each.dtype for each in found} == {whole.dtype}


def test_datasets_are_predicted_file_by_file(tmp_path):
    case = JUDGES[0]
    model, (X, _) = fitted(case), case.learn()
    for k, part in enumerate((X[:20], X[20:])):
        table = pa.table({"id": np.arange(len(part)), **{f"x{j}": part[:, j] for j in range(X.shape[1])}})
        parquet.write_table(table, tmp_path / f"{k}.parquet")
    columns = [f"x{j}" for j in range(X.shape[1])]
    with threads() as engine:
        frame = NaiveBayes().fit(pd.DataFrame(X, columns=columns), case.learn()[1])
        found = [*predict(frame, tmp_path, engine=engine, columns=columns)]
    np.testing.assert_array_equal(np.concatenate(found), model.predict(X))


def test_few_partitions_wait_at_a_time():
    made = []

    def parts():
        for k in range(50):
            made.append(k)
            yield np.ones((1, 4))

    with threads() as engine:
        found = predict(fitted(JUDGES[0]), parts(), engine=engine)
        next(found)
        assert len(made) < 8
        assert len([*found]) == 49


@pytest.mark.deep
def test_dask_collections_are_predicted_lazily():
    import dask.array
    import dask.bag
    import dask.dataframe

    with dask_processes():
        for case in JUDGES[:2]:
            model, (X, _) = fitted(case), case.learn()
            frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
            of_frame = case.new().fit(frame, case.learn()[1])
            for method in methods_of(model):
                array = predict(model, dask.array.from_array(X, chunks=(17, 3)), method=method)
                assert array.dtype == getattr(model, method)(X).dtype
                np.testing.assert_array_equal(array.compute(), getattr(model, method)(X))
                parted = predict(of_frame, dask.dataframe.from_pandas(frame, npartitions=4), method=method).compute()
                np.testing.assert_array_equal(parted.to_numpy(), getattr(of_frame, method)(frame))
        model, (texts, _) = fitted(JUDGES[3]), JUDGES[3].learn()
        bag = dask.bag.from_sequence(texts, npartitions=5)
        assert predict(model, bag).compute() == model.predict(texts).tolist()
        column = dask.dataframe.from_pandas(pd.DataFrame({"id": 1, "text": texts}), npartitions=3)
        assert predict(model, column, columns="text").compute().tolist() == model.predict(texts).tolist()


def test_what_cannot_be_predicted_is_said():
    model = fitted(JUDGES[0])
    with refused(
        "NaiveBayes has no 'transform' for partitions. Expected one of 'predict', 'predict_proba', 'predict_log_proba'"
        ". Pass method='predict'.",
        UsageError,
    ):
        predict(model, [[[1]]], method="transform")
    with refused(
        "X is csr_array. Expected Dask collections, a Spark data frame, a dataset or a list of partitions. Call the "
        "model's own method with rows that are in memory already.",
        UsageError,
    ):
        predict(model, sparse.csr_array(np.ones((2, 4))))


def test_a_text_classifier_is_asked_of_texts():
    model = fitted(JUDGES[3])
    assert isinstance(model, TextClassifier)
    assert [each.tolist() for each in predict(model, [["free free"], ["lunch"]])] == [
        model.predict([text]).tolist() for text in ("free free", "lunch")
    ]
