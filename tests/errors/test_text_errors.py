"""What text estimators and filters say of calls that make no sense: the exact words."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from deciban import NaiveBayes, TextClassifier, TextVectorizer, TfidfTransformer
from deciban._core import Counter, Dictionary, Reader
from deciban.errors import DataError
from deciban.mail.filter import train_rows
from deciban.text.model import DEFAULTS

TEXTS, LABELS = ["free money", "lunch"], ["spam", "ham"]


def said(error, call, *arguments, **options):
    """The words of the error that a call must raise."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    assert type(caught.value) is error
    return str(caught.value)


ONE_TEXT = "an iterable of texts is expected, not one text: put it in a list"


@pytest.mark.parametrize("text", ["free", b"free", np.str_("free")], ids=lambda text: type(text).__name__)
def test_a_text_instead_of_a_list(text):
    fitted = TextClassifier().fit(TEXTS, LABELS)
    rows = TextVectorizer().fit(TEXTS)
    calls = [
        lambda: TextClassifier().fit(text, list("abcd")),
        lambda: TextClassifier().partial_fit(text, list("abcd")),
        lambda: fitted.forget(text, list("abcd")),
        lambda: fitted.predict(text),
        lambda: fitted.predict_proba(text),
        lambda: fitted.explain(text),
    ]
    for call in calls:
        assert said(TypeError, call) == ONE_TEXT
    for vectorizer in (TextVectorizer(), TextVectorizer(hashed_bits=4), rows):
        for call in (vectorizer.fit, vectorizer.fit_transform, rows.transform):
            assert said(ValueError, call, text) == (
                "Iterable over raw text documents expected, string object received. Put the text in a list."
            )


def test_options_of_the_vectorizer_that_make_no_sense():
    def fit(**options):
        return said(ValueError, TextVectorizer(**options).fit, TEXTS)

    frequency = (
        "must be a float in the range [0.0, 1.0], a share of the texts, or an int from 1, a number of texts; got "
    )
    for wrong in (0, -1, 1.5, True, "2"):
        assert fit(min_df=wrong) == f"min_df {frequency}{wrong!r}."
    assert fit(max_df=2.0) == f"max_df {frequency}2.0."
    assert fit(min_df=2, max_df=1) == "max_df corresponds to < documents than min_df: 1 and 2. Raise max_df."
    assert fit(min_df=2) == "After pruning, no terms remain. Try a lower min_df or a higher max_df."
    none = "empty vocabulary; perhaps the documents only contain stop words. Expected texts with words."
    assert fit(stop_words=["free", "money", "lunch"]) == none
    assert fit(token_pattern="[0-9]+") == none
    assert fit(stop_words="klingon") == "not a built-in stop list: klingon. Expected 'english', or a list of words."
    assert fit(analyzer="line") == (
        "'line' is not a valid tokenization scheme/analyzer. Expected 'word', 'char', 'char_wb' or a callable."
    )
    assert fit(input="url") == "input must be one of 'content', 'file', 'filename'; got 'url'."
    assert fit(norm="max") == "norm must be one of None, 'l1', 'l2'; got 'max'."
    assert fit(decode_error="skip") == "decode_error must be one of 'strict', 'ignore', 'replace'; got 'skip'."
    assert fit(tokenizer="words") == "tokenizer must be a callable or None; got 'words'."
    assert fit(vocabulary=[]) == "empty vocabulary passed to fit. Expected at least one term."
    assert fit(vocabulary=["a", "a"]) == "Duplicate term in vocabulary: 'a'. Expected distinct terms."
    assert fit(vocabulary={"a": 0, "b": 0}) == "Vocabulary contains repeated indices. Expected one column per term."
    assert fit(vocabulary={"a": 0, "b": 2}) == (
        "Vocabulary of size 2 doesn't contain index 1. Expected the columns 0 to 1."
    )
    assert fit(lowercase=False) == (
        "lowercase=False has no effect on the built-in tokeniser, which always folds case. Expected token_pattern or "
        r"tokenizer beside it; scikit-learn's is token_pattern=r'(?u)\b\w\w+\b'."
    )
    assert fit(words=(1, 2), ngram_range=(1, 3)) == (
        "words and ngram_range are the same; got words=(1, 2) and ngram_range=(1, 3). Leave one out."
    )
    assert fit(ngram_range=(2, 1)).startswith(
        "Invalid value for ngram_range=(2, 1) lower boundary larger than the upper"
    )
    assert fit(ngram_range=(1, 6)) == (
        "ngram_range=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 expected, got (1, 6)"
    )
    assert fit(kind="mail", analyzer="char") == (
        "kind='mail' reads messages in its own way; got analyzer='char'. Leave it out, or use kind='text'."
    )


def test_options_of_hashing_that_do_not_go_together():
    def fit(**options):
        return said(ValueError, TextVectorizer(**options).fit, TEXTS)

    apart = " do not go together: hashed features have no dictionary. Leave one out."
    assert fit(hashed_bits=4, n_features=16) == "hashed_bits and n_features" + apart
    assert fit(n_features=16, vocabulary=["a"]) == "vocabulary and n_features" + apart
    assert fit(hashed_bits=4, min_df=2) == "min_df or max_df and hashed_bits" + apart
    assert fit(n_features=0) == "n_features must be None or a whole number from 1 below 2^31; got 0."
    assert fit(hashed_bits=4, token_pattern="[a-z]+") == (
        "hashed_bits hashes the words of the built-in tokeniser; this one is a Python callable or pattern. Expected "
        "n_features instead."
    )
    assert fit(n_features=16, sublinear_tf=True) == (
        "sublinear_tf is of counts, which alternate_sign makes negative. Use alternate_sign=False."
    )
    assert said(ValueError, TextVectorizer().partial_fit, TEXTS) == (
        "partial_fit needs no dictionary: expected hashed_bits or n_features, and use_idf=False."
    )


def test_what_tf_idf_refuses():
    X = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert said(ValueError, TfidfTransformer(norm="max").fit, X) == "norm must be 'l1', 'l2' or None; got 'max'."
    assert said(ValueError, TfidfTransformer(smooth_idf=False).fit, X) == (
        "idf is infinite: the word of column 1 is in no text. Expected each word in one text at least. Use "
        "smooth_idf=True."
    )
    fitted = TextVectorizer(use_idf=True).fit(TEXTS)
    for made, there in ((fitted, "vocabulary size = 3"), (TfidfTransformer().fit(X), "the number of features = 2")):
        with pytest.raises(ValueError, match=f"idf length = 1 must be equal to {there}"):
            made.idf_ = [1.0]
    with pytest.raises(ValueError, match="`idf_` cannot be set"):
        TextVectorizer().fit(TEXTS).idf_ = [1.0]


def test_items_that_are_no_texts():
    fitted, rows = TextClassifier().fit(TEXTS, LABELS), TextVectorizer().fit(TEXTS)
    expected = "texts are expected, each str or bytes; item 1 is "
    assert said(TypeError, TextClassifier().fit, ["a", None], LABELS) == expected + "NoneType"
    assert said(TypeError, TextVectorizer().fit, ["a", 1.5]) == expected + "float"
    assert said(TypeError, fitted.predict, ["a", ["b"]]) == expected + "list"
    assert said(TypeError, rows.transform, np.array(["a", 2], dtype=object)) == expected + "int"


def test_texts_and_labels_that_do_not_fit():
    fit = TextClassifier().fit
    assert said(ValueError, fit, TEXTS, ["spam"]) == "one label per text is expected; there are 2 texts and 1 labels"
    assert said(ValueError, fit, [], []) == "at least one text is expected"
    assert said(ValueError, fit, TEXTS, ["spam", "spam"]) == "at least two classes are expected; all labels are 'spam'"
    mixed = np.array(["spam", 1], dtype=object)
    assert said(ValueError, fit, TEXTS, mixed) == "labels of one type are expected; got int and str"
    assert said(ValueError, fit, TEXTS, [0.5, 1.5]).startswith("Unknown label type: continuous.")
    assert said(DataError, fit, ["", "!?"], LABELS) == "No words were found in the items: nothing to learn from."


def test_weights_that_are_none():
    def fit(weights):
        return said(ValueError, TextClassifier().fit, TEXTS, LABELS, weights)

    assert fit([1.0, np.nan]).startswith("Input sample_weight contains NaN.")
    assert fit([1.0, -0.5]) == "Negative values in data passed to `sample_weight`."
    assert fit([1.0, np.inf]).startswith("Input sample_weight contains infinity")
    assert fit([1.0]) == "sample_weight.shape == (1,), expected (2,)!"
    assert fit([[1.0], [2.0]]) == "Sample weights must be 1D array or scalar, got 2D array. Expected one a row."
    assert fit([1e308, 1e308]) == (
        "sample_weight adds up to inf. A total from 1e-300 to 1e+100 is expected. Multiply all weights by one number."
    )


@pytest.mark.parametrize("estimator", [TextClassifier, TextVectorizer])
def test_parameters_that_make_no_sense(estimator):
    def fit(**parameters):
        return said(ValueError, estimator(**parameters).fit, TEXTS, LABELS)

    words = "words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 expected, got "
    for wrong in [(0, 1), (2, 1), (1, 6), (1,), (1.0, 2.0), ("1", "2")]:
        assert fit(words=wrong) == words + repr(wrong)
    assert fit(kind="html") == "kind must be 'text' or 'mail', got 'html'"
    features = "max_features must be None or a whole number from 1, got "
    for wrong in [0, -1, 1.5, "10"]:
        assert fit(max_features=wrong) == features + repr(wrong)
    bits = "hashed_bits must be None or a whole number from 1 to 30, got "
    for wrong in [0, 31, 2.0]:
        assert fit(hashed_bits=wrong) == bits + repr(wrong)
    seed = "random_state must be None, a whole number from 0, or a RandomState, got "
    for wrong in [-1, 2**64, "1", 1.5]:
        assert fit(random_state=wrong) == seed + repr(wrong)


def test_parameters_of_the_model_that_make_no_sense():
    def fit(**parameters):
        return said(ValueError, TextClassifier(**parameters).fit, TEXTS, LABELS)

    assert fit(model="gauss") == (
        "model must be one of 'auto', 'naive-bayes', 'nbsvm', 'logistic', 'svm', 'perceptron', 'least-squares', "
        "'kernel-svm', 'mlp', 'online', got 'gauss'"
    )
    assert fit(likelihood="gauss") == "likelihood must be one of 'bernoulli', 'multinomial', got 'gauss'"
    rows = TextVectorizer().fit_transform(TEXTS)
    for wrong in [{"alpha": -1.0}, {"alpha": np.nan}, {"estimate": "mode"}, {"class_prior": [0.5, 0.6]}]:
        with pytest.raises(ValueError) as theirs:  # noqa: PT011 (the words are those of NaiveBayes, whatever they are)
            NaiveBayes(**wrong).fit(rows, LABELS)
        assert fit(**wrong).replace("(0.5, 0.6)", "[0.5, 0.6]").replace("array(", "").replace("])", "]") == str(
            theirs.value
        ).replace("array(", "").replace("])", "]")


def test_what_ml_cannot_estimate_is_named():
    ml = TextClassifier(estimate="ml", words=(1, 1))
    assert said(DataError, ml.fit, TEXTS, LABELS) == (
        "word 'lunch' is never present in class 'spam', so the evidence of its presence is infinite: "
        "use estimate='bayes' with alpha > 0, or leave the feature out"
    )
    said_hashed = said(DataError, TextClassifier(estimate="ml", words=(1, 1), hashed_bits=8).fit, TEXTS, LABELS)
    column = TextVectorizer(hashed_bits=8).fit([]).transform(["free money lunch"]).indices.tolist()
    assert any(said_hashed.startswith(f"bucket {j} is never present in class") for j in column)


def test_nothing_learnt_yet():
    for call in (TextClassifier().predict, TextClassifier().explain, TextVectorizer().transform):
        assert "is not fitted yet" in said(NotFittedError, call, TEXTS)
    assert "is not fitted yet" in said(NotFittedError, TextClassifier().forget, TEXTS, LABELS)
    assert "is not fitted yet" in said(NotFittedError, TextClassifier().save, "f")
    assert "is not fitted yet" in said(NotFittedError, TextVectorizer().get_feature_names_out)
    with pytest.raises(NotFittedError):
        TextClassifier().certificate_  # noqa: B018 (a property)


def test_forgetting_what_was_never_learnt():
    fitted = TextClassifier(words=(1, 1)).fit([*TEXTS, "free lunch"], ["spam", "ham", "ham"])
    assert said(ValueError, fitted.forget, ["lunch"], ["eggs"]) == (
        "labels that were learnt are expected, ['ham', 'spam']; got ['eggs']"
    )
    assert said(DataError, fitted.forget, ["lunch"], ["spam"]) == (
        'cannot forget what was never learnt: "lunch" is to be forgotten more often than it was learnt.'
    )
    assert said(DataError, fitted.forget, ["", ""], ["spam", "spam"]) == (
        "cannot forget what was never learnt: more items are to be forgotten than were learnt."
    )


def test_labels_of_another_kind():
    fitted = TextClassifier().fit(TEXTS, LABELS)
    assert said(ValueError, fitted.partial_fit, ["more"], [1]) == (
        "labels like those that were learnt are expected, ['ham', 'spam']; got [1]"
    )
    assert fitted.classes_.tolist() == ["ham", "spam"]


def test_labels_that_a_file_cannot_keep(tmp_path):
    fitted = TextClassifier().fit(TEXTS, np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"))
    assert said(ValueError, fitted.save, tmp_path / "f") == (
        "labels that a file can keep are str, int, float or bool; got datetime.date(2024, 1, 1)"
    )
    assert not (tmp_path / "f").exists()


def test_labels_that_a_filter_does_not_have():
    known, _ = train_rows([(TEXTS, LABELS)], *DEFAULTS["text"])
    expected = "expected one of the filter's labels, 'ham', 'spam'; got 'spom'. Did you mean 'spam'?"
    assert said(DataError, known.learn, [b"x"], "spom") == expected
    assert said(DataError, known.forget, [b"x"], "spom") == expected
    assert said(DataError, known.learn, [b"x"], "7") == "expected one of the filter's labels, 'ham', 'spam'; got '7'."
    assert said(DataError, known.forget, [b"lunch"], "spam") == (
        "this item was learnt as 'ham', not as 'spam'; nothing was changed. To take that back, forget it --as ham."
    )


def test_a_filter_needs_two_classes():
    expected = "expected items of at least two classes; "
    only = said(DataError, train_rows, [(TEXTS, ["spam", "spam"])], *DEFAULTS["text"])
    assert only == expected + "all items are 'spam'. Add another class."
    none = said(DataError, train_rows, [], *DEFAULTS["text"])
    assert none == expected + "there are no items. Add another class."


def test_what_the_core_refuses():
    reader = Reader("text")
    assert said(ValueError, Reader, "html") == 'kind "text" or "mail" is expected, not "html"'
    assert said(ValueError, Reader, "text", (2, 1)) == (
        "words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 is expected, not (2, 1)"
    )
    assert said(ValueError, Counter(reader, 1).add, ["a"], [1]) == (
        "one known class (and one weight) per item is expected"
    )
    counter = Counter(reader, 1)
    counter.finish()
    assert said(RuntimeError, counter.finish) == "this counter has finished; begin a new one"
    words = np.array([1, 3], dtype="<u8").tobytes()
    assert said(ValueError, Dictionary, reader, words, weights=b"12345678", bias=b"12345678") == (
        "one weight per feature and class is expected"
    )
    assert said(ValueError, Dictionary, reader, words[:8] * 2) == "distinct hashes are expected"
    number = np.array([np.nan]).tobytes()
    assert said(ValueError, Dictionary, reader, words[:8], weights=number, bias=number) == (
        "weights that are numbers are expected"
    )
    assert said(ValueError, Dictionary(reader, words).scores, ["a"]) == "this dictionary was made without weights"


def test_models_that_do_not_add():
    counted, other = (TextClassifier(alpha=alpha).fit(TEXTS, LABELS) for alpha in (1.0, 2.0))
    assert said(ValueError, counted.__add__, other) == "cannot merge models of different alpha: 1.0 and 2.0"
    chosen = TextClassifier().fit(TEXTS, LABELS)
    assert (
        said(ValueError, counted.__add__, chosen) == "cannot merge models of different alpha: 1.0 and 'chosen by texts'"
    )
    minimised = TextClassifier("logistic").fit(TEXTS, LABELS)
    for one, two in ((minimised, counted), (counted, minimised)):
        assert said(ValueError, one.__add__, two) == (
            "cannot add models of 'logistic', which are learnt by minimising over all texts at once. Expected models "
            "that count, which is 'naive-bayes'. Fit one model with all the texts, or choose model='naive-bayes'."
        )
    with pytest.raises(TypeError, match="unsupported operand"):
        counted + 1


def test_texts_that_cannot_have_been_learnt():
    known = TextClassifier(binary=True, words=(1, 1)).fit(["a", "a b", "c"], ["x", "x", "y"])
    assert said(DataError, known.forget, ["b"], ["x"]) == (
        "cannot forget what was never learnt: 'x' would have 1 items, and 'a' counted 2 times. "
        "Forget only what was learnt, with the same label and weight."
    )
