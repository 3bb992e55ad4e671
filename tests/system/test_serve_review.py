"""The review over HTTP: lists, evidence and corrections as they are described, for those with the token."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deciban.serve.api import Api
from deciban.serve.http_app import HttpApp
from deciban.serve.keeping import make_keeper
from deciban.serve.live import LiveFilter
from deciban.serve.review import review_of
from deciban.serve.review_api import ReviewRoutes
from deciban.serve.shared import Shared
from system.command import HAM, HELD_OUT, KOREAN, SPAM, run
from system.serving import METRICS
from tiers import examples

TOKEN = "0123456789abcdef"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
PATHS = ("/v1/review", "/v1/review/{id}")


def client_of(path, days=7.0, token=TOKEN):
    known = LiveFilter(str(path))
    keeper = make_keeper(known, days)
    app = HttpApp(Api(known, keeper), Shared(), METRICS, token)
    app.routes = ReviewRoutes(app, review_of(known, keeper)).routes()
    return TestClient(app.build(), headers=SHOWN, raise_server_exceptions=False), known, keeper


@pytest.fixture
def served(own):
    """A client of a server that has classified all held-out messages, its filter, and what keeps messages."""
    client, known, keeper = client_of(own)
    for path in sorted(HELD_OUT.glob("*/*.eml")):
        client.post("/v1/classify", content=path.read_bytes())
    keeper.flush()
    yield client, known, keeper
    keeper.close()


def conforms(client, response, path="/v1/review", method="get"):
    about = client.get("/openapi.json").json()
    known = about["paths"][path][method]["responses"][str(response.status_code)]["content"]
    kind = response.headers["content-type"].partition(";")[0]
    jsonschema.validate(response.json(), {**known[kind]["schema"], "components": about["components"]})
    return response.json()


def listed(client, **query):
    response = client.get("/v1/review", params=query)
    assert response.status_code == 200, response.text
    return conforms(client, response)


def number_of(client, text):
    [found] = listed(client, text=text)["messages"]
    return found["id"]


def test_lists_are_those_of_what_was_classified(served):
    client, _, keeper = served
    whole = listed(client, limit=200)
    assert whole["count"] == len(whole["messages"]) == keeper.kept.count()
    assert {each["protocol"] for each in whole["messages"]} == {"http"}
    first, second = (listed(client, offset=start, limit=7)["messages"] for start in (0, 7))
    assert first + second == whole["messages"][:14]
    for verdict in ("spam", "ham", "unsure"):
        found = listed(client, verdict=verdict, limit=200)["messages"]
        assert found == [each for each in whole["messages"] if each["verdict"] == verdict] != []
    doubts = [abs(each["decibans"]) for each in listed(client, of="uncertain", limit=200)["messages"]]
    assert doubts == sorted(doubts) != []
    assert listed(client, text="노루걸음")["messages"][0]["subject"].startswith("[노루걸음택배]")


def test_one_message_has_its_evidence(served):
    client, known, _ = served
    number = number_of(client, "노루걸음")
    shown = client.get(f"/v1/review/{number}?terms=4")
    found = conforms(client, shown, "/v1/review/{id}")
    why = known.explain_item(KOREAN.read_bytes())
    assert found["explanation"]["text"] == why.text
    assert found["explanation"]["decibans"] == why.decibans
    assert [each["term"] for each in found["explanation"]["terms"]] == [each.term for each in why.terms[:4]]
    assert client.get("/v1/review", params={"limit": 200}).json()["messages"][0]["times"] == 1, "to look is no arrival"


def test_a_correction_teaches_the_filter(served):
    client, known, _ = served
    message, number = KOREAN.read_bytes(), number_of(client, "노루걸음")
    before = known.rate(message).score

    def correct(label):
        response = client.post(f"/v1/review/{number}", json={"label": label})
        found = conforms(client, response, "/v1/review/{id}", "post")
        return found["outcome"], found["label"]

    assert correct("spam") == ("learnt", "spam")
    assert known.rate(message).score > before
    assert listed(client, label="spam")["count"] == 1
    assert correct("ham") == ("relabelled", "ham")
    assert correct(None) == ("forgotten", "spam"), "the label before is valid"
    assert correct(None) == ("forgotten", None)
    assert correct(None) == ("not known", None)
    assert known.rate(message).score == before
    assert listed(client, label="spam")["count"] == 0


def test_labels_that_were_given_elsewhere_are_shown(served, own):
    client, known, _ = served
    number = number_of(client, "노루걸음")
    assert run("learn", own, KOREAN, "--as", "ham").returncode == 0
    known.follow()
    assert client.get(f"/v1/review/{number}").json()["label"] == "ham"


def test_near_duplicates_stand_together(served):
    client, _, keeper = served
    for k in range(3):
        client.post(
            "/v1/classify", content=SPAM.read_bytes().replace(b"\nMessage-ID:", b"\nX-Copy: %d\nMessage-ID:" % k)
        )
    keeper.flush()
    found = listed(client, of="duplicates")
    first = [each for each in found["messages"] if each["group"] == 1]
    assert found["count"] >= 1
    assert len({each["subject"] for each in first}) == 1
    assert len(first) == 4
    assert len({each["digest"] for each in first}) == 4


def test_labels_against_sure_verdicts_are_doubtful_until_they_are_confirmed(served, monkeypatch):
    monkeypatch.setattr("deciban.serve.kept.SURE", 10.0)  # which is what a filter of so few messages claims
    client, known, _ = served
    [sure, *_] = sorted(
        (each for each in listed(client, verdict="spam", limit=200)["messages"] if each["decibans"] >= 10.0),
        key=lambda each: -each["decibans"],
    )
    for _ in range(2):
        assert listed(client, of="mislabelled")["count"] == 0
        client.post(f"/v1/review/{sure['id']}", json={"label": "ham"})
        assert [each["id"] for each in listed(client, of="mislabelled")["messages"]] == [sure["id"]]
        client.post(f"/v1/review/{sure['id']}", json={"label": "ham"})
        assert listed(client, of="mislabelled")["count"] == 0
        client.post(f"/v1/review/{sure['id']}", json={"label": "spam"})
    assert known.rate(HAM.read_bytes()).score < 5.0


def test_a_message_that_was_cut_is_not_learnt(served):
    client, _, keeper = served
    client.post("/v1/classify", content=b"Subject: long\n\n" + b"word " * 500_000)
    keeper.flush()
    number = number_of(client, "long")
    response = client.post(f"/v1/review/{number}", json={"label": "spam"})
    assert response.status_code == 422
    assert "it has 2,500,015, and was not kept whole" in conforms(client, response, "/v1/review/{id}", "post")["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("get", "/v1/review?of=all", None, 400, "expected of to be one of recent, uncertain, mislabelled, duplicates"),
        ("get", "/v1/review?label=junk", None, 400, 'expected label to be one of "", ham, spam'),
        ("get", "/v1/review?limit=201", None, 400, "expected limit to be a whole number from 0 to 200"),
        ("get", "/v1/review?text=" + "x" * 201, None, 400, "expected a text of at most 200 characters; got 201"),
        ("get", "/v1/review/x", None, 400, "expected the number of a message; got 'x'"),
        ("get", "/v1/review/99999999", None, 404, "this message is not kept, or no longer"),
        ("post", "/v1/review/99999999", {"label": None}, 404, "this message is not kept, or no longer"),
        (
            "post",
            "/v1/review/1",
            {"label": "junk"},
            400,
            'expected an object with one member, "label": one of ham, spam',
        ),
        ("post", "/v1/review/1", {}, 400, "or null to forget it"),
        ("post", "/v1/review/1", {"label": "x" * 20_000}, 413, "expected at most 10,000 bytes"),
    ],
)
def test_what_is_wrong_is_a_problem(served, method, path, body, status, said):
    client, *_ = served
    response = client.request(method, path, **({} if body is None else {"json": body}))
    assert response.status_code == status
    shape = PATHS[path.startswith("/v1/review/")]
    assert said in conforms(client, response, shape, method)["detail"]


def test_it_needs_the_token_and_messages(served, own):
    client, *_ = served
    for method, path in (("get", "/v1/review"), ("get", "/v1/review/1"), ("post", "/v1/review/1")):
        for wrong in ("Bearer x", f"Bearer {TOKEN}x", TOKEN):
            response = client.request(method, path, headers={"Authorization": wrong})
            assert response.status_code == 401
        assert client_of(own, token=None)[0].request(method, path).status_code == 403
        response = client_of(own, days=None)[0].request(method, path)
        assert response.status_code == 409
        assert "served with --keep DAYS" in response.json()["detail"]


def test_methods_that_are_not_served_are_told_which_are(served):
    client, *_ = served
    for path, allowed in (("/v1/review", {"GET", "HEAD"}), ("/v1/review/1", {"GET", "HEAD", "POST"})):
        response = client.options(path)
        assert response.status_code == 405
        assert {*response.headers["allow"].split(", ")} == allowed


def test_whatever_is_asked_is_answered_as_described(served):
    client, *_ = served
    texts = st.text(max_size=6) | st.sampled_from(["recent", "duplicates", "spam", "ham", "unsure", "", "3", "-1"])
    names = st.sampled_from(["of", "verdict", "label", "text", "offset", "limit", "x"])

    @given(st.dictionaries(names, texts, max_size=4), st.sampled_from(["", "/1", "/0", "/-1", "/٣", "/99", "/1e3"]))
    @examples(30)
    def holds(query, one):
        response = client.get(f"/v1/review{one}", params=query)
        assert response.status_code in (200, 400, 404), response.text
        conforms(client, response, PATHS[bool(one)])

    holds()
