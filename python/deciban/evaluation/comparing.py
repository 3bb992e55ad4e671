"""From what each learner said of held-out examples to a comparison of the learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from ..certificates.rates import clopper_pearson
from .comparison import ENDED, Compared, Comparison, Pair, Point
from .cross_validation import CrossValidation, Outcome, Pass
from .paired import corrected_t, holm, mcnemar
from .suspect import Integers


def compared(work: CrossValidation, level: float) -> Comparison:
    """What the work came to."""
    done = {name: each for name, each in work.outcomes.items() if each.passes}
    repeats = min((len(each.passes) for each in done.values()), default=0)
    y, train = work.y, round(float(np.mean(list(work.training_sizes()))))
    left_out = {each.name: _why(work, each.name) for each in work.learners if each.name not in done}
    return Comparison(
        tuple(_row(name, each, y, repeats, train) for name, each in done.items()),
        _pairs(done, y, repeats, train, len(y) / work.plan.folds, level),
        work.labelled.classes,
        y,
        len(y) - len(np.unique(work.labelled.copies.group)),
        work.plan.folds,
        repeats,
        work.plan.seed,
        level,
        train,
        left_out,
        work.ended,
        {name: each.log_p for name, each in done.items()},
        {name: each.passes[0].winners for name, each in done.items()},
    )


def _why(work: CrossValidation, name: str) -> str:
    outcome = work.outcomes.get(name)
    return outcome.refusal if outcome is not None and outcome.refusal else ENDED[work.ended]


def _row(name: str, found: Outcome, y: Integers, repeats: int, train: int) -> Compared:
    passes, N = found.passes[:repeats], len(y)
    whole = _point(passes, y, train)
    losses = (
        None
        if passes[0].losses is None
        else np.concatenate([each.losses for each in passes if each.losses is not None])
    )
    assert found.size is not None
    return Compared(
        name,
        N,
        whole.error,
        whole.interval,
        whole.log_loss,
        None if losses is None else float(losses.std() / np.sqrt(N)),
        whole.fit_seconds,
        float(np.mean([each.judging for each in passes])) / N,
        found.size.bytes,
        found.size.of_file,
        tuple(share for each in passes for share in _by_fold(each, y)),
        (*(_point([each], y, size) for size, each in found.curve.items()), whole),
    )


def _point(passes: Sequence[Pass], y: Integers, n: int) -> Point:
    wrong = float(np.mean([(each.winners != y).sum() for each in passes]))
    losses = [float(each.losses.mean()) for each in passes if each.losses is not None]
    return Point(
        n,
        wrong / len(y),
        clopper_pearson(round(wrong), len(y)),
        float(np.mean(losses)) if losses else None,
        float(np.mean([each.fits for each in passes])),
    )


def _by_fold(found: Pass, y: Integers) -> list[float]:
    wrong = found.winners != y
    share: list[float] = (np.bincount(found.fold, wrong) / np.bincount(found.fold)).tolist()
    return share


def _pairs(
    done: Mapping[str, Outcome], y: Integers, repeats: int, train: int, test: float, level: float
) -> tuple[Pair, ...]:
    by_fold = {name: np.array([_by_fold(each, y) for each in found.passes[:repeats]]) for name, found in done.items()}
    both = list(combinations(done, 2))
    tests = [mcnemar(done[a].passes[0].winners != y, done[b].passes[0].winners != y) for a, b in both]
    means = [corrected_t((by_fold[a] - by_fold[b]).ravel(), train, test) for a, b in both]
    errors = {name: float(np.mean([(p.winners != y).mean() for p in done[name].passes[:repeats]])) for name in done}
    adjusted, over_sets = holm([each.p for each in tests]), holm([each.p for each in means])
    return tuple(
        Pair(a, b, errors[a] - errors[b], one, p, t, t_p, p <= level)
        for (a, b), one, p, t, t_p in zip(both, tests, adjusted, means, over_sets, strict=True)
    )
