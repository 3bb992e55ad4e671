"""What is judged online is judged by what came before it, and by nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from deciban.evaluation.roc import inversions
from deciban.evaluation.stages import missed_at, stages
from deciban.scores import log_posterior
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe
from deciban.text.replay import Feedback, order_of_arrival, replay
from tiers import examples

LABELS = ("ham", "spam")
FEEDBACK = {"always": Feedback(), "later": Feedback(delay=7), "errors": Feedback(errors=True)}


def mail(n, spam):
    words = " ".join(f"{'sh'[k % 3 == 0 and not spam]}{(n * k) % 11}" for k in range(1, 9))
    return f"Received: by mx; {1 + n // 4} Jan 2007 1{n % 4}:00:00 +0000\nSubject: w{n % 5}\n\n{words}\n".encode()


def corpus(y, kind="mail"):
    texts = [mail(n, spam) for n, spam in enumerate(y)]
    return Corpus.of_texts(texts, recipe(kind, "online", {}).settings.reader(), LABELS, y)


@pytest.mark.parametrize("feedback", FEEDBACK.values(), ids=FEEDBACK)
@pytest.mark.parametrize("model", ["online", "naive-bayes", "svm"])
def test_labels_that_come_later_change_nothing_before(model, feedback):
    random = np.random.default_rng(3)
    y = (random.random(70) < 0.5).astype(int)
    given_ = corpus(y)
    order, of = order_of_arrival(given_, 0), recipe("mail", model, {})
    found = replay(given_, of, order, feedback)
    for cut in (1, 20, 45, 69):
        other = given_.y.copy()
        other[order[cut:]] = 1 - other[order[cut:]]
        again = replay(Corpus(**{**vars(given_), "y": other}), of, order, feedback)
        assert_allclose(again[order[: cut + 1]], found[order[: cut + 1]], rtol=1e-9, atol=1e-9)
    assert not found[order[0]].any()


def test_what_is_learnt_is_of_use():
    y = (np.arange(120) % 2).astype(int)
    given_ = corpus(y)
    order = order_of_arrival(given_, 0)
    assert order.tolist() == list(range(120))
    for feedback, most in (("always", 0.1), ("later", 0.2), ("errors", 0.25)):
        scores = replay(given_, recipe("mail", "online", {}), order, FEEDBACK[feedback])
        assert (scores.argmax(axis=1) != y)[20:].mean() <= most, feedback


def test_without_dates_the_order_is_drawn():
    given_ = Corpus.of_texts(
        [f"w{n}" for n in range(9)], recipe("text", "online", {}).settings.reader(), LABELS, [0] * 9
    )
    assert sorted(order_of_arrival(given_, 1)) == [*range(9)]
    assert order_of_arrival(given_, 1).tolist() == order_of_arrival(given_, 1).tolist() != [*range(9)]


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
