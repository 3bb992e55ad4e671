"""Writes docs/explanations.json: two messages of the sample mailbox as `deciban explain` explains them.

python docs/site_build/record_explanations.py; the start page shows them (docs/site_build/shown.py).
"""

from __future__ import annotations

import json
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from deciban import store
from deciban.cli import status
from deciban.mail.taught import open_filter

MESSAGES = {"en": "held-out/spam/en-012-lottery-charity-grant.eml", "ko": "held-out/spam/ko-008-coin-recovery.eml"}
TARGET = Path(__file__).parents[1] / "explanations.json"
TOP = 12


def explain() -> dict[str, Any]:
    """Train on the sample mailbox, and explain one held-out message for each language of the site."""
    with as_file(files("deciban") / "sample") as sample, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "filter.deciban"
        assert status(["train", str(sample / "train"), "-q", "-o", str(path)]) == 0
        with store.open_file(str(path)) as opened:
            served = open_filter(opened, str(path))
            return {language: what_is_shown(served, sample / name) for language, name in MESSAGES.items()}


def what_is_shown(served: Any, path: Path) -> dict[str, Any]:
    """Return the verdict, the strongest terms, the sum of the others, and the text that the places refer to."""
    why = served.explain(path.read_bytes())
    told = why.to_json()
    keys = ("label", "against", "probability", "decibans", "interval", "unsure", "prior_decibans")
    return {
        "message": path.name,
        **{key: told[key] for key in keys},
        "terms": told["terms"][:TOP],
        "others": [len(told["terms"]) - TOP, sum(term["decibans"] for term in told["terms"][TOP:])],
        "text": why.text,
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(explain(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
