"""Collect the licences of all crates that the extension links with: THIRD-PARTY.md, which every wheel carries.

python crates/licences.py    # after Cargo.lock has changed; needs cargo, and the crates, which it fetches
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "THIRD-PARTY.md"
OWN = "deciban-"
_FILES = re.compile(r"(?i)^(licen[cs]e|copying|unlicense|notice)")
_HEADING = """# What the extension links with

Deciban itself is under the licence in LICENSE. Its compiled core has parts of the crates below, each under the licences
that its authors name, whose texts follow; where they let one choose, any one of them holds. Made by
`python crates/licences.py`.
"""


def linked() -> set[tuple[str, str]]:
    """Return (name, version) of every crate that is part of the extension on some platform, but for our own."""
    words = ["cargo", "tree", "--locked", "--target", "all", "--edges", "normal", "--prefix", "none"]
    told = subprocess.run([*words, "-p", "deciban-python"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = {(name, version.removeprefix("v")) for name, version, *_ in map(str.split, filter(None, told.splitlines()))}
    return {crate for crate in found if not crate[0].startswith(OWN)}


def named(page: str) -> set[tuple[str, str]]:
    """Return (name, version) of the crates in the table of the page."""
    return set(re.findall(r"(?m)^\| ([\w-]+) \| (\d[\w.+-]*) \|", page))


def page() -> str:
    """Return the page: a table of crates, and every text once, with the crates that it is from."""
    words = ["cargo", "metadata", "--locked", "--format-version", "1"]
    told = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    packages = {(each["name"], each["version"]): each for each in json.loads(told)["packages"]}
    lines = ["| Crate | Version | Licences |", "|---|---|---|"]
    texts: dict[str, list[str]] = defaultdict(list)
    for crate in sorted(linked()):
        name, version = crate
        lines.append(f"| {name} | {version} | {packages[crate]['license'].replace('/', ' OR ')} |")
        folder = Path(packages[crate]["manifest_path"]).parent
        for path in sorted(path for path in folder.iterdir() if path.is_file() and _FILES.match(path.name)):
            text = "\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").strip().splitlines())
            texts[text].append(f"{name} {version}")
    parts = [_HEADING, *lines]
    for text, crates in sorted(texts.items(), key=lambda entry: entry[1]):
        parts += ["", f"## {', '.join(crates)}", "", *(f"    {line}".rstrip() for line in text.splitlines())]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
