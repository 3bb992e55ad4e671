"""The certificate of a model that is learnt by counting: from the counts alone, without a second pass over the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.distributions import Counts, Distribution
from deciban.distributions.class_prior import prior_optimum
from deciban.trust.certificate import Certificate, digest

ESTIMATES = {
    "bayes": "with {alpha:g} pseudo-counts an outcome, so that its minimum is the posterior mean",
    "map": "and of the prior with alpha = {alpha:g}, so that its minimum is the posterior mode",
    "ml": "alone, so that its minimum is the raw ratios",
}


def certify(
    family: Distribution,
    seen: Counts,
    estimate: str,
    class_prior: Any,
    labels: Sequence[Any],
    seconds: float,
    seed: int | None = None,
) -> Certificate:
    """What was minimised and how exactly, for the parameters that `estimate` derives from the counts."""
    found = prior_optimum(class_prior, seen.n)
    found += family.optimum(seen, family.parameters(seen, estimate), estimate)
    estimated = ESTIMATES[estimate].format(alpha=getattr(family, "alpha", 0.0))
    prior = class_prior if isinstance(class_prior, str) else "given"
    return Certificate(
        objective=f"−log joint likelihood of labels and {family.name} features {estimated}; class prior {prior}",
        primal=found.primal,
        dual=found.dual,
        kkt_violation=found.violation,
        iterations=0,
        status="exact: the minimum has a closed form, found by counting",
        advice="",
        seconds=seconds,
        n=float(seen.n.sum()),
        d=int(seen.s.shape[1]),
        class_counts=dict(zip(labels, seen.n.tolist(), strict=True)),
        seed=seed,
        digest=digest(seen.n, seen.s),
    )
