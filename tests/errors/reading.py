"""Reading a table that cannot be read: what is said, word for word."""

import pytest

from deciban.tables.rows import read


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder to stand in, so that messages name short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(error, name, content=None, **options):
    if isinstance(content, str):
        content = content.encode()
    if content is not None:
        with open(name, "wb") as file:
            file.write(content)
    with pytest.raises(error) as caught:
        for _ in read(name, **{"text": "text", "label": "label", **options}):
            pass
    assert type(caught.value) is error
    return str(caught.value)
