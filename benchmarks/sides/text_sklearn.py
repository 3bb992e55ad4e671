"""scikit-learn: CountVectorizer, then MultinomialNB."""

from __future__ import annotations

import timed
from sklearn import __version__
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

folder, settings = timed.arguments()
train, labels = timed.texts(folder, "train")
test, truth = timed.texts(folder, "test")
if ngrams := settings["vectorizer"].get("ngram_range"):
    settings["vectorizer"]["ngram_range"] = tuple(ngrams)
timed.measure(
    lambda: make_pipeline(CountVectorizer(**settings["vectorizer"]), MultinomialNB(**settings["classifier"])).fit(
        train, labels
    ),
    lambda model: model.predict(test),
    truth,
    {"scikit-learn": __version__},
)
