"""Exim asks the server by its condition "spam": the recipe, with the real one."""

import re
import smtplib
import tempfile
from pathlib import Path

import pytest

from deciban.serve.live import LiveFilter
from deciban.serve.markup import MARKS, remove_marks, split_message
from deciban.serve.rating import GTUBE
from system.command import HAM, SPAM
from system.exim import CANNOT, running_exim
from system.serving import serving, until

RECIPE = Path(__file__).parents[2] / "deploy" / "exim"
TESTED = b"Subject: test\n\n" + GTUBE + b"\n"
pytestmark = [pytest.mark.deep, pytest.mark.programs, pytest.mark.skipif(bool(CANNOT), reason=CANNOT)]


@pytest.fixture
def at():
    """A socket that everybody reaches, as folders of tests do not let everybody in."""
    with tempfile.TemporaryDirectory(prefix="spamd-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "s"


def recipe(at, *, rejects=False):
    """The lines for the main section and for the ACL, with another address."""
    main, acl = ((RECIPE / name).read_text() for name in ("main", "acl"))
    assert "127.0.0.1 783" in main
    if rejects:
        acl = re.sub(r"(?m)^# (deny |     )", r"  \1", acl)
    return main.replace("127.0.0.1 783", str(at)), acl


def test_the_recipe_removes_all_fields_that_are_written():
    [removed] = re.findall(r"remove_header = ((?:.*\\\n)*.*)", (RECIPE / "acl").read_text())
    assert [each.strip() for each in removed.replace("\\\n", "").split(":")] == [*MARKS]


def check(delivered, sent, score=None):
    """A message was delivered with the fields of its score above the line that says it was received, and is as sent
    below; Exim shows a filter what it writes above a message itself, which changes scores by a few tenths."""
    above, below = re.split(rb"Received: from \[127\.0\.0\.1\]\n(?:\t.*\n)*", delivered, maxsplit=1)
    found = [tuple(line.decode().split(": ", 1)) for line in above.splitlines()]
    fields = {}
    if score is not None:
        given = float(dict(found)["X-Spam-Score"])
        assert given == pytest.approx(score, abs=0.5)
        fields = {"X-Spam-Score": f"{given:.1f}", "X-Spam-Bar": "+" * min(int(given), 51) or "/"}
        fields |= {"X-Spam-Flag": "YES"} if given >= 5.0 else {}
    assert sorted(found) == sorted(fields.items())
    _, own, body = split_message(sent)
    kept = re.sub(rb"(?m)^Return-Path: .*\n", b"", remove_marks(own))  # which Exim removes
    assert below == kept + body + b"\n"


def test_exim_delivers_marked_messages_and_rejects_others(trained, at):
    known = LiveFilter(str(trained))
    forged = (
        b"X-Spam-Flag: NO\nx-spam-score: -9.0\nX-Deciban-Reason: none\nSubject: X-Spam-Flag: YES\n" + HAM.read_bytes()
    )
    with serving(trained, at, "--workers", 1), running_exim(*recipe(at, rejects=True)) as mail:
        with pytest.raises(smtplib.SMTPDataError, match="This message was rejected as spam") as refused:
            mail.send(TESTED)
        assert refused.value.smtp_code == 550
        for number, sent in enumerate((SPAM.read_bytes(), forged), 1):
            mail.send(sent)
            until(lambda: len(mail.delivered()) == number)  # noqa: B023
        spam, ham = mail.delivered()
    check(spam, SPAM.read_bytes(), known.rate(SPAM.read_bytes()).score)
    check(ham, forged, known.rate(forged).score)


def test_mail_is_delivered_while_the_server_is_down(trained, at):
    with running_exim(*recipe(at)) as mail:
        mail.send(HAM.read_bytes())
        until(lambda: len(mail.delivered()) == 1)
        check(mail.delivered()[0], HAM.read_bytes())
        with serving(trained, at, "--workers", 1):
            mail.send(TESTED)
            until(lambda: len(mail.delivered()) == 2)
        check(mail.delivered()[1], TESTED, 1000.0)
