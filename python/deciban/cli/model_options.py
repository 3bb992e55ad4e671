"""--model and what belongs to it, as options: no model is loaded before it is known which."""

from __future__ import annotations

from typing import Any

import click

from ..data.text_layout import MODELS
from ..text.model_defaults import ALPHA, FEWEST, MOST_OF_NBSVM, QUICKEST_FIRST
from . import options

DISCRIMINANT = "discriminant"
CHOICES = ["auto", *MODELS, *(each for each in (DISCRIMINANT, "mlp") if each not in MODELS)]
_CHOICE_HELP = (
    "Type of model. Default: auto. For mail, auto is online. For text it compares "
    f"{', '.join(QUICKEST_FIRST)} (of at most {MOST_OF_NBSVM} classes), for typed columns naive-bayes, discriminant, "
    "logistic, svm, and takes the one whose log loss on a held-out fifth is least, but for chance (naive-bayes below "
    f"{FEWEST} items)."
)


def model_options(verb: Any) -> Any:
    """Return --model, -C, --alpha, --likelihood, --time-limit."""
    for option in reversed(
        [
            click.option("--model", type=click.Choice(CHOICES), default="auto", help=_CHOICE_HELP),
            click.option(
                "--time-limit",
                type=click.FloatRange(min=0),
                callback=options.finite,
                default=60.0,
                metavar="SECONDS",
                help="Time to try models with --model auto. Default: 60.",
            ),
            click.option(
                "--likelihood",
                type=click.Choice(["multinomial", "bernoulli"]),
                help="Event model of naive Bayes. Default: multinomial.",
            ),
            click.option(
                "--alpha",
                type=click.FloatRange(min=0),
                callback=options.finite,
                metavar="A",
                help="Smoothing of naive-bayes, a pseudo-count of each word; penalty of least-squares. "
                f"Default of naive-bayes: {ALPHA['mail']:g} for mail, {ALPHA['text']:g} for text.",
            ),
            click.option(
                "-C",
                "C",
                type=click.FloatRange(min=0, min_open=True),
                callback=options.finite,
                metavar="C",
                help="Inverse regularisation strength of nbsvm, logistic, svm, kernel-svm.",
            ),
        ]
    ):
        verb = option(verb)
    return verb
