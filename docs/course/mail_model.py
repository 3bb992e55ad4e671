"""Writes docs/course/widgets/mail-model.js: word counts of the sample mailbox, for the browser.

python docs/course/mail_model.py
"""

from __future__ import annotations

import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from deciban import MutualInformation, NaiveBayes, TextVectorizer

TARGET = Path(__file__).parent / "widgets" / "mail-model.js"
TOKEN = r"(?u)\b\w\w+\b"
WORDS = 400
_HEAD = "/** Written by mail_model.py: what Deciban counted. */\n\nexport const MODEL = "
_TAIL = ";\n"


def read_text(path: Path) -> str:
    """Return the subject and the body of a message, without markup."""
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("plain", "html"))
    text = "" if body is None else decode(body)
    if body is not None and body.get_content_subtype() == "html":
        text = re.sub(r"<(style|script).*?</\1>|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL | re.IGNORECASE)
    return f"{message['subject']}\n{text}"


def decode(body: EmailMessage) -> str:
    """Return the text of a part, as UTF-8 where its character set has no such name."""
    raw = body.get_payload(decode=True)
    assert isinstance(raw, bytes)
    try:
        return raw.decode(body.get_content_charset("utf-8"), errors="replace")
    except LookupError:
        return raw.decode(errors="replace")


def read_sample(part: str) -> tuple[list[str], list[str]]:
    """Return the texts and the labels of a part of the sample mailbox, "train" or "held-out"."""
    with as_file(files("deciban") / "sample" / part) as folder:
        paths = sorted(folder.glob("*/*.eml"))
        return [read_text(path) for path in paths], [path.parent.name for path in paths]


def fit() -> tuple[TextVectorizer, NaiveBayes]:
    """Fit naive Bayes to the words of the training messages that tell most about the class."""
    texts, labels = read_sample("train")
    every = TextVectorizer(token_pattern=TOKEN, max_features=None, min_df=3)
    X = every.fit_transform(texts)
    chosen = MutualInformation(k=WORDS).fit(X, labels).get_support()
    words = sorted(every.get_feature_names_out()[chosen])
    vectorizer = TextVectorizer(token_pattern=TOKEN, vocabulary=words).fit(texts)
    return vectorizer, NaiveBayes(alpha=1.0).fit(vectorizer.transform(texts), labels)


def count(vectorizer: TextVectorizer) -> dict[str, Any]:
    """Return the model as the browser keeps it: the sufficient statistics."""
    texts, labels = read_sample("train")
    X, is_spam = vectorizer.transform(texts), np.array(labels) == "spam"
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    counts = {
        name: np.asarray(X[rows].sum(axis=0)).ravel().astype(int).tolist()
        for name, rows in (("spam", is_spam), ("ham", ~is_spam))
    }
    return {"words": words, **counts, "messages": {"spam": int(is_spam.sum()), "ham": int((~is_spam).sum())}}


def read_model() -> dict[str, Any]:
    """Return the model that the browser has."""
    found: dict[str, Any] = json.loads(TARGET.read_text(encoding="utf-8").removeprefix(_HEAD).removesuffix(_TAIL))
    return found


if __name__ == "__main__":
    model = json.dumps(count(fit()[0]), ensure_ascii=False, separators=(",", ":"))
    TARGET.write_text(_HEAD + model + _TAIL, encoding="utf-8")
