"""Which recipes the options of a command line ask for, and the filter that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..certificates.certificate import Certificate
from ..data.text_layout import MODELS, NETWORK, ONLINE
from ..errors import UsageError
from ..mail.filter import Filter, knowing
from ..mail.ledger import Ledger
from ..text.choice import CandidateResult, Contender, bound_of_choice, choose
from ..text.corpus import Corpus
from ..text.model import TextModel
from ..text.model_defaults import FEWEST, QUICKEST_FIRST
from ..text.recipes import Recipe, foreign, recipe
from ..text.settings import MOST_WORDS, Kind
from .epochs import Epochs
from .output import Remarks

C = TypeVar("C", bound=Contender)

_OF_MAIL = ONLINE
_OPTIONS = {"C": "-C", "alpha": "--alpha", "likelihood": "--likelihood"}


def default_recipe(kind: Kind) -> Recipe:
    """Return what learns items of a kind unless one says otherwise: of texts the quickest that may be chosen."""
    return recipe(kind, _OF_MAIL if kind == "mail" else QUICKEST_FIRST[0], {})


def recipes(kind: Kind, given: dict[str, Any]) -> list[Recipe]:
    """Return what to try, quickest first; one where the model is named or mail is to be learnt."""
    wanted = {name: given[option] for name, option in _GIVEN.items()}
    if wanted["readable"] is not None and wanted["hashed_bits"] is None:
        raise UsageError(
            "Expected --readable or --unreadable only with --hashed: a dictionary holds its words by name. Add "
            "--hashed BITS."
        )
    if wanted["max_features"] == "all":
        wanted["max_features"] = MOST_WORDS if given["model"] == NETWORK else None  # whose default is not all
    model = _OF_MAIL if given["model"] == "auto" and kind == "mail" else given["model"]
    if model == "auto":
        return [recipe(kind, each, wanted) for each in QUICKEST_FIRST]
    if model not in MODELS:
        raise UsageError(f"Expected --model {model} for typed columns, a table with --label alone; these are texts.")
    if model == ONLINE:
        _refuse_other_words(wanted)
    others = foreign(model, wanted)
    if others:
        takers = [each for each in MODELS if not foreign(each, {others[0]: wanted[others[0]]})]
        raise UsageError(
            f"Expected {_OPTIONS[others[0]]} only with --model {' or '.join(takers)}; the model is {model}."
        )
    return [recipe(kind, model, wanted)]


def _refuse_other_words(wanted: dict[str, Any]) -> None:
    """Raise UsageError for words that a model that learns online does not take."""
    for option, given in (("--hashed", wanted["hashed_bits"] is not None), ("--counts", wanted["binary"] is False)):
        if given:
            raise UsageError(
                f"Expected {option} only with another --model; the model is online, which knows words by name and asks "
                "whether an item has them. Add --model naive-bayes."
            )


_GIVEN = {
    "words": "words",
    "hashed_bits": "hashed",
    "readable": "readable",
    "binary": "binary",
    "key": "seed",
    "max_features": "max_features",
    "likelihood": "likelihood",
    "alpha": "alpha",
    "C": "C",
}


def learnt(
    corpus: Corpus, contenders: Sequence[Recipe], given: dict[str, Any], remarks: Remarks
) -> tuple[Filter, list[CandidateResult]]:
    """Return the filter of distinct items, learnt by the one of `contenders`, or by the best of them."""
    only, jobs = contenders[0], given["jobs"]
    tried: list[CandidateResult] = []
    when = None
    if len(contenders) > 1 and len(corpus) >= FEWEST:
        only, tried = choose_aloud(corpus.to_try(), contenders, given, remarks)
    with Epochs(remarks.quiet) as epochs:
        model = only.learn(corpus, n_jobs=jobs, watch=epochs)
    if isinstance(model, TextModel) and model.encoder.uncounted:
        found = corpus.count(only.settings, named=False)
        model, when = knowing(model, found), found.generations
    ledger = Ledger.of_distinct(corpus.keys, corpus.y, when)
    return Filter(model.with_choice(bound_of_choice(only.model, tried)) if tried else model, ledger), tried


def choose_aloud(
    examples: Any, contenders: Sequence[C], given: Mapping[str, Any], remarks: Remarks
) -> tuple[C, list[CandidateResult]]:
    """Return the one of `contenders` that trials choose, and what was tried; say of each how it did, which it is, and
    for which there was no time."""

    def tell(each: CandidateResult) -> None:
        error, deviation = 100 * each.error, 100 * each.standard_error
        held = f"{error:.2f} ± {deviation:.2f} % wrong of a fifth held out, log loss {each.log_loss:.4f}"
        remarks(f"Tried {each.model}: {held}, {each.seconds:.1f} s.")

    limit = given["time_limit"]
    found, tried, left_out = choose(examples, contenders, limit, given["jobs"], tell)
    if left_out:
        remarks(f"No time for {', '.join(left_out)}: --time-limit is {limit:g} s.")
    best = min(tried, key=lambda each: each.log_loss).model if tried else found.model
    same = best == found.model
    why = "the least log loss" if same else f"its log loss is that of {best}, the least, but for chance"
    remarks(f"Chose {found.model}: {why}.")
    return found, tried


def tell_approximation(certificate: Certificate, remarks: Remarks) -> None:
    """Say so where the model is an approximation of what was asked for, and what that costs; or the best until numbers
    left their range, or Ctrl-C came."""
    if certificate.status in ("approximation", "overflow"):
        remarks(f"Warning: {certificate.advice}.")
    if certificate.status in ("exhausted", "out of time"):
        advice = certificate.advising(("time_limit",)).advice.replace("time_limit", "--time-limit")
        remarks(f"Warning: the fit did not converge ({certificate.status}){f': {advice}' if advice else ''}.")
    if certificate.status == "interrupted":
        remarks("Interrupted: what was best until then is kept.")
