"""What a certificate says of the errors to come, and of probabilities: small records that a file keeps.

`Facts` is what a fit says of itself, on which the bounds depend: `model.facts_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Self

VC, SUPPORT, COMPRESSION, PAC_BAYES, LEAVE_ONE_OUT, HELD_OUT = NAMES = (
    "vc",
    "support vectors",
    "compression",
    "pac-bayes margin",
    "leave-one-out",
    "held-out",
)
"""In the order in which a certificate has them."""


@dataclass(frozen=True)
class Bound:
    """A bound on the error out of sample: whether it applies to a model, and its value.

    Parameters
    ----------
    name : str
        Name of the bound.
    applies : bool
        Whether it applies to the model.
    value : float, optional
        The bound; None where it does not apply, or needs the examples.
    excess : float, optional
        Distance of the bound from the training error, which may be all that is known.
    delta : float, optional
        Probability that it fails; None for what holds for the mean over samples, and for an estimate.
    vacuous : str, default=""
        Why it says nothing; empty where it says something.
    condition : str, default=""
        Its conditions or, where it does not apply, the reason.

    Examples
    --------
    >>> print(Bound("vc", True, value=0.25, delta=0.01, condition="the examples are independent"))
    vc: at most 0.25, if the examples are independent
    >>> print(Bound("vc", False, condition="it is of two classes"))
    vc: does not apply: it is of two classes
    """

    name: str
    applies: bool
    value: float | None = None
    excess: float | None = None
    delta: float | None = None
    vacuous: str = ""
    condition: str = ""

    @property
    def informative(self) -> bool:
        """Whether it applies, is known and is not vacuous."""
        return self.applies and self.value is not None and not self.vacuous

    def __str__(self) -> str:
        if not self.applies:
            return f"{self.name}: does not apply: {self.condition}"
        return f"{self.name}: {self._told()}{self.condition}"

    def _told(self) -> str:
        if self.vacuous:
            least = self.excess if self.value is None else self.value
            return f"vacuous ({'' if least is None else f'{least:.3g}: '}{self.vacuous}), if "
        if self.value is not None:
            return f"about {self.value:.4g}, " if self.name == LEAVE_ONE_OUT else f"at most {self.value:.4g}, if "
        return "" if self.excess is None else f"at most the training error + {self.excess:.4g}, if "

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Make a bound from the values in a file.

        Parameters
        ----------
        values : mapping of str to object
            The values that `to_json` returned.

        Returns
        -------
        Bound
            The bound.

        Raises
        ------
        ValueError
            If the values are no bound.
        """
        if type(values) is not dict or set(values) != set(cls.__dataclass_fields__):
            raise ValueError("a bound that tells other things")
        if type(values["applies"]) is not bool:
            raise ValueError("a bound of which it is not known whether it applies")
        for name in ("name", "vacuous", "condition"):
            if type(values[name]) is not str:
                raise ValueError(f"a bound whose {name} is no text")
        for name in ("value", "excess", "delta"):
            if values[name] is not None and not _number(values[name]):
                raise ValueError(f"a bound whose {name} is no number")
        return cls(**values)


@dataclass(frozen=True)
class Probabilities:
    """How a model comes by its probabilities; `log_loss`, where it is known, is their mean −ln p(y | x) on examples
    that were held out.

    >>> print(Probabilities("temperature on 3 folds", 0.25))
    temperature on 3 folds, held-out log loss 0.25
    """

    how: str
    log_loss: float | None = None

    def __str__(self) -> str:
        return self.how if self.log_loss is None else f"{self.how}, held-out log loss {self.log_loss:.3g}"

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return what a file has stored; ValueError for what does not tell it."""
        if type(values) is not dict or set(values) != {"how", "log_loss"} or type(values["how"]) is not str:
            raise ValueError("a calibration that tells other things")
        if values["log_loss"] is not None and not _number(values["log_loss"]):
            raise ValueError("a calibration whose log_loss is no number")
        return cls(**values)


def _number(value: object) -> bool:
    return (type(value) is float and isfinite(value)) or (type(value) is int and abs(value) <= 1 << 53)


def best_bound(bounds: tuple[Bound, ...]) -> str:
    """Return the one that says most, in a few words: with a confidence before those of a mean, and what is nothing
    last.

    >>> best_bound((Bound("vc", True, 0.3, delta=0.01), Bound("compression", True, 0.2, delta=0.01)))
    'error ≤ 0.2 (compression, 95 %)'
    """
    known = [each for each in bounds if each.informative and each.value is not None]
    sure = [(each.value, each.name) for each in known if each.delta is not None and each.value is not None]
    if sure:
        value, name = min(sure)
        return f"error ≤ {value:.3g} ({name}, 95 %)"
    mean = [each for each in known if each.name == SUPPORT]
    if mean:
        return f"expected error ≤ {mean[0].value:.3g} ({SUPPORT})"
    above = [each for each in bounds if each.applies and each.excess is not None and not each.vacuous]
    if above:
        return f"error ≤ training error + {above[0].excess:.3g} ({above[0].name}, 95 %)"
    if any(each.vacuous for each in bounds):
        return "no bound below 1"
    return "no bound without more examples" if any(each.applies for each in bounds) else "no bound applies"


ANEW = "without an example all others would be learnt anew: cross-validate"
POSTERIOR = Probabilities("none: a posterior")


@dataclass(frozen=True)
class Facts:
    """Facts of a fit. A text is the reason why something is not so, and "" says that it is.

    Parameters
    ----------
    probabilities : Probabilities
        How probabilities come about.
    support : int or str
        Number of support vectors, or why a number of examples says nothing.
    estimated : str
        What of the hypotheses was estimated from the examples, so that they were not fixed before; "" if nothing.
    margins : str
        Why the margins of examples are not known.
    left_out : str
        Why the model without one example is not known exactly.

    Examples
    --------
    >>> from deciban import LinearSVM
    >>> LinearSVM(calibration=None).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).facts_.support
    2
    """

    probabilities: Probabilities = POSTERIOR
    support: int | str = "every example has a say in what was learnt"
    estimated: str = ""
    margins: str = "it is of models with weights or a kernel"
    left_out: str = ANEW
