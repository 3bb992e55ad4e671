"""The page of a server in Korean: no view of it, no error and no empty list, speaks English."""

import re
import shutil

import pytest

from deciban.cli import status
from deciban.drift import Drift
from deciban.errors import DataError, NoInputError, StorageError, UsageError
from deciban.mail.canaries import CanaryError
from deciban.mail.health import TEXTS, Finding
from deciban.mail.snapshots import take_snapshot
from deciban.serve import http_app
from deciban.serve.page import filter_pages, message_pages
from system.command import TRAIN
from system.pages import Page
from system.test_serve_page import VIEWS, client_of, csrf_of, sign_in

SENTENCE = re.compile("[A-Za-z]{2,} [A-Za-z]{2,}")
"""Words one after the other are English; one alone is a name, a unit, or a word of a message."""
TYPED = re.compile(r"deciban [a-z]+( \(백업 파일\))?( (\S*f\.deciban|first|7|--force|--as \w+))*|chmod go-w \S+")
SPOKEN = {"aria-label", "title", "placeholder", "alt", "value", "data-cost", "data-at", "data-unreachable"}
MESSAGES = [
    f"Subject: 모임 안내 {k}\nFrom: 김하늘 <a@b>\n\n이번 주 모임은 {day}요일 저녁입니다. 회비는 {k}원입니다.\n".encode()
    for k, day in enumerate("월화수목금")
]


def english_of(response, language="ko"):
    """What is English on a page of a language, but for what is typed, and for errors that are shut away in full."""
    page = Page(response.text.removeprefix("<!doctype html>"))
    texts = [text for own, text in page.spoken if own == language]
    texts += [value for name, value in page.attributes if name in SPOKEN and value]
    return [text for text in texts if SENTENCE.search(TYPED.sub("", text))]


def assert_korean(response, expected=200):
    assert response.status_code == expected, response.text
    assert '<html lang="ko">' in response.text
    assert english_of(response) == []
    shown = re.sub(r'<details class="original">.*?</details>', "", response.text, flags=re.DOTALL)
    assert re.sub('<a href="/language[^>]*>', "", shown).count('lang="en"') == 0
    return response


@pytest.fixture
def visit(own):
    client, known, keeper = client_of(own, language="ko")
    for message in MESSAGES:
        client.post("/v1/classify", content=message)
    client.post("/v1/classify", content=MESSAGES[0] * 40_000)
    keeper.flush()
    sign_in(client)
    yield client, known, keeper
    keeper.close()


def test_english_would_be_found(visit):
    client, *_ = visit
    for path in ("/", "/model", "/nothing"):
        assert english_of(client.get(path, headers={"Accept-Language": "en"}), "en")


@pytest.mark.parametrize("path", [*VIEWS, "/messages/6", "/review?changed=3&label=ham", "/messages/1?said=learnt"])
def test_views_are_korean(visit, path):
    client, *_ = visit
    assert_korean(client.get(path))


@pytest.mark.parametrize("path", VIEWS)
@pytest.mark.parametrize("days", [7.0, None])
def test_views_without_messages_are_korean(own, path, days):
    client, *_ = client_of(own, days=days, language="ko")
    sign_in(client)
    assert_korean(client.get(path), 404 if path.startswith("/messages") else 200)


@pytest.mark.parametrize("model", ["naive-bayes", "nbsvm", "logistic", "svm", "perceptron", "mlp"])
def test_the_card_of_every_model_is_korean(model, run, tmp_path):
    few = tmp_path / "few"
    for label in ("spam", "ham"):
        (few / label).mkdir(parents=True)
        for path in sorted((TRAIN / label).iterdir())[:25]:
            shutil.copy(path, few / label)
    path = tmp_path / "f.deciban"
    assert status(["train", f"spam={few}/spam", f"ham={few}/ham", "--model", model, "-q", "-o", str(path)]) == 0
    client, _, keeper = client_of(path, language="ko")
    client.post("/v1/classify", content=MESSAGES[0])
    keeper.flush()
    sign_in(client)
    for view in ("/model", "/messages/1", "/trends"):
        assert_korean(client.get(view))
    keeper.close()


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_to_be_done_is_korean(visit, kind, monkeypatch):
    client, *_ = visit
    values = dict.fromkeys(("n", "days", "slope", "errors", "paths"), "7")
    values |= {"path": "f.deciban", "words": "f.deciban", "snapshot": "first", "label": "ham", "labels": "ham, spam"}
    if "{error}" in TEXTS[kind][0]:
        values["error"] = "f.deciban: expected a file that is whole. Restore it."
    found = filter_pages.examine(visit[1].path)
    found.findings[:] = [Finding(kind, values)]
    object.__setattr__(found, "drift", Drift(0.5, 0.0))
    monkeypatch.setattr(filter_pages, "examine", lambda path: found)
    response = assert_korean(client.get("/trends"))
    assert response.text.count("<li>") - response.text.count("<li><a") == 1
    assert ("expected a file" in response.text) == ("error" in values)
    assert "ham, spam" not in response.text


def test_what_was_done_is_told_in_korean(visit):
    client, known, keeper = visit
    csrf, number = csrf_of(client), keeper.kept.select()[1].id
    for view in ("row", "message"):
        for label in ("spam", "ham", "ham", ""):
            headers = {"X-Requested-With": "deciban"}
            data = {"csrf": csrf, "label": label, "view": view}
            response = client.post(f"/messages/{number}/label", data=data, headers=headers)
            assert re.search(r"<template data-said>[^<]*[가-힣][^<]*다\.</template>", response.text)
            assert not SENTENCE.search(re.sub("<[^>]*>", " ", response.text).replace("deciban", ""))
    assert_korean(client.post(f"/messages/{number}/label", data={"csrf": csrf, "label": "spam"}))
    assert_korean(client.get("/trends"))
    assert_korean(client.post("/snapshots", data={"csrf": csrf}))
    name = take_snapshot(known.path, "first").name
    assert_korean(client.get(f"/snapshots/{name}"))
    assert_korean(client.post(f"/snapshots/{name}", data={"csrf": csrf}))


def test_signing_in_is_korean(own):
    client, *_ = client_of(own, language="ko")
    assert_korean(client.get("/login"))
    assert_korean(client.post("/login", data={"token": "wrong"}), 403)
    assert_korean(client.get("/nothing/here"), 404)
    sign_in(client)
    assert_korean(client.post("/snapshots", data={"csrf": "wrong"}), 403)


def test_requests_that_are_wrong_are_told_so_in_korean(visit, monkeypatch):
    client, *_ = visit
    csrf = csrf_of(client)
    for path, code in (("/nothing", 404), ("/static/none", 404), ("/messages/999", 404), ("/snapshots/none", 404)):
        assert_korean(client.get(path), code)
    assert_korean(client.get("/logout"), 405)
    assert_korean(client.post("/messages/1/label", data={"csrf": csrf, "label": "junk"}), 400)
    assert_korean(client.post("/snapshots", data={"csrf": csrf, "more": "x" * 20_000}), 413)
    too_long = client.post("/messages/6/label", data={"csrf": csrf, "label": "spam"})
    assert "올바르지 않습니다" in assert_korean(too_long, 422).text
    monkeypatch.setattr(http_app, "_MOST_AT_ONCE", 0)
    busy = assert_korean(client.get("/model"), 503)
    assert busy.headers["retry-after"] == "1"
    assert "content-security-policy" in busy.headers


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (StorageError, "디스크 공간과 권한"),
        (NoInputError, "그런 파일이 없습니다"),
        (UsageError, "할 수 없는 일"),
        (DataError, "올바르지 않습니다"),
        (CanaryError, "카나리아"),
    ],
)
def test_errors_are_told_in_korean_and_kept_in_full(visit, error, says, monkeypatch):
    client, *_ = visit

    def fail(*_):
        raise error("f.deciban: expected another file. Do this.")

    monkeypatch.setattr(filter_pages, "take_snapshot", fail)
    told = assert_korean(client.post("/snapshots", data={"csrf": csrf_of(client)}), 422).text
    assert says in told
    assert "expected another file" in told


def test_a_failure_of_the_server_is_told_in_korean(visit, monkeypatch):
    client, *_ = visit
    monkeypatch.setattr(message_pages.MessagePages, "_queue", lambda *_: 1 / 0)
    assert "서버에서 오류가 났습니다" in assert_korean(client.get("/review"), 500).text


def test_programs_still_get_problems_as_json(visit):
    client, *_ = visit
    for headers in ({"Accept": "*/*"}, {"Accept": "application/json"}):
        response = client.get("/nothing", headers=headers)
        assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
