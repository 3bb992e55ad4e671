"""Postfix asks spamass-milter, which asks the server by spamc: the recipe, with the real ones."""

import os
import re
import shlex
import shutil
import smtplib
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from deciban.serve.markup import remove_marks, split_message
from deciban.serve.rating import GTUBE
from system.command import HAM, SPAM
from system.postfix import CANNOT, running_postfix
from system.serving import serving, until

RECIPE = Path(__file__).parents[2] / "deploy" / "spamass-milter" / "spamass-milter"
MILTER = shutil.which("spamass-milter", path=os.environ.get("PATH", "") + ":/usr/sbin")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.programs,
    pytest.mark.skipif(bool(CANNOT), reason=CANNOT),
    pytest.mark.skipif(MILTER is None, reason="spamass-milter is not installed"),
]
TESTED = b"Subject: test\n\n" + GTUBE + b"\n"


@contextmanager
def spamass_milter(path, at, *more):
    """The milter with the options of the recipe, at a socket that the mail server reaches."""
    [options] = re.findall(r'(?m)^OPTIONS="(.*)"$', RECIPE.read_text())
    words = shlex.split(options)
    assert words[-1] == "/run/deciban/spamd"
    command = [MILTER, "-p", str(path), *more, *words[:-1], str(at)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            until(path.exists, process)
            path.chmod(0o666)
            yield
        finally:
            process.terminate()
            process.wait(20)


def fields_of(delivered):
    """The fields of a filter in a message as it was delivered, unfolded, and the message without them and without what
    its server wrote above it."""
    _, header, body = split_message(delivered.partition(b"\n")[2])
    found = re.findall(rb"(?m)^(X-Spam-[^:]*|X-Deciban-[^:]*): (.*(?:\n[ \t].*)*)\n", header)
    own = re.sub(rb"(?m)^Received: from .*127\.0\.0\.1\]\)\n(?:\t.*\n)*", b"", header, count=1)
    return {name.decode(): " ".join(value.decode().split()) for name, value in found}, without(own) + body


def kept(sent):
    """What of a message is to be delivered."""
    _, header, body = split_message(sent)
    return without(header) + body + b"\n"


def without(header):
    """A header without the fields of filters, and without those that Postfix writes when it delivers."""
    return re.sub(rb"(?m)^(Return-Path|X-Original-To|Delivered-To): .*\n", b"", remove_marks(header))


def test_postfix_delivers_marked_messages_and_rejects_others(trained, tmp_path):
    at = tmp_path / "s"
    forged = b"X-Spam-Flag: YES\nX-Spam-Status: Yes, score=99.0\nX-Spam-Level: *****\n" + HAM.read_bytes()
    with running_postfix() as mail, spamass_milter(mail.milter, at, "-r", "900"):
        with serving(trained, at, "--workers", 1):
            with pytest.raises(smtplib.SMTPDataError) as refused:
                mail.send(TESTED)
            assert refused.value.smtp_code // 100 == 5
            for number, sent in enumerate((SPAM.read_bytes(), forged), 1):
                mail.send(sent)
                until(lambda: len(mail.delivered()) == number)  # noqa: B023
        mail.send(forged)  # the server is gone: the mail is not
        until(lambda: len(mail.delivered()) == 3)
        spam, ham, unmarked = map(fields_of, mail.delivered())
    assert [each[1] for each in (spam, ham, unmarked)] == [kept(SPAM.read_bytes()), kept(forged), kept(forged)]
    assert {*spam[0]} == {"X-Spam-Flag", "X-Spam-Status", "X-Spam-Level", "X-Spam-Checker-Version"}
    assert spam[0]["X-Spam-Flag"] == "YES"
    assert re.match(r"Yes, score=\d+\.\d required=5\.0 tests=BAYES_\d\d,DECIBAN_SPAM ", spam[0]["X-Spam-Status"])
    assert {*ham[0]} == {"X-Spam-Status", "X-Spam-Checker-Version"}
    assert ham[0]["X-Spam-Status"].startswith("No, score=")
    assert unmarked[0] == {}
