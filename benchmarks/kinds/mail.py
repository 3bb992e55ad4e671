"""Mail problems: whole commands on a corpus; the scores they print give the error and the ROC area."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import corpora
import environment
from measure import FailedError, Numbers, Side
from problems import Problem
from sides.mail_bogofilter import Bogofilter
from sides.mail_deciban import Deciban

from kinds import Contest, Share

Scored = tuple[float, bool]
"""A score, higher for spam, and whether the message was spam."""


def contest(problem: Problem, folder: Path) -> Contest:
    """Unpack the corpus once, for both sides."""
    archive = environment.data(problem.data)
    environment.deciban(), environment.bogofilter()  # before the long work: are both here?
    mail = corpora.unpack(archive, folder / "corpus")
    shape = problem.options["shape"]
    (folder / "deciban").mkdir()
    ours = Deciban(mail, shape, folder / "deciban")
    theirs = Bogofilter(mail, shape, folder / "bogofilter", **problem.sides["bogofilter"])
    counts = {part: sum(by_label.values()) for part, by_label in mail.counts.items()}

    def side(name: str, program: Deciban | Bogofilter) -> Side:
        return Side(name, lambda: _measured(name, program, mail, counts))

    def where() -> list[Share]:
        script = environment.HERE / "sides" / "where_mail.py"
        paths = [mail.path(part, label, shape) for part in corpora.PARTS for label in corpora.LABELS]
        done = subprocess.run([sys.executable, script, *map(str, paths)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise FailedError(f"{script.name} failed:\n{done.stderr.strip()[-2000:]}")
        return [tuple(step) for step in json.loads(done.stdout)]

    return Contest(
        [side("deciban", ours), side("bogofilter", theirs)],
        mail.bytes,
        counts,
        {"deciban": ours.version(), "bogofilter": theirs.version()},
        where,
    )


def _measured(name: str, program: Deciban | Bogofilter, mail: corpora.Mail, counts: dict[str, int]) -> Numbers:
    trained, judged = program.train(), program.classify()
    scores = program.scores()
    came = {label: sum(spam == (label == "spam") for _, spam in scores) for label in corpora.LABELS}
    if came != mail.counts["test"]:
        raise FailedError(f"{name} printed scores for {came}; the test part has {mail.counts['test']}")
    return {
        "train_s": trained.wall_s,
        "classify_s": judged.wall_s,
        "train_cpu_s": trained.cpu_s,
        "classify_cpu_s": judged.cpu_s,
        "train_per_s": counts["train"] / trained.wall_s,
        "classify_per_s": counts["test"] / judged.wall_s,
        "one_minus_roca_percent": inverted_percent(scores),
    }


def inverted_percent(scores: Sequence[Scored]) -> float:
    """(1 − ROCA)%: of all pairs of a spam and a ham, the share where the ham scores higher; ties count half."""
    groups: dict[float, list[int]] = {}
    for score, spam in scores:
        groups.setdefault(score, [0, 0])[spam] += 1
    wrong, hams_above = 0.0, 0
    for score in sorted(groups, reverse=True):
        ham, spam = groups[score]
        wrong += spam * (hams_above + 0.5 * ham)
        hams_above += ham
    spams = sum(spam for _, spam in groups.values())
    return 100 * wrong / (spams * hams_above)
