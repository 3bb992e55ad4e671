"""--model and what belongs to it: which recipes a command line asks for, and the filter that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from ..certificates.certificate import Certificate
from ..data.text_layout import MODELS, NAIVE_BAYES, NETWORK
from ..errors import UsageError
from ..mail.filter import Filter
from ..mail.reading import read_files
from ..mail.second_pass import chosen, relearnt
from ..mail.sources import STDIN, Source
from ..text.choice import FEWEST, SIMPLEST_FIRST, Tried
from ..text.corpus import Read
from ..text.model import DEFAULTS as OF_NAIVE_BAYES
from ..text.recipes import Recipe, foreign, recipe
from ..text.settings import MOST_WORDS, Kind
from . import options
from .epochs import Epochs
from .items import labelled_rows
from .output import Remarks

DISCRIMINANT = "discriminant"
_CHOICES = ["auto", *MODELS, *(each for each in (DISCRIMINANT, "mlp") if each not in MODELS)]
_ALPHA = {kind: found.bayes.alpha for kind, found in OF_NAIVE_BAYES.items()}
_CHOICE_HELP = (
    "Default: auto. Of mail that is naive-bayes, which learns on and forgets; of text the simplest of "
    f"{', '.join(SIMPLEST_FIRST)}, of typed columns of naive-bayes, discriminant, logistic, svm, whose error on a "
    f"fifth held out is within one standard error of the best (naive-bayes for less than {FEWEST} items)."
)
_OPTIONS = {"C": "-C", "alpha": "--alpha", "likelihood": "--likelihood"}


def model_options(verb: Any) -> Any:
    """--model, -C, --alpha, --likelihood, --time-limit."""
    for option in reversed(
        [
            click.option("--model", type=click.Choice(_CHOICES), default="auto", help=_CHOICE_HELP),
            click.option(
                "--time-limit",
                type=click.FloatRange(min=0),
                callback=options.finite,
                default=60.0,
                metavar="SECONDS",
                help="For trying models with --model auto. Default: 60.",
            ),
            click.option("--likelihood", type=click.Choice(["multinomial", "bernoulli"]), help="Default: multinomial."),
            click.option(
                "--alpha",
                type=click.FloatRange(min=0),
                callback=options.finite,
                metavar="A",
                help="Pseudo-count of each word; of least-squares what the penalty weighs. "
                f"Default of naive-bayes: {_ALPHA['mail']:g} for mail, {_ALPHA['text']:g} for text.",
            ),
            click.option(
                "-C",
                "C",
                type=click.FloatRange(min=0, min_open=True),
                callback=options.finite,
                metavar="C",
                help="What errors weigh against the penalty: nbsvm, logistic, svm, kernel-svm.",
            ),
        ]
    ):
        verb = option(verb)
    return verb


def recipes(kind: Kind, given: dict[str, Any]) -> list[Recipe]:
    """What to try, simplest first; one where the model is named or mail is to be learnt."""
    wanted = {name: given[option] for name, option in _GIVEN.items()}
    if wanted["readable"] is not None and wanted["hashed_bits"] is None:
        raise UsageError(
            "Expected --readable or --unreadable only with --hashed: a dictionary holds its words by name. Add "
            "--hashed BITS."
        )
    if wanted["max_features"] == "all":
        wanted["max_features"] = MOST_WORDS if given["model"] == NETWORK else None  # whose default is not all
    model = NAIVE_BAYES if given["model"] == "auto" and kind == "mail" else given["model"]
    if model == "auto":
        return [recipe(kind, each, wanted) for each in SIMPLEST_FIRST]
    if model not in MODELS:
        raise UsageError(f"Expected --model {model} for typed columns, a table with --label alone; these are texts.")
    others = foreign(model, wanted)
    if others:
        takers = [each for each in MODELS if not foreign(each, {others[0]: wanted[others[0]]})]
        raise UsageError(
            f"Expected {_OPTIONS[others[0]]} only with --model {' or '.join(takers)}; the model is {model}."
        )
    return [recipe(kind, model, wanted)]


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
    counted: Filter, again: Read, contenders: Sequence[Recipe], given: dict[str, Any], remarks: Remarks
) -> tuple[Filter, list[Tried]]:
    """The filter of the same examples, learnt by the one of `contenders`, or by the best of them; `again` reads them
    once more."""
    if len(contenders) == 1 or len(counted.ledger) < FEWEST:
        only = contenders[0]
        if only.model == NAIVE_BAYES:
            return counted, []
        with Epochs(remarks.quiet) as epochs:
            return relearnt(counted, again, only, given["jobs"], epochs), []

    found, tried = chosen(counted, again, contenders, given["time_limit"], given["jobs"], tell_tried(remarks))
    tell_chosen(found.model.name, [each.model for each in contenders[len(tried) :]], given["time_limit"], remarks)
    return found, tried


def tell_tried(remarks: Remarks) -> Callable[[Tried], None]:
    """Says of each model how it did."""

    def tell(each: Tried) -> None:
        error, deviation = 100 * each.error, 100 * each.standard_error
        remarks(f"Tried {each.model}: {error:.2f} ± {deviation:.2f} % wrong of a fifth held out, {each.seconds:.1f} s.")

    return tell


def tell_chosen(model: str, left_out: Sequence[str], limit: float, remarks: Remarks) -> None:
    """Says which model it is, and for which there was no time."""
    if left_out:
        remarks(f"No time for {', '.join(left_out)}: --time-limit is {limit:g} s.")
    remarks(f"Chose {model}: the simplest within one standard error of the best.")


def rereading(sources: Sequence[Source], settings: Any, jobs: int | None) -> Read:
    """The items of files, again and again."""
    return lambda: (items for _, items in read_files(sources, settings, jobs))


class Rows:
    """Texts and labels of a table, read once as a stream and then again; standard input is kept in memory."""

    def __init__(self, path: str, given: dict[str, Any]) -> None:
        self.path, self.given = path, given
        self.kept: list[tuple[list[str], list[str]]] | None = [] if path == STDIN else None

    def first(self) -> Iterator[tuple[list[str], list[str]]]:
        """Batches of texts and labels."""
        for batch in labelled_rows(self.path, self.given):
            if self.kept is not None:
                self.kept.append(batch)
            yield batch

    def named(self) -> Iterator[tuple[list[str], Sequence[str | bytes]]]:
        """The texts, each with its table and row."""
        first = 1
        for texts in self.again():
            yield [f"{self.path}:{row}" for row in range(first, first + len(texts))], texts
            first += len(texts)

    def again(self) -> Iterator[Sequence[str | bytes]]:
        """The texts."""
        return (texts for texts, _ in (labelled_rows(self.path, self.given) if self.kept is None else self.kept))


def tell_approximation(certificate: Certificate, remarks: Remarks) -> None:
    """Says so where the model is an approximation of what was asked for, and what that costs; or the best until numbers
    left their range, or Ctrl-C came."""
    if certificate.status in ("approximation", "overflow"):
        remarks(f"Warning: {certificate.advice}.")
    if certificate.status in ("exhausted", "out of time"):
        advice = certificate.advising(("time_limit",)).advice.replace("time_limit", "--time-limit")
        remarks(f"Warning: the fit did not converge ({certificate.status}){f': {advice}' if advice else ''}.")
    if certificate.status == "interrupted":
        remarks("Interrupted: what was best until then is kept.")
