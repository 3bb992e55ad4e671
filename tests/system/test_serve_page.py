"""The page of a server, asked without a browser: who is let in, what is shown, and that mail is text and no more."""

import re
from html.parser import HTMLParser

import html5lib
import pytest
from starlette.testclient import TestClient

from deciban.mail.snapshots import snapshots
from deciban.serve.api import Api
from deciban.serve.http_app import HttpApp
from deciban.serve.keeping import make_keeper
from deciban.serve.live import LiveFilter
from deciban.serve.page.app import page_routes
from deciban.serve.page.rendering import HEADERS
from deciban.serve.page.session import COOKIE
from deciban.serve.review import review_of
from deciban.serve.shared import Shared
from system.command import HELD_OUT, KOREAN
from system.hostile_mail import HOSTILE
from system.serving import METRICS

TOKEN = "0123456789abcdef"
VIEWS = ("/", "/review", "/review?of=mislabelled", "/review?of=duplicates", "/threshold", "/threshold?at=3", "/trends")
VIEWS += ("/model", "/snapshots", "/?text=none", "/?verdict=spam", "/messages/1")
HTML = {"Accept": "text/html"}


def client_of(path, *, days=7.0, token=TOKEN, language="en"):
    known = LiveFilter(str(path))
    keeper = make_keeper(known, days)
    app = HttpApp(Api(known, keeper), Shared(), METRICS, token)
    app.routes = page_routes(app, known, review_of(known, keeper))
    headers = {**HTML, "Accept-Language": language, "Sec-Fetch-Site": "same-origin"}
    return TestClient(app.build(), headers=headers, raise_server_exceptions=False), known, keeper


def sign_in(client):
    response = client.post("/login", data={"token": TOKEN}, follow_redirects=False)
    assert response.status_code == 303
    return response


@pytest.fixture
def visit(own):
    """A client that is signed in, of a server that has classified some messages; its filter, and what keeps these."""
    client, known, keeper = client_of(own)
    for path in sorted(HELD_OUT.glob("*/*.eml"))[::3]:
        client.post("/v1/classify", content=path.read_bytes())
    client.post("/v1/classify", content=KOREAN.read_bytes())
    keeper.flush()
    sign_in(client)
    yield client, known, keeper
    keeper.close()


def csrf_of(client):
    return re.search('name="csrf" value="([0-9a-f]{64})"', client.get("/snapshots").text)[1]


class Markup(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, content):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_data(self, data):
        self.text += data


def checked(response, status=200):
    """The markup of a page, which is whole HTML with its headers."""
    assert response.status_code == status, response.text
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    assert response.headers["cache-control"] == "no-store"
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(response.text)
    errors = [each for each in parser.errors if each[1] not in ("unexpected-char-in-doctype",)]
    assert not errors, errors[:3]
    return Markup(response.text)


# --- who is let in -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*VIEWS, "/snapshots/x"])
def test_nobody_sees_a_page_without_a_session(own, path):
    client, *_ = client_of(own)
    client.get("/language?to=en")
    response = client.get(path, follow_redirects=False)
    assert response.status_code == 303
    assert response.headers["location"].startswith("/login")
    client.cookies.set(COOKIE, "9999999999.x.y")
    assert client.get(path, follow_redirects=False).status_code == 303


def test_the_token_opens_a_session_and_only_it(own):
    client, *_ = client_of(own)
    checked(client.get("/login?to=/trends"))
    for wrong in ("", "x", TOKEN + "x", TOKEN.upper()):
        response = client.post("/login", data={"token": wrong}, follow_redirects=False)
        assert "This is not the token" in checked(response, 403).text
        assert "set-cookie" not in response.headers
    response = client.post("/login", data={"token": TOKEN, "to": "/trends"}, follow_redirects=False)
    assert response.headers["location"] == "/trends"
    cookie = response.headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"httponly", "samesite=strict", "path=/"} <= {each.strip().lower() for each in cookie.split(";")}
    checked(client.get("/trends"))
    client.post("/logout", data={"csrf": csrf_of(client)})
    assert client.get("/trends", follow_redirects=False).status_code == 303


def test_a_cookie_over_https_stays_there(own):
    client, *_ = client_of(own)
    client.base_url = "https://testserver"
    assert "; Secure" in sign_in(client).headers["set-cookie"]


@pytest.mark.parametrize("path", ["/messages/1/label", "/snapshots", "/snapshots/x", "/logout"])
def test_a_form_from_elsewhere_does_nothing(visit, path):
    client, known, _ = visit
    csrf, before = csrf_of(client), known.snapshot.digest
    for form, headers in (
        ({}, {}),
        ({"csrf": "0" * 64}, {}),
        ({"csrf": csrf}, {"Sec-Fetch-Site": "cross-site"}),
        ({"csrf": csrf}, {"Sec-Fetch-Site": "same-site"}),
    ):
        response = client.post(path, data={"label": "spam", **form}, headers=headers, follow_redirects=False)
        assert "session has ended" in checked(response, 403).text
    assert not snapshots(known.path)
    assert known.snapshot.digest == before
    checked(client.get("/"))


def test_without_a_token_there_is_no_page(own):
    client, *_ = client_of(own, token=None)
    assert client.get("/").headers["content-type"].startswith("text/plain")
    assert client.get("/login").status_code == 404


def test_programs_are_told_what_there_is_to_ask(own):
    client, *_ = client_of(own)
    response = client.get("/", headers={"Accept": "*/*"})
    assert response.headers["content-type"].startswith("text/plain")
    assert "/v1/review" in response.text


# --- what is shown -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("path", VIEWS)
def test_views_are_whole_in_both_languages(visit, path, language):
    client, *_ = visit
    found = checked(client.get(path, headers={"Accept-Language": language}))
    assert ("html", "lang", language) in found.attributes
    assert found.tags.count("h1") == 1
    assert not re.search(r"\{[a-z]+\}|\bNone\b", found.text)


@pytest.mark.parametrize("path", VIEWS)
def test_views_without_messages_say_what_to_do(own, path):
    for days in (7.0, None):
        client, *_ = client_of(own, days=days)
        sign_in(client)
        checked(client.get(path), 404 if path.startswith("/messages") else 200)
    assert "--keep 30" in client.get("/").text


def test_the_language_is_that_of_the_browser_until_one_is_chosen(visit):
    client, *_ = visit
    korean = {"Accept-Language": "ko-KR,ko;q=0.9"}
    assert "스냅숏" in client.get("/", headers=korean).text
    client.get("/language?to=en&back=/trends")
    assert "스냅숏" not in client.get("/", headers=korean).text
    assert client.get("/language?to=xx&back=//evil", follow_redirects=False).headers["location"] == "/"


@pytest.mark.parametrize(
    ("language", "few", "others"),
    [
        ("en", "There are few examples of ham, spam.", "Others may write"),
        ("ko", "예가 적은 클래스", "다른 사람도 쓸 수 있는 파일"),
    ],
)
def test_what_is_to_be_done_is_told_in_the_language_of_the_reader(visit, own, language, few, others):
    client, *_ = visit
    own.chmod(0o666)
    found = client.get("/trends", headers={"Accept-Language": language}).text
    told = re.search(r'<ul class="to-do">(.*?)</ul>', found, re.DOTALL)[1]
    assert few in told
    assert others in told
    assert "deciban learn" in told
    assert ("There" in told) == (language == "en")


def test_messages_are_found_and_stand_on_pages(visit):
    client, _, keeper = visit
    found = checked(client.get("/?text=노루걸음"))
    assert found.tags.count("li") >= 1
    assert "[노루걸음택배]" in found.text
    for k in range(120):
        client.post("/v1/classify", content=b"Subject: number %d\nFrom: a@b\n\nword%d\n" % (k, k))
    keeper.flush()
    first = client.get("/")
    assert first.text.count("data-row=") == 50
    older = re.search('rel="next" href="([^"]*)"', first.text)[1]
    second = client.get(older.replace("&amp;", "&"))
    rows = [set(re.findall('data-row="([0-9]+)"', each.text)) for each in (first, second)]
    assert len(rows[1]) == 50
    assert not rows[0] & rows[1]
    assert 'rel="prev"' in second.text


def test_a_message_has_its_evidence_in_place(visit):
    client, known, _ = visit
    number = re.search('href="/messages/([0-9]+)"', client.get("/?text=노루걸음").text)[1]
    response = client.get(f"/messages/{number}")
    found = checked(response)
    why = known.explain_item(KOREAN.read_bytes())
    sign = 1.0 if why.label == known.spam else -1.0
    total = f"{sign * why.decibans:+.1f}".replace("-", "−")
    assert total in found.text
    marked = re.findall('<mark class="(for|against) s[123]" title="([+−][0-9.]+) dB">([^<]+)', response.text)
    assert len(marked) > 5
    assert all((side == "for") == told.startswith("+") for side, told, _ in marked)
    assert "부재중" in found.text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mail_is_text(visit, name):
    client, _, keeper = visit
    client.post("/v1/classify", content=HOSTILE[name])
    keeper.flush()
    number = keeper.kept.select()[0].id
    plain = {path: checked(client.get(path)) for path in ("/", "/review", f"/messages/{number}", "/threshold?at=-30")}
    for found in plain.values():
        assert found.tags.count("script") == 1
        for tag in ("iframe", "img", "style", "object", "embed", "base", "video"):
            assert tag not in found.tags
        for tag, attribute, value in found.attributes:
            assert not attribute.startswith("on"), (tag, attribute)
            assert attribute != "style"
            if attribute in ("href", "src", "action"):
                assert value.startswith(("/", "#", "data:,")), value
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08\x0b\x0c\x0e-\x1f]", found.text)


def test_a_long_message_is_cut_and_says_so(visit):
    client, _, keeper = visit
    client.post("/v1/classify", content=b"Subject: long\n\n" + b"word and more\n" * 180_000)
    keeper.flush()
    response = client.get(f"/messages/{keeper.kept.select()[0].id}")
    found = checked(response)
    assert "cannot be learnt from here" in found.text
    assert "⋮" in found.text
    assert len(response.content) < 500_000
    assert "data-correct" not in response.text


# --- what is done ------------------------------------------------------------------------------------------


def test_a_form_corrects_a_message_with_and_without_script(visit):
    client, known, keeper = visit
    message = KOREAN.read_bytes()
    number, csrf = keeper.kept.select()[0].id, csrf_of(client)
    before = known.rate(message).score

    def correct(label, headers=None, **form):
        data = {"csrf": csrf, "label": label, **form}
        return client.post(f"/messages/{number}/label", data=data, headers=headers or {}, follow_redirects=False)

    response = correct("spam")
    assert response.status_code == 303
    assert "Learnt as spam." in checked(client.get(response.headers["location"])).text
    assert known.rate(message).score > before
    assert "learnt as spam" in client.get("/").text
    script = {"X-Requested-With": "deciban"}
    for view, part in (("row", 'data-row="'), ("message", "data-panel")):
        response = correct("ham", script, view=view)
        assert response.status_code == 200
        assert part in response.text
        assert "<html" not in response.text
        assert "data-said" in response.text
    assert correct("junk").status_code == 400
    for _ in range(2):
        correct("", script, view="row")
    assert known.rate(message).score == before
    checked(client.post("/messages/99999/label", data={"csrf": csrf, "label": "spam"}), 404)


@pytest.mark.parametrize("label", ["spam", "ham"])
def test_messages_that_are_alike_are_taught_together(visit, label):
    client, known, keeper = visit
    text = " ".join(f"word{k}" for k in range(60))
    for k in range(25):
        client.post("/v1/classify", content=f"Subject: offer {k}\nFrom: a@b\n\n{text} copy{k}\n".encode())
    keeper.flush()
    client.post(f"/messages/{keeper.kept.select()[3].id}/label", data={"csrf": csrf_of(client), "label": "spam"})
    shown = checked(client.get("/review?of=duplicates"))
    assert "Teach all 25:" in shown.text
    (numbers,) = (
        value for tag, attribute, value in shown.attributes if attribute == "value" and value.count(" ") == 24
    )
    data = {"csrf": csrf_of(client), "messages": f"{numbers} 999999 x", "label": label}
    response = client.post("/review/label", data=data)
    assert f"Labelled {label}: {24 if label == 'spam' else 25} more messages." in checked(response).text
    labels = [each.label for each in keeper.kept.select() if str(each.id) in numbers.split()]
    assert labels == 25 * [label]
    assert (known.rate(f"Subject: offer\nFrom: a@b\n\n{text}\n".encode()).score > 5.0) == (label == "spam")
    for wrong in ({"label": ""}, {"label": "x"}, {"messages": " ".join(map(str, range(201)))}, {"csrf": "x"}):
        assert client.post("/review/label", data=data | wrong).status_code in (400, 403), wrong


def test_a_snapshot_is_taken_and_returned_to(visit):
    client, known, _ = visit
    csrf, digest = csrf_of(client), known.snapshot.digest
    taken = checked(client.post("/snapshots", data={"csrf": csrf}))
    [first] = snapshots(known.path)
    assert f"Snapshot {first.name} was taken." in taken.text
    known.learn(b"Subject: other\n\nwords here\n", "spam", "test")
    asked = checked(client.get(f"/snapshots/{first.name}"))
    assert f"Roll back to {first.name}?" in asked.text
    assert known.rate(b"Subject: other\n\nwords here\n").verdict.label == "spam"
    done = checked(client.post(f"/snapshots/{first.name}", data={"csrf": csrf}))
    assert f"The filter is now as in snapshot {first.name}." in done.text
    assert known.snapshot.digest == digest
    assert any(each.name.startswith("replaced-") for each in snapshots(known.path))
    checked(client.get("/snapshots/none"), 404)
    assert "no snapshot none" in checked(client.post("/snapshots/none", data={"csrf": csrf}), 422).text


def test_files_are_kept_by_browsers_and_no_others_are_there(own):
    client, *_ = client_of(own)
    for file, kind in (("page.css", "text/css"), ("parts.css", "text/css"), ("page.js", "text/javascript")):
        response = client.get(f"/static/{file}")
        assert response.headers["content-type"].startswith(kind)
        assert "immutable" in response.headers["cache-control"]
        assert response.headers["x-content-type-options"] == "nosniff"
    for path in ("/static/app.py", "/static/..%2fapp.py", "/static/base.html"):
        assert client.get(path).status_code == 404


def test_tokens_and_texts_are_not_logged(visit, caplog):
    client, *_ = visit
    client.get("/")
    client.post("/login", data={"token": "wrong token here"})
    said = "".join(record.getMessage() for record in caplog.records)
    assert TOKEN not in said
    assert "노루걸음" not in said
    assert "wrong token" not in said
