"""Whose filter a request is for, by each protocol: one user is taught, and no other notices."""

import json
import os
import signal

import jsonschema
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from deciban.mail.sql_stores import SqliteStore
from deciban.mail.users import users_beside
from deciban.serve.api import Api
from deciban.serve.http_app import HttpApp
from deciban.serve.keeping import make_keeper
from deciban.serve.keeping_users import keep_of_all
from deciban.serve.live import LiveFilter
from deciban.serve.rspamd import RspamdApp
from deciban.serve.shared import Shared
from deciban.serve.user_filters import UserFilters
from laws.mail_server import message_packets, offer, packet, packets
from stores import STORES, new_schema, postgresql
from system.serving import METRICS, ask, connected, read_all, request, serving, workers_of

TOKEN = "0123456789abcdef"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
MESSAGE = b"From: news@shop.example\r\nTo: ann@example.com\r\nSubject: offers\r\n\r\nour best offers, now\r\n"
MAIL = {"content-type": "message/rfc822"}


@pytest.fixture(scope="module")
def server():
    """The URL of a PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.fixture
def store_words(request):
    """A function that returns the options of a new store of a sort."""
    return lambda sort: [] if sort == "sqlite" else ["--store", new_schema(request.getfixturevalue("server"))]


def check(path, user=None):
    """The verdict of a server on the message for a user."""
    return ask(path, request("CHECK", MESSAGE, **({"User": user} if user else {})))


def tell(path, user, label):
    return ask(path, request("TELL", MESSAGE, User=user, Message_class=label, Set="local"))


@pytest.mark.parametrize("sort", STORES)
def test_spamd_learns_for_the_user_that_is_named_and_kill_loses_nothing(sort, own, tmp_path, store_words):
    more = ["--users", "--allow-tell", "--workers", 2, *store_words(sort)]
    users = ["ann@example.com", "bob@example.com", "nobody", None, "no name"]
    with serving(own, tmp_path / "s", *more) as process:
        [before] = {check(tmp_path / "s", user) for user in users}
        spam = "ham" if b"True" in before else "spam"
        assert b"DidSet: local" in tell(tmp_path / "s", "Ann@example.com", spam)
        for worker in workers_of(process):
            os.kill(worker, signal.SIGKILL)
        after = {user: check(tmp_path / "s", user) for user in users}
        assert {user for user in users if after[user] != before} == {"ann@example.com"}
        reply = tell(tmp_path / "s", "no name", spam)
        assert reply.startswith(b"SPAMD/1.0 69 Service Unavailable: 'no name' is no name of a user.")
    with serving(own, tmp_path / "s", *more):
        assert {user: check(tmp_path / "s", user) for user in users} == after
        reply = ask(tmp_path / "s", b"TELL SPAMC/1.5\r\nUser: ann@example.com\r\nRemove: local\r\n\r\n" + MESSAGE)
        assert b"DidRemove: local" in reply
        assert {check(tmp_path / "s", user) for user in users} == {before}


def test_without_users_whoever_is_named_teaches_the_filter_that_all_share(own, tmp_path):
    with serving(own, tmp_path / "s", "--allow-tell", "--workers", 1):
        before = check(tmp_path / "s", "ann")
        assert b"DidSet: local" in tell(tmp_path / "s", "ann", "ham" if b"True" in before else "spam")
        assert check(tmp_path / "s", "bob") != before


def reason(path, *recipients):
    """The reason that a milter gives for its verdict on the message to recipients."""
    sent = [packet(b"M", b"<news@shop.example>\0"), *(packet(b"R", each + b"\0SIZE=9\0") for each in recipients)]
    with connected(path) as client:
        client.sendall(offer() + b"".join(sent) + message_packets(MESSAGE) + packet(b"Q"))
        answers = packets(read_all(client))
    return [data for command, data in answers if command in b"ih" and b"X-Deciban-Reason" in data]


def test_a_milter_asks_the_filter_of_the_only_recipient(own, tmp_path):
    with serving(own, tmp_path / "s", "--milter", tmp_path / "m", "--users", "--allow-tell", "--workers", 1):
        places = [[b"<ann@example.com>"], [b"<Ann@example.com>", b"<bob@example.com>"], [b"<bob@example.com>"], []]
        before = [reason(tmp_path / "m", *each) for each in places]
        assert all(each == before[0] != [] for each in before)
        tell(tmp_path / "s", "ann@example.com", "ham" if b"True" in check(tmp_path / "s") else "spam")
        after = [reason(tmp_path / "m", *each) for each in places]
        assert after[0] != before[0]
        assert after[1:] == before[1:]


@pytest.fixture
def filters(own):
    known = UserFilters(LiveFilter(str(own)), SqliteStore(users_beside(own), str(own)))
    yield known
    known.close()


def test_rspamd_asks_the_filter_of_the_recipient_or_the_user(filters):
    app = RspamdApp(filters.shared, Shared(), TOKEN, True, filters)
    with TestClient(Starlette(routes=app.routes())) as client:

        def score(**headers):
            found = client.post("/checkv2", content=MESSAGE, headers=headers).json()
            return json.dumps([found["score"], found["symbols"]])

        before = score()
        path = "/learnham" if '"action": "add header"' in before or "SPAM" in before else "/learnspam"
        named = {"password": TOKEN, "Deliver-To": "ann@example.com", "User": "mailer"}
        assert client.post(path, content=MESSAGE, headers=named).status_code == 200
        assert score(**{"Deliver-To": "Ann@Example.com"}) == score(User="ann@example.com") != before
        assert {score(), score(User="bob"), score(**{"Deliver-To": "bob", "User": "ann@example.com"})} == {before}
        wrong = client.post(path, content=MESSAGE, headers={"password": TOKEN, "Deliver-To": "a b"})
        assert wrong.status_code == 503
        assert wrong.json()["error"].startswith("'a b' is no name of a user.")


def client_of(filters, users):
    app = HttpApp(Api(filters.shared), Shared(), METRICS, TOKEN, users=users).build()
    return TestClient(app, raise_server_exceptions=False)


def test_http_serves_users_and_exports_and_deletes_them(filters):
    client = client_of(filters, filters)

    def post(path, user=None, **query):
        named = {} if user is None else {"X-Deciban-User": user}
        return client.post(path, content=MESSAGE, params=query, headers={**MAIL, **SHOWN, **named})

    before = post("/v1/classify").json()
    label = "ham" if before["label"] == "spam" else "spam"
    assert post("/v1/learn", "Ann@example.com", label=label).json()["outcome"] == "learnt"
    known = post("/v1/classify", "ann@example.com").json()
    assert known != before == post("/v1/classify", "bob").json() == post("/v1/classify").json()
    assert client.post("/v1/classify?user=ann@example.com", content=MESSAGE, headers=MAIL).json() == known
    lines = client.post(
        "/v1/classify?user=ann@example.com",
        content=json.dumps(MESSAGE.decode()) + "\n",
        headers={"content-type": "application/x-ndjson"},
    )
    assert json.loads(lines.text)["decibans"] == known["decibans"]
    terms = post("/v1/explain", "ann@example.com").json()["terms"]
    assert any(each["term"].endswith("(ann@example.com)") for each in terms)

    [listed] = client.get("/v1/users", headers=SHOWN).json()["users"]
    assert listed["name"] == "ann@example.com"
    exported = client.get("/v1/users/ann@example.com", headers=SHOWN).json()
    assert [each["label"] for each in exported["lessons"]] == [label]
    assert client.delete("/v1/users/ann@example.com", headers=SHOWN).json() == {
        "user": "ann@example.com",
        "deleted": True,
    }
    assert client.get("/v1/users/ann@example.com", headers=SHOWN).status_code == 404
    gone = client.delete("/v1/users/ann@example.com", headers=SHOWN)
    assert gone.status_code == 404
    assert gone.json()["detail"] == "ann@example.com has taught nothing: there is nothing to export or to delete."
    assert post("/v1/classify", "ann@example.com").json() == before
    assert post("/v1/forget", "ann@example.com").json()["outcome"] == "not known"


def test_http_tells_what_is_wrong_with_a_user(filters):
    client = client_of(filters, filters)
    for path in ("/v1/users", "/v1/users/ann"):
        assert client.get(path).status_code == 401
    assert client.delete("/v1/users/ann").status_code == 401
    assert client.get("/v1/users/a b", headers=SHOWN).status_code == 400
    found = client.post("/v1/classify", content=MESSAGE, headers={**MAIL, "X-Deciban-User": "a/b"})
    assert found.status_code == 400
    assert found.json()["detail"].startswith("'a/b' is no name of a user.")
    alone = client_of(filters, None)
    assert alone.get("/v1/users", headers=SHOWN).status_code == 404
    found = alone.post("/v1/classify", content=MESSAGE, headers={**MAIL, "X-Deciban-User": "ann"})
    assert found.json()["detail"] == (
        "expected a server that keeps users apart for X-Deciban-User; start it with --users."
    )


def test_the_description_has_users_where_they_are_served(filters):
    about = client_of(filters, filters).get("/openapi.json").json()
    assert {"/v1/users", "/v1/users/{user}"} < about["paths"].keys()
    assert "/v1/users" not in client_of(filters, None).get("/openapi.json").json()["paths"]
    assert "DELETE /v1/users/{user}" in client_of(filters, filters).get("/").text
    client = client_of(filters, filters)
    filters.of("ann").learn(MESSAGE, "spam", "")
    for path, real in (("/v1/users", "/v1/users"), ("/v1/users/{user}", "/v1/users/ann")):
        known = about["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(client.get(real, headers=SHOWN).json(), known)


def test_what_users_teach_labels_no_message_that_is_kept_for_all(filters):
    keeper = make_keeper(filters.shared, 7.0)
    shared, users = keep_of_all(filters.shared, filters, keeper, "spamd")
    known = users.of("ann")
    known.rate(MESSAGE)
    known.learn(MESSAGE, "spam", "")
    app = HttpApp(Api(filters.shared, keeper), Shared(), METRICS, TOKEN, users=filters).build()
    client = TestClient(app, raise_server_exceptions=False)
    named = {**MAIL, **SHOWN, "X-Deciban-User": "ann"}
    assert client.post("/v1/learn?label=ham", content=MESSAGE, headers=named).json()["outcome"] == "relabelled"
    keeper.flush()
    assert [each.label for each in keeper.kept.select()] == [None]
    shared.learn(MESSAGE, "spam", "")
    keeper.close()
    assert [each.label for each in keeper.kept.select()] == ["spam"]


def test_a_store_is_of_users(own, tmp_path, run):
    done = run("serve", own, "--spamd", tmp_path / "s", "--store", "postgresql:///db")
    assert done.returncode == 64
    assert done.stderr == (
        "deciban: Expected --users with --store, which is where users are kept. Add it, or leave both out.\n"
    )


def test_a_store_that_cannot_be_reached_is_said_before_anything_is_served(own, tmp_path, run):
    pytest.importorskip("psycopg")
    words = ("serve", own, "--spamd", tmp_path / "s", "--users", "--store", f"postgresql:///db?host={tmp_path}")
    done = run(*words)
    assert done.returncode == 74
    assert done.stderr.startswith("deciban: postgresql:///db: could not be read or written: ")
