"""One process of ablation.py: measures the build that it runs on, with the step of reading left out that the
environment names, and prints what it found as JSON.

    DECIBAN_WITHOUT=STEP python benchmarks/ablated.py N CORPUS…
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from disguise import Ours, caught_by_form, halves, ham_and_spam, threshold
from disguises import content_alone, plain
from mail_replay import measure
from real_mail import Mail

from deciban import _core


def measured(known: Mail, new: Mail, n: int) -> dict[str, Any]:
    """How accurate the default for mail is on mail as it came, and the share of n spams that it catches in disguise."""
    ours = Ours(known)
    scores = ours.scores(new.messages)
    limit = threshold(scores[~new.spam])
    ham, spam = ham_and_spam(new)
    chosen = distinct(spam)[:n]
    caught = {"any spam": float((scores[new.spam] > limit).mean()), **caught_by_form(ours, limit, chosen, ham)}
    return {"as_it_came": measure(scores, new.spam), "messages": len(chosen), "caught": caught}


def distinct(messages: list[bytes]) -> list[bytes]:
    """The first message of each text: more than half of TREC's spam has the same one."""
    return list({" ".join(plain(message)[2].split()): message for message in reversed(messages)}.values())[::-1]


def without_headers(mail: Mail) -> Mail:
    """The content of the messages alone."""
    return Mail([content_alone(message) for message in mail.messages], mail.spam, mail.folders)


def main() -> int:
    """0."""
    wanted = os.environ.get("DECIBAN_WITHOUT")
    found = getattr(_core, "ablation_left_out")()  # noqa: B009, only this build has it
    if found != wanted:
        raise SystemExit(f"ablated.py: expected {wanted} to be left out, but it is {found}")
    told = {}
    for corpus in sys.argv[2:]:
        known, new = halves(corpus)
        told[corpus] = {
            "whole": measured(known, new, int(sys.argv[1])),
            "content": measured(without_headers(known), without_headers(new), int(sys.argv[1])),
        }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
