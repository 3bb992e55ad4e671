"""A server that keeps messages: those of every protocol, with what it said of them, and the labels that they get."""

import asyncio
import stat

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from deciban.serve.api import Api
from deciban.serve.http_app import HttpApp
from deciban.serve.keeping import KeepingFilter, make_keeper
from deciban.serve.kept import KeptMessages, Query
from deciban.serve.live import LiveFilter
from deciban.serve.milter import Mail, Options
from deciban.serve.milter_answers import Policy, answer
from deciban.serve.rspamd import RspamdApp
from deciban.serve.shared import Shared
from deciban.serve.spamd import Request
from deciban.serve.spamd import answer as answer_spamd
from system.command import HAM, KOREAN, SPAM, run
from system.serving import METRICS, ask, request, serving, until

TOKEN = "0123456789abcdef"


@pytest.fixture
def known(own):
    """A filter that may be taught."""
    return LiveFilter(str(own))


@pytest.fixture
def keeper(known):
    made = make_keeper(known, 7.0)
    made.count = METRICS.count_kept
    yield made
    made.close()


def by_spamd(known, keeper, message):
    answer_spamd(Request("CHECK", (1, 5), {}, message), KeepingFilter(known, keeper, "spamd"), allow_tell=False)


def by_milter(known, keeper, message):
    answer(Mail(message, (), Options(6, 0x31, 0)), KeepingFilter(known, keeper, "milter"), Policy())


def by_rspamd(known, keeper, message):
    routes = RspamdApp(KeepingFilter(known, keeper, "rspamd"), Shared()).routes()
    assert TestClient(Starlette(routes=routes)).post("/checkv2", content=message).status_code == 200


def client_of(known, keeper):
    return TestClient(HttpApp(Api(known, keeper), Shared(), METRICS, TOKEN).build())


def by_http(known, keeper, message):
    assert client_of(known, keeper).post("/v1/classify", content=message).status_code == 200


PROTOCOLS = {"spamd": by_spamd, "milter": by_milter, "rspamd": by_rspamd, "http": by_http}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_classified_is_kept_with_what_was_said(known, keeper, protocol):
    for path in (SPAM, HAM, KOREAN):
        PROTOCOLS[protocol](known, keeper, path.read_bytes())
    keeper.close()
    found = keeper.kept.select()
    assert [each.protocol for each in found] == [protocol] * 3
    for each, path in zip(found, (KOREAN, HAM, SPAM), strict=True):
        message = path.read_bytes()
        rating = known.rate(message)
        assert (each.score, each.decibans, each.is_spam) == (rating.score, rating.verdict.decibans, rating.is_spam)
        assert keeper.kept.content(each.id) == message
        assert each.digest == known.snapshot.served.reader.digest(message)
    assert [each.is_spam for each in found] == [False, False, True]
    assert found[0].subject.startswith("[노루걸음택배]")


def test_labels_are_noted_whoever_gives_them(known, keeper):
    client, shown = client_of(known, keeper), {"Authorization": f"Bearer {TOKEN}"}
    for path in (SPAM, HAM, KOREAN):
        client.post("/v1/classify", content=path.read_bytes())
    client.post("/v1/learn?label=spam", content=KOREAN.read_bytes(), headers=shown)
    tell = {"message-class": "ham", "set": "local"}
    answer_spamd(
        Request("TELL", (1, 5), tell, HAM.read_bytes()), KeepingFilter(known, keeper, "spamd"), allow_tell=True
    )
    keeper.flush()
    assert [each.label for each in keeper.kept.select()] == ["spam", "ham", None]
    client.post("/v1/forget", content=KOREAN.read_bytes(), headers=shown)
    forget = {"remove": "local"}
    answer_spamd(
        Request("TELL", (1, 5), forget, HAM.read_bytes()), KeepingFilter(known, keeper, "spamd"), allow_tell=True
    )
    keeper.close()
    assert [each.label for each in keeper.kept.select()] == [None, None, None]
    assert b'deciban_kept_messages_total{outcome="kept"}' in METRICS.expose()


def test_a_server_keeps_only_if_it_is_asked_to(own, tmp_path):
    message, kept = SPAM.read_bytes(), KeptMessages(str(own))
    with serving(own, tmp_path / "s", "--workers", "2"):
        ask(tmp_path / "s", request("CHECK", message))
    assert not (tmp_path / kept.where).exists()
    with serving(own, tmp_path / "s", "--workers", "2", "--keep", "7") as process:
        ask(tmp_path / "s", request("CHECK", message))
        until(lambda: kept.count() == 1)
        assert stat.S_IMODE((tmp_path / kept.where).stat().st_mode) == 0o600
        for path in (HAM, KOREAN):
            ask(tmp_path / "s", request("CHECK", path.read_bytes()))
    assert [each.is_spam for each in kept.select(Query())] == [False, False, True], "what waited is written at the end"
    assert kept.select()[0].subject not in process.said


def test_what_has_no_ratings_keeps_nothing(tmp_path):
    (tmp_path / "people.csv").write_text("age,buys\n25,no\n52,yes\n38,no\n61,yes\n29,no\n57,yes\n")
    run("train", tmp_path / "people.csv", "--label", "buys", "-o", tmp_path / "p.deciban")
    done = run("serve", tmp_path / "p.deciban", "--keep", "3")
    assert (done.returncode, done.stdout) == (64, b"")
    assert b"p.deciban: --keep needs a filter of mail, of two classes." in done.stderr


def test_an_answer_does_not_wait_for_what_is_kept(known, keeper, monkeypatch):
    """Nor for the disk: what writes stands still, and all messages are answered."""
    lasts = asyncio.Event()
    monkeypatch.setattr(type(keeper.kept), "add", lambda self, arrivals: until(lasts.is_set))
    for _ in range(20):
        by_spamd(known, keeper, HAM.read_bytes())
    assert keeper._waiting == 20
    lasts.set()
