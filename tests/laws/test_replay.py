"""What is judged online is judged by what came before it, and by nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from deciban.evaluation.online import Feedback, order_of_arrival, replay_rows, replay_texts
from deciban.evaluation.roc import inversions
from deciban.evaluation.stages import missed_at, stages
from deciban.scores import log_posterior
from deciban.table_models.recipes import recipe as table_recipe
from deciban.table_models.table_model import Rows
from deciban.tables.cells import Cells
from deciban.tables.typed import learnt_from
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe
from tiers import examples

LABELS = ("ham", "spam")
FEEDBACK = {"always": Feedback(), "later": Feedback(delay=7), "errors": Feedback(errors=True)}


def mail(n, spam, spam_has_words=True):
    own = "h" if not spam else "s" if spam_has_words else "w"
    words = " ".join(f"{'w' if k % 3 else own}{(n * k) % 11}" for k in range(1, 9))
    return f"Received: by mx; {1 + n // 4} Jan 2007 1{n % 4}:00:00 +0000\nSubject: w{n % 5}\n\n{words}\n".encode()


def corpus(y, kind="mail", spam_has_words=True):
    texts = [mail(n, spam, spam_has_words) for n, spam in enumerate(y)]
    return Corpus.of_texts(texts, recipe(kind, "online", {}).settings.reader(), LABELS, y)


def table(y):
    """Rows of a number and a category, which both tell something of classes y (N,)."""
    random = np.random.default_rng(len(y))
    size, colour = 2.0 * y + random.normal(size=len(y)), random.integers(0, 2, len(y)) * y
    cells = {"size": size.tolist(), "colour": [f"c{c}" for c in colour], "y": [f"y{c}" for c in y]}
    return Rows.of(learnt_from([Cells("t.csv", cells, range(len(y)), 1)], "y"), "t.csv")


@pytest.mark.parametrize("feedback", FEEDBACK.values(), ids=FEEDBACK)
@pytest.mark.parametrize("model", ["online", "naive-bayes", "svm"])
def test_labels_that_come_later_change_nothing_before(model, feedback):
    random = np.random.default_rng(3)
    y = (random.random(70) < 0.5).astype(int)
    given_ = corpus(y)
    order, of = order_of_arrival(len(given_), given_.times, 0), recipe("mail", model, {})
    found = replay_texts(given_, of, order, feedback)
    for cut in (1, 20, 45, 69):
        other = given_.y.copy()
        other[order[cut:]] = 1 - other[order[cut:]]
        again = replay_texts(Corpus(**{**vars(given_), "y": other}), of, order, feedback)
        assert_allclose(again[order[: cut + 1]], found[order[: cut + 1]], rtol=1e-9, atol=1e-9)
    assert np.ptp(found[order[0]]) == 0.0


FEW_WORDS = "17 % errors: the bound on what one word says for ham costs where only ham has words of its own"


@pytest.mark.parametrize(
    "spam_has_words", [True, pytest.param(False, marks=pytest.mark.xfail(strict=True, reason=FEW_WORDS))]
)
def test_what_is_learnt_is_of_use(spam_has_words):
    y = (np.arange(120) % 2).astype(int)
    given_ = corpus(y, spam_has_words=spam_has_words)
    order = order_of_arrival(len(given_), given_.times, 0)
    assert order.tolist() == list(range(120))
    for feedback, most in (("always", 0.1), ("later", 0.2), ("errors", 0.25)):
        scores = replay_texts(given_, recipe("mail", "online", {}), order, FEEDBACK[feedback])
        assert (scores.argmax(axis=1) != y)[20:].mean() <= most, feedback


@pytest.mark.parametrize("feedback", FEEDBACK.values(), ids=FEEDBACK)
@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
def test_rows_of_a_table_are_judged_in_the_same_way(model, feedback):
    rows, of = table(np.random.default_rng(5).integers(0, 3, 90)), table_recipe(model, {})
    order = order_of_arrival(len(rows), None, 1)
    found = replay_rows(rows, of, order, feedback)
    for cut in (1, 30, 89):
        other = rows.y.copy()
        other[order[cut:]] = (1 + other[order[cut:]]) % 3
        again = replay_rows(replace(rows, y=other), of, order, feedback)
        assert_allclose(again[order[: cut + 1]], found[order[: cut + 1]], rtol=1e-6, atol=1e-6)
    assert_allclose(np.exp(found).sum(axis=1), 1.0)
    assert np.isfinite(found).all()  # a class that has not come yet may come
    assert (found.argmax(axis=1) != rows.y)[order[45:]].mean() < 0.2


def test_a_class_without_examples_has_its_share_by_the_rule_of_succession():
    rows = table(np.array([0] * 9 + [1]))
    found = np.exp(replay_rows(rows, table_recipe("naive-bayes", {}), np.arange(10), Feedback()))
    assert_allclose(found[:, 1], [0.5, *(1.0 / (n + 2.0) for n in range(1, 10))])


@pytest.mark.parametrize("model", ["online", "naive-bayes"])
def test_verdicts_are_calibrated_where_only_errors_are_told(model):
    random = np.random.default_rng(4)
    y = (random.random(600) < 0.4).astype(int)
    texts = [
        " ".join(f"{'ab'[int(random.random() < 0.4 + 0.2 * c)]}{random.integers(9)}" for _ in range(12)) for c in y
    ]
    given_ = Corpus.of_texts(texts, recipe("text", model, {}).settings.reader(), LABELS, y)
    order = order_of_arrival(len(given_), None, 0)
    logs = replay_texts(given_, recipe("text", model, {}), order, FEEDBACK["errors"])[order[300:]]
    truth, odds = given_.y[order[300:]], logs[:, 1] - logs[:, 0]
    loss = -logs[np.arange(len(truth)), truth].mean()
    assert loss < 1.02 * -np.log(np.where(truth == 1, truth.mean(), 1.0 - truth.mean())).mean()
    best = min(np.logaddexp(0.0, a * np.where(truth == 1, -odds, odds)).mean() for a in np.geomspace(0.05, 20.0, 61))
    assert loss <= 1.1 * best


def test_without_dates_the_order_is_drawn():
    given_ = Corpus.of_texts(
        [f"w{n}" for n in range(9)], recipe("text", "online", {}).settings.reader(), LABELS, [0] * 9
    )
    one, same = (order_of_arrival(len(given_), given_.times, 1).tolist() for _ in range(2))
    assert sorted(one) == [*range(9)]
    assert one == same != [*range(9)]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200), C=st.integers(2, 3))
@examples(40)
def test_stages_part_what_came(seed, n, C):
    random = np.random.default_rng(seed)
    logs, y = log_posterior(random.normal(size=(n, C)).round(1)), random.integers(0, C, n)
    found = stages(logs, y)
    assert [each.first for each in found] == [1, *(each.last + 1 for each in found[:-1])]
    sizes = [each.last - each.first + 1 for each in found]
    assert_allclose(np.average([each.error for each in found], weights=sizes), (logs.argmax(axis=1) != y).mean())
    assert_allclose(np.average([each.log_loss for each in found], weights=sizes), -logs[np.arange(n), y].mean())
    if C == 2 and 0 < y.sum() < n:
        area = 100.0 * inversions(logs[:, 1] - logs[:, 0], y == 1) / (y.sum() * (n - y.sum()))
        assert_allclose(found[-1].one_minus_roca_percent, area)
        odds, lost = logs[:, 1] - logs[:, 0], random.random()
        best = [(odds[y == 1] <= t).mean() for t in (-np.inf, *odds) if (odds[y == 0] > t).mean() <= lost]
        assert missed_at(lost, odds, y == 1) == min(best)
    else:
        assert missed_at(0.1, np.zeros(n), np.ones(n, bool)) is None
