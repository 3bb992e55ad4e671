"""What users have taught: a function of their own lessons and of nothing else, in any store."""

import math
import re
import threading
import unicodedata
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from deciban.errors import DataError, StorageError, UsageError
from deciban.mail import users as module
from deciban.mail.personal import PersonalLesson, PersonalWeights
from deciban.mail.sql_stores import PostgresStore, SqliteStore, store_at
from deciban.mail.stored_words import MOST_WORDS, pack_words, unpack_words, words_of
from deciban.mail.user_names import PATTERN, check_user, levels_of
from deciban.mail.users import Taught, Users
from deciban.text.word_sets import WordSet
from oracle import personal
from stores import STORES, new_schema, postgresql
from tiers import examples

CLASSES = ["ham", "spam"]
WORDS = st.lists(st.integers(0, 40), min_size=0, max_size=12, unique=True).map(sorted)
ODDS = st.floats(-12, 12)
LESSONS = st.lists(st.tuples(WORDS, st.integers(0, 1), ODDS), max_size=12)


@pytest.fixture(scope="module")
def server():
    """The URL of a PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.fixture
def new_store(request, tmp_path):
    """A function that returns a new store of a sort."""

    def made(sort):
        if sort == "sqlite":
            (tmp_path / "f.deciban").touch()
            return SqliteStore(str(tmp_path / "f.deciban.users"), str(tmp_path / "f.deciban"))
        return PostgresStore(new_schema(request.getfixturevalue("server")))

    return made


def digest(number):
    return number.to_bytes(16, "little")


def taught(number, words):
    return Taught(digest(number), array("I", words), f"message {number}")


def lessons_of(given):
    return [PersonalLesson(array("I", words), label, odds) for words, label, odds in given]


def state(users, name):
    """All that is kept of a user, but when it was told."""
    found = users.export(name, CLASSES)
    return found and {**found, "lessons": [{**each, "told": 0} for each in found["lessons"]]}


@given(LESSONS, LESSONS)
@examples(60)
def test_weights_are_those_of_the_definition_however_lessons_come(first, then):
    known = PersonalWeights().learn(lessons_of(first)).learn(lessons_of(then))
    assert known == PersonalWeights().learn(lessons_of(first + then))
    means, counts = personal.learn(first + then)
    assert [*known.words] == sorted(means)
    assert [*known.means] == [means[word] for word in known.words]
    assert [*known.counts] == [counts[word] for word in known.words]
    assert PersonalWeights.from_bytes(known.to_bytes()) == known


@given(LESSONS, WORDS)
@examples(40)
def test_terms_sum_to_the_shift_and_no_lesson_is_none(given, words):
    known, own = PersonalWeights().learn(lessons_of(given)), array("I", words)
    means, _ = personal.learn(given)
    expected = math.fsum(means.get(word, 0.0) / math.sqrt(len(words)) for word in words)
    assert known.shift(own) == pytest.approx(expected, abs=1e-12)
    assert PersonalWeights().shift(own) == 0.0
    assert PersonalWeights().terms(own) == []


@given(WORDS.filter(bool), st.integers(0, 1), ODDS)
def test_a_lesson_moves_its_message_towards_its_label(words, label, odds):
    known = PersonalWeights().learn([PersonalLesson(array("I", words), label, odds)])
    moved = known.shift(array("I", words)) * (1 if label else -1)
    is_slight = abs(label - 1 / (1 + math.exp(-odds))) < 1 / 64
    assert moved == 0.0 if is_slight else moved > 0.2


@given(st.lists(st.integers(0, (1 << 64) - 1), unique=True, max_size=60).map(sorted))
def test_words_are_packed_without_loss(hashes):
    names = b"".join(b"w%d" % at for at in range(len(hashes)))
    words = words_of(WordSet(b"", 0, array("Q", hashes).tobytes(), b"", names, b""))
    assert [*words] == sorted({hash_ >> 40 for hash_ in hashes})
    assert unpack_words(pack_words(words)) == words
    assert len(pack_words(words)) == 3 * len(words)


def test_of_a_long_message_the_words_of_the_smallest_hashes_are_kept():
    hashes = array("Q", [(k * 40_503 % 65_536) << 48 for k in range(5000)])
    words = words_of(WordSet(b"", 0, array("Q", sorted(hashes)).tobytes(), b"", b"", b""))
    assert [*words] == sorted(hash_ >> 40 for hash_ in hashes)[:MOST_WORDS]


@given(st.binary(max_size=60))
@examples(100)
def test_any_bytes_are_weights_or_an_error(stored):
    try:
        known = PersonalWeights.from_bytes(stored)
    except ValueError:
        return
    assert known.to_bytes() == stored


@pytest.mark.parametrize("sort", STORES)
def test_a_user_after_any_history_is_the_one_of_the_lessons_left(sort, new_store):
    class History(RuleBasedStateMachine):
        """`given` has of each user the lessons that are left, in the order in which they came."""

        def __init__(self):
            super().__init__()
            self.users, self.given = Users.connect(new_store(sort)), {name: [] for name in ("ann", "bob@x", "@x")}
            for name in self.given:  # a file is used again by the next history
                self.users.delete(name)

        @rule(
            name=st.sampled_from(["ann", "bob@x", "@x"]), number=st.integers(0, 4), label=st.integers(0, 1), odds=ODDS
        )
        def learn(self, name, number, label, odds):
            words = [number, number + 3, 7, 50 + number]
            labels = [each[1] for each in self.given[name] if each[0] == number]
            [became] = self.users.learn(name, [(taught(number, words), odds)], label)
            if labels[-1:] == [label]:
                assert became == "already known"
                return
            assert became == ("relabelled" if labels else "learnt")
            self.given[name].append((number, label, odds, words))

        @rule(name=st.sampled_from(["ann", "bob@x", "@x"]), number=st.integers(0, 4))
        def forget(self, name, number):
            [became] = self.users.forget(name, [digest(number)])
            places = [at for at, each in enumerate(self.given[name]) if each[0] == number]
            assert became == ("forgotten" if places else "not known")
            if places:
                del self.given[name][places[-1]]

        @rule(
            name=st.sampled_from(["ann", "bob@x", "@x"]), number=st.integers(0, 4), label=st.integers(0, 1), odds=ODDS
        )
        def learn_and_forget(self, name, number, label, odds):
            before = state(self.users, name)
            [became] = self.users.learn(name, [(taught(number, [1, 2, number + 9]), odds)], label)
            if became != "already known":
                assert self.users.forget(name, [digest(number)]) == ["forgotten"]
            assert state(self.users, name) == before

        @precondition(lambda self: any(self.given.values()))
        @rule(name=st.sampled_from(["ann", "bob@x", "@x"]))
        def delete(self, name):
            assert self.users.delete(name) == bool(self.given[name])
            self.given[name] = []

        @invariant()
        def weights_follow_from_the_lessons(self):
            for name, left in self.given.items():
                last = {number: at for at, (number, *_) in enumerate(left)}
                lessons = [(words, label, odds) for at, (n, label, odds, words) in enumerate(left) if last[n] == at]
                found = self.users.load(name)
                assert (found is None) == (not left)
                if found is not None:
                    assert found.weights == PersonalWeights().learn(lessons_of(lessons))
            kept = {each.name: each.lessons for each in self.users.summaries()}
            assert kept == {name: len(left) for name, left in self.given.items() if left}

        def teardown(self):
            self.users.close()

    run_state_machine_as_test(History, settings=examples(4, stateful_step_count=20))


@pytest.mark.parametrize("sort", STORES)
def test_lessons_of_one_call_are_learnt_together_or_not_at_all(sort, new_store):
    users = Users.connect(new_store(sort))
    assert users.learn("ann", [(taught(1, [1]), 0.0), (taught(1, [1]), 0.0), (taught(2, [2]), 0.0)], 1) == [
        "learnt",
        "already known",
        "learnt",
    ]
    before = state(users, "ann")
    with pytest.raises(AttributeError):
        users.learn("ann", [(taught(3, [3]), 0.0), (None, 0.0)], 1)
    assert state(users, "ann") == before
    assert users.learn("bob", [], 1) == []
    assert users.version("bob") is None
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_whoever_writes_to_one_store_loses_nothing_of_others(sort, new_store):
    store, done = new_store(sort), []
    Users.connect(store).close()

    def teach(first):
        users = Users.connect(store)
        for number in range(first, first + 10):
            done.extend(users.learn("ann", [(taught(number, [number, 99]), 0.0)], number % 2))
        users.close()

    threads = [threading.Thread(target=teach, args=[10 * k]) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    users = Users.connect(store)
    assert done == ["learnt"] * 40
    found = users.export("ann", CLASSES)
    assert len({each["digest"] for each in found["lessons"]}) == 40
    lessons = [(each["words"], CLASSES.index(each["label"]), each["odds"]) for each in found["lessons"]]
    assert users.load("ann").weights == PersonalWeights().learn(lessons_of(lessons))
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_versions_differ_after_each_change(sort, new_store):
    users = Users.connect(new_store(sort))
    found = [users.version("ann")]
    for number in range(4):
        users.learn("ann", [(taught(number, [number]), 0.0)], 1)
        found.append(users.version("ann"))
    users.delete("ann")
    users.learn("ann", [(taught(0, [0]), 0.0)], 1)
    found.append(users.version("ann"))
    assert found[0] is None
    assert len({*found}) == len(found)
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_a_user_has_room_for_so_many_lessons(sort, new_store, monkeypatch):
    monkeypatch.setattr(module, "MOST_LESSONS", 2)
    users = Users.connect(new_store(sort))
    users.learn("ann", [(taught(1, [1]), 0.0), (taught(2, [2, 3]), 0.0)], 1)
    with pytest.raises(DataError) as caught:
        users.learn("ann", [(taught(3, [3]), 0.0)], 1)
    assert str(caught.value) == (
        "ann has 2 lessons, 9 bytes of words: as many as one user may. Forget some, or teach the filter that all share."
    )
    assert users.learn("bob", [(taught(3, [3]), 0.0)], 1) == ["learnt"]
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_users_belong_to_a_filter_that_reads_as_theirs_did(sort, new_store):
    store = new_store(sort)
    users = Users.connect(store)
    users.require_filter({"kind": "mail"}, CLASSES)
    users.require_filter({"kind": "mail", "words": 2}, CLASSES)  # nobody was taught yet
    users.learn("ann", [(taught(1, [1]), 0.0)], 1)
    users.require_filter({"kind": "mail", "words": 2}, CLASSES)
    with pytest.raises(DataError) as caught:
        users.require_filter({"kind": "mail"}, CLASSES)
    assert str(caught.value) == (
        f"{store.name}: expected users of a filter of the same classes that reads mail the same way; these were taught "
        "with another. Serve that one, or delete the users: deciban users --delete."
    )
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_what_is_damaged_names_its_user(sort, new_store):
    store = new_store(sort)
    users = Users.connect(store)
    users.learn("ann", [(taught(1, [1]), 0.0)], 1)
    users.learn("bob", [(taught(1, [1]), 0.0)], 1)
    users.session.execute("UPDATE users SET weights = ? WHERE name = ?", (b"12345", "ann"))
    with pytest.raises(DataError) as caught:
        users.load("ann")
    assert str(caught.value) == (
        f"{store.name}: what ann has taught is damaged (weights of 9 bytes a word are expected). Restore it from a "
        "backup, or delete this user: deciban users --delete."
    )
    assert users.load("bob") is not None
    assert users.delete("ann")
    users.close()


@pytest.mark.parametrize("sort", STORES)
def test_a_newer_layout_is_left_alone(sort, new_store):
    store = new_store(sort)
    users = Users.connect(store)
    users.session.execute("UPDATE user_store SET value = '9' WHERE name = 'layout'")
    users.close()
    with pytest.raises(DataError, match=re.escape(f"{store.name}: written by a newer version (layout 9;")):
        Users.connect(store)


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path):
    (tmp_path / "f").touch()
    (tmp_path / "f.users").write_bytes(b"no database" * 400)
    with pytest.raises(DataError, match=r"f\.users: expected a database of users; it is damaged \(file is not"):
        Users.connect(SqliteStore(str(tmp_path / "f.users"), str(tmp_path / "f")))


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path):
    pytest.importorskip("psycopg")
    store = store_at(f"postgresql://ann:secret@/db?host={tmp_path}", "", "")
    with pytest.raises(StorageError) as caught:
        Users.connect(store)
    assert str(caught.value).startswith("postgresql:///db: could not be read or written: ")
    assert "secret" not in str(caught.value)


def test_a_store_is_sqlite_or_postgresql():
    with pytest.raises(UsageError) as caught:
        store_at("mysql://ann:secret@there/db", "", "")
    assert str(caught.value) == "Expected a store as postgresql://…; got mysql:…. Without --store it is SQLite."


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("ann", ("ann",)),
        (" Ann@Example.COM ", ("@example.com", "ann@example.com")),
        ("@example.com", ("@example.com",)),
        ("유진@example.com", ("@example.com", "유진@example.com")),
        ("a" * 254, ("a" * 254,)),
    ],
)
def test_names_have_levels(name, levels):
    assert levels_of(check_user(name)) == levels


def test_a_name_has_characters_that_are_seen_and_few_that_mean_something_elsewhere():
    """The pattern of names is that of Unicode's categories, of which JSON Schema knows none."""
    for number in range(1 << 16):
        character = chr(number)
        is_seen = unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cs", "Zs", "Zl", "Zp") and number < 0xFFF0
        is_one = is_seen and not character.isspace() and character not in '<>"\\,;:()[]/%@'
        assert (re.fullmatch(PATTERN, character) is not None) == is_one, hex(number)


@pytest.mark.parametrize(
    "name",
    ["", " ", "@", "ann@", "a@b@c", "../ann", "a/b", "a\\b", "ann bob", "ann\n", "ann\0bob", "<ann>", 'a"b', "a" * 255,
     "\ud800", "a\u202eb", "a%2fb"],
)  # fmt: skip
def test_what_is_no_name_is_refused(name):
    if name == "ann\n":  # what stands around a name is left out
        assert check_user(name) == "ann"
        return
    with pytest.raises(
        UsageError, match=r"is no name of a user\. Expected NAME, NAME@DOMAIN or @DOMAIN, of at most 254"
    ):
        check_user(name)
