"""deciban review: the messages that are worth a look, most useful first, and what they are."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import click

from ..conventions import percent
from ..errors import DataError, NoInputError, UsageError, escape
from ..json_text import json_line
from ..mail.ledger import Ledger
from ..mail.outcomes import refuse_minimised
from ..mail.taught import read_solved, serve_solved
from ..report.progress import format_count
from . import options
from .output import Remarks
from .review_items import Candidate, Reviewed, find_candidates
from .text_tables import tables_of

_LISTED = 3  # reasons
_LONGEST = 100  # characters of a header


@click.command("review", short_help="Review uncertain messages.")
@options.filter_file
@click.argument("messages", nargs=-1, metavar="[[LABEL=]PATH|-]...")
@click.option("--answers", metavar="FILE", help="JSON lines with the digest and the answer, a label, of messages.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Ask about N groups at most.")
@options.tables
@options.jobs
@options.as_json
@options.quiet
def command(
    filter_file: str,
    messages: tuple[str, ...],
    answers: str | None,
    limit: int | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Go through the messages that are worth a look, the most useful first, and learn what they are.

    \b
    deciban review filter.deciban Inbox/ Archive.mbox          whose verdict is unsure
    deciban review filter.deciban spam=Junk/ ham=Inbox.mbox    whose label is probably wrong
    deciban review model.deciban reviews.csv                   whose label is probably wrong, if it has the column
    deciban review filter.deciban Inbox/ --json > asked.jsonl
    deciban review filter.deciban Inbox/ --answers answered.jsonl

    In a terminal each message is shown with its verdict and the first reasons: y if it is what is suggested, n if it is
    the other class, s to skip, q to quit. An answer is learnt at once, for its near-duplicates too, as `deciban learn`
    does. Elsewhere, or with --json, there is one JSON object a line and a message: digest, path, verdict, score,
    reasons and group, the same for near-duplicates. --answers takes such lines back with {"answer": LABEL}.
    """
    remarks = Remarks(quiet)
    stored = read_solved(filter_file)
    asks = not as_json and answers is None and sys.stdin.isatty() and sys.stdout.isatty() and "-" not in messages
    if asks or answers is not None:
        refuse_minimised(stored.header["model"])
    served = serve_solved(stored, filter_file, jobs)
    if len(served.classes) != 2 and asks:
        raise UsageError(
            f"Expected a filter of two classes to answer y or n; this one has {len(served.classes)}. Use --json, and "
            "--answers with labels."
        )
    told = None if answers is None else _read_answers(answers, [str(c) for c in served.classes])
    tables = tables_of(stored.header, given, messages)
    found = find_candidates(served, Ledger.from_stored(stored), messages, jobs, remarks, tables)
    found.groups = found.groups[:limit]
    if told is not None:
        _take(filter_file, found, told, remarks)
    elif asks:
        _ask_all(filter_file, found)
    else:
        sys.stdout.writelines(json_line(each) + "\n" for each in found.to_json())


# --- answers in a file -------------------------------------------------------------------------------------


def _read_answers(path: str, classes: Sequence[str]) -> dict[str, str]:
    """Return the label of each digest that has an answer."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (FileNotFoundError, IsADirectoryError):
        raise NoInputError(f"{escape(path)}: expected a file of answers; there is none.") from None
    except UnicodeDecodeError:
        raise DataError(f"{escape(path)}: expected answers in UTF-8; this is none.") from None
    answers = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            digest, answer = _parse(line, f"{escape(path)}:{number}", classes)
            if answer is not None:
                answers[digest] = answer
    return answers


def _parse(line: str, where: str, classes: Sequence[str]) -> tuple[str, str | None]:
    try:
        each = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError(f"{where}: expected a JSON object; came {escape(line[:40])!r}. Mend the line.") from None
    digest, answer = (each.get("digest"), each.get("answer")) if isinstance(each, dict) else (None, None)
    if type(digest) is not str:
        raise DataError(f"{where}: expected an object with the digest of a message. Copy it from --json.")
    if answer not in (None, "skip", *classes):
        listed = ", ".join(map(escape, classes))
        raise DataError(f"{where}: expected as answer {listed}, skip or null; came {escape(str(answer))}.")
    return digest, None if answer in (None, "skip") and answer not in classes else str(answer)


def _take(filter_file: str, found: Reviewed, answers: dict[str, str], remarks: Remarks) -> None:
    """Learn what was answered about any of the messages."""
    places = {digest: place for place, digest in enumerate(found.digests)}
    for label in sorted({*answers.values()}):
        chosen = [places[digest] for digest, answer in answers.items() if answer == label and digest in places]
        if chosen:
            _learn(filter_file, found, chosen, label)
            remarks(f"Learnt {format_count(len(chosen), 'message')} as {escape(label)}.")
    missing = len(answers.keys() - places.keys())
    if missing:
        remarks(f"{format_count(missing, 'answer')} left out: the message is not among those given.")


def _learn(filter_file: str, found: Reviewed, places: Sequence[int], label: str) -> None:
    """Learn messages under a label, as `deciban learn` does."""
    from .learn import command as learn

    end = ".eml" if found.served.settings.kind == "mail" else ".txt"
    with TemporaryDirectory(prefix="deciban-review-") as folder:
        paths = [os.path.join(folder, f"{place}{end}") for place in places]
        for path, place in zip(paths, places, strict=True):
            item = found.spool[place][1]
            with open(path, "wb") as file:
                file.write(item if isinstance(item, bytes) else item.encode("utf-8", "surrogatepass"))
        assert learn.callback is not None
        given: dict[str, Any] = {"text": None, "column": None, "table_format": None, "encoding": None}
        given |= {"auto": False, "at_least": None, "force": False, "as_json": False, "quiet": True}
        learn.callback(filter_file=filter_file, files=tuple(paths), label=label, **given)


# --- answers at the terminal -------------------------------------------------------------------------------


def _ask_all(filter_file: str, found: Reviewed) -> None:
    learnt: Counter[str] = Counter()
    try:
        for number, group in enumerate(found.groups, 1):
            for line in _lines(found, group, number):
                click.echo(line)
            answer = _ask(group[0], [str(c) for c in found.served.classes])
            if answer is None:
                break
            if answer:
                _learn(filter_file, found, [each.place for each in group], answer)
                learnt[answer] += len(group)
    except KeyboardInterrupt as interruption:
        interruption.add_note(_tell_learnt(learnt))
        raise
    click.echo("Nothing to review." if not found.groups else f"{_tell_learnt(learnt)}.")


def _tell_learnt(learnt: Counter[str]) -> str:
    told = ", ".join(f"{format_count(n, 'message')} as {escape(label)}" for label, n in learnt.items())
    return f"learnt {told}" if told else "nothing was learnt"


def _ask(each: Candidate, classes: list[str]) -> str | None:
    """Return the label that is typed; nothing to skip, None to end."""
    click.echo(f"{escape(each.suggested)}? y/n/s/q ", nl=False)
    while True:
        try:
            key = click.getchar()[:1].lower()
        except EOFError:
            key = "q"
        if key in ("y", "n", "s", "q"):
            break
    click.echo(key)
    if key == "y":
        return each.suggested
    if key == "n":
        return next(label for label in classes if label != each.suggested)
    return "" if key == "s" else None


def _lines(found: Reviewed, group: Sequence[Candidate], number: int) -> Iterator[str]:
    """Yield what is shown of a group: who wrote its first message, about what, its verdict and the first reasons."""
    first = group[0]
    path, item = found.spool[first.place]
    why, verdict = found.served.explain(item), first.verdict
    more = f", and {format_count(len(group) - 1, 'near-duplicate')}" if len(group) > 1 else ""
    yield ""
    yield f"{number} of {len(found.groups)}   {escape(path)}{more}"
    for line in why.text.splitlines()[:50]:
        if line.lower().startswith(("from:", "subject:")) or found.served.settings.kind == "text":
            yield f"  {escape(line[:_LONGEST])}"
        if found.served.settings.kind == "text":
            break
    p = percent(verdict.probability[verdict.label])
    yield f"  {escape(str(verdict.label))} {p}, {verdict.decibans:.1f} dB; {escape(first.why)}"
    told: list[Any] = [*why.terms[:_LISTED]]
    if told:
        yield "  " + ", ".join(f"{escape(str(term.term))} {term.decibans:+.1f}" for term in told)
