"""The rules of accessibility that a page in the browser breaks, as axe-core finds them."""

from __future__ import annotations

from typing import Any

import pytest

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that ask for colours: all that another colour scheme can break."""


def find_violations(page: Any, colours_only: bool = False) -> list[tuple[str, list[str]]]:
    """Return the rules that are broken, and the first elements that break each."""
    api = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="it brings axe-core: pip install axe-playwright-python"
    )
    chosen = {"type": "rule", "values": OF_COLOURS} if colours_only else {"type": "tag", "values": RULES}
    found = api.Axe().run(page, options={"runOnly": chosen, "resultTypes": ["violations"]}).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found]
