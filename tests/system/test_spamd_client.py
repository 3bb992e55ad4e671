"""Another client of the protocol, written in Python by others, understands every answer, compressed requests too."""

import asyncio

import pytest

from deciban.serve.live import LiveFilter
from deciban.serve.markup import mark_message
from deciban.serve.reasons import summarise
from system.command import HAM, KOREAN, SPAM
from system.serving import serving

aiospamc = pytest.importorskip("aiospamc")


@pytest.mark.programs
@pytest.mark.parametrize("compress", [False, True])
def test_every_command_is_understood(own, tmp_path, compress):
    path, at = own, tmp_path / "s"
    known, message = LiveFilter(str(path)), SPAM.read_bytes()
    rating, why = known.explain(message)
    more = {"socket_path": at, "user": "ann", "compress": compress}

    async def ask():
        assert (await aiospamc.ping(socket_path=at)).message == "PONG"
        for each in (SPAM, HAM, KOREAN):
            found = await aiospamc.check(each.read_bytes(), **more)
            spam, wanted = found.headers.spam, known.rate(each.read_bytes())
            assert (spam.value, spam.score, spam.threshold) == (wanted.is_spam, wanted.score, 5.0)
        assert (await aiospamc.symbols(message, **more)).body == ",".join(rating.tests).encode()
        assert (await aiospamc.report(message, **more)).body.startswith(b"deciban rates this message spam")
        assert (await aiospamc.report_if_spam(HAM.read_bytes(), **more)).body == b""
        assert (await aiospamc.process(message, **more)).body == mark_message(message, rating, summarise(why, "spam"))
        told = await aiospamc.tell(KOREAN.read_bytes(), "spam", set_action="local", **more)
        assert told.headers["DidSet"].action.local
        told = await aiospamc.tell(KOREAN.read_bytes(), "spam", remove_action="local", **more)
        assert told.headers["DidRemove"].action.local

    with serving(path, at, "--workers", 1, "--allow-tell"):
        asyncio.run(ask())
