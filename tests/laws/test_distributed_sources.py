"""Datasets and Dask collections are read partition by partition, and learnt as one table."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from partitions import dask_processes, threads
from pyarrow import dataset, feather, parquet
from scipy import sparse
from sklearn.base import clone

from deciban import GaussianDiscriminant, LinearRegression, LogisticRegression, NaiveBayes, TextClassifier
from deciban.distributed import fit, svmlight
from deciban.errors import DataError, UsageError
from errors.refusals import refused

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.poisson(2.0, size=(50, 3))
LABELS = np.array(["low", "mid", "high"])[np.arange(50) % 3]
TABLE = pa.table({"a": ROWS[:, 0], "b": ROWS[:, 1], "c": ROWS[:, 2] / 2, "label": LABELS, "weight": np.arange(50) % 3})
TEXTS = [" ".join(f"w{k}" for k in row) for row in ROWS]


def state(model):
    return {name: repr(value) for name, value in vars(model).items() if name != "_seconds"}


def write(folder, table):
    folder.mkdir()
    for i in range(0, 50, 20):
        parquet.write_table(table.slice(i, 20), folder / f"part-{i}.parquet", row_group_size=6)
    return folder


def test_a_folder_of_parquet_is_its_table(tmp_path):
    path = write(tmp_path / "rows", TABLE)
    at_once = NaiveBayes("gaussian").fit(TABLE.select(["a", "b", "c"]), LABELS, np.arange(50) % 3)
    with threads() as engine:
        for X in (path, str(path), dataset.dataset(path)):
            model = fit(NaiveBayes("gaussian"), X, "label", sample_weight="weight", engine=engine)
            assert state(model) == state(at_once)
        chosen = fit(NaiveBayes("gaussian"), path, "label", columns=["b", "a"], engine=engine)
    assert chosen.feature_names_in_.tolist() == ["b", "a"]


def test_arrow_files_are_read_too(tmp_path):
    feather.write_feather(TABLE.select(["a", "b", "label"]), tmp_path / "rows.arrow", compression="uncompressed")
    with threads() as engine:
        model = fit(NaiveBayes(), tmp_path / "rows.arrow", "label", engine=engine)
    assert state(model) == state(NaiveBayes().fit(TABLE.select(["a", "b"]), LABELS))


def test_csv_and_lines_of_json_are_read_too(tmp_path):
    frame = TABLE.select(["a", "b", "label"]).to_pandas()
    at_once = NaiveBayes().fit(TABLE.select(["a", "b"]), LABELS)
    (tmp_path / "lines").mkdir()
    for i in (0, 30):
        frame[i : i + 30].to_json(tmp_path / "lines" / f"{i}.jsonl", orient="records", lines=True)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with threads() as engine:
        for path in (tmp_path / "rows.csv", tmp_path / "lines"):
            assert state(fit(NaiveBayes(), path, "label", engine=engine)) == state(at_once)


@pytest.mark.parametrize("model", [NaiveBayes(), LogisticRegression()])
def test_a_generator_of_batches_is_read_once(model, tmp_path):
    batches = ((ROWS[i : i + 9], LABELS[i : i + 9]) for i in range(0, 50, 9))
    listed = [(ROWS[i : i + 9], LABELS[i : i + 9]) for i in range(0, 50, 9)]
    with threads() as engine:
        found, again = (fit(clone(model), each, engine=engine, scratch=tmp_path) for each in (batches, listed))
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(found.predict_proba(ROWS), again.predict_proba(ROWS))


SPARK = pa.struct(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)


def of_spark(row, thin):
    """A row as Spark ML keeps it: a thin one has its size, indices and values, another one values alone."""
    at = np.flatnonzero(row)
    if thin:
        return {"type": 0, "size": len(row), "indices": at, "values": row[at]}
    return {"type": 1, "size": None, "indices": None, "values": row}


@pytest.mark.parametrize("kind", ["list", "fixed", "sparse", "values", "either"])
def test_a_column_of_vectors_is_a_matrix(kind, tmp_path):
    dense = ROWS.astype(float)
    if kind in ("sparse", "values", "either"):
        thin = {"sparse": [True] * 50, "values": [False] * 50, "either": RANDOM.random(50) < 0.5}[kind]
        vectors = pa.array([of_spark(*pair) for pair in zip(dense, thin, strict=True)], SPARK)
    else:
        vectors = pa.array(dense.tolist(), pa.list_(pa.float64(), *([3] if kind == "fixed" else [])))
    path = write(tmp_path / "rows", pa.table({"x": vectors, "label": LABELS}))
    with threads() as engine:
        model = fit(GaussianDiscriminant(), path, "label", engine=engine)
    assert model.counts_ == GaussianDiscriminant().fit(dense, LABELS).counts_


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (None, "row 1 has no vector. Expected one in every row. Leave it out"),
        (of_spark(np.ones(4), True), "row 1 has 4 values, and row 0 has 3. Expected equally many"),
        (of_spark(np.ones(2), False), "row 1 has 2 values, and row 0 has 3. Expected equally many"),
    ],
    ids=["none", "longer", "shorter"],
)
def test_a_vector_that_is_not_as_the_others_is_named(second, text, tmp_path):
    table = pa.table({"x": pa.array([of_spark(np.ones(3), True), second], SPARK), "label": ["a", "b"]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    with threads() as engine, refused(f"partition 0 (rows.parquet, row group 0): {text}", DataError):
        fit(NaiveBayes(), tmp_path / "rows.parquet", "label", engine=engine)


def test_a_column_of_texts_is_texts(tmp_path):
    path = write(tmp_path / "texts", pa.table({"id": np.arange(50), "text": TEXTS, "label": LABELS}))
    with threads() as engine:
        model = fit(TextClassifier("naive-bayes"), path, "label", columns=["text"], engine=engine)
    at_once = TextClassifier("naive-bayes").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.predict_proba(TEXTS), at_once.predict_proba(TEXTS))


def test_what_is_wrong_with_a_dataset_is_said_with_the_file_and_the_row(tmp_path):
    labels = np.where(np.arange(50) == 27, None, LABELS.astype(object))
    path = write(tmp_path / "rows", TABLE.set_column(3, "label", pa.array(labels.tolist())))
    with threads() as engine:
        with refused(
            "partition 5 (part-20.parquet, row group 1): row 1 has no label: its 'label' is null. Expected a label in "
            "every row. Leave it out",
            DataError,
        ):
            fit(NaiveBayes(), path, "label", columns=["a"], engine=engine)
        with refused(
            "the dataset has no column 'labels'. Expected one of 'a', 'b', 'c', 'label', 'weight'. Check its name.",
            UsageError,
        ):
            fit(NaiveBayes(), path, "labels", engine=engine)
        with refused(
            "y must name the column of the labels of a dataset, as must sample_weight that of the weights. Pass, for "
            "example, y='weight'.",
            UsageError,
        ):
            fit(NaiveBayes(), path, LABELS, engine=engine)


@pytest.mark.parametrize("model", [NaiveBayes("gaussian"), LogisticRegression(), LinearRegression()])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_arrays_at_odd_addresses_are_taken_as_any_others(model, kind):
    def odd(array):
        held = np.empty(array.nbytes + 1, np.uint8)[1:]
        held[:] = np.frombuffer(array.tobytes(), np.uint8)
        return held.view(array.dtype).reshape(array.shape)

    rows, y, weight = ROWS.astype(float), np.arange(50) % 3, np.ones(50)
    moved = odd(rows)
    if kind == "csr":
        rows = sparse.csr_array(rows)
        moved = sparse.csr_array(tuple(odd(each) for each in (rows.data, rows.indices, rows.indptr)), shape=rows.shape)
    with threads() as engine:
        found = [
            fit(clone(model), [each], engine=engine).predict(rows)
            for each in ((rows, y, weight), (moved, odd(y), odd(weight)))
        ]
    np.testing.assert_array_equal(*found)
    np.testing.assert_array_equal(
        clone(model).fit(moved, odd(y), odd(weight)).predict(rows), clone(model).fit(rows, y).predict(rows)
    )


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("length", [1, 17, 1 << 20])
@pytest.mark.parametrize("model", [NaiveBayes(), LogisticRegression()])
def test_stretches_of_svmlight_are_the_rows_of_the_files(base, length, model, tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "_BYTES", length)
    y = np.arange(50) % 2
    (tmp_path / "rows").mkdir()
    for at, to, end in ((0, 20, "\n"), (20, 35, ""), (35, 50, "\n# a note\n\n")):
        rows = [
            " ".join([str(label), *(f"{j + base}:{x}" for j, x in enumerate(row) if x)])
            for row, label in zip(ROWS[at:to], y[at:to], strict=True)
        ]
        (tmp_path / "rows" / f"{at}.svm").write_text("\n".join(rows) + end)
    whole = clone(model).fit(sparse.csr_array(ROWS.astype(float)), y.astype(float))
    with threads() as engine:
        found = fit(clone(model), tmp_path / "rows", engine=engine)
    np.testing.assert_array_equal(found.predict(ROWS), whole.predict(ROWS))
    np.testing.assert_allclose(found.predict_proba(ROWS), whole.predict_proba(ROWS), rtol=0, atol=1e-4)
    if isinstance(model, NaiveBayes):
        assert found.counts_ == whole.counts_


def test_mailboxes_by_label_are_learnt_as_their_messages(tmp_path):
    messages = [f"Subject: {text}\n\n{text} {k}\n".encode() for k, text in enumerate(TEXTS)]
    labels = np.array(["ham", "spam"])[np.arange(50) % 2]
    (tmp_path / "ham").mkdir()
    box = b""
    for k, message in enumerate(messages):
        if k % 2:
            box += b"From a@b Thu Nov 26 22:00:00 2026\n" + message + b"\n"
        else:
            (tmp_path / "ham" / f"{k}.eml").write_bytes(message)
    (tmp_path / "spam.mbox").write_bytes(box)
    with threads() as engine:
        paths = {"spam": tmp_path / "spam.mbox", "ham": [tmp_path / "ham"]}
        model = fit(TextClassifier("naive-bayes", kind="mail"), paths, engine=engine, scratch=tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {"ham", "spam.mbox"}
        with refused(
            "X is files by label, and the estimator is NaiveBayes. Expected a TextClassifier, which reads them. Pass "
            "TextClassifier('naive-bayes', kind='mail').",
            UsageError,
        ):
            fit(NaiveBayes(), paths, engine=engine)
    at_once = TextClassifier("naive-bayes", kind="mail").fit(messages, labels)
    np.testing.assert_array_equal(model.predict_proba(messages), at_once.predict_proba(messages))


def test_what_is_wrong_with_svmlight_is_said_with_its_line(tmp_path):
    (tmp_path / "rows.svm").write_text("1 1:2 3:1\n0 2:many\n")
    with threads() as engine:
        with refused(
            "partition 0 (rows.svm, bytes 0 to 19): counted from there, line 2: expected index:value; came '2:many'. "
            "If this is CSV, rename it to end in .csv.",
            DataError,
        ):
            fit(NaiveBayes(), tmp_path / "rows.svm", engine=engine)
        with refused(
            "y, sample_weight or columns are given beside files of svmlight. Expected none: a line has its label, and "
            "features have no names. Leave them out.",
            UsageError,
        ):
            fit(NaiveBayes(), tmp_path / "rows.svm", "label", engine=engine)


@pytest.mark.deep
def test_dask_collections_are_learnt_as_what_they_hold():
    import dask.array
    import dask.bag
    import dask.dataframe

    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    with dask_processes() as client:
        arrays = [dask.array.from_array(each, chunks=chunks) for each, chunks in ((ROWS, (7, 2)), (LABELS, 7))]
        assert state(fit(NaiveBayes(), *arrays, engine=client)) == state(NaiveBayes().fit(ROWS, LABELS))
        parted = dask.dataframe.from_pandas(frame.assign(label=LABELS.astype(object)), npartitions=5)
        model = fit(NaiveBayes(), parted, "label", engine=client)
        assert model.counts_ == NaiveBayes().fit(frame, LABELS).counts_
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        beside = fit(NaiveBayes(), parted[["a", "b", "c"]], parted["label"], engine=client)
        assert beside.counts_ == model.counts_
        pairs = dask.bag.from_sequence(list(zip(TEXTS, LABELS.tolist(), strict=True)), npartitions=6)
        of_texts = fit(TextClassifier("naive-bayes"), pairs, engine=client)
    at_once = TextClassifier("naive-bayes").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(of_texts.predict_proba(TEXTS), at_once.predict_proba(TEXTS))
    with refused(
        "the Dask client is closed. Expected one that is running. Call fit before client.close(), or connect anew.",
        UsageError,
    ):
        fit(NaiveBayes(), arrays[0], arrays[1], engine=client)
