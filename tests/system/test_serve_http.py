"""The HTTP API: the answers of the library, for every kind of model, and clear problems for everything else."""

import base64
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deciban.serve.api import Api
from deciban.serve.http_app import HttpApp
from deciban.serve.live import LiveFilter, LiveModel
from deciban.serve.markup import MARKS, is_mark, list_fields
from deciban.serve.metrics import Metrics
from deciban.serve.reasons import summarise
from deciban.serve.rspamd import RspamdApp
from deciban.serve.shared import ServerLimits, Shared
from system.command import HAM, KOREAN, PROGRAM, SPAM, TRAIN, run
from system.serving import METRICS, until
from tiers import examples

TOKEN = "0123456789abcdef"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
PEOPLE = "age,job,buys\n25,clerk,no\n52,judge,yes\n38,clerk,no\n61,judge,yes\n29,nurse,no\n57,,yes\n"
ITEMS = {
    "mail": [SPAM.read_bytes().decode(), HAM.read_bytes().decode(), "Subject: 안녕\n\n재미\n"],
    "text": ["cheap pills now", "lunch at noon?", "재미있어요", ""],
    "table": [{"age": 52, "job": "judge"}, {"age": None, "job": "pilot"}, {"job": "clerk", "other": [1]}, {"age": "x"}],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model of each kind."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "texts.jsonl").write_text(
        "".join(
            json.dumps({"t": f"{word} {k}", "y": y}) + "\n"
            for k in range(6)
            for word, y in (("pills", "spam"), ("lunch", "ham"))
        )
    )
    mail = (f"spam={TRAIN / 'spam'}", f"ham={TRAIN / 'ham'}", "--kind", "mail")
    text = (folder / "texts.jsonl", "--text", "t", "--label", "y")
    for kind, words in {"mail": mail, "text": text, "table": (folder / "people.csv", "--label", "buys")}.items():
        done = run("train", *words, "-o", folder / f"{kind}.deciban")
        assert done.returncode == 0, done.stderr
    return folder


def client_of(model, token=TOKEN, asks_always=False, **limits):
    app = HttpApp(Api(model), Shared(ServerLimits(**limits)), METRICS, token, asks_always).build()
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture(params=ITEMS)
def kind(request):
    return request.param


@pytest.fixture
def model(files, kind):
    path = str(files / f"{kind}.deciban")
    return LiveFilter(path) if kind == "mail" else LiveModel(path)


@pytest.fixture
def client(model):
    return client_of(model)


def conforms(client, path, method, response):
    """Check an answer against the description of the API."""
    about = client.get("/openapi.json").json()
    known = about["paths"][path][method]["responses"][str(response.status_code)]["content"]
    kind = response.headers["content-type"].partition(";")[0]
    assert kind in known
    if "json" in kind and "ndjson" not in kind:
        jsonschema.validate(response.json(), {**known[kind]["schema"], "components": about["components"]})
    assert response.headers["x-request-id"]


def judged(model, kind, items):
    """The verdicts of the library."""
    if kind == "table":
        return model.judge_rows(items)
    return model.judge([item.encode() if kind == "mail" else item for item in items])


def plain(verdict):
    return json.loads(json.dumps(verdict.to_json()))


def test_verdicts_and_evidence_are_those_of_the_library(client, model, kind):
    items = ITEMS[kind][:2]
    verdicts = judged(model, kind, items)
    many = client.post("/v1/classify", json={"items": items})
    conforms(client, "/v1/classify", "post", many)
    assert [
        each.items() >= plain(verdict).items() for each, verdict in zip(many.json()["verdicts"], verdicts, strict=True)
    ] == [True, True]
    assert many.json()["model"] == model.snapshot.digest
    for item, verdict in zip(items, many.json()["verdicts"], strict=True):
        one = client.post("/v1/classify", json={"item": item})
        conforms(client, "/v1/classify", "post", one)
        assert one.json() == {"model": model.snapshot.digest, **verdict}
        why = client.post("/v1/explain?terms=3", json={"item": item})
        conforms(client, "/v1/explain", "post", why)
        found = why.json()
        assert len(found["terms"]) <= 3
        total = found["prior_decibans"] + math.fsum(each["decibans"] for each in found["terms"])
        assert total + found["other_terms"]["decibans"] == pytest.approx(found["decibans"], abs=1e-9)
    lines = client.post(
        "/v1/classify",
        content="\n".join(map(json.dumps, items)) + "\n",
        headers={"content-type": "application/x-ndjson"},
    )
    told = [json.loads(line) for line in lines.text.splitlines()]
    assert told == [{"model": model.snapshot.digest, **each} for each in many.json()["verdicts"]]


def test_a_body_is_an_item_itself(files):
    for kind, content in (("mail", SPAM.read_bytes()), ("text", "재미있어요".encode())):
        path = str(files / f"{kind}.deciban")
        model = LiveFilter(path) if kind == "mail" else LiveModel(path)
        client = client_of(model)
        one = client.post("/v1/classify", content=content).json()
        packed = {"item": {"base64": base64.b64encode(content).decode()}}
        assert one == client.post("/v1/classify", json=packed).json()
        assert one["label"] == model.judge([content if kind == "mail" else content.decode()])[0].label


def test_rows_are_no_texts(files):
    client = client_of(LiveModel(str(files / "table.deciban")))
    response = client.post("/v1/classify", content=b"age,job\n1,x\n")
    conforms(client, "/v1/classify", "post", response)
    assert response.status_code == 415
    assert client.post("/v1/learn?label=yes", json={"item": {"age": 1}}, headers=SHOWN).status_code == 409


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["item", "items", "label", "base64", "age", "job"]) | st.text(max_size=3), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("path", ["/v1/classify", "/v1/explain", "/v1/learn", "/v1/forget"])
def test_whatever_is_sent_is_answered_as_described(files, path, tmp_path):
    clients = []
    for kind in ITEMS:
        own = tmp_path / f"{kind}.deciban"
        own.write_bytes((files / f"{kind}.deciban").read_bytes())
        clients.append(client_of(LiveFilter(str(own)) if kind == "mail" else LiveModel(str(own))))

    @given(
        st.sampled_from(clients),
        JSON,
        st.sampled_from(["application/json", "text/plain", "", "application/json; charset=x"]),
    )
    @examples(30)
    def holds(client, value, kind):
        content = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        response = client.post(path, content=content, headers={**SHOWN, "content-type": kind})
        assert response.status_code in (200, 400, 409, 415, 422), response.text
        conforms(client, path, "post", response)

    holds()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"item": NaN}', 400),
        (b'{"items": 3}', 400),
        (b'{"item": "a", "items": []}', 400),
        (b'{"item": {"base64": "*"}}', 400),
        (b'{"item": 3}', 400),
        (b'{"items": [' + b'"",' * 10_000 + b'""]}', 400),
        (b'{"item": "' + b"x" * 200_000 + b'"}', 413),
    ],
)
def test_what_is_wrong_is_a_problem(files, content, status):
    client = client_of(LiveFilter(str(files / "mail.deciban")), message_bytes=1 << 17)
    response = client.post("/v1/classify", content=content, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["request_id"] == response.headers["x-request-id"]
    conforms(client, "/v1/classify", "post", response)


def test_a_line_that_is_wrong_leaves_the_others(files):
    client = client_of(LiveFilter(str(files / "mail.deciban")), message_bytes=1 << 16)
    pieces = [b'"pills"\n\nno\n"', *[b"x" * 5000] * 40, b'"\n{"base64"', b': "aGk="}']
    response = client.post("/v1/classify", content=iter(pieces), headers={"content-type": "application/x-ndjson"})
    told = [json.loads(line) for line in response.text.splitlines()]
    assert [each.get("status") for each in told] == [None, 400, 400, None]
    assert ["label" in each for each in told] == [True, False, False, True]


def test_who_teaches_shows_the_token(files, tmp_path):
    path = tmp_path / "f.deciban"
    path.write_bytes((files / "mail.deciban").read_bytes())
    known = LiveFilter(str(path))
    client, message = client_of(known), KOREAN.read_bytes()
    wrong = [{}, {"Authorization": "Bearer x"}, {"Authorization": TOKEN}, {"Authorization": f"Bearer {TOKEN}x"}]
    for headers in wrong:
        response = client.post("/v1/learn?label=spam", content=message, headers=headers)
        conforms(client, "/v1/learn", "post", response)
        assert response.status_code == 401
        assert TOKEN not in response.text
    before = known.rate(message).score
    learn = lambda label: client.post(f"/v1/learn?label={label}", content=message, headers=SHOWN)  # noqa: E731
    assert learn("spam").json()["outcome"] == "learnt"
    assert learn("spam").json()["outcome"] == "already known"
    assert known.rate(message).score > before
    assert client.post("/v1/classify", content=message).json()["score"] == known.rate(message).score
    assert learn("junk").status_code == 400
    assert learn("").status_code == 400
    forgotten = client.post("/v1/forget", content=message, headers=SHOWN)
    conforms(client, "/v1/forget", "post", forgotten)
    assert forgotten.json()["outcome"] == "forgotten"
    assert known.rate(message).score == before
    several = {"items": ["Subject: a\n\nb\n", "Subject: a\n\nb\n"]}
    found = client.post("/v1/learn?label=ham", json=several, headers=SHOWN).json()["outcomes"]
    assert [each["outcome"] for each in found] == ["learnt", "already known"]
    many = {"items": [f"Subject: {k}\n\nword{k} word{k // 2}\n" for k in range(500)]}
    found = client.post("/v1/learn?label=spam", json=many, headers=SHOWN).json()["outcomes"]
    assert [each["outcome"] for each in found] == ["learnt"] * 500
    assert client.post("/v1/learn?label=spam", json={"items": []}, headers=SHOWN).json()["outcomes"] == []
    assert client_of(known, token=None).post("/v1/forget", content=message, headers=SHOWN).status_code == 403
    assert client_of(known, asks_always=True).post("/v1/classify", content=message).status_code == 401


def test_others_than_known_paths_and_methods_are_problems(client):
    for response, status in (
        (client.get("/nothing"), 404),
        (client.get("/v1/learn"), 405),
        (client.post("/healthz"), 405),
    ):
        assert response.status_code == status
        assert response.headers["content-type"] == "application/problem+json"
    assert "/v1/classify" in client.get("/").text
    for path in ("/", "/healthz", "/readyz", "/metrics", "/v1/models", "/openapi.json"):
        response = client.get(path, headers={"X-Request-Id": "mine"})
        conforms(client, path, "get", response)
        assert response.headers["x-request-id"] == "mine"
    assert 'deciban_requests_total{path="/healthz",status="200"} ' in client.get("/metrics").text
    assert client.get("/healthz", headers={"X-Request-Id": "a b"}).headers["x-request-id"] != "a b"


def test_counters_are_in_their_folder_whatever_was_imported_or_made_before():
    program = """
import prometheus_client
from deciban.serve.metrics import Metrics
first, second = Metrics(), Metrics()
first.count("/healthz", 200, 0.1)
print(first.expose().decode(), second.expose().decode() == "")
first.remove()
second.remove()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert 'deciban_requests_total{path="/healthz",status="200"} 1.0' in done.stdout
    assert done.stdout.endswith(" True\n")


def test_counters_of_killed_servers_are_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = "import os; from deciban.serve.metrics import Metrics; print(Metrics().folder, flush=True); os.{}"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    kill = [sys.executable, "-c", program.format("kill(os.getpid(), 9)")]
    left = subprocess.run(kill, capture_output=True, text=True, timeout=60, env=environment).stdout.strip()
    words = [sys.executable, "-c", program.format("read(0, 1)")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as living:
        used = living.stdout.readline().strip()
        assert not os.path.exists(left)
        own = Metrics()
        assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, (used, own.folder)))
        own.remove()
        living.stdin.close()
    assert os.listdir(tmp_path) == [os.path.basename(used)]
    Metrics().remove()
    assert os.listdir(tmp_path) == []


def test_what_rspamc_reads_is_there(files, tmp_path):
    from starlette.applications import Starlette

    path = tmp_path / "f.deciban"
    path.write_bytes((files / "mail.deciban").read_bytes())
    known = LiveFilter(str(path))

    def at(**more):
        return TestClient(Starlette(routes=RspamdApp(known, Shared(ServerLimits()), **more).routes()))

    client = at(password=TOKEN, allows_learning=True)
    found = client.post("/checkv2", content=SPAM.read_bytes()).json()
    rating = known.rate(SPAM.read_bytes())
    assert (found["action"], found["score"], found["required_score"]) == ("add header", rating.score, 5.0)
    assert {*found["symbols"]} == {*rating.tests}
    assert found["symbols"]["DECIBAN_SPAM"]["options"][0].endswith(" dB")
    assert found["milter"]["add_headers"]["X-Spam-Flag"]["value"] == "YES"
    ham = client.post("/checkv2", content=HAM.read_bytes()).json()
    assert ham["action"] == "no action"
    assert "X-Spam-Flag" not in ham["milter"]["add_headers"]
    assert ham["milter"]["remove_headers"] == dict.fromkeys(MARKS, 0)  # forged ones as well
    assert client.post("/checkv2", content=b"").json() == {"error": "expected a message; the body is empty"}
    assert client.get("/ping").content == b"pong\r\n"
    learn = lambda who, path, **headers: who.post(path, content=KOREAN.read_bytes(), headers=headers)  # noqa: E731
    assert learn(client, "/learnspam").status_code == 401
    assert learn(client, "/learnspam", Password=TOKEN).json() == {"success": True}
    assert learn(client, "/learnspam", Password=TOKEN).status_code == 208
    assert learn(client, "/learnham", Password=TOKEN).json() == {"success": True}
    assert learn(at(), "/learnham").status_code == 403


def test_the_names_of_fields_are_those_that_are_written(files):
    known = LiveFilter(str(files / "mail.deciban"))
    rating, why = known.explain(SPAM.read_bytes())
    assert {name for name, _ in list_fields(rating, summarise(why, "spam"))} < {*MARKS}
    assert all(is_mark(name.encode()) for name in MARKS)


def test_a_server_answers_over_sockets(files, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    at = tmp_path / "h"
    words = [*PROGRAM, "serve", str(files / "mail.deciban"), "--http", str(at), "--token-file", str(tmp_path / "token")]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        try:
            until(at.exists, process)
            with httpx2.Client(
                transport=httpx2.HTTPTransport(uds=str(at)), base_url="http://x", timeout=20.0
            ) as client:
                until(lambda: client.get("/readyz").text == "ready\n", process)
                found = client.post("/v1/classify", content=SPAM.read_bytes()).json()
                assert found["score"] == LiveFilter(str(files / "mail.deciban")).rate(SPAM.read_bytes()).score
                for _ in range(4):
                    assert client.get("/healthz").text == "ok\n"
                assert 'path="/healthz",status="200"} 4.0' in client.get("/metrics").text
                assert client.get("/healthz", headers={"X-Long": "x" * 60_000}).text == "ok\n"
                assert client.get("/healthz", headers={f"X-{k}": "x" * 1000 for k in range(70)}).status_code == 400
        finally:
            process.terminate()
            said = process.communicate(timeout=20)[1]
    assert process.returncode == 0, said
    assert TOKEN.encode() not in said


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "more"), [("mail", ("--users", "--keep", "30")), ("mail", ()), ("text", ()), ("table", ())]
)
def test_schemathesis_finds_nothing_that_is_not_as_it_is_described(files, tmp_path, kind, more):
    """It sends what the description allows and what it does not, and follows its answers."""
    (tmp_path / "token").write_text(TOKEN)
    shutil.copy(files / f"{kind}.deciban", tmp_path / "f.deciban")
    with socket.create_server(("127.0.0.1", 0)) as free:
        at = "{}:{}".format(*free.getsockname())
    words = ["serve", tmp_path / "f.deciban", "--http", at, "--token-file", tmp_path / "token", *more]
    asks = ["run", f"http://{at}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}", "--no-color"]
    asks += ["--max-examples", "20", "--generation-deterministic", "--continue-on-failure"]
    asks += ["--request-timeout", "60"]  # seconds: it sends 10,000 items at once, and the machine may be busy
    with subprocess.Popen([*PROGRAM, *map(str, words)], stderr=subprocess.PIPE) as process:
        try:
            until(lambda: is_ready(at), process)
            program = Path(sys.executable).with_name("schemathesis")
            done = subprocess.run([program, *asks], capture_output=True, text=True, cwd=tmp_path)
        finally:
            process.terminate()
            said = process.communicate(timeout=20)[1].decode()
    assert done.returncode == 0, done.stdout
    assert "No issues found" in done.stdout, done.stdout
    assert "Traceback" not in said


def is_ready(at):
    try:
        return httpx2.get(f"http://{at}/readyz").status_code == 200
    except httpx2.ConnectError:
        return False


@pytest.mark.parametrize("text", ["short", "with a space in it", "한글" * 10, ""])
def test_a_token_that_is_none_is_refused(files, tmp_path, text):
    (tmp_path / "token").write_text(text)
    done = run("serve", files / "mail.deciban", "--token-file", tmp_path / "token")
    assert done.returncode == 64
    assert b"expected a token of 16 or more" in done.stderr
