"""Tokens of the core are those of the oracle, for any text and for real ones; and they stand where it says."""

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deciban import TextClassifier
from deciban._core import Reader
from oracle import tokens as oracle

SIZES = [(1, 1), (1, 2), (2, 2), (1, 5), (3, 5)]

CIRCLED = "".join(map(chr, [*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F18A)]))  # symbols that count as letters
ANY = st.characters(
    categories=["L", "N", "P", "Sm", "Sc", "Sk", "So", "Z", "Cc", "Cf"],
    exclude_characters=CIRCLED,
)
TRICKY = st.sampled_from(
    [
        *"abzAZ09 '_-.,'_''é ÉßŠİıſK가힣ㅋㅏㅎ무료東京都漢かナーกำๅ់",
        *"\u200b\u200d\u00ad\ufeff\u3164\uffa0\u115f\u1160\u034f\u2060\u180e",
        *"\u0300\u0301\u0307\u0308\u0323\u0331\u0338\u0345",
        *"ＡｚＺ０９ｶﾞﾊﾟﾡￃＦＲＥＥ",
        *"аеорсухіѕԁАЕОРСТνοτΑΕΟςσΣΩω",
        *"ᄃ\u1162ᄎ\u116e\u11afﬁﬆ½①⑴⒈℡㎏ﷺ々〆ゝ・。、《》　",
        *oracle.DEVANAGARI_VOWELS,
        *"कखग",
        *"بتث\u064b\u0651שלו\u05b8\u05bd",
        *"\ud7b0\ua960\U00020000\U0001f600\U0001d400\U000e0001\x00\x7f\x85\u2028",
    ]
)
WORD = st.text(TRICKY, max_size=12)
# Words that end near 64 bytes, stretches that end near 64 and near 255.
LONG = st.builds(
    lambda head, letter, n, tail: head + letter * n + tail,
    st.text(TRICKY, max_size=3),
    st.sampled_from(["x", "é", "가", "a'", "a ", "東", "x_", "А"]),
    st.integers(18, 260),
    st.text(TRICKY, max_size=4),
)
TEXT = st.lists(st.one_of(WORD, LONG, st.text(ANY, max_size=8)), max_size=8).flatmap(
    lambda pieces: st.sampled_from(["", " ", "'", "_", "-", "\n"]).map(lambda gap: gap.join(pieces))
)


def same(text, sizes):
    shortest, longest = sizes
    assert Reader("text", sizes).tokens(text) == oracle.tokens(text, shortest, longest)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@given(text=TEXT)
@example(text="l'été d'accord 'quoted' it''s a_ _b a_b'c don't")
@example(text="ㅋㅏ 카 ㅋㅋㅋ 가ㅏ ㅋ\u200bㅏ")
@example(text="a " + "x" * 65 + " b " + "é" * 33 + " c " + "é" * 32)
@example(text="ＶІАＧＲА Ｖіаgrа vi\u200bagra e\u200b\u0301 H\u0331а\u0301")
@example(text="東 東京 東京都 กำ x東京y 東'京 東\u200b京")
@example(text="영화를 봤다ㅋㅋㅋ tv영화를a 영\u200b화를 ᄃ\u1162ᄎ\u116e\u11af한테 가" + "나다" * 12)
@example(text="佐々木ｶﾞｷﾞ か\u3099く 我喜欢这部电影 この映画は面白い ที่นี่มีน้ำ ខ្មែរ မြန်မာ ກິນເຂົ້າ")
def test_tokens_are_those_of_the_oracle(sizes, text):
    same(text, sizes)


@pytest.mark.parametrize("letter", ["x", "é", "가", "東", "a'"])
def test_words_across_the_blocks_in_which_bytes_are_read(letter):
    for n in [*range(1, 70), *range(245, 265), *range(505, 515)]:
        for text in (letter * n, " " * n + letter * 3, "x " * n + letter, "a" * n + " " + letter, "x'" * n + letter):
            same(text, (1, 2))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", ["imdb.parquet", "korean-reviews.parquet", "20news.parquet", "mr.parquet"])
def test_tokens_of_real_texts(data, sizes, name):
    texts = pl.read_parquet(data(name))["text"].to_list()
    for i in np.random.default_rng(1).choice(len(texts), 500, replace=False):
        text = texts[i] if isinstance(texts[i], str) else texts[i].decode("utf-8", "replace")
        same(text, sizes)


@given(text=TEXT)
def test_a_text_and_its_utf_8_are_the_same(text):
    reader = Reader("text", (1, 2))
    assert reader.tokens(text.encode()) == reader.tokens(text)
    assert reader.view(text.encode()) == reader.view(text)
    assert reader.digest(text.encode()) == reader.digest(text)
    seen, spans = reader.view(text)
    assert seen == text
    assert spans == ([("", 0, len(text.encode()))] if text else [])


@given(text=st.text(st.characters(codec="utf-8") | st.sampled_from("\ud800\udcff")))
def test_lone_surrogates_end_words_like_any_unknown_character(text):
    clean = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    reader = Reader("text")
    assert reader.tokens(text) == reader.tokens(clean)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@given(text=TEXT)
def test_places_point_at_the_words(sizes, text):
    learnt = TextClassifier(words=sizes, max_features=None).fit([text + " one two three four", "one two three"], [0, 1])
    explanation = learnt.explain([text])[0]
    assert explanation.text == text
    names = oracle.tokens(text, *sizes)
    assert {term.term: term.count for term in explanation.terms} == {name: names.count(name) for name in names}
    for term in explanation.terms:
        assert len(term.places) == min(term.count, 100)
        assert list(term.places) == sorted(term.places, key=lambda place: place[1])
        for start, end in term.places:
            said = oracle.words(text[start:end])
            if term.term == "shape:disguised":
                assert said[0][0] is None
            else:
                whole = [" ".join(name for name, *_, size in said if size == 1), oracle.final_part(text[start:end])]
                assert term.term in whole
