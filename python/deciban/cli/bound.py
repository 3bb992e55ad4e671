"""deciban bound: what theory promises of an error, how many examples it asks for, how sure it is."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click

from .output import print_json

Verb = TypeVar("Verb", bound=Callable[..., Any])
_WIDTH = 100


class Bounds(click.Group):
    """A group that says which bounds there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.commands, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The bounds are {', '.join(self.commands)}."
            ctx.fail(f"Expected a bound; came {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


class _Whole(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A whole number, or inf."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).lower() in ("inf", "infinity"):
            return inf
        try:
            return int(value)
        except ValueError:
            return self.fail(f"expected a whole number, or inf; came {value!r}.", param, ctx)


def _wish(name: str, kind: Any, words: str) -> Callable[[Verb], Verb]:
    return click.option(f"--{name}", type=kind, metavar="N" if kind is int else "SHARE", help=words)


n = _wish("n", int, "The number of examples.")
delta = _wish("delta", float, "The probability that the bound fails. Default: 0.05.")
error = _wish("error", float, "What the error shall not exceed.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.group("bound", cls=Bounds, short_help="Compute a bound.", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Bound the error of a classifier: the bound, its conditions, and whether it is vacuous.

    Of error, number of examples and probability of failure, give two; the third is computed.

    \b
      deciban bound binomial --errors 3 --n 500            error, by 500 test examples
      deciban bound binomial --errors 3 --error 0.01       number of test examples that shows an error below 1 %
      deciban bound binomial --errors 3 --n 500 --error 0.01    confidence of that
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@command.command("binomial", short_help="From errors on a test set (Clopper-Pearson): exact, the one to act on.")
@click.option("--errors", type=int, required=True, metavar="N", help="Errors on the test examples.")
@n
@delta
@error
@click.option("--side", type=click.Choice(("upper", "lower", "two")), default="upper", help="Default: upper.")
@as_json
def binomial(as_json: bool, **given: Any) -> None:
    """The error of a classifier from its errors on N test examples that it has not learnt: the binomial tail,
    inverted."""
    _say("binomial", as_json, given)


@command.command("hoeffding", short_help="For one hypothesis or finitely many (Hoeffding).")
@n
@delta
@_wish("epsilon", float, "How far the errors in sample and out of sample may be apart.")
@click.option("--hypotheses", type=_Whole(), default=1, metavar="N", help="Chosen before the data. Default: 1.")
@as_json
def hoeffding(as_json: bool, **given: Any) -> None:
    """How far the errors in sample and out of sample may be apart, of one hypothesis or any of several."""
    _say("hoeffding", as_json, given)


@command.command("vc", short_help="For infinitely many, by their VC dimension.")
@click.option("--dimension", type=_Whole(), required=True, metavar="N", help="Linear in d features: d + 1.")
@n
@delta
@error
@click.option("--training-error", type=float, default=0.0, metavar="SHARE", help="Default: 0.")
@click.option("--growth", type=click.Choice(("polynomial", "sauer")), default="polynomial", help="Default: polynomial.")
@as_json
def vc(as_json: bool, **given: Any) -> None:
    """The error out of sample from the training error on N examples and the VC dimension."""
    _say("vc", as_json, given)


@command.command("growth", short_help="Growth function of a hypothesis set.")
@click.option("--n", type=int, required=True, metavar="N", help="The number of examples.")
@click.option("--dimension", type=_Whole(), required=True, metavar="N", help="The VC dimension.")
@click.option("--kind", type=click.Choice(("polynomial", "sauer")), default="sauer", help="Default: sauer.")
@as_json
def growth(as_json: bool, **given: Any) -> None:
    """The growth function: how many labellings of N examples hypotheses bring about at most."""
    _say("growth", as_json, given)


@command.command("support-vectors", short_help="Expected error, from the number of support vectors.")
@click.option("--count", type=int, required=True, metavar="N", help="Support vectors.")
@n
@error
@as_json
def support_vectors(as_json: bool, **given: Any) -> None:
    """The expected error of a machine with a hard margin from its support vectors."""
    _say("support_vectors", as_json, given)


@command.command("compression", short_help="From the few examples that determine it, such as support vectors.")
@click.option("--count", type=int, required=True, metavar="N", help="Examples that determine the classifier.")
@n
@delta
@error
@click.option("--errors", type=int, default=0, metavar="N", help="On the other examples. Default: 0.")
@as_json
def compression(as_json: bool, **given: Any) -> None:
    """The error of a classifier that some of its N examples determine, such as the support vectors of a machine."""
    _say("compression", as_json, given)


@command.command("margins", short_help="PAC-Bayes bound, from the margins on the training set.")
@click.argument("file", metavar="FILE")
@n
@delta
@error
@as_json
def margins(file: str, as_json: bool, **given: Any) -> None:
    """The error of a linear or kernel machine from the normalised margins of the examples it learnt, one a line of FILE
    (- for standard input), as deciban.theory.normalised_margins finds them."""
    _say("pac_bayes", as_json, {"margins": _numbers(file), **given})


def _numbers(path: str) -> list[float]:
    """Return margins, one a line."""
    from ..errors import DataError, escape, unreadable

    name = "standard input" if path == "-" else escape(path)
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    found = []
    for place, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        try:
            found.append(float(line))
        except ValueError:
            raise DataError(f"{name}: line {place}: expected a number; came {line.strip()[:40]!r}.") from None
        if not -1.0 <= found[-1] <= 1.0:
            raise DataError(f"{name}: line {place}: expected a margin from -1 to 1; came {found[-1]:g}.")
    if not found:
        raise DataError(f"{name}: expected margins, one a line; there are none.")
    return found


@command.command("dichotomies", short_help="Number of dichotomies by hyperplanes (Cover).")
@click.option("--n", type=int, required=True, metavar="N", help="The number of points.")
@click.option("--d", type=int, required=True, metavar="N", help="Their dimensions.")
@click.option("--no-intercept", is_flag=True, help="Hyperplanes through the origin only.")
@as_json
def dichotomies(as_json: bool, no_intercept: bool, **given: Any) -> None:
    """How many labellings of N points in d dimensions a hyperplane brings about."""
    _say("dichotomies", as_json, {**given, "fit_intercept": not no_intercept})


def _say(name: str, as_json: bool, given: dict[str, Any]) -> None:
    """What the function of that name answers."""
    function = getattr(import_module("..theory", __package__), name)
    try:
        found = function(**given)
    except ValueError as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    if as_json:
        print_json(found.to_json())
        return
    for line in str(found).splitlines():
        wrapped = textwrap.fill(line, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        sys.stdout.write(wrapped + "\n")
