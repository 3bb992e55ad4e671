"""The snippets of a page, run in order: `bash` and `python` blocks, and the `output` blocks that show what they print.

    ```bash      each block by bash, in one folder for the page; `deciban serve` is started and ended
    ```python    each block in the same namespace
    ```output    what the block before it printed; a line `…` stands for any lines

python -m system.snippets PAGE… in tests/ writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "python" / "deciban" / "sample"
_BLOCK = re.compile(r"^( *)```(bash|python|output)\n(.*?)^ *```$", flags=re.DOTALL | re.MULTILINE)
_WIDTH = "100"


@dataclass(frozen=True)
class Snippet:
    """A block that is run, and the output that the page shows of it, with its place in the page, or None."""

    language: str
    code: str
    output: str | None
    place: tuple[int, int] | None

    def without_comments(self) -> str:
        """Return the code as it is in every language of the page."""
        lines = [re.sub(r"(^|\s+)# .*$", "", line) for line in self.code.splitlines()]
        return "\n".join(filter(None, lines))


def read_snippets(page: str) -> list[Snippet]:
    """Return the snippets of a page, in order."""
    found: list[Snippet] = []
    for match in _BLOCK.finditer(page):
        indent, language, text = match.groups()
        text = "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))
        if language == "output":
            last = found.pop()
            assert last.output is None, text
            found.append(Snippet(last.language, last.code, text, match.span(3)))
        else:
            found.append(Snippet(language, text, None, None))
    return found


class Run:
    """A page that is run in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.names = folder, {"__name__": "__main__"}
        programs = folder / ".programs"
        programs.mkdir()
        for name, words in (("deciban", f'"{sys.executable}" -m deciban'), ("python", f'"{sys.executable}"')):
            (programs / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            (programs / name).chmod(0o755)
        paths = {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"), "COLUMNS": _WIDTH}
        self.environment = {**os.environ, **paths, "DECIBAN_IMAP_PASSWORD": "x"}

    def __call__(self, snippet: Snippet) -> str:
        """Return what a snippet prints, errors among it; it must succeed."""
        return self._bash(snippet.code) if snippet.language == "bash" else self._python(snippet.code)

    def _bash(self, code: str) -> str:
        lines = re.sub(r"\\\n\s*", "", code).splitlines()
        script = "\n".join(_served(line) if re.match(r"deciban serve\b", line) else line for line in lines)
        run = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        told = run.stdout.decode()
        assert run.returncode == 0, f"{code}\n{told}"
        return told

    def _python(self, code: str) -> str:
        told, before = io.StringIO(), Path.cwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(told):
                exec(compile(code, "<page>", "exec"), self.names)
        finally:
            os.chdir(before)
        return told.getvalue()


def _served(line: str) -> str:
    """Return commands that start a server at ports that are free, and end it once it listens; it must end well."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{port}", line.partition("  #")[0])
    words += "" if str(port) in words else f" --http 127.0.0.1:{port}"
    listens = f"(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null"
    waited = f"until {listens}; do kill -0 $! && sleep 0.1 || break; done; sleep 2"
    return f"{words} --workers 1 2>/dev/null & {waited}; kill -TERM $! || true; wait $!"


def mailbox(folder: Path) -> Path:
    """Fill a folder with what the commands of the how-to guides name."""
    shutil.copytree(SAMPLE / "train" / "spam", folder / "Junk")
    shutil.copytree(SAMPLE / "train" / "ham", folder / "Inbox")
    shutil.copytree(SAMPLE / "held-out" / "spam", folder / "NewJunk")
    shutil.copytree(SAMPLE / "held-out" / "ham", folder / "NewInbox")
    shutil.copy(SAMPLE / "held-out" / "spam" / "en-012-lottery-charity-grant.eml", folder / "mail.eml")
    for path in (ROOT / "docs" / "tutorials").glob("*.csv"):
        shutil.copy(path, folder)
    return folder


def plain(text: str) -> str:
    """Return an output without what differs from run to run: times, and rounding of the last digit of seconds."""
    text = re.sub(r"\bin \d[\d.]* (s|ms|minutes)\b", "in N s", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DATE", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def agrees(shown: str, told: str) -> bool:
    """Return whether a page shows what was printed; a line `…` stands for any lines, `…` within one for any text."""
    parts = [
        r".*?" if line.strip() == "…" else re.escape(line).replace("…", ".*?") for line in plain(shown).splitlines()
    ]
    return re.fullmatch("\n".join(parts), plain(told), flags=re.DOTALL) is not None


def renew(path: Path) -> None:
    """Write the outputs of a page anew, but for those with a line `…`."""
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        run, changes = Run(mailbox(Path(folder))), []
        for snippet in read_snippets(page):
            told = run(snippet)
            if snippet.place and not agrees(snippet.output or "", told):
                if "…" in (snippet.output or ""):
                    print(f"{path}: look at\n{snippet.code}\n{told}")
                else:
                    changes.append((snippet.place, told.strip("\n") + "\n"))
    for (start, end), told in reversed(changes):
        page = page[:start] + "\n".join(line.rstrip() for line in told.split("\n")) + page[end:]
    path.write_text(page, encoding="utf-8")


def main(paths: list[Any]) -> None:
    """Renew the pages."""
    for path in paths:
        renew(Path(path))


if __name__ == "__main__":
    main(sys.argv[1:])
