"""Models that are sums learn in partitions what they learn at once: the same file, byte for byte."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from estimators import CASES
from partitions import (
    ENGINES,
    PARTITIONINGS,
    DiesAlways,
    DiesOnce,
    backwards,
    by_label,
    dask_processes,
    processes,
    threads,
)
from sklearn.base import clone

from deciban import GaussianDiscriminant, MutualInformation, NaiveBayes, TextClassifier
from deciban.distributed import fit
from deciban.distributed.on_executors import OnExecutor
from deciban.distributed.plans import plan_of
from deciban.distributed.sources import parts_of
from deciban.distributed.trees import Tree, groups
from deciban.errors import DataError
from deciban.models import left_out

SUMS = [case for case in CASES if case.id.startswith(("bayes", "discriminant", "texts-b", "texts-auto"))]
LEAST_SQUARES = [case for case in CASES if case.id in ("least-squares", "ridge", "least-squares-classifier")]
EVERY = pytest.mark.parametrize("partition", PARTITIONINGS)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    with request.param() as found:
        yield found


def file_of(model, folder):
    model.save(folder / "model.deciban")
    return (folder / "model.deciban").read_bytes()


@EVERY
@pytest.mark.parametrize("case", SUMS, ids=lambda case: case.id)
def test_what_is_counted_in_partitions_is_the_model_of_a_fit(case, partition, engine, tmp_path):
    X, y = case.learn()
    assert file_of(fit(case.new(), partition(X, y), engine=engine), tmp_path) == file_of(case.new().fit(X, y), tmp_path)


@EVERY
@pytest.mark.parametrize("case", LEAST_SQUARES, ids=lambda case: case.id)
def test_least_squares_in_partitions_are_those_of_one(case, partition, engine, tmp_path):
    X, y = case.learn()
    one, parted = (fit(case.new(), parts, engine=engine) for parts in ([(X, y)], partition(X, y)))
    assert file_of(one, tmp_path) == file_of(parted, tmp_path)
    assert one.statistics_ == parted.statistics_ if hasattr(one, "statistics_") else one.counts_ == parted.counts_
    np.testing.assert_array_equal(parted.predict(X), case.new().partial_fit(X, y).predict(X))


@EVERY
def test_mutual_information_is_that_of_all_rows(partition, engine):
    X, y = next(case for case in CASES if case.id == "bayes-multinomial-of-three").learn()
    X[:, 2] = np.where(X[:, 2] > 1, -0.5, X[:, 2])
    parted, at_once = fit(MutualInformation(k=2), partition(X, y), engine=engine), MutualInformation(k=2).fit(X, y)
    np.testing.assert_array_equal(parted.scores_, at_once.scores_)
    np.testing.assert_array_equal(parted.transform(X), at_once.transform(X))


@pytest.mark.parametrize("partition", [by_label, backwards])
@pytest.mark.parametrize("options", [{}, {"hashed_bits": 8}, {"kind": "mail"}], ids=str)
def test_texts_of_more_words_than_a_model_holds_are_counted_the_same_in_any_partitions(options, partition):
    texts, y = next(case for case in CASES if case.id == "texts-bayes").learn()
    texts = [f"{text} word{i % 17} number{i}" for i, text in enumerate(texts)]
    plan = plan_of(TextClassifier("naive-bayes", **options))
    plan = replace(plan, recipe=replace(plan.recipe, settings=replace(plan.recipe.settings, max_words=40)))
    with threads() as executor:
        engine = OnExecutor(executor)
        found = [
            plan.fit(engine, parts_of(each, None, None, None, engine))["_model"]
            for each in ([(texts, y)], partition(texts, y))
        ]
    one, parted = (each.encoder for each in found)
    assert pickle.dumps(one.book.parts()) == pickle.dumps(parted.book.parts())
    assert one.dropped == parted.dropped > 0 or (options.get("hashed_bits") and one.words == parted.words is not None)
    assert found[0].scaling == found[1].scaling


def test_weights_are_repetitions():
    X, y = next(case for case in CASES if case.id == "bayes-gaussian").learn()
    weight = np.arange(len(y)) % 3
    parts = [(X[i::4], y[i::4], weight[i::4]) for i in range(4)]
    with threads() as engine:
        model = fit(NaiveBayes("gaussian"), parts, engine=engine)
    assert model.counts_ == NaiveBayes("gaussian").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).counts_


@EVERY
def test_types_of_columns_that_parts_know_in_part_are_calibrated_as_all_rows(partition, tmp_path):
    X, y = next(case for case in CASES if case.id == "bayes-gaussian").learn()
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.array(["a", "b", "c"])[np.digitize(X[:, 1], [0.0, 1.0])]})
    frame = pd.concat([frame, frame[:20]], ignore_index=True)  # equal rows share a part that is left out
    model, y = NaiveBayes("auto", calibration="affine"), np.concatenate([y, y[:20]])
    parts = [(frame.iloc[rows], labels) for rows, labels in partition(np.arange(len(y)), y)]
    with threads() as engine:
        parted = fit(clone(model), parts, engine=engine)
    assert parted.scaling_ is not None
    assert file_of(parted, tmp_path) == file_of(model.fit(frame, y), tmp_path)


@pytest.mark.parametrize("most", [10, 5000])
def test_weights_are_repetitions_in_what_calibrates(most, monkeypatch):
    monkeypatch.setattr(left_out, "MOST", most)
    X, y = next(case for case in CASES if case.id == "discriminant-calibrated").learn()
    weight = np.arange(len(y)) % 3
    with threads() as engine:
        parts = [(X[i::4], y[i::4], weight[i::4]) for i in range(4)]
        model = fit(GaussianDiscriminant(calibration="affine"), parts, engine=engine)
    repeated = GaussianDiscriminant(calibration="affine").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert model.scaling_ == repeated.scaling_ is not None


@pytest.mark.parametrize("count", range(1, 20))
def test_the_tree_is_the_same_whoever_combines_neighbours_and_in_whatever_order(count):
    def combine(left, right):
        return f"({left}{right})"

    def grown(order, least):
        level, each = groups(count, least)
        tree = Tree(count, combine)
        for k in order(range(len(each))):
            part = Tree(len(each[k]), combine)
            for place, leaf in enumerate(each[k]):
                part.push(place, None if leaf == 4 else chr(ord("a") + leaf))
            tree.push(k, part.result(), level)
        return tree.result()

    random = np.random.default_rng(count)
    told = {grown(order, least) for least in (1, 2, 3, 8, 50) for order in (list, reversed, random.permutation)}
    assert len(told) == 1


@pytest.mark.deep
@pytest.mark.parametrize("workers", [processes, dask_processes])
def test_a_worker_that_dies_changes_nothing(workers, tmp_path):
    X, y = next(case for case in CASES if case.id == "bayes-multinomial").learn()
    parts = backwards(X, y)
    parts[5] = DiesOnce(parts[5], tmp_path / "died")
    with workers() as engine:
        model = fit(NaiveBayes(), parts, engine=engine)
    assert (tmp_path / "died").exists()
    assert file_of(model, tmp_path) == file_of(NaiveBayes().fit(X, y), tmp_path)


@pytest.mark.deep
def test_a_partition_that_kills_every_worker_is_named():
    X, y = next(case for case in CASES if case.id == "bayes-multinomial").learn()
    parts = backwards(X, y)
    parts[6] = DiesAlways()
    model = NaiveBayes()
    with processes() as engine, pytest.raises(DataError, match=r"a worker died 3 times over partition 6 or its neigh"):
        fit(model, parts, engine=engine)
    assert not hasattr(model, "counts_")
