"""Linear models of texts learn in partitions what they learn in memory: the same words, and the same objective within a
gap that is proven."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from partitions import ENGINES, by_label, take, threads, whole
from pyarrow import parquet

from deciban import TextClassifier
from deciban.data.folds import hashes
from deciban.distributed import fit, folds_of_parts, newton
from deciban.distributed.encoding import encoded_of
from deciban.distributed.parts import Part
from deciban.text.weighting import mark_words

RANDOM = np.random.default_rng(0)
N, WORDS = 160, np.array([f"word{j}" for j in range(60)])
TOLD = RANDOM.normal(size=(3, len(WORDS)))
Y = np.array(["ham", "news", "spam"])[RANDOM.integers(0, 3, N)]
SHARES = np.exp(TOLD) / np.exp(TOLD).sum(axis=1, keepdims=True)
PLACES = np.searchsorted(["ham", "news", "spam"], Y)
TEXTS = [" ".join(WORDS[RANDOM.choice(len(WORDS), 1 + k % 9, p=SHARES[c])]) for k, c in enumerate(PLACES)]
TEXTS[3] = ""
TWO = np.where(Y == "spam", "spam", "ham")
MODELS = {
    "logistic": ("logistic", {}),
    "logistic-idf": ("logistic", {"weighting": "idf", "binary": False}),
    "logistic-hashed": ("logistic", {"hashed_bits": 5, "binary": False}),
    "logistic-plain": ("logistic", {"weighting": "none", "C": 0.3}),
    "svm": ("svm", {}),
    "svm-pairs": ("svm", {"words": (1, 2)}),
    "svm-few": ("svm", {"max_features": 30}),
    "svm-hashed": ("svm", {"hashed_bits": 5}),
    "nbsvm": ("nbsvm", {}),
    "nbsvm-counts": ("nbsvm", {"binary": False}),
    "nbsvm-few": ("nbsvm", {"max_features": 30, "alpha": 0.1, "C": 3.0}),
}
EVERY = pytest.mark.parametrize("name", MODELS)


def backwards(X, y):
    """Some parts, the last texts first."""
    order = np.arange(len(y))[::-1]
    return [(take(X, order[a : a + 30]), y[order[a : a + 30]]) for a in range(0, len(y), 30)]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    with request.param() as found:
        yield found


def new(name, **more):
    model, options = MODELS[name]
    return TextClassifier(model, **{"words": (1, 1), **options, **more})


def require_same_minimum(found, at_once, scores):
    """Of each of the problems the gap is a thousandth at most, or a millionth."""
    proof, other = found.certificate_, at_once.certificate_
    assert proof.status == "converged"
    assert proof.dual <= other.primal * (1 + 1e-12)
    assert other.dual <= proof.primal * (1 + 1e-12)
    assert proof.primal - proof.dual <= (1e-3 if found.model == "nbsvm" else 1e-6) * proof.primal * scores
    assert (proof.n, proof.d, proof.class_counts) == (other.n, other.d, other.class_counts)
    assert proof.calibration.how == other.calibration.how


def require_same_predictions(found, at_once, texts):
    p, q = found.predict_proba(texts), at_once.predict_proba(texts)
    assert np.abs(p - q).max() < 0.02
    turned = p.argmax(axis=1) != q.argmax(axis=1)
    nearest = np.sort(q, axis=1)[:, -2:]
    assert (nearest[turned, 1] - nearest[turned, 0] < 0.02).all()


@pytest.mark.pairs
@EVERY
@pytest.mark.parametrize("partition", [whole, by_label, backwards])
@pytest.mark.parametrize("y", [TWO, Y], ids=["two", "three"])
def test_it_is_the_model_of_a_fit_within_the_gap(name, partition, y, engine):
    found = fit(new(name), partition(TEXTS, y), engine=engine)
    at_once = new(name).fit(TEXTS, y)
    assert found.classes_.tolist() == at_once.classes_.tolist()
    assert found.model_.encoder.book == at_once.model_.encoder.book
    assert found.model_.encoder.settings == at_once.model_.encoder.settings
    require_same_minimum(found, at_once, 1 if y is TWO else 3)
    require_same_predictions(found, at_once, TEXTS)


@EVERY
@pytest.mark.parametrize("few", [0, newton._FEW], ids=["gradients", "hessian"])
def test_the_model_does_not_depend_on_the_number_of_workers(name, few, monkeypatch):
    monkeypatch.setattr(newton, "_FEW", few)
    found = []
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as executor:
            found.append(fit(new(name), backwards(TEXTS, Y), engine=executor))
    np.testing.assert_array_equal(found[0].model_.scorer.W, found[1].model_.scorer.W)
    assert found[0].certificate_.digest == found[1].certificate_.digest


@EVERY
def test_weights_are_repetitions_and_those_of_weight_0_are_not_there(name):
    weight = np.arange(N) % 3
    labels = np.where(weight == 0, "another", TWO)
    parts = [(TEXTS[i::4], labels[i::4], weight[i::4]) for i in range(4)]
    with threads() as executor:
        found = fit(new(name), parts, engine=executor)
    at_once = new(name).fit(TEXTS, labels, weight)
    assert found.classes_.tolist() == ["ham", "spam"]
    assert found.model_.encoder.book == at_once.model_.encoder.book
    require_same_minimum(found, at_once, 1)
    rows = np.repeat(np.arange(N), weight)
    repeated = take(TEXTS, rows), TWO[rows]
    with threads() as executor:
        again = fit(new(name), by_label(*repeated), engine=executor)
    assert again.model_.encoder.book == found.model_.encoder.book
    require_same_minimum(again, new(name).fit(*repeated), 1)


def as_parquet(path):
    parquet.write_table(pa.table({"text": TEXTS, "label": TWO}), path / "t.parquet", row_group_size=50)
    return path / "t.parquet", {"y": "label", "columns": "text"}


def as_json_lines(path):
    lines = (json.dumps({"label": label, "text": text}) for text, label in zip(TEXTS, TWO.tolist(), strict=True))
    (path / "t.jsonl").write_text("\n".join(lines) + "\n")
    return path / "t.jsonl", {"y": "label", "columns": "text"}


def as_csv(path):
    rows = (f'{label},"{text}"\n' for text, label in zip(TEXTS, TWO.tolist(), strict=True))
    (path / "t.csv").write_text("label,text\n" + "".join(rows))
    return path / "t.csv", {"y": "label", "columns": "text"}


def as_folders(path):
    for k, (text, label) in enumerate(zip(TEXTS, TWO.tolist(), strict=True)):
        (path / label).mkdir(exist_ok=True)
        (path / label / f"{k}.txt").write_text(text)
    return {label: path / label for label in ("ham", "spam")}, {}


def as_generator(path):
    return iter(backwards(TEXTS, TWO)), {}


@pytest.mark.parametrize("model", ["logistic", "svm", "nbsvm"])
@pytest.mark.parametrize("write", [as_parquet, as_json_lines, as_csv, as_folders, as_generator])
def test_every_source_of_texts_is_learnt(write, model, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "scratch").mkdir()
    source, options = write(tmp_path / "source")
    with threads() as executor:
        found = fit(new(model), source, engine=executor, scratch=tmp_path / "scratch", **options)
    at_once = new(model).fit(TEXTS, TWO)
    assert found.model_.encoder.book == at_once.model_.encoder.book
    require_same_minimum(found, at_once, 1)
    assert not list((tmp_path / "scratch").iterdir())


def test_what_is_saved_is_what_was_learnt(tmp_path):
    import deciban

    with threads() as executor:
        found = fit(new("svm"), backwards(TEXTS, Y), engine=executor)
    found.save(tmp_path / "m.deciban")
    again = deciban.load(tmp_path / "m.deciban")
    np.testing.assert_array_equal(again.predict_proba(TEXTS), found.predict_proba(TEXTS))
    assert again.certificate_.primal == found.certificate_.primal


def test_folds_hold_out_the_rows_that_they_hold_out_in_memory():
    from scipy import sparse

    X = sparse.csr_array(RANDOM.integers(0, 3, (50, 9)) / 7.0)
    kept = [encoded_of(X[some].copy(), PLACES[some], np.arange(3)) for some in (slice(0, 20), slice(20, 50))]
    look = folds_of_parts.LookAtRows(4, lambda rows: None)
    parts = [look(Part(i, "", lambda each=each: each), (), None) for i, each in enumerate(kept)]
    found = look.combine(*parts)
    np.testing.assert_array_equal(found.hashed, hashes(mark_words(X), 4))
    np.testing.assert_array_equal(found.y, PLACES[:50])


@pytest.mark.parametrize("moment", ["search", "fold"])
def test_ctrl_c_ends_it_and_leaves_nothing(moment, tmp_path, monkeypatch):
    calls, own = [], newton.Search.step

    def step(self, *given):
        calls.append(self.objective.name)
        if moment == "search" or len(set(calls)) > 1:
            raise KeyboardInterrupt
        return own(self, *given)

    monkeypatch.setattr(newton.Search, "step", step)
    model = new("logistic")
    with threads() as executor, pytest.raises(KeyboardInterrupt):
        fit(model, backwards(TEXTS, TWO), engine=executor, scratch=tmp_path)
    assert vars(model) == vars(new("logistic"))
    assert not list(tmp_path.iterdir())
    assert len(set(calls)) == (1 if moment == "search" else 2)
