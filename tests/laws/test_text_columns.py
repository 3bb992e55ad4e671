"""A vectoriser reads each text once to choose its columns and to fill its rows; the looking up of `transform`, which
does not share a line with that, says whether it did."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from deciban import TextVectorizer
from deciban._core import rows_with, weigh_rows
from deciban.features.tfidf import weigh

WORDS = [
    "the",
    "a",
    "ab",
    "cat's",
    "무료",
    "쿠폰이",
    "재미있다",
    "東京都",
    "กำลัง",
    "été",
    "v\u200biagra",
    "ﷺ",
    "X1",
    "...",
    "\n",
]
SETTINGS = {
    "words": {},
    "pairs": {"words": (1, 2)},
    "pairs alone": {"words": (2, 2)},
    "up to four": {"words": (2, 4)},
    "present": {"words": (1, 2), "binary": True},
    "few": {"words": (1, 2), "max_features": 17},
    "few by texts": {"words": (1, 3), "max_features": 40, "binary": True},
    "not rare": {"words": (1, 2), "min_df": 3, "max_df": 0.5},
    "not rare, few": {"words": (1, 2), "min_df": 3, "max_features": 11},
    "stop words": {"words": (1, 2), "stop_words": ["the", "재미있다"]},
    "characters": {"analyzer": "char", "words": (1, 3)},
    "characters of words": {"analyzer": "char_wb", "words": (2, 4)},
    "mail": {"kind": "mail", "words": (1, 2)},
}


def texts_of(count, seed=0):
    """So many texts of up to forty words, some of them empty, some with the header of a message."""
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(WORDS, size=rng.integers(0, 40), p=SHARES) for _ in range(count)]
    return ["Subject: " * (i % 3 == 0) + " ".join(words) for i, words in enumerate(chosen)]


SHARES = 1.0 / np.arange(1, len(WORDS) + 1)
SHARES /= SHARES.sum()


def same(a, b):
    """Whether two matrices are the same bytes."""
    return a.shape == b.shape and all(
        getattr(a, part).tobytes() == getattr(b, part).tobytes() for part in ("data", "indices", "indptr")
    )


@pytest.mark.parametrize("name", SETTINGS)
def test_rows_are_what_looking_up_finds(name):
    settings = {"max_features": None, **SETTINGS[name]}
    texts = texts_of(300)
    fitted = TextVectorizer(**settings)
    X = fitted.fit_transform(texts)
    assert same(X, fitted.transform(texts))
    assert same(X, pickle.loads(pickle.dumps(fitted)).transform(texts))
    assert same(X, TextVectorizer(**settings).fit(texts).transform(texts))
    names = fitted.get_feature_names_out().tolist()
    assert names == sorted(names)
    assert len(names) == X.shape[1] == fitted.n_features_
    assert X.has_canonical_format
    assert sparse.csr_array((X.data, X.indices, X.indptr), X.shape).has_canonical_format
    read = fitted.build_analyzer()
    assert X[:9].sum() == sum(
        len(set(words) if fitted.binary else words)
        for words in ([word for word in read(text) if word in fitted.vocabulary_] for text in texts[:9])
    )


@pytest.mark.parametrize("name", ["pairs", "few", "up to four"])
def test_threads_do_not_show(name):
    texts = [*texts_of(4000, seed=1), "the cat " * 400_000]  # many blocks, and one longer than a block
    matrices, names = [], []
    for threads in (1, 2, 3):
        fitted = TextVectorizer(n_jobs=threads, use_idf=True, norm="l2", **{"max_features": None, **SETTINGS[name]})
        matrices.append(fitted.fit_transform(texts))
        names.append(fitted.get_feature_names_out().tolist())
    assert same(matrices[0], matrices[1])
    assert same(matrices[0], matrices[2])
    assert names[0] == names[1] == names[2]


def test_every_word_is_kept_where_that_is_asked_for():
    count = (1 << 20) + 17
    fitted = TextVectorizer(max_features=None).fit([" ".join(map(str, range(count)))])
    assert fitted.n_features_ == count


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("norm", [None, "l1", "l2"])
@pytest.mark.parametrize("sublinear", [False, True])
def test_weighing_is_its_formula(number, index, norm, sublinear):
    rng = np.random.default_rng(3)
    dense = rng.poisson(0.4, (700, 300)) * 10.0 ** rng.integers(0, 5, (700, 1))
    dense[5] = 0.0
    idf = 10.0 ** rng.uniform(-3, 3, 300)
    expected = np.where(dense > 0, 1 + np.log(np.where(dense > 0, dense, 1)), 0.0) if sublinear else dense.copy()
    expected *= idf
    if norm is not None:
        sizes = np.abs(expected).sum(axis=1) if norm == "l1" else np.sqrt((expected**2).sum(axis=1))
        expected /= np.where(sizes > 0, sizes, 1)[:, None]
    X = sparse.csr_array(dense.astype(number))
    X = sparse.csr_array((X.data, X.indices.astype(index), X.indptr.astype(index)), X.shape)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    assert np.array_equal(rows_with(X.indices, X.data, 300), (dense > 0).sum(axis=0))
    found = weigh(X, idf, sublinear=sublinear, norm=norm)
    assert found.dtype == number
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12 if number == np.float64 else 3e-6)


def test_what_is_no_matrix_is_refused():
    starts, columns, values = np.array([0, 2], np.int32), np.array([0, 5], np.int32), np.ones(2)
    with pytest.raises(ValueError, match="one weight of its type for each column"):
        weigh_rows(starts, columns, values, idf=np.ones(5))
    with pytest.raises(ValueError, match="the parts of a CSR matrix"):
        weigh_rows(starts + 1, columns, values)
    with pytest.raises(ValueError, match="the parts of a CSR matrix"):
        rows_with(columns, values, 5)
    with pytest.raises(ValueError, match='norm "l1", "l2" or None expected'):
        weigh_rows(starts, columns, values, norm="max")
    with pytest.raises(TypeError, match="the parts of a CSR matrix"):
        weigh_rows(starts, columns.astype(np.int64), values)
