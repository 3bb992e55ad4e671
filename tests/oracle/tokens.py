"""Words and n-grams of plain text by the book: one character at a time, with `unicodedata` and nothing of the core.

Characters are letters (letters, digits, marks that belong to them), unspaced (of scripts written without spaces),
invisible, or neither. Beside Korean words stand their pairs of syllables; instead of words in scripts without spaces,
n-grams of characters. The tables name what `unicodedata` does not know; marks outside them are not decided here.
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
HAN = characters("4E00-9FFF", "3400-4DBF", "20000-323AF", "F900-FAFF", "3005-3007")
KANA = characters("3041-3096", "3099-309A", "309D-309F", "30A1-30FA", "30FC-30FF", "31F0-31FF", "FF66-FF9F")
IDEOGRAPHS = HAN | KANA
LETTERS = characters("E01-EDF", "1000-109F", "1780-17D3") - characters("E3F", "E4F", "E5A-E5B", "104A-104F")
UNSPACED = IDEOGRAPHS | LETTERS
ATTACHED = characters("E31", "E33-E3A", "E47-E4E", "EB1", "EB3-EBC", "EC8-ECE")  # Thai, Lao
ATTACHED |= characters("102B-103E", "1056-1059", "105E-1060", "1062-1064", "1067-106D", "1071-1074")  # Burmese
ATTACHED |= characters("1082-108D", "108F", "109A-109D", "17B4-17D3")  # Khmer
ATTACHED |= characters("3099-309A", "FF9E-FF9F", "1160-11FF", "D7B0-D7FF") | INVISIBLE
STACKING = characters("1039", "17D2")  # the next consonant stands below
CONJOINING = characters("1100-11FF", "A960-A97C", "D7B0-D7FB")
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


def units(run):
    """The characters of a run as they are counted, each with what belongs to it: where they start, and the end."""
    starts = [i for i, c in enumerate(run) if i == 0 or not (c in ATTACHED or run[i - 1] in STACKING)]
    return [*starts, len(run)]


def grams(run, n):
    """(text, start, end, last character) of every n-gram of the characters of a run."""
    ends = units(run)
    return [(run[ends[k] : ends[k + n]], ends[k], ends[k + n], k + n) for k in range(len(ends) - n)]


def parts(run, sizes, before, word=None):
    """(name, start, end, what it is read beside) of the n-grams of a run that begins at `before`, by where they end."""
    found = [(last, n, *each) for n in sizes for *each, last in grams(run, n)]
    told = []
    for _, n, text, start, end in sorted(found, key=lambda each: each[:2]):
        if word != (before + start, before + end):
            told.append((final_part(text), before + start, before + end, n))
    return told


def final_part(text):
    """What a part says, in its final form."""
    changed = characters("F900-FAFF", "3099-309A", "309F", "30FF", "FF66-FF9F")
    if all(c not in changed and (c in UNSPACED or c in FINAL) for c in text):
        return text
    return final(text)[0]


def korean(text, start, end, word):
    """The pairs of syllables of a word."""
    found, i = [], start
    while i < end:
        j = i
        while j < end and (text[j] in HANGUL or text[j] in CONJOINING or (j > i and text[j] in INVISIBLE)):
            j += 1
        if j > i:
            found += [(*each[:3], -1) for each in parts(text[i:j], [2], i, word)]
        i = max(j, i + 1)
    return found


def words(text, longest=1):
    """(name, start, end, size) of every word and part, in order; the name is None where the word that follows was
    disguised. The size is 1 of a word, 0 of a disguise, and −n of a part that is read beside n-grams of n words."""
    found = []
    i = 0
    while i < len(text):
        start = i
        own = next((script for script in (IDEOGRAPHS, LETTERS) if text[i] in script), None)
        if own is not None:
            while i < len(text) and text[i] in own:
                i += 1
            first = 1 if own is IDEOGRAPHS else 2
            least = first + 1  # characters beside single words
            sizes = range(first, longest + least)
            some = [(*each[:3], -max(1, each[3] - least + 1)) for each in parts(text[start:i], sizes, start)]
            found += some or [(final_part(text[start:i]), start, i, -1)]
        elif letter(text[i]):
            i = end_of_word(text, i)
            word, whole = text[start:i], None
            if len(word.encode()) <= LONGEST:
                name, disguised = final(word)
                found += [(None, start, i, 0)] * disguised + [(name, start, i, 1)]
                whole = (start, i)
            found += korean(text, start, i, whole)
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
    """The names of the tokens: each word's n-grams that end with it; a remark in front of a disguised word; parts."""
    said, before, end = [], [], 0
    for name, start, stop, size in words(text, longest):
        if size == 0:
            said.append("shape:disguised")
        elif size < 0:
            if start >= end:
                before = []  # characters without spaces keep words apart
            said += [name] * (-size >= shortest)
        else:
            before.append(name)
            end = stop
            said += [" ".join(before[-n:]) for n in range(shortest, longest + 1) if n <= len(before)]
    return said
