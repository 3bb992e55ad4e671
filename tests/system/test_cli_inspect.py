"""What `deciban inspect` says: which words tell most of the class, readable and harmless whatever the words."""

import numpy as np
import pytest
from rich.cells import cell_len

from deciban import TextClassifier, TextVectorizer
from deciban.features.information import word_information
from deciban.features.mutual_information import MutualInformation
from deciban.report.inventory import Evidence, Inventory, Telling, inventory
from deciban.report.terminal import Screen
from system.command import out, result

TEXTS = ["무료 money now", "free money money", "무료 now now", "lunch at noon", "see you at noon", "lunch lunch 회의"]
LABELS = ["spam", "spam", "spam", "ham", "ham", "ham"]


def known(words, binary=True):
    """An inventory that lists `words`, each with its bits."""
    rates = (0.5, 0.0123)
    return Inventory(
        kind="mail",
        model="naive-bayes",
        classes={"ham": 3.0, "spam": 3.0},
        words=9,
        dictionary=9,
        occurrences=20.0,
        dropped=0,
        ledger=6,
        settings={"binary": binary, "words": [1, 1], "max_features": None, "hashed_bits": None},
        bayes={"likelihood": "multinomial", "alpha": 1.0, "estimate": "bayes", "class_prior": "empirical"},
        linear=None,
        certificate={"status": "exact", "advice": "", "relative_gap": 0.0, "digest": "0" * 64},
        bytes=1234,
        digest="0" * 64,
        class_bits=1.0,
        information=[Telling(word, bits, "spam", *rates) for word, bits in words.items()],
        evidence={"ham": [], "spam": [Evidence(word, 12.3, *rates) for word in words]},
    )


def said_by(lines):
    return "\n".join(line.plain for line in lines)


def listed(found, on=Screen(80)):  # noqa: B008 - frozen
    """The lines that say which words tell most."""
    lines = said_by(inventory(found, on)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("tells the class"))
    return lines[start : lines.index("", start)]


def test_the_words_that_tell_most_line_up_whatever_their_script():
    assert listed(known({"무료": 0.25, "money": 0.031})) == [
        "tells the class    bits  for   share of items  elsewhere",
        "무료             0.2500  spam          50.0 %     1.23 %",
        "money            0.0310  spam          50.0 %     1.23 %",
        "of 1.0000 bits in the class; what words tell overlaps",
    ]
    assert listed(known({"무료": 0.00025}, binary=False))[:2] == [
        "tells the class  bits a word  for   per item  elsewhere",
        "무료                0.000250  spam       0.5     0.0123",
    ]
    assert listed(known({})) == [
        "tells the class  bits  for  share of items  elsewhere",
        "  no word tells anything",
    ]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_words_of_a_filter_fit_the_width_and_steer_nothing(width, ascii_only):
    hostile = {"\x1b[2J\x9b31m": 0.5, "a\nb\tc\u202e": 0.4, "광고" * 60: 0.3, "w" * 300: 0.2}
    on = Screen(width, False, ascii_only)
    said = said_by(inventory(known(hostile), on))
    assert all(c.isprintable() or c == "\n" for c in said)
    tables = said[said.index("tells the class") :].splitlines()
    assert max(map(cell_len, tables)) <= width
    assert sum("\\x1b[2J\\x9b31m" in line for line in tables) == 2
    assert sum("a\\nb\\tc" in line for line in tables) == 2
    assert sum(on.pick("…", "...") in line for line in tables) == 4


@pytest.mark.parametrize("binary", [True, False])
def test_inspect_says_what_words_tell_in_bits(tmp_path, binary):
    clf = TextClassifier(words=(1, 1), binary=binary).fit(TEXTS, LABELS)
    clf.save(tmp_path / "f.deciban")
    told = result("inspect", tmp_path / "f.deciban", "--json", "--top", 100)
    rows = TextVectorizer(words=(1, 1), binary=binary).fit(TEXTS)
    X = rows.transform(TEXTS)
    if binary:
        bits = MutualInformation().fit(X, LABELS).bits_
    else:
        bits = word_information([3, 3], [X[3:].sum(axis=0), X[:3].sum(axis=0)]) / np.log(2)
    expected = {name: each for name, each in zip(rows.get_feature_names_out(), bits, strict=True) if each > 1e-15}
    assert {each["term"]: each["bits"] for each in told["information"]} == pytest.approx(expected, rel=1e-9)
    shown = [each["bits"] for each in told["information"]]
    assert shown == sorted(shown, reverse=True)
    assert told["class_bits"] == pytest.approx(1.0)
    for each in told["information"]:
        assert each["rate"] > each["elsewhere"]
        assert each["label"] == ("spam" if each["term"] in "무료 money now free" else "ham")
    assert "무료" in out("inspect", tmp_path / "f.deciban")
    few = result("inspect", tmp_path / "f.deciban", "--json", "--top", 2)["information"]
    assert few == told["information"][:2]
    assert result("inspect", tmp_path / "f.deciban", "--json", "--top", 0)["information"] == []


def test_a_bucket_of_the_hash_tells_what_its_words_tell(tmp_path):
    clf = TextClassifier(words=(1, 1), hashed_bits=3).fit(TEXTS, LABELS)
    clf.save(tmp_path / "f.deciban")
    told = result("inspect", tmp_path / "f.deciban", "--json", "--top", 8)["information"]
    X = TextVectorizer(words=(1, 1), hashed_bits=3, binary=True).fit(TEXTS).transform(TEXTS)
    bits = MutualInformation().fit(X, LABELS).bits_
    assert sorted(each["bits"] for each in told) == pytest.approx(sorted(bits[bits > 1e-15].tolist()), rel=1e-9)
