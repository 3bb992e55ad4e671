"""The certificate of a model that is learnt by counting: from the counts alone, without a second pass over the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.certificates.certificate import Certificate
from deciban.data.digest import digest
from deciban.distributions import Distribution
from deciban.distributions.priors import is_vector, prior_optimum

ESTIMATES = {
    "bayes": "with {alpha} pseudo-counts an outcome, so that its minimum is the posterior mean",
    "predictive": "with {alpha} pseudo-counts an outcome, integrated over the posterior about its minimum",
    "map": "and of the prior with alpha = {alpha}, so that its minimum is the posterior mode",
    "ml": "alone, so that its minimum is the raw ratios",
}


def certify(
    family: Distribution,
    seen: Any,
    estimate: str,
    class_prior: Any,
    labels: Sequence[Any],
    d: int,
    seconds: float,
    seed: int | None = None,
) -> Certificate:
    """Certify what was minimised, and how exactly, by the parameters that `estimate` derives from the counts."""
    found = prior_optimum(class_prior, seen.n)
    found += family.optimum(seen, family.parameters(seen, estimate), estimate)
    alpha = getattr(family, "alpha", None)
    named = "each column's" if alpha is None else "given" if is_vector(alpha) else f"{alpha:g}"
    estimated = ESTIMATES[estimate].format(alpha=named)
    prior = class_prior if isinstance(class_prior, str) else "given"
    return Certificate(
        objective=f"−log joint likelihood of labels and {family.name} features {estimated}; class prior {prior}",
        primal=found.primal + 0.0,  # −0.0 is 0
        dual=found.dual + 0.0,
        kkt_violation=found.violation,
        iterations=0,
        status="exact: the minimum has a closed form, found by counting",
        advice="",
        seconds=seconds,
        n=float(seen.n.sum()),
        d=d,
        class_counts=dict(zip(labels, seen.n.tolist(), strict=True)),
        seed=seed,
        digest=digest(*seen.arrays()),
    )
