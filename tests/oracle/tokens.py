"""Words and n-grams of plain text by the book: one character at a time, with `unicodedata` and nothing of the core.

Characters are letters (letters, digits, marks that belong to them), unspaced (of scripts written without spaces),
invisible, or neither. The tables name what `unicodedata` does not know; marks outside them are not decided here.
"""

import unicodedata

LONGEST = 64  # bytes of a word; longer ones are passed over
JOINERS = "'_"  # between two letters they belong to the word


def characters(*ranges):
    """The characters of `ranges`, each "a-z" in hexadecimal or one number."""
    ends = [r.split("-") for r in ranges]
    return {chr(c) for end in ends for c in range(int(end[0], 16), int(end[-1], 16) + 1)}


INVISIBLE = characters("AD", "34F", "115F-1160", "180B-180E", "200B-200F", "202A-202E", "2060-206F")
INVISIBLE |= characters("3164", "FEFF", "FFA0")
HAN = characters("4E00-9FFF", "3400-4DBF", "20000-323AF")
KANA = characters("3041-3096", "30A1-30FA", "30FC")
SOUTH_EAST_ASIAN = characters("E01-EDF", "1000-109F", "1780-17D3")
UNSPACED = HAN | KANA | SOUTH_EAST_ASIAN
COMBINING = characters("300-36F")
DEVANAGARI_VOWELS = characters("93E-94C")
ARABIC_VOWELS = characters("64B-657")
HEBREW_POINTS = characters("5B0-5BD")
MARKS = COMBINING | DEVANAGARI_VOWELS | ARABIC_VOWELS | HEBREW_POINTS

HANGUL = characters("AC00-D7A3", "3131-3163", "3165-318E")
FINAL = HANGUL | characters("DF-F6", "F8-FF")  # outside ASCII, what is a final form as it is typed
TWINS = str.maketrans(
    "аαьсϲԁеёһіιјϳкκӏмпηоοσрρԛгѕтτυνѵԝωхχуγ",
    "aabccdeehiijjkklmnnooo" + "ppqrsttuvvwwxxyy",
)


def letter(c):
    """Does this character make a word?"""
    if c in UNSPACED or c in INVISIBLE:
        return False
    return c in MARKS or unicodedata.category(c)[0] in "LN"


def final(word):
    """What a word says, and whether it was disguised."""
    if all(c.isascii() or c in FINAL for c in word):
        return "".join(c.lower() if c.isascii() else c for c in word), False
    visible = [c for c in word if c not in INVISIBLE]
    normal = unicodedata.normalize("NFKC", "".join(visible))
    small = "".join(c.lower() for c in normal if c not in INVISIBLE)
    latin = any(c.isascii() and c.isalpha() for c in small)
    plain = small.translate(TWINS) if latin else small
    return unicodedata.normalize("NFC", plain), plain != small or len(visible) < len(word)


def words(text):
    """(name, start, end) of every word, in order; the name is None where the word that follows was disguised."""
    found = []
    i = 0
    while i < len(text):
        start = i
        if text[i] in UNSPACED:
            while i < len(text) and text[i] in UNSPACED:
                i += 1
            pairs = range(start, max(start + 1, i - 1))
            found += [(text[k : min(k + 2, i)], k, min(k + 2, i)) for k in pairs]
        elif letter(text[i]):
            i = end_of_word(text, i)
            word = text[start:i]
            if len(word.encode()) <= LONGEST:
                name, disguised = final(word)
                found += [(None, start, i)] * disguised + [(name, start, i)]
        else:
            i += 1
    return found


def end_of_word(text, i):
    """Where the word ends that begins at `i`."""
    while i < len(text):
        joins = text[i] in JOINERS and i + 1 < len(text) and letter(text[i + 1])
        if not (letter(text[i]) or text[i] in INVISIBLE or joins):
            break
        i += 1
    return i


def tokens(text, shortest=1, longest=1):
    """The names of the tokens: each word's n-grams that end with it; a remark in front of a disguised word."""
    said, before = [], []
    for name, _, _ in words(text):
        if name is None:
            said.append("shape:disguised")
            continue
        before.append(name)
        said += [" ".join(before[-n:]) for n in range(shortest, longest + 1) if n <= len(before)]
    return said
