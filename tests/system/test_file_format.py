"""The page of the file format names all that files hold: of every kind that there is, one file is at hand."""

import re
from pathlib import Path

import pytest

from deciban import store
from deciban.artifact import state

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "file-format.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([^`]+)`", PAGE))
FILES = sorted((ROOT / "tests" / "goldens" / "files").glob("*.deciban"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_field_and_every_tensor_of_a_file_is_on_the_page(path):
    stored = store.read(path, tables=True)
    fields = set(stored.header)
    for section in ("text", "linear", "kernel", "network", "origin", "table"):
        own = stored.header.get(section)
        if (type(own) is dict and "text" in stored.header) or (section in ("origin", "table") and type(own) is dict):
            fields |= set(own)
    assert fields - {"declared"} <= NAMED | set(re.findall(r"[a-z_]+", " ".join(NAMED)))
    prefixes = {name[:-1] for name in NAMED if name.endswith(".*")}
    for name in stored.tensors:
        general = re.sub(r"\.\d+(?=\.|$)", ".k", name)
        assert general in NAMED or any(general.startswith(each) for each in prefixes) or name in NAMED, name


def test_every_key_of_a_node_is_on_the_page():
    assert {*state._READERS, "estimator", "file"} <= NAMED


def test_the_container_is_as_the_page_says():
    content = FILES[0].read_bytes()
    size = int.from_bytes(content[:8], "little")
    assert content[8 : 8 + size].startswith(b'{"__metadata__":{"deciban":"{\\"digest\\":\\"')
    types = re.search(r"of the types (.*?)\.", PAGE, re.S)
    assert set(re.findall(r"\b[UIF]\d+", types[1])) == set(store._DTYPES)
