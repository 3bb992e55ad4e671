"""Verdicts after few examples, on real data: those that are called sure are right as often as promised."""

from itertools import islice

import polars
import pytest

from deciban import TextClassifier
from system import real_mail

MANY = 600


def trec(data):
    return *real_mail.trec(data, 6000), "mail"


def table(name):
    def read(data):
        rows = polars.read_parquet(data(name)).with_columns(polars.col("label").cast(polars.String))
        rows = rows.sample(MANY, seed=1, shuffle=True)
        return rows["text"].to_list(), rows["label"].to_list(), "text"

    return read


def groups(*names):
    """Two newsgroups, none of which the rule was chosen on."""

    def read(data):
        rows = polars.read_parquet(data("20news.parquet")).with_columns(polars.col("label").cast(polars.String))
        rows = rows.filter(polars.col("label").is_in(names)).sample(MANY, seed=1, shuffle=True)
        return rows["text"].to_list(), rows["label"].to_list(), "text"

    return read


SETS = {
    "trec": trec,
    "newsgroups": groups("alt.atheism", "talk.religion.misc"),
    "mr": table("mr.parquet"),
    "imdb": table("imdb.parquet"),
    "korean": table("korean-reviews.parquet"),
}


@pytest.mark.parametrize("name", SETS)
def test_verdicts_that_are_sure_after_few_examples_are_right(name, data):
    texts, labels, kind = SETS[name](data)
    classes = sorted(set(labels))
    for n in (1, 5, 30):
        sure = wrong = judged = 0
        for start in range(0, len(texts) - 200, len(texts) // 20):
            own = {c: list(islice((i for i in range(start, len(texts)) if labels[i] == c), n)) for c in classes}
            rows = sorted(i for each in own.values() for i in each)
            later = range(rows[-1] + 1, min(rows[-1] + 61, len(texts)))
            model = TextClassifier(model="naive-bayes", kind=kind).fit(
                [texts[i] for i in rows], [labels[i] for i in rows]
            )
            for i, verdict in zip(later, model.served_.judge([texts[i] for i in later]), strict=True):
                judged += 1
                sure += not verdict.unsure
                wrong += not verdict.unsure and verdict.label != labels[i]
                assert verdict.interval[0] <= verdict.decibans <= verdict.interval[1]
        assert judged > 300
        assert wrong <= 0.025 * sure, (n, wrong, sure, judged)
        assert name != "trec" or n < 30 or sure > 0.5 * judged
