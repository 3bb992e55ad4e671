"""One filter file, whatever happens to those who write it: what they said is true, and nothing else is ever there.

Learners, trainers and savers come alone or at once; at any call that writes, the disk is full, it fails, the quota is
used up, a part is written, or the process is killed.
"""

import errno
import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from faults import KILLS, Fault, Process
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from deciban.cli import status
from deciban.files.replacement import replace
from deciban.mail.filter import Filter
from deciban.mail.journal import discard
from deciban.mail.taught import read_solved
from tiers import deep, examples

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the core knows of forks

ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
KINDS = (*ERRORS, "short", *KILLS)
LABELS = ("ham", "spam")
NOTE = "user.deciban.test"
DONE = ("was written, but may not survive a loss of power", "What was told is in its journal")


def message(i):
    return f"From: a{i}@example.org\nSubject: about {i % 3}\n\nwords of number {i} {'w' * i}\n".encode()


def write_examples(folder):
    """Twelve messages to learn, and three sets of four to train with."""
    (folder / "items").mkdir()
    for i in range(12):
        (folder / "items" / f"{i}.eml").write_bytes(message(i))
    for k in range(3):
        for j, label in enumerate(LABELS):
            (folder / f"set{k}" / label).mkdir(parents=True)
            for i in range(2):
                (folder / f"set{k}" / label / f"{i}.eml").write_bytes(message(100 + 10 * k + 2 * j + i))


class Step:
    """Something that the command does to the filter, and what becomes of a filter that it is done to."""

    def __init__(self, folder, verb, items=(), label="spam", variant=0):
        self.folder, self.verb, self.items, self.label, self.variant = folder, verb, items, label, variant

    def __repr__(self):
        return f"{self.verb} {self.items or ''} {self.label if self.verb == 'learn' else self.variant}"

    def run(self):
        path, files = str(self.folder / "f.deciban"), [str(self.folder / "items" / f"{i}.eml") for i in self.items]
        if self.verb == "save":
            try:
                Filter.load(path).save(path)
            except Exception as error:
                sys.stderr.write(str(error))
                return 74
            return 0
        if self.verb == "train":
            return status(["train", str(self.folder / f"set{self.variant}"), "-o", path, "-q"])
        return status([self.verb, path, "-q", *(["--as", self.label] if self.verb == "learn" else []), *files])

    def after(self, known):
        """The filter after it, from that before it."""
        if self.verb == "train":
            return trained(self.variant)
        items = [message(i) for i in self.items]
        if self.verb == "learn":
            return known.learn(items, self.label)[0]
        return known.forget(items)[0] if self.verb == "forget" else known


@cache
def trained(variant):
    """The filter of a set of four messages."""
    with tempfile.TemporaryDirectory() as folder:
        write_examples(Path(folder))
        path = f"{folder}/f.deciban"
        assert status(["train", f"{folder}/set{variant}", "-o", path, "-q"]) == 0
        return Filter.load(path)


def content(known):
    """The bytes of a filter."""
    with tempfile.TemporaryDirectory() as folder:
        known.save(f"{folder}/f")
        return Path(folder, "f").read_bytes()


def solved(path):
    """The filter in a file, with what its journal says."""
    return Filter.of_stored(read_solved(path))


def may_have_happened(ended):
    """Whether a step was done, by what its process said: True, False, or None if it could not say it."""
    if ended.code is None:
        return None
    if ended.code == 0 or any(told in ended.said for told in DONE):
        return True
    assert ended.code == 74, ended
    assert ended.said.count("\n") <= 1, ended
    return False


def check(path, known, steps, ended):
    """Return the filter in the file, which must be one of those that may be there."""
    possible = [known]
    for step, end in zip(steps, ended, strict=True):
        happened = may_have_happened(end)
        after = [step.after(each) for each in possible] if happened is not False else []
        possible = after if happened else possible + after
    there = content(solved(path))
    found = [each for each in possible if content(each) == there]
    assert found, (steps, ended)
    return found[0]


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.endswith(".part")]


@pytest.fixture
def folder(tmp_path):
    write_examples(tmp_path)
    assert Step(tmp_path, "train").run() == 0
    return tmp_path


SINGLE = {
    "learn": {"items": (0, 1)},
    "forget": {"items": (5,)},
    "train": {"variant": 1},
    "save": {},
}


@pytest.mark.deep
@pytest.mark.parametrize("verb", SINGLE)
@pytest.mark.parametrize("kind", KINDS)
def test_every_call_that_writes_may_go_wrong(verb, kind, folder):
    path = folder / "f.deciban"
    assert Step(folder, "learn", (5,)).run() == 0
    if os.geteuid() == 0:
        os.chown(path, 4242, 4343)
    path.chmod(0o640)
    known, before = Filter.load(path), path.read_bytes()
    about, at, counts = path.stat(), 0, []
    while True:
        step = Step(folder, verb, **SINGLE[verb])
        ended = Process(step.run, Fault(kind, at)).wait()
        now = check(path, known, [step], [ended])
        assert same(path.stat(), about)
        counts.append(ended.calls)
        if ended.code is not None and ended.calls <= at:
            break
        replace(path, before)
        discard(path)
        assert leftovers(folder) == []
        assert same(path.stat(), about)
        at += 1
    assert content(now) == content(step.after(known))
    assert at >= 7  # two locks, a new file, its content, fsync of it and of the folder, its name
    assert leftovers(folder) == []


def same(about, other):
    """Whether two files have the same owner, group and mode."""
    return [getattr(about, name) == getattr(other, name) for name in ("st_uid", "st_gid", "st_mode")] == [True] * 3


@pytest.mark.parametrize("kind", [errno.ENOSPC, *deep(errno.EIO, errno.EDQUOT, "short", *KILLS)])
def test_a_new_file_is_there_whole_or_not_at_all(kind, tmp_path):
    path, at = tmp_path / "new", 0

    def work():
        try:
            replace(path, b"content" * 1000)
        except Exception as error:
            sys.stderr.write(str(error))
            return 74
        return 0

    while True:
        ended = Process(work, Fault(kind, at)).wait()
        happened = may_have_happened(ended)
        assert happened is None or path.exists() == happened
        if path.exists():
            assert path.read_bytes() == b"content" * 1000
            path.unlink()
        if ended.code is not None and ended.calls <= at:
            break
        replace(path, b"x")
        assert os.listdir(tmp_path) == ["new"]
        path.unlink()
        at += 1
    assert at >= 6
    assert os.listdir(tmp_path) == []


@pytest.mark.deep
@pytest.mark.parametrize("verb", SINGLE)
def test_a_disk_that_is_full_anywhere(verb, folder):
    path = folder / "f.deciban"
    assert Step(folder, "learn", (5,)).run() == 0
    known, step = Filter.load(path), Step(folder, verb, **SINGLE[verb])
    size = len(content(step.after(known)))
    for room in (0, 1, size // 3, size - 1):
        ended = Process(step.run, room=room).wait()
        assert ended.code == 74
        assert "could not be written: " in ended.said
        assert any(told in ended.said for told in ("Nothing was changed; make room or choose another place", *DONE))
        check(path, known, [step], [ended])
        discard(path)
        assert leftovers(folder) == []


@pytest.mark.deep
@pytest.mark.parametrize("attempt", range(3))
def test_four_learn_while_a_fifth_trains_over_it(attempt, folder):
    """What was learnt after the last training is there; what was learnt before it is not, as it was asked for."""
    path, log = folder / "f.deciban", os.open(folder / "log", os.O_CREAT | os.O_APPEND | os.O_RDWR)

    def noted(*steps):
        def work():
            for step in steps:
                name = str(step.items[0] if step.items else "train")
                os.write(log, f"begin {name}\n".encode())
                code = step.run()
                os.write(log, f"end {name}\n".encode())
                if code:
                    return code
            return 0

        return work

    learners = [noted(*(Step(folder, "learn", (i,)) for i in range(k, 12, 4))) for k in range(4)]
    trainer = noted(*(Step(folder, "train", variant=k) for k in (1, 2)))
    processes = [Process(work) for work in [*learners[:2], trainer, *learners[2:]]]
    assert [process.wait().code for process in processes] == [0] * 5
    events = os.pread(log, 1 << 16, 0).decode().splitlines()
    os.close(log)
    begun = len(events) - 1 - events[::-1].index("begin train")
    ended = len(events) - 1 - events[::-1].index("end train")
    there = [i for i in range(12) if message_is_known(Filter.load(path), i)]
    assert {i for i in range(12) if events.index(f"begin {i}") > ended} <= set(there)
    assert not {i for i in range(12) if events.index(f"end {i}") < begun} & set(there)
    assert path.read_bytes() == content(trained(2).learn([message(i) for i in there], "spam")[0])
    assert leftovers(folder) == []


def message_is_known(known, i):
    return known.forget([message(i)])[1] == ["forgotten"]


FAULTS = st.none() | st.builds(Fault, st.sampled_from(KINDS), st.integers(0, 16))


class Writers(RuleBasedStateMachine):
    """The model is a filter in memory, to which is done what was acknowledged."""

    @initialize()
    def begin(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        write_examples(self.folder)
        self.path, self.clean = self.folder / "f.deciban", True
        assert Step(self.folder, "train").run() == 0
        self.known = trained(0)
        self.keep(0o600, 0)

    def teardown(self):
        if hasattr(self, "temporary"):
            self.temporary.cleanup()

    def do(self, *pairs):
        """Take steps at once, each with a fault or none."""
        steps = [step for step, _ in pairs]
        processes = [Process(step.run, fault) for step, fault in pairs]
        ended = [process.wait() for process in processes]
        self.known = check(self.path, self.known, steps, ended)
        self.clean = self.clean and all(fault is None for _, fault in pairs)

    @rule(items=st.sets(st.integers(0, 11), min_size=1, max_size=4), label=st.sampled_from(LABELS), fault=FAULTS)
    def learn(self, items, label, fault):
        self.do((Step(self.folder, "learn", tuple(sorted(items)), label), fault))

    @rule(items=st.sets(st.integers(0, 11), min_size=1, max_size=4), fault=FAULTS)
    def forget(self, items, fault):
        self.do((Step(self.folder, "forget", tuple(sorted(items))), fault))

    @rule(variant=st.integers(0, 2), fault=FAULTS)
    def train(self, variant, fault):
        self.do((Step(self.folder, "train", variant=variant), fault))

    @rule(fault=FAULTS)
    def save(self, fault):
        self.do((Step(self.folder, "save"), fault))

    @rule(
        items=st.permutations(range(12)),
        verbs=st.lists(st.sampled_from(["learn", "learn", "forget"]), min_size=2, max_size=4),
        fault=FAULTS,
    )
    def write_at_once(self, items, verbs, fault):
        """Each with items of its own, so that it does not matter who comes first."""
        share = len(items) // len(verbs)
        steps = [
            Step(self.folder, verb, tuple(items[k * share : (k + 1) * share]), LABELS[k % 2])
            for k, verb in enumerate(verbs)
        ]
        self.do(*zip(steps, [fault, *[None] * (len(steps) - 1)], strict=True))

    @rule(mode=st.sampled_from([0o600, 0o640, 0o664]), owner=st.sampled_from([0, 4242]))
    def keep(self, mode, owner):
        """Give the file attributes that it has to keep."""
        if os.geteuid() == 0:
            os.chown(self.path, owner, owner)
        self.path.chmod(mode)
        if sys.platform == "linux":
            with suppress(OSError):
                os.setxattr(self.path, NOTE, str(mode).encode())
        self.wanted = self.about()

    def about(self):
        found = self.path.stat()
        note = os.getxattr(self.path, NOTE) if sys.platform == "linux" and NOTE in os.listxattr(self.path) else None
        return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode), note

    @rule()
    def write_in_peace(self):
        """Whoever writes next removes what is left."""
        replace(self.path, content(self.known))
        self.clean = True

    @invariant()
    def is_whole_and_keeps_its_attributes(self):
        if hasattr(self, "known"):
            assert content(solved(self.path)) == content(self.known)
            assert self.about() == self.wanted
            assert not self.clean or leftovers(self.folder) == []


Writers.TestCase.settings = examples(3, stateful_step_count=15)
TestWriters = pytest.mark.deep(Writers.TestCase)
