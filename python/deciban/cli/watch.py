"""deciban watch: an account of a mail server that is somebody else's is kept clean, over IMAP."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, UsageError, escape
from . import options
from .output import Remarks

if TYPE_CHECKING:
    from ..serve.live import LiveFilter
    from ..watch.address import ImapAddress
    from ..watch.credentials import Credentials
    from ..watch.state import WatchState
    from ..watch.watcher import Account, Watcher, WatchPolicy

SUFFIX = ".watch"
_POLL = 60.0


@click.command("watch", short_help="Watch a mail account over IMAP.")
@click.argument("url", metavar="imaps://USER@HOST")
@options.filter_file
@click.option(
    "--inbox",
    multiple=True,
    default=["INBOX"],
    metavar="FOLDER",
    help="Folder where mail arrives; repeatable. Default: INBOX.",
)
@click.option(
    "--junk",
    metavar="FOLDER",
    help="Folder of spam. Default: the one that the server marks as \\Junk, else Junk or Spam.",
)
@click.option(
    "--action",
    type=click.Choice(["move", "flag", "none"]),
    default="move",
    help="Move spam to Junk, set the flags $Junk and $NotJunk, or only report it. Default: move.",
)
@options.at_threshold
@click.option(
    "--learn/--no-learn", default=True, help="Learn from messages that you move to Junk or out of it. Default: --learn."
)
@click.option("-n", "--dry-run", is_flag=True, help="Report what would be done; change nothing, here or on the server.")
@click.option("--once", is_flag=True, help="Go through the messages that are there, and end.")
@click.option(
    "--poll",
    type=click.FloatRange(1, 1500),
    default=_POLL,
    callback=options.finite,
    metavar="SECONDS",
    help="Time between two looks at folders of which the server sends no news. Default: 60.",
)
@click.option("--password-command", metavar="COMMAND", help="Command that prints the password.")
@click.option("--oauth2-command", metavar="COMMAND", help="Command that prints an OAuth 2.0 access token.")
@click.option("--insecure", is_flag=True, help="Allow imap:// without TLS to another machine.")
@click.option("--state", metavar="FILE", help="File of what was done so far. Default: FILTER.watch.")
@options.quiet
def command(url: str, filter_file: str, quiet: bool, **given: Any) -> None:
    """Classify what arrives in a mail account, and move spam to Junk, until Ctrl-C or SIGTERM ends it.

    \b
      deciban watch imaps://ann@imap.example.org ann.deciban --dry-run --once
      deciban watch imaps://ann@imap.example.org ann.deciban

    If there is no FILTER yet, it is trained on your folders first: Junk is spam, the Inbox is ham. Correct it by moving
    messages: what you move to Junk is learnt as spam, what you move from there to the Inbox as ham. No message is ever
    deleted, or marked as read. The password comes from --password-command, the environment variable
    DECIBAN_IMAP_PASSWORD, a keyring, or you type it.
    """
    from ..watch.address import parse_address
    from ..watch.credentials import Credentials

    address = parse_address(url, given["insecure"])
    _require_library()
    if given["password_command"] and given["oauth2_command"]:
        raise UsageError("Expected one of --password-command and --oauth2-command; both came.")
    credentials = Credentials(address, given["password_command"], given["oauth2_command"], _type_password)
    credentials.secret()  # before anything else: whoever types it should not wait
    remarks = Remarks(quiet)
    with ExitStack() as stack:
        try:
            _watch(address, credentials, filter_file, given, remarks, stack)
        except KeyboardInterrupt:
            remarks("Ended.")


def _watch(
    address: ImapAddress, credentials: Credentials, path: str, given: dict[str, Any], remarks: Remarks, stack: ExitStack
) -> None:
    """Watch the account, by what the options say."""
    from ..watch.account import ImapAccount
    from ..watch.state import WatchState
    from ..watch.watcher import WatchPolicy
    from ..watch.watching import watch

    policy = WatchPolicy(given["action"], given["learn"], given["dry_run"])
    threshold = options.decibans_at(given["threshold"])
    is_new = not os.path.lexists(path)
    live = [] if is_new else [_open(path, given["positive"], threshold, policy)]
    if is_new and policy.dry_run:
        path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "dry-run.deciban")
    state = WatchState(given["state"] or path + SUFFIX, str(address), keep=not policy.dry_run)
    stack.enter_context(closing(state))

    def begin(account: Account) -> Watcher:
        if not live:
            _train(account, path, state, remarks, kept=not policy.dry_run)
            live.append(_open(path, given["positive"], threshold, policy))
        where = ", ".join(map(escape, account.inboxes))
        remarks(f"Watching {where} of {address}; junk is {escape(account.junk)}.")
        return _rules(live[0], state, policy, remarks)

    def connected() -> ImapAccount:
        return ImapAccount.open(address, credentials.secret(), given["inbox"], given["junk"])

    watch(connected, begin, lambda: live[0], seconds=None if given["once"] else given["poll"], say=remarks)


def _open(path: str, positive: str | None, threshold: float, policy: WatchPolicy) -> LiveFilter:
    from ..serve.live import LiveFilter

    known = LiveFilter(path, positive, threshold)
    if policy.learns and not known.can_learn:
        raise DataError(
            f"{escape(path)}: expected a filter that learns one message at a time. Train it with the default model of "
            "mail, or add --no-learn."
        )
    return known


def _rules(known: LiveFilter, state: WatchState, policy: WatchPolicy, say: Callable[[str], object]) -> Watcher:
    from ..watch.watcher import Watcher

    return Watcher(known, known.snapshot.served.settings.reader().digest, state, policy, say)


def _train(account: Account, path: str, state: WatchState, remarks: Remarks, kept: bool) -> None:
    from ..report.progress import Meter
    from ..watch.first_training import train_from_account

    remarks(f"Training on {', '.join(map(escape, account.inboxes))} (ham) and {escape(account.junk)} (spam).")
    with Meter("Reading", None, remarks.quiet) as meter:
        ham, spam = train_from_account(account, path, state, meter)
    where = f"wrote {escape(path)}" if kept else "kept nothing of it, as this is a dry run"
    remarks(f"Learnt {ham + spam:,} messages (ham: {ham:,}, spam: {spam:,}); {where}.")


def _type_password(prompt: str) -> str | None:
    """Return what the user types; None where there is no terminal."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    typed: str = click.prompt(prompt, hide_input=True, err=True)
    return typed


def _require_library() -> None:
    try:
        import imapclient  # noqa: F401
    except ImportError:
        raise UsageError(
            "Expected the package imapclient; it is not installed. Run: pip install 'deciban[watch]'."
        ) from None
