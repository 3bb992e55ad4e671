"""Chromium without a window, driven through the pipe of its DevTools protocol, or by Playwright."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
_PATIENCE = 30.0  # seconds for an answer


def program() -> str | None:
    """Where there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def open_chromium() -> Iterator[Any]:
    """Open the browser by Playwright; the test is skipped where one of them is not there."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser: pip install playwright")
    found = program()
    if found is None:
        pytest.skip("there is no Chromium here: on Debian, apt install chromium")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


class Browser:
    """One page, which may be looked at, asked and pressed upon.

    Messages are JSON that ends with a zero byte: to the browser on its file 3, from it on its file 4.
    """

    def __init__(self, path: str) -> None:
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.to = os.pipe()
        self.of, ours = os.pipe()
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")
        quiet = ("--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync")
        shell = f'exec "$0" "$@" 3<&{theirs} 4>&{ours} 2>&-'
        words = [path, *options, *quiet, f"--user-data-dir={self.home.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", shell, *words], pass_fds=(theirs, ours), stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(ours)
        self.rest, self.number, self.session = b"", 0, ""
        self.told: list[dict[str, Any]] = []
        target = self.say("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.say("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.say(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait(_PATIENCE)
        os.close(self.to)
        os.close(self.of)
        self.home.cleanup()

    def say(self, method: str, **values: Any) -> dict[str, Any]:
        """Ask, and the answer; what else is told meanwhile is kept."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == self.number:
                assert "error" not in heard, heard
                result: dict[str, Any] = heard["result"]
                return result
            self.told.append(heard)

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            if not select.select([self.of], [], [], _PATIENCE)[0]:
                raise TimeoutError("the browser says nothing")
            more = os.read(self.of, 1 << 20)
            if not more:
                raise EOFError("the browser has gone")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(message)
        return heard

    def open(
        self, path: Path, width: int = 1200, scheme: str = "light", medium: str = "screen", script: bool = True
    ) -> None:
        """A page at a path, in a window so wide, on a light or dark screen or in print, with or without script."""
        self.say("Emulation.setScriptExecutionDisabled", value=not script)
        self.say("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.say("Emulation.setEmulatedMedia", media=medium, features=features)
        self.told.clear()
        self.say("Page.navigate", url=path.absolute().as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self.told):
            self.told.append(self._hear())

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.say("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        sent = [each for each in self.told if each.get("method") == "Network.requestWillBeSent"]
        asked = [each["params"]["request"]["url"] for each in sent]
        return [url for url in asked if not url.startswith("data:")]

    def complaints(self) -> list[Mapping[str, Any]]:
        """What the browser finds wrong: errors of scripts, what its policy refused."""
        wrong = ("Log.entryAdded", "Runtime.exceptionThrown")
        return [each["params"] for each in self.told if each.get("method") in wrong]

    def picture(self, path: Path) -> None:
        """The whole page as a PNG."""
        drawn = self.say("Page.captureScreenshot", captureBeyondViewport=True, format="png", clip=self._all())
        path.write_bytes(base64.b64decode(drawn["data"]))

    def _all(self) -> dict[str, float]:
        size = self.say("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
