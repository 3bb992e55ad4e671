"""Pictures of evidence and of features: a bar for each word of a text, or for each column of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import deciban
from deciban import distributions
from deciban.mail.ledger import Ledger

from .examples import AXES, TEXTS, UNSEEN, VERDICTS, make_clouds
from .sheets import Line, draw_bars, draw_lines

EVIDENCE = "decibans for good (+), for bad (−)"


def draw_evidence(terms: Iterable[Any], names: Callable[[Any], str] = str) -> Figure:
    """Draw the strongest terms of an explanation."""
    strongest = sorted(terms, key=lambda term: -abs(term.decibans))[:8]
    return draw_bars(EVIDENCE, [names(term.feature) for term in strongest], [term.decibans for term in strongest])


def explain_text() -> Any:
    """Return why a text is classified as it is."""
    return deciban.TextClassifier(words=(1, 1)).fit(TEXTS, VERDICTS).explain([UNSEEN], pair=("good", "bad"))[0]


def draw_filter() -> Figure:
    """Draw the evidence of the same text by a filter, before it learns one more text and after."""
    model = deciban.TextClassifier(model="naive-bayes", words=(1, 1)).fit([t.encode() for t in TEXTS], VERDICTS).model_
    more, _ = deciban.Filter(model, Ledger.of(b"", [])).learn([UNSEEN.encode()], "good")
    return draw_evidence(more.model.compile().explain(UNSEEN.encode(), pair=(1, 0)).terms)


def count_words(texts: list[str] = TEXTS) -> tuple[Any, list[str]]:
    """Return counts of the words of texts, and the words."""
    vectorizer = deciban.TextVectorizer().fit(TEXTS)
    return vectorizer.transform(texts), [str(name).split()[-1] for name in vectorizer.get_feature_names_out()]


def draw_nbsvm() -> Figure:
    """Draw the evidence of each word by NBSVM."""
    X, words = count_words()
    found = deciban.NBSVM().fit(X, VERDICTS).explain(count_words([UNSEEN])[0], pair=("good", "bad"))[0]
    return draw_evidence(found.terms, lambda term: words[int(str(term).split()[-1])])


def draw_row(weigh: bool) -> Figure:
    """Draw a text as a row of counts, or of TF-IDF."""
    X, words = count_words()
    row = count_words([UNSEEN])[0]
    values = (deciban.TfidfTransformer().fit(X).transform(row) if weigh else row).toarray()[0]
    places = np.argsort(-values, kind="stable")[: np.count_nonzero(values)]
    title = "TF-IDF weight" if weigh else "count"
    return draw_bars(title, [words[place] for place in places], values[places], digits=2 if weigh else 0)


def draw_information() -> Figure:
    """Draw the information of words on the class."""
    X, words = count_words()
    bits = deciban.MutualInformation(k=3).fit(X, VERDICTS).bits_
    places = np.argsort(-bits, kind="stable")[:8]
    return draw_bars("mutual information, bits", [words[place] for place in places], bits[places], digits=2)


def draw_explanation() -> Figure:
    """Draw the evidence of the features of an example."""
    X, y = make_clouds()
    found = deciban.LogisticRegression().fit(X, y).explain([[0.3, 0.9]], pair=("A", "B"))[0]
    parts = {"prior": found.prior_decibans, **{AXES[int(term.feature)]: term.decibans for term in found.terms}}
    return draw_bars("decibans for A (+), for B (−)", [*parts, "Σ"], [*parts.values(), found.decibans])


def draw_importance() -> Figure:
    """Draw the words that decisions on texts depend on most."""
    found = deciban.evidence_importance(deciban.TextClassifier(words=(1, 1)).fit(TEXTS, VERDICTS), TEXTS, top=8)
    return draw_bars("decibans per text", [str(each.feature) for each in found], [each.decibans for each in found])


def draw_stability() -> Figure:
    """Draw the evidence of each feature, with its standard deviation over resamples."""
    X, y = make_clouds()
    item = deciban.explanation_stability(deciban.NaiveBayes("gaussian"), X, y, [[0.3, 0.9]], resamples=40)[0]
    names = [AXES[int(term.feature)] for term in item.terms]
    title = f"decibans for {item.label}, ± standard deviation"
    return draw_bars(title, names, [term.decibans for term in item.terms], [term.deviation for term in item.terms])


def draw_density(distribution: Any, draw: Callable[[np.random.Generator, int], Any], at: Iterable[float]) -> Figure:
    """Draw p(x | c) at some places, fitted to examples of two classes, which a generator draws by the class."""
    random, places, y = np.random.default_rng(4), np.array(list(at), dtype=float), np.arange(120) % 2
    X = np.array([[float(draw(random, c))] for c in y])
    parameters = distribution.parameters(distribution.count(X, y, None, 2), "bayes")
    density = np.exp(distribution.log_density(places[:, None], parameters))
    is_count, apart = len(places) < 40, (places[-1] - places[0]) / 50
    lines = []
    for c, p in enumerate(density.T):
        moved = places + apart * (2 * c - 1) if is_count else places
        lines.append(Line(f"c = {c + 1}", moved, p, is_marked=is_count, has_stems=is_count))
    return draw_lines("x", "p(x | c)", lines)


def draw_words(distribution: Any) -> Figure:
    """Draw the weight of words for one of three classes against another."""
    X, words = count_words()
    y = [*VERDICTS[:4], "mixed", *VERDICTS[5:9], "mixed"]
    model = deciban.NaiveBayes(distribution).fit(X, y)
    W = dict(zip(model.classes_.tolist(), np.asarray(model.scorer_.W).T, strict=True))
    decibans = 10.0 / np.log(10.0) * (W["good"] - W["bad"])
    places = np.argsort(-np.abs(decibans), kind="stable")[:8]
    places = places[np.argsort(-decibans[places], kind="stable")]
    return draw_bars(EVIDENCE, [words[place] for place in places], decibans[places])


DISTRIBUTIONS: dict[str, Callable[[], Figure]] = {
    "Bernoulli": lambda: draw_density(
        distributions.Bernoulli(), lambda random, c: random.uniform() < (0.25, 0.8)[c], range(2)
    ),
    "Categorical": lambda: draw_density(
        distributions.Categorical(), lambda random, c: random.binomial(3, (0.3, 0.75)[c]), range(4)
    ),
    "Gaussian": lambda: draw_density(
        distributions.Gaussian(),
        lambda random, c: random.normal((-1.0, 2.0)[c], (0.7, 1.2)[c]),
        np.linspace(-4, 6, 201),
    ),
    "Poisson": lambda: draw_density(
        distributions.Poisson(), lambda random, c: random.poisson((2.0, 7.0)[c]), range(15)
    ),
    "Multinomial": lambda: draw_words(distributions.Multinomial()),
    "Complement": lambda: draw_words(distributions.Complement()),
}
PICTURES: dict[str, Callable[[], Figure]] = {
    **{f"deciban.distributions.{name}": draw for name, draw in DISTRIBUTIONS.items()},
    "deciban.TextClassifier": lambda: draw_evidence(explain_text().terms),
    "deciban.Filter": draw_filter,
    "deciban.NBSVM": draw_nbsvm,
    "deciban.TextVectorizer": lambda: draw_row(weigh=False),
    "deciban.TfidfTransformer": lambda: draw_row(weigh=True),
    "deciban.MutualInformation": draw_information,
    "deciban.evidence_importance": draw_importance,
    "deciban.explanation_stability": draw_stability,
    "deciban.scores.Explanation": draw_explanation,
    "deciban.verdict.Explanation": lambda: draw_evidence(explain_text().terms),
}
