"""Rules by which a mail account is watched, whatever its user does and wherever it breaks off."""

from contextlib import closing, suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError
from deciban.watch.state import Place, Seen, WatchState
from deciban.watch.watcher import Watcher, WatchPolicy
from deciban.watch.watching import ConnectionLost
from laws.mailboxes import (
    ELSEWHERE,
    FOLDERS,
    INBOX,
    JUNK,
    OTHER,
    WATCHED,
    FakeAccount,
    Faults,
    Killed,
    Known,
    Mailbox,
    digest,
)
from tiers import examples

ACCOUNT = "imaps://ann@example.org"
MOVES = WatchPolicy()


class World:
    """An account, its user, and whoever watches it; `restart` is a program that begins anew."""

    def __init__(self, path, policy=MOVES, can="move"):
        self.path, self.policy, self.can = str(path), policy, can
        self.mailbox, self.faults, self.said = Mailbox(), Faults(), []
        self.known = Known(lambda: self.faults())
        self.delivered, self.removed = [], []
        self.state = WatchState(self.path, ACCOUNT)
        self.restart()

    def restart(self):
        self.state.close()
        self.state = WatchState(self.path, ACCOUNT, keep=not self.policy.dry_run)
        self.watcher = Watcher(self.known, digest, self.state, self.policy, self.said.append)

    def look(self, plan=()):
        """Look through it once; whether it was looked through to the end."""
        self.faults.plan, self.faults.calls = list(plan), 0
        self.account = FakeAccount(self.mailbox, self.can, self.faults)
        try:
            self.watcher.look_through(self.account)
        except ConnectionLost:
            return False
        except Killed:
            self.restart()
            return False
        finally:
            self.faults.plan = []
        return True

    def deliver(self, folder, kind):
        self.delivered.append(self.mailbox.deliver(folder, kind))
        return self.delivered[-1]

    def uid_of(self, message, folder):
        return next(uid for uid, each, deleted in self.mailbox.folders[folder] if each == message and not deleted)

    def move(self, message, target, by="move"):
        [source] = self.mailbox.places()[message]
        getattr(self.mailbox, by)(source, self.uid_of(message, source), target)


@pytest.fixture
def world(tmp_path):
    made = []

    def make(*more, **given):
        made.append(World(tmp_path / f"{len(made)}.watch", *more, **given))
        return made[-1]

    yield make
    for each in made:
        each.state.close()


ACTS = st.one_of(
    st.tuples(st.just("deliver"), st.sampled_from(FOLDERS), st.sampled_from(["spam", "ham"])),
    st.tuples(st.just("move"), st.integers(0, 99), st.sampled_from(FOLDERS)),
    st.tuples(st.just("copy"), st.integers(0, 99), st.sampled_from(FOLDERS)),
    st.tuples(st.just("remove"), st.integers(0, 99)),
    st.tuples(st.just("expunge"), st.sampled_from(FOLDERS)),
    st.tuples(st.just("renumber"), st.sampled_from(FOLDERS)),
    st.tuples(st.just("restart")),
    st.tuples(st.just("look"), st.lists(st.tuples(st.integers(1, 25), st.booleans()), max_size=1)),
    st.tuples(st.just("look"), st.just([])),
)
WAYS = [
    ("move", "move"),  # the action, and what the server can do
    ("move", "flag"),
    ("move", "nothing"),
    ("flag", "move"),
    ("none", "move"),
]


def act(world, name, *more):
    """Do one thing; of messages, one that is there."""
    there = sorted(world.mailbox.places())
    if name == "look":
        world.look(*more)
    elif name == "restart":
        world.restart()
    elif name == "deliver":
        world.deliver(*more)
    elif name in ("expunge", "renumber"):
        getattr(world.mailbox, name)(*more)
    elif there:
        message = there[more[0] % len(there)]
        if name == "remove":  # the user deletes it
            world.move(message, ELSEWHERE)
            world.mailbox.folders[ELSEWHERE].pop()
            world.removed.append(message)
        elif world.mailbox.places()[message] != [more[1]]:
            world.move(message, more[1], "move" if name == "move" else "copy_and_delete")


@pytest.mark.parametrize(("action", "can"), WAYS)
@given(acts=st.lists(ACTS, max_size=40))
@examples(60)
def test_whatever_happens(tmp_path_factory, action, can, acts):
    world = World(tmp_path_factory.mktemp("world") / "w", WatchPolicy(action), can)
    with closing(world.state):
        world.look()  # Junk as it is at the beginning is empty
        for each in acts:
            act(world, *each)
        while not world.look():
            pass
        places = world.mailbox.places()
        # Nothing is deleted, and nothing is there twice.
        assert sorted(places) == sorted({*world.delivered} - {*world.removed})
        assert all(len(folders) == 1 for folders in places.values())
        # Each is classified once, unless the user put it into Junk first.
        if action != "flag":  # which is noted when it is done, so that it is done again where it broke off
            assert len({*world.known.rated}) == len(world.known.rated)
        for message, [folder] in places.items():
            labels = world.known.labels_of(message)
            assert all(one != other for one, other in pairwise(labels))
            if folder in WATCHED:
                put = "junk" if message.startswith(b"spam") and (action, can) == ("move", "move") else "inbox"
                side = {"spam": "junk", "ham": "inbox"}[labels[-1]] if labels else put
                assert WATCHED[folder] == side
                assert labels or message in world.known.rated
        before = world.known.rated[:], world.known.lessons[:], world.mailbox.folders
        world.restart()
        assert world.look()
        assert (world.known.rated, world.known.lessons, world.mailbox.folders) == before
        assert world.account.changes == []


def test_a_message_is_classified_once_and_moves(world):
    here = world()
    spam, ham = here.deliver(INBOX, "spam"), here.deliver(OTHER, "ham")
    assert here.look()
    assert here.mailbox.places() == {spam: [JUNK], ham: [OTHER]}
    assert here.said == ["INBOX;UID=1: spam, 12.7 points; moved to Junk."]
    here.restart()
    here.look()
    assert (sorted(here.known.rated), here.known.lessons) == ([ham, spam], [])


@pytest.mark.parametrize("by", ["move", "copy_and_delete"])
def test_each_move_of_the_user_is_a_lesson(world, by):
    here = world()
    spam, ham = here.deliver(INBOX, "spam"), here.deliver(INBOX, "ham")
    here.look()
    for turn in range(3):
        here.move(spam, INBOX if turn % 2 == 0 else JUNK, by)
        here.move(ham, JUNK if turn % 2 == 0 else INBOX, by)
        here.look()
        here.restart()
        here.look()
    assert here.known.labels_of(spam) == ["ham", "spam", "ham"]
    assert here.known.labels_of(ham) == ["spam", "ham", "spam"]
    assert len(here.known.rated) == 2


def test_what_lay_in_junk_before_teaches_nothing(world):
    here = world()
    old, _ = here.deliver(JUNK, "ham"), here.deliver(JUNK, "spam")
    here.look([(3, False)])  # and not by looking twice
    here.look()
    new = here.deliver(JUNK, "ham")
    here.look()
    assert here.known.lessons == [(new, "spam")]
    here.move(old, INBOX)
    here.look()
    assert here.known.labels_of(old) == ["ham"]


@pytest.mark.parametrize("calls", range(1, 12))
@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("renumbered", [False, True])
def test_a_move_that_breaks_off_is_done_once_and_is_none_of_the_user(world, calls, is_killed, renumbered):
    here = world()
    here.look()
    spam = here.deliver(INBOX, "spam")
    broke_off = not here.look([(calls, is_killed)])
    if renumbered:
        here.mailbox.renumber(INBOX)
        here.mailbox.renumber(JUNK)
    while not here.look():
        pass
    assert broke_off or calls > 7
    assert here.mailbox.places() == {spam: [JUNK]}
    assert here.known.lessons == []
    here.move(spam, INBOX)
    here.look()
    assert here.known.lessons == [(spam, "ham")]


def test_what_the_user_takes_back_at_once_is_not_moved_again(world):
    here = world()
    here.look()
    spam = here.deliver(INBOX, "spam")
    assert not here.look([(5, True)])
    assert here.mailbox.places() == {spam: [JUNK]}  # and nobody knows
    here.move(spam, INBOX)
    here.look()
    assert (here.mailbox.places(), here.known.lessons) == ({spam: [INBOX]}, [(spam, "ham")])


def test_a_look_at_new_numbers_that_breaks_off_begins_anew(world):
    here = world()
    here.look()
    spam, ham = here.deliver(INBOX, "spam"), here.deliver(INBOX, "ham")
    assert not here.look([(4, True)])  # before it has moved
    here.mailbox.renumber(INBOX)
    assert not here.look([(4, True)])  # after ham, which is the first one now
    here.look()
    assert (here.mailbox.places(), here.known.lessons) == ({spam: [JUNK], ham: [INBOX]}, [])


@pytest.mark.parametrize("action", ["move", "flag", "none"])
def test_a_dry_run_only_says(world, tmp_path, action):
    here = world(WatchPolicy(action))
    moved = here.deliver(INBOX, "ham")
    here.look()
    here.move(moved, JUNK)
    here.deliver(INBOX, "spam")
    here.policy = WatchPolicy(action, dry_run=True)
    before, kept = str(here.mailbox.folders), here.state.place(digest(moved))
    for _ in range(2):
        here.said.clear()
        here.restart()
        here.look()
        assert "Junk;UID=1: would be learnt as spam." in here.said
        assert len(here.said) == 2
        assert (str(here.mailbox.folders), here.account.changes, here.known.lessons) == (before, [], [])
    here.policy = WatchPolicy(action)
    here.restart()
    assert here.state.place(digest(moved)) == kept
    here.look()
    assert here.known.lessons == [(moved, "spam")]


def test_no_lessons_where_none_are_wanted(world):
    here = world(WatchPolicy(learns=False))
    ham = here.deliver(INBOX, "ham")
    here.look()
    here.move(ham, JUNK)
    here.look()
    assert (here.known.lessons, here.account.changes) == ([], [])


def test_a_lesson_that_is_refused_holds_nothing_up(world):
    here = world()
    one, two = here.deliver(INBOX, "ham"), here.deliver(INBOX, "ham")
    here.look()
    learn = here.known.learn

    def refuse(message, label, source):
        if message == one:
            raise DataError("it would change the verdict of a canary.")
        return learn(message, label, source)

    here.known.learn = refuse
    here.move(one, JUNK)
    here.move(two, JUNK)
    here.look()
    assert here.known.lessons == [(two, "spam")]
    assert here.said[0] == "Junk;UID=1: was not learnt as spam: it would change the verdict of a canary."


def test_accounts_share_a_file_and_nothing_else(tmp_path):
    one, other = (WatchState(str(tmp_path / "w"), f"imaps://{name}@example.org") for name in ("ann", "bob"))
    with closing(one), closing(other):
        with one.at_once():
            one.note_place(b"x", Place("junk", 3))
            one.note_seen(INBOX, Seen(7, 9))
        assert (one.place(b"x"), one.seen(INBOX)) == (Place("junk", 3), Seen(7, 9))
        assert (other.place(b"x"), other.seen(INBOX)) == (None, None)
        with suppress(ZeroDivisionError), one.at_once():
            one.note_place(b"x", Place("inbox"))
            raise ZeroDivisionError
        assert one.place(b"x") == Place("junk", 3)


def test_a_damaged_state_is_said(tmp_path):
    path = tmp_path / "w"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(DataError) as caught:
        WatchState(str(path), ACCOUNT)
    assert str(caught.value) == (
        f"{path}: expected what is known of a mail account; it is damaged (file is not a database). Move it away: the "
        "folders are then looked through again."
    )
