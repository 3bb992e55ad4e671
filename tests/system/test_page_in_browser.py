"""The page of a server in a real browser: keys teach the filter, mail does nothing, and everybody can use it."""

import re
import subprocess
import time
from contextlib import contextmanager

import pytest

from deciban.serve.kept import KeptMessages, Query
from deciban.serve.live import LiveFilter
from system.accessibility import find_violations
from system.browser import open_chromium
from system.command import HELD_OUT, KOREAN, PROGRAM, SPAM
from system.hostile_mail import HOSTILE
from system.serving import PATIENCE, until

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser: pip install playwright")
pytestmark = pytest.mark.deep

TOKEN = "0123456789abcdef"
VIEWS = ("/", "/review", "/review?of=duplicates", "/threshold?at=3", "/trends", "/model", "/snapshots", "/?text=none")
MESSAGE = "one message"


@contextmanager
def at_port(path, folder, *more):
    """A server of a filter on a port of its own; its address."""
    (folder / "token").write_text(TOKEN)
    words = ["serve", path, "--http", "127.0.0.1:0", "--token-file", folder / "token", "--workers", "1", *more]
    words[3] = f"127.0.0.1:{free_port()}"
    with subprocess.Popen([*PROGRAM, *map(str, words)], stderr=subprocess.PIPE) as process:
        try:
            address = f"http://{words[3]}"
            until(lambda: answers(address), process)
            yield address
        finally:
            process.terminate()
            said = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 0, said
    assert TOKEN not in said


def free_port():
    import socket

    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def answers(address):
    import httpx2

    try:
        return httpx2.get(f"{address}/readyz").status_code == 200
    except httpx2.TransportError:
        return False


def classify(address, message):
    import httpx2

    assert httpx2.post(f"{address}/v1/classify", content=message, timeout=PATIENCE).status_code == 200


@pytest.fixture(scope="module")
def served(trained, tmp_path_factory):
    """The address of a server that has classified messages, hostile ones last, and the path of its filter."""
    import shutil

    folder = tmp_path_factory.mktemp("page")
    path = folder / "f.deciban"
    shutil.copy(trained, path)
    with at_port(path, folder, "--keep", "7") as address:
        messages = [each.read_bytes() for each in sorted(HELD_OUT.glob("*/*.eml"))]
        copies = [SPAM.read_bytes().replace(b"\nMessage-ID:", b"\nX-Copy: %d\nMessage-ID:" % k) for k in range(2)]
        long = b"Subject: long\n\n" + b"word and more <b>\n" * 120_000
        for message in [*messages, *copies, KOREAN.read_bytes(), long, *HOSTILE.values()]:
            classify(address, message)
        kept = KeptMessages(str(path))
        until(lambda: kept.count() == len({*messages, *copies}) + 1 + len(HOSTILE))
        yield address, path


@pytest.fixture(scope="module")
def browser():
    """A browser; the tests are skipped where there is none."""
    with open_chromium() as opened:
        yield opened


class Tab:
    """A page that is signed in, and what the browser has to say of it."""

    def __init__(self, browser, address, *, width=1280, scheme="light", language="en-GB", script=True):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            locale=language,
            java_script_enabled=script,
            base_url=address,
            is_mobile=width < 500,
        )
        self.context.set_default_timeout(1000.0 * PATIENCE)
        self.page, self.complaints, self.asked = self.context.new_page(), [], []
        self.page.on("console", lambda told: self.complaints.append(told.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto("/login")
        self.page.fill("#token", TOKEN)
        self.page.click("button.main")
        self.page.wait_for_url(f"{address}/")

    def __enter__(self):
        return self.page

    def __exit__(self, *error):
        self.context.close()


def hostile_ones(path):
    """The hostile messages, in the order in which they came."""
    kept = KeptMessages(str(path))
    long, found = kept.select(Query(text="long"))[0], kept.select(Query(limit=100))
    return sorted((each for each in found if each.id > long.id), key=lambda each: each.id)


def number_of(path, text):
    return KeptMessages(str(path)).select(Query(text=text))[0].id


# --- keys --------------------------------------------------------------------------------------------------


def said(page, text):
    sync_api.expect(page.locator("#said")).to_have_text(text)


def test_one_key_teaches_the_filter(browser, served):
    address, path = served
    message, known = KOREAN.read_bytes(), LiveFilter(str(path))
    before = known.rate(message).score
    with Tab(browser, address) as page:
        page.goto("/?text=노루걸음")
        page.keyboard.press("j")
        row = page.locator(".row").first
        sync_api.expect(row.locator("a.subject")).to_be_focused()
        for key, text, label, moved in (
            ("s", "Learnt as spam.", "spam", 1),
            ("u", "Label taken back.", None, 0),
            ("h", "Learnt as ham.", "ham", -1),
        ):
            page.keyboard.press(key)
            said(page, text)
            sync_api.expect(row.locator(".chip")).to_have_count(0 if label is None else 1)
            sync_api.expect(row.locator("a.subject")).to_be_focused()
            known.follow()
            after = known.rate(message).score
            assert (after > before) - (after < before) == moved
            assert KeptMessages(str(path)).select(Query(text="노루걸음"))[0].label == label
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/messages/"))
        page.keyboard.press("u")
        said(page, "Label taken back.")
    known.follow()
    assert known.rate(message).score == before


def test_keys_move_search_and_explain_themselves(browser, served):
    with Tab(browser, served[0]) as page:
        links = page.locator(".row a.subject")
        for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)):
            page.keyboard.press(key)
            sync_api.expect(links.nth(place)).to_be_focused()
        page.keyboard.press("/")
        sync_api.expect(page.locator("input[type=search]")).to_be_focused()
        page.keyboard.type("js")
        sync_api.expect(page.locator("input[type=search]")).to_have_value("js")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        sync_api.expect(page.locator("#keys")).to_be_visible()
        page.uncheck("#keys-on")
        page.keyboard.press("Escape")
        sync_api.expect(page.locator("#keys")).to_be_hidden()
        page.reload()
        page.keyboard.press("r")
        page.keyboard.press("j")
        assert page.url == f"{served[0]}/"
        sync_api.expect(links.first).not_to_be_focused()


def test_keys_of_a_korean_keyboard_are_heard(browser, served):
    with Tab(browser, served[0]) as page:
        page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ㅓ', code: 'KeyJ', bubbles: true}))")
        sync_api.expect(page.locator(".row a.subject").first).to_be_focused()


def test_messages_follow_each_other(browser, served):
    with Tab(browser, served[0]) as page:
        page.locator(".row a.subject").first.click()
        page.wait_for_url(re.compile("/messages/"))
        first = page.url
        page.keyboard.press("j")
        page.wait_for_url(lambda url: "/messages/" in url and url != first)
        page.keyboard.press("k")
        page.wait_for_url(first)


def test_everything_works_without_script(browser, served):
    address, path = served
    number = number_of(path, "노루걸음")
    with Tab(browser, address, script=False) as page:
        page.goto(f"/messages/{number}")
        for label, chip in (("spam", 1), ("", 0)):
            page.locator(f".panel button[value='{label}']").click()
            page.wait_for_load_state()
            assert page.locator(".panel .chip").count() == chip
        page.goto("/threshold")
        page.locator("button[data-show]").click()
        page.wait_for_url(re.compile(r"/threshold\?at="))
        page.goto(f"/messages/{number}")
        assert page.locator("tbody.more").is_visible()


def test_the_slider_tells_what_the_server_tells(browser, served):
    with Tab(browser, served[0]) as page:
        for at in (-20, 3, 25):
            page.goto("/threshold")
            page.evaluate(
                "(at) => { const input = document.getElementById('at'); input.value = at; "
                "input.dispatchEvent(new Event('input', {bubbles: true})); }",
                at,
            )
            names = ("at", "cost", "spam", "fp", "fn", "expected")
            told = [page.locator(f"[data-told={name}]").inner_text() for name in names]
            line = page.locator("line.chosen").get_attribute("x1")
            page.goto(f"/threshold?at={at}")
            assert told == [page.locator(f"[data-told={name}]").inner_text() for name in names]
            assert float(line.rstrip("%")) == pytest.approx(
                float(page.locator("line.chosen").get_attribute("x1").rstrip("%")), abs=0.01
            )


# --- safety ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mail_does_nothing(browser, served, name):
    address, path = served
    number = [each.id for each in hostile_ones(path)][[*HOSTILE].index(name)]
    tab = Tab(browser, address)
    with tab as page:
        for where in (f"/messages/{number}", "/", "/review", "/threshold?at=-30"):
            page.goto(where)
            assert page.evaluate("window.owned") is None
            assert page.locator("main").is_visible()
        page.goto(f"/messages/{number}")
        page.keyboard.press("s")
        said(page, "Learnt as spam.")
        assert page.evaluate("window.owned") is None
        page.keyboard.press("u")
        said(page, "Label taken back.")
        assert all(url.startswith(address) for url in tab.asked if not url.startswith("data:"))
        assert tab.complaints == []


def test_the_policy_is_enforced(browser, served):
    tab = Tab(browser, served[0])
    with tab as page:
        response = page.goto("/")
        assert "script-src 'self'" in response.headers["content-security-policy"]
        page.evaluate(
            "() => { const made = document.createElement('div'); made.setAttribute('style', 'color: red'); "
            "made.innerHTML = '<img src=x onerror=window.owned=1>'; document.body.append(made); }"
        )
        until(lambda: any("Content Security Policy" in each for each in tab.complaints))
        assert page.evaluate("window.owned") is None
        [cookie] = [each for each in tab.context.cookies() if each["name"] == "deciban_session"]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert "deciban_session" not in page.evaluate("document.cookie")


def test_a_session_that_ended_asks_for_the_token(browser, served):
    tab = Tab(browser, served[0])
    with tab as page:
        tab.context.clear_cookies()
        page.keyboard.press("j")
        page.keyboard.press("s")
        said(page, re.compile("session has ended"))
        page.goto("/trends")
        assert page.url.endswith("/login?to=/trends")


# --- for everybody -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en-GB", "ko-KR"])
def test_axe_finds_nothing(browser, served, language, scheme, width):
    address, path = served
    views = [*VIEWS, "/login", f"/messages/{number_of(path, '노루걸음')}", "/messages/99999"]
    tab, dark = Tab(browser, address, language=language, scheme=scheme, width=width), scheme == "dark"
    with tab as page:
        for view in views:
            page.goto(view)
            if view == "/":
                page.keyboard.press("j")
            found = find_violations(page, colours_only=dark)
            assert found == [], (view, found)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        page.goto("/")
        page.keyboard.press("?")
        assert find_violations(page, colours_only=dark) == []
        tab.context.clear_cookies()
        page.goto("/login")
        assert find_violations(page, colours_only=dark) == []


def test_buttons_and_links_are_large_enough_to_touch(browser, served):
    """Target size (WCAG 2.2, 2.5.8): 24 by 24 pixels, or as much room around them."""
    with Tab(browser, served[0], width=390) as page:
        for view in VIEWS:
            page.goto(view)
            small = page.evaluate(
                "() => [...document.querySelectorAll('main a, main button, .bar a, .bar button')].filter((each) => "
                "each.checkVisibility({opacityProperty: true}) && !each.closest('.row p, p, li p')).map((each) => "
                "[each.outerHTML.slice(0, 90), each.getBoundingClientRect()]).filter(([, box]) => box.width && "
                "(box.width < 24 || box.height < 24)).map(([html]) => html)"
            )
            assert small == [], view


def test_motion_is_left_out_where_it_is_not_wanted(browser, served):
    tab = Tab(browser, served[0])
    with tab as page:
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate("getComputedStyle(document.getElementById('said')).transitionProperty") in ("none", "all")
        assert page.evaluate("getComputedStyle(document.getElementById('said')).transitionDuration") == "0s"


def test_print_is_black_on_white_without_what_is_pressed(browser, served):
    with Tab(browser, served[0], scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        for element in (".bar", ".tools", ".correct"):
            assert page.evaluate(f"getComputedStyle(document.querySelector('{element}')).display") == "none"


def test_a_new_message_is_there_within_a_second(browser, served):
    address, path = served
    with Tab(browser, address) as page:
        classify(address, b"From: a@b\nSubject: just now %d\n\nx\n" % time.time_ns())
        until(lambda: "just now" in KeptMessages(str(path)).select(Query(limit=1))[0].subject)
        page.reload()
        sync_api.expect(page.locator(".row a.subject").first).to_contain_text("just now")
