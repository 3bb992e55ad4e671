"""The data sets, models and trials of decisions.py."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, data

from deciban import TextClassifier
from deciban.evaluation import Conformal, Costs, CostThreshold, Judgements, cheapest, rate_threshold

LEARN, DRAWN, DRAWS, SPLITS = 0.4, 1000, 1000, 100
ASKED, CONFIDENCE = (0.01, 0.005), 0.95
PRICES, UNSURE = (1.0, 10.0, 100.0), 0.3
ALPHAS = (0.05, 0.02)
NEWS = 6000

Split = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class Setting:
    """What a model said of examples that it had not learnt."""

    said: Judgements
    learnt: int

    def to_json(self) -> dict[str, Any]:
        """Return how many were learnt, and how many of each class were judged."""
        counts = zip(self.said.classes, np.bincount(self.said.y).tolist(), strict=True)
        return {"learnt": self.learnt, "judged": dict(counts) if len(self.said.classes) == 2 else len(self.said)}


def parted(items: list[Any], labels: Any, share: float = LEARN) -> Split:
    """A share to learn from, at random; of equal items the first."""
    first = sorted({item: i for i, item in reversed(list(enumerate(items)))}.values())
    order = np.random.default_rng(SEED).permutation(first)
    learn, judge = np.split(order, [round(share * len(order))])
    return [items[i] for i in learn], labels[learn], [items[i] for i in judge], labels[judge]


def short() -> Split:
    """Short messages, copies left out."""
    frame = pl.read_parquet(data("sms.parquet"))
    return parted(frame["text"].to_list(), frame["label"].to_numpy())


def mail() -> Split:
    """Messages of SpamAssassin's corpus."""
    with tarfile.open(data("spamassassin.tar.xz")) as packed:
        files = ((each.name.split("/"), packed.extractfile(each)) for each in packed if each.isfile())
        found = sorted((path, file.read()) for path, file in files if file is not None and len(path) == 3)
    labels = np.array(["spam" if path[1].startswith("spam") else "ham" for path, _ in found])
    return parted([message for _, message in found], labels)


def of_text(model: str, kind: str = "text") -> Any:
    """A text classifier with its defaults."""
    return TextClassifier(model, kind=kind)


SETS: dict[str, tuple[Callable[[], Split], dict[str, Callable[[], Any]]]] = {
    "SMS": (short, {model: partial(of_text, model) for model in ("naive-bayes", "logistic")}),
    "SpamAssassin": (mail, {model: partial(of_text, model, "mail") for model in ("naive-bayes", "logistic")}),
}


def judge(make: Callable[[], Any], split: Split) -> Setting:
    """Learn one part, and say of the other."""
    learn, y, judge, truth = split
    model = make().fit(learn, y)
    place = np.searchsorted(model.classes_, truth)
    log_p = np.minimum(model.predict_log_proba(judge), 0.0)
    return Setting(Judgements(tuple(model.classes_.tolist()), place, log_p), len(learn))


def many_classes() -> Setting:
    """Posts of twenty groups."""
    frame = pl.read_parquet(data("20news.parquet")).sample(NEWS, seed=SEED)
    return judge(partial(of_text, "naive-bayes"), parted(frame["text"].to_list(), frame["label"].to_numpy()))


def held(said: Judgements) -> dict[str, Any]:
    """Thresholds chosen on ham drawn from that at hand, with replacement, so that their true rate is known.

    By the rate that was asked and the way to choose: the mean rate of false positives, the share of draws in which it
    was above what was asked, and the share of spam found.
    """
    odds = (10 / np.log(10)) * said.log_odds(1)
    ham, spam = np.sort(odds[said.y == 0]), np.sort(odds[said.y == 1])
    rows = np.flatnonzero(said.y == 0)
    found: dict[str, Any] = {}
    for rate in ASKED:
        ways: dict[str, Callable[[Judgements], float]] = {
            "plain": partial(_plain, rate=rate),
            "average": lambda of, rate=rate: rate_threshold(of, rate, None).decibans,
            "sure": lambda of, rate=rate: rate_threshold(of, rate, CONFIDENCE).decibans,
        }
        for key, choose in ways.items():
            random = np.random.default_rng(SEED)
            told = []
            for _ in range(DRAWS):
                drawn = random.choice(rows, DRAWN)
                at = choose(Judgements(said.classes, said.y[drawn], said.log_p[drawn]))
                told.append([1 - np.searchsorted(s, at, side="right") / len(s) for s in (ham, spam)])
            false, recall = np.array(told).T
            broken = float((false > rate).mean())
            each = {"rate": rate, "mean": false.mean(), "broken": broken, "recall": recall.mean()}
            found.setdefault(f"{100 * rate:g} %", {})[key] = each
    return found


def _plain(said: Judgements, rate: float) -> float:
    """At most this share of the ham at hand is above."""
    odds = np.sort((10 / np.log(10)) * said.log_odds(1))[::-1]
    return float(odds[int(rate * len(odds))])


def halves(said: Judgements) -> Any:
    """Many times, one half and the other."""
    random = np.random.default_rng(SEED)
    for _ in range(SPLITS):
        parts = np.array_split(random.permutation(len(said)), 2)
        yield [Judgements(said.classes, said.y[part], said.log_p[part]) for part in parts]


def priced(said: Judgements) -> dict[str, Any]:
    """What answers cost on one half, where the other is known, by the price of a false positive: the most probable
    class, by the costs, by the threshold that was cheapest on the other half, by the costs or unsure."""
    found = {}
    for price in PRICES:
        costs = Costs.of(said.classes, {(said.classes[0], said.classes[1]): price})
        doubt = Costs.of(said.classes, {(said.classes[0], said.classes[1]): price}, unsure=UNSURE)
        probable = CostThreshold(said.classes, said.classes[1], 0.0)
        paid = []
        for before, after in halves(said):
            best = cheapest(before, costs)
            ways = [each.answers(after.log_p) for each in (probable, costs.threshold(), best)]
            paid.append([*(costs.paid(after, answers).mean for answers in ways), doubt.paid(after).mean])
        mean = np.mean(paid, axis=0).tolist()
        found[f"{price:g}"] = dict(zip(("probable", "costs", "cheapest", "unsure"), mean, strict=True))
    return found


def heard(said: Judgements) -> dict[str, Any]:
    """Sets calibrated on one half, on the other, by α: how often they leave the true label out, in the worst class and
    on the mean of classes, how many have one label or none, and labels a set."""
    found = {}
    for alpha in ALPHAS:
        missed, sizes = [], []
        for before, after in halves(said):
            told = Conformal.of(before).covered(after, alpha)
            missed.append([rate.rate for rate in told.missed.values()])
            sizes.append(np.array(told.sizes) / sum(told.sizes))
        each, share = np.mean(missed, axis=0), np.mean(sizes, axis=0)
        known = {"alpha": alpha, "worst": each.max(), "missed": each.mean(), "one": share[1], "none": share[0]}
        found[f"{100 * alpha:g} %"] = {**known, "size": share @ np.arange(len(share))}
    return found
