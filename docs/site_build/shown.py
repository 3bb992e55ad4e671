"""What pages show from the data beside them: an explanation of a message, and the comparison of the start page."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "benchmarks" / "records" / "2026-11-25-mail-replay-2.json"
STREAMS = ("trec", "spamassassin")
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "verdict": "{label}: {decibans} dB against {against}",
        "sure": "probability {p} %; 95 % interval {low} to {high} dB",
        "caption": "`deciban explain` on a message of the sample mailbox that the filter had not seen.",
        "marks": "Words that speak for spam are underlined, words for ham dashed.",
        "word": "Evidence",
        "decibans": "Decibans",
        "prior": "prior",
        "others": "{n} others",
        "total": "total",
        "headers": "headers and content disagree",
        "filter": "Filter",
        "trec": "TREC 2007, first 10,000 messages",
        "spamassassin": "SpamAssassin, 6,046 messages by date",
        "misses": "spam missed",
        "loss": "log loss",
        "seconds": "seconds",
    },
    "ko": {
        "verdict": "{label}: {against} 대비 {decibans} dB",
        "sure": "확률 {p} %, 95 % 구간 {low} ~ {high} dB",
        "caption": "필터가 처음 보는 표본 메일함의 메시지를 `deciban explain`으로 설명한 결과입니다.",
        "marks": "스팸 쪽 단어는 실선, 정상 메일(ham) 쪽 단어는 점선으로 밑줄을 그었습니다.",
        "word": "증거",
        "decibans": "데시반",
        "prior": "사전 항",
        "others": "나머지 {n}개",
        "total": "합계",
        "headers": "헤더와 본문의 불일치",
        "filter": "필터",
        "trec": "TREC 2007, 처음 10,000통",
        "spamassassin": "SpamAssassin, 날짜순 6,046통",
        "misses": "놓친 스팸",
        "loss": "로그 손실",
        "seconds": "초",
    },
}
SHOWN_HEADERS = ("From:", "To:", "Subject:", "Date:")


def fill(markdown: str, language: str) -> str:
    """Return a page whose placeholders are filled."""
    parts = {"explanation": explanation, "comparison": comparison}
    return re.sub(r"<!-- (explanation|comparison) -->", lambda found: parts[found[1]](language), markdown)


def explanation(language: str) -> str:
    """Return HTML of the recorded explanation: verdict, message with marked words, and the terms as bars."""
    words = WORDS[language]
    why = json.loads((ROOT / "docs" / "explanations.json").read_text(encoding="utf-8"))[language]
    low, high = (signed(each, 0) for each in why["interval"])
    p = f"{100 * why['probability'][why['label']]:.1f}"
    head = words["verdict"].format(label=why["label"], against=why["against"], decibans=f"{why['decibans']:.1f}")
    told = words["sure"].format(p=p, low=low, high=high)
    caption = re.sub(r"`(.*?)`", r"<code>\1</code>", words["caption"])
    label = f'role="region" tabindex="0" aria-label="{escape(why["message"])}"'
    return (
        '<figure class="explanation">\n'
        f'<p class="verdict"><strong>{escape(head)}</strong> <span>{escape(told)}</span></p>\n'
        f'<div class="sides">\n<pre class="message" {label}>{message(why)}</pre>\n'
        f"{terms(why, words)}\n</div>\n<figcaption>{caption} {words['marks']}</figcaption>\n</figure>\n"
    )


def message(why: dict[str, Any]) -> str:
    """Return the headers that people read and the text of a message, with the strongest words marked in place."""
    marks = sorted(
        (start, end, "for" if term["decibans"] > 0 else "against")
        for term in why["terms"]
        for start, end in term["places"]
    )
    text, shown, at = why["text"], [], 0
    for start, end, side in marks:
        if start >= at:
            shown += [escape(text[at:start]), f'<mark class="{side}">{escape(text[start:end])}</mark>']
            at = end
    head, _, body = "".join([*shown, escape(text[at:])]).partition("\n\n")
    kept = [line for line in head.split("\n") if line.startswith(SHOWN_HEADERS)]
    body = re.sub(r"\s+[a-z-]+(\n[a-z-]+)*\s*$", "", body)  # what the filter remarks about the form of a message
    return "\n".join(kept) + "\n\n" + re.sub(r"\n{3,}", "\n\n", body.strip("\n"))


def terms(why: dict[str, Any], words: dict[str, str]) -> str:
    """Return a table of the prior, the terms, the others and their sum, each number with a bar."""
    others, rest = why["others"]
    widest = max(abs(term["decibans"]) for term in why["terms"])
    lines = [
        row(words["prior"], why["prior_decibans"], widest, "rest"),
        *(row(name_of(term, words), term["decibans"], widest) for term in why["terms"]),
        row(words["others"].format(n=others), rest, widest, "rest"),
    ]
    total = f'<tr class="total"><th scope="row">{words["total"]}</th><td></td><td>{signed(why["decibans"])}</td></tr>'
    head = f'<tr><th scope="col" colspan="2">{words["word"]}</th><th scope="col">{words["decibans"]}</th></tr>'
    return f'<table class="terms"><thead>{head}</thead><tbody>{"".join(lines)}{total}</tbody></table>'


def name_of(term: dict[str, Any], words: dict[str, str]) -> str:
    """Return a term as the terminal names it, with how often it occurs."""
    name = words["headers"] if term["term"].startswith("(") else term["term"]
    return name + (f" ×{term['count']}" if term["count"] > 1 else "")


def row(name: str, value: float, widest: float, kind: str = "") -> str:
    """Return a row with a bar to the right for the label and to the left against it."""
    side, width = f"{('for', 'against')[value < 0]} {kind}".strip(), min(50.0, 50.0 * abs(value) / widest)
    at = 50.0 if value >= 0 else 50.0 - width
    bar = '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
    bar += f'<rect class="{side}" x="{at:.1f}" y="1" width="{width:.1f}" height="8"/><path d="M50 0V10"/></svg>'
    return f'<tr><th scope="row">{escape(name)}</th><td class="bar">{bar}</td><td>{signed(value)}</td></tr>'


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign, and the minus sign of typography."""
    return f"{value:+.{digits}f}".replace("-", "−")


def comparison(language: str) -> str:
    """Return the tables of the start page: the filter beside others, on two streams of mail, from the record."""
    problems = json.loads(RECORD.read_text(encoding="utf-8"))["problems"]
    parts = [f"<div markdown>\n\n{stream(name, problems[name], WORDS[language])}\n\n</div>" for name in STREAMS]
    return '<div class="pair" markdown>\n\n' + "\n\n".join(parts) + "\n\n</div>\n"


def stream(name: str, sides: dict[str, Any], words: dict[str, str]) -> str:
    """Return the table of one stream, with its name."""
    lines = [[words["filter"], words["misses"], words["loss"], words["seconds"]], ["---", "---:", "---:", "---:"]]
    for side, found in sides.items():
        cells = f"{found['missed_at_0.1_percent']:.1f} %", f"{found['log_loss']:.3f}", f"{found['seconds']:.0f}"
        lines.append(["**Deciban**" if side == "deciban" else side, *cells])
    return f"**{words[name]}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)
