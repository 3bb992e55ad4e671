"""TextVectorizer's options are those of scikit-learn's vectorisers: the same names, the same numbers."""

import io
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_extraction.text import TfidfTransformer as Rival

from deciban import TextVectorizer, TfidfTransformer

TEXTS = [
    "Free money now: the best of  \n the MONEY",
    "free pills for the money, été à la carte",
    "lunch at noon, with Straße and İstanbul",
    "See you\tat lunch\x1cthen",
    "money for lunch at the ΟΔΟΣ",
    "",
]
PATTERN = r"(?u)\b\w\w+\b"


def shout(text):
    return text.upper()


def by_comma(text):
    return [part.strip() for part in text.split(",")]


TOKENS = {
    "pattern": {"token_pattern": PATTERN},
    "group": {"token_pattern": r"(?u)\b(\w\w)\w*\b"},
    "bigrams": {"token_pattern": PATTERN, "ngram_range": (1, 2)},
    "case": {"token_pattern": PATTERN, "lowercase": False},
    "english": {"token_pattern": PATTERN, "stop_words": "english", "ngram_range": (1, 3)},
    "stop words": {"token_pattern": PATTERN, "stop_words": ["the", "money"]},
    "ascii": {"token_pattern": PATTERN, "strip_accents": "ascii"},
    "unicode": {"token_pattern": PATTERN, "strip_accents": "unicode"},
    "tokenizer": {"tokenizer": by_comma, "token_pattern": None},
    "preprocessor": {"preprocessor": shout, "token_pattern": PATTERN},
    "analyzer": {"analyzer": by_comma},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "within words": {"analyzer": "char_wb", "ngram_range": (2, 5)},
    "long": {"analyzer": "char", "ngram_range": (15, 20)},
    "upper-case characters": {"analyzer": "char", "ngram_range": (2, 2), "lowercase": False},
    "prepared characters": {"analyzer": "char_wb", "ngram_range": (3, 3), "preprocessor": shout},
    "plain characters": {"analyzer": "char", "ngram_range": (2, 4), "strip_accents": "unicode"},
    "vocabulary": {"token_pattern": PATTERN, "vocabulary": ["the", "lunch", "nothing"]},
    "vocabulary of characters": {"analyzer": "char", "ngram_range": (2, 2), "vocabulary": {"th": 1, "qq": 0, "he": 2}},
}


@pytest.fixture(params=TOKENS)
def tokens(request):
    return TOKENS[request.param]


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert ours.indices.dtype == np.int32
    assert abs(ours - theirs).max() <= 1e-12


def ours_like(rival, **options):
    return TextVectorizer(max_features=None, dtype=rival.dtype, **options)


@pytest.mark.parametrize("binary", [False, True])
def test_counts(tokens, binary):
    theirs = CountVectorizer(**tokens, binary=binary)
    ours = ours_like(theirs, **tokens, binary=binary)
    expected = theirs.fit_transform(TEXTS)
    same(ours.fit_transform(TEXTS), expected)
    same(ours.transform(TEXTS), expected)
    same(ours.fit(iter(TEXTS)).transform(TEXTS), expected)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert ours.vocabulary_ == theirs.vocabulary_
    for mine, rival in zip(ours.inverse_transform(expected), theirs.inverse_transform(expected), strict=True):
        assert set(mine) == set(rival)
    again = pickle.loads(pickle.dumps(ours))
    same(again.transform(TEXTS), expected)
    for text in TEXTS:
        assert list(ours.build_analyzer()(text)) == list(theirs.build_analyzer()(text))
    assert list(pickle.loads(pickle.dumps(ours.build_analyzer()))(TEXTS[0])) == list(theirs.build_analyzer()(TEXTS[0]))


@pytest.mark.parametrize("frequencies", [(2, 1.0), (0.3, 0.6), (1, 2), (2, 3)], ids=str)
def test_document_frequencies(tokens, frequencies):
    if "vocabulary" in tokens:
        frequencies = 1, 1.0
    least, most = frequencies
    theirs = CountVectorizer(**tokens, min_df=least, max_df=most)
    ours = ours_like(theirs, **tokens, min_df=least, max_df=most)
    try:
        expected = theirs.fit_transform(TEXTS)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:30]):
            ours.fit(TEXTS)
        return
    same(ours.fit_transform(TEXTS), expected)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("weights", [{"use_idf": True}, {"use_idf": True, "smooth_idf": False}, {"sublinear_tf": True}])
def test_tf_idf(tokens, norm, weights):
    weights = {"use_idf": False, **weights, "norm": norm}
    if "vocabulary" in tokens:
        weights.pop("smooth_idf", None)
    theirs = TfidfVectorizer(**tokens, **weights)
    ours = ours_like(theirs, **tokens, **weights)
    expected = theirs.fit_transform(TEXTS)
    same(ours.fit_transform(TEXTS), expected)
    same(ours.transform(TEXTS[::-1]), theirs.transform(TEXTS[::-1]))
    if weights["use_idf"]:
        assert_allclose(ours.idf_, theirs.idf_, rtol=1e-14)


@pytest.mark.parametrize("n_features", [7, 64, 2**20])
@pytest.mark.parametrize("alternate_sign", [True, False])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
def test_hashing(tokens, n_features, alternate_sign, norm):
    options = {name: value for name, value in tokens.items() if name != "vocabulary"}
    options |= {"n_features": n_features, "alternate_sign": alternate_sign, "norm": norm}
    theirs = HashingVectorizer(**options)
    ours = ours_like(theirs, **options)
    same(ours.transform(TEXTS), theirs.transform(TEXTS))
    same(ours.partial_fit(TEXTS[:1]).transform(TEXTS), theirs.transform(TEXTS))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("smooth_idf", [True, False])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
def test_the_transformer_weighs_any_counts(dtype, smooth_idf, norm):
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.poisson(0.4, (40, 12)).astype(dtype))
    parameters = {"norm": norm, "smooth_idf": smooth_idf, "sublinear_tf": True}
    ours, theirs = TfidfTransformer(**parameters).fit(X), Rival(**parameters).fit(X)
    assert_allclose(ours.idf_, theirs.idf_, rtol=1e-6)
    assert ours.transform(X).dtype == dtype
    assert_allclose(ours.transform(X).toarray(), theirs.transform(X).toarray(), rtol=1e-5)
    assert_allclose(ours.transform(X.toarray()).toarray(), theirs.transform(X).toarray(), rtol=1e-5)


def test_files_and_encodings(tmp_path):
    texts, paths = ["été à la carte", "money à gogo"], []
    for i, text in enumerate(texts):
        paths.append(tmp_path / f"{i}.txt")
        paths[-1].write_bytes(text.encode("latin-1"))
    expected = CountVectorizer(dtype=float).fit_transform(texts)
    for encoding in ("latin-1", None):
        ours = TextVectorizer(token_pattern=PATTERN, input="filename", encoding=encoding)
        same(ours.fit_transform(paths), expected)
    ours = TextVectorizer(token_pattern=PATTERN, input="file", encoding="latin-1")
    same(ours.fit_transform([io.BytesIO(text.encode("latin-1")) for text in texts]), expected)
    same(
        TextVectorizer(input="filename", words=(1, 1)).fit(paths).transform(paths),
        TextVectorizer().fit_transform(texts),
    )
    strict = TextVectorizer(encoding="utf-8")
    with pytest.raises(UnicodeDecodeError):
        strict.fit([texts[0].encode("latin-1")])
    ignoring = TextVectorizer(token_pattern=PATTERN, encoding="utf-8", decode_error="ignore")
    theirs = CountVectorizer(decode_error="ignore").fit([texts[0].encode("latin-1")])
    assert ignoring.fit([texts[0].encode("latin-1")]).vocabulary_ == theirs.vocabulary_


def test_the_built_in_tokeniser_passes_over_stop_words_before_it_makes_n_grams():
    texts = ["the money of the bank", "a lunch in the sun and the shade", "don't wait for it"]
    tokens = TextVectorizer().build_analyzer()
    theirs = CountVectorizer(
        tokenizer=tokens, token_pattern=None, stop_words="english", ngram_range=(1, 3), dtype=float
    )
    expected = theirs.fit_transform(texts)
    ours = TextVectorizer((1, 3), stop_words="english", max_features=None)
    same(ours.fit_transform(texts), expected)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert sorted(ours.build_analyzer()(texts[1])) == sorted(theirs.build_analyzer()(texts[1]))


@pytest.mark.parametrize("name", ["mr.parquet", "korean-reviews.parquet"])
def test_characters_of_real_texts(data, name):
    import polars as pl

    texts = [text for text in pl.read_parquet(data(name))["text"].to_list() if isinstance(text, str)][:300]
    for options in ({"analyzer": "char", "ngram_range": (1, 4)}, {"analyzer": "char_wb", "ngram_range": (2, 5)}):
        theirs = TfidfVectorizer(**options, min_df=2, max_df=0.9)
        ours = ours_like(theirs, **options, min_df=2, max_df=0.9, use_idf=True, norm="l2")
        same(ours.fit_transform(texts), theirs.fit_transform(texts))
        assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
