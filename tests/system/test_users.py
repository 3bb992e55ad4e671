"""Filters of users over one that all share, as servers have them."""

import math
import random
import sys
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError, StorageError, UsageError
from deciban.mail.sql_stores import PostgresStore, SqliteStore
from deciban.mail.users import Taught, users_beside
from deciban.serve.live import LiveFilter
from deciban.serve.user_filters import PersonalFilter, UserFilters
from stores import STORES, new_schema, postgresql
from system.command import HAM, KOREAN, SPAM
from tiers import deep, examples

MESSAGES = [each.read_bytes() for each in (SPAM, HAM, KOREAN)]
_NEWS = "From: news@shop.example\nTo: ann@example.com\nSubject: offers {0}\n\nour best offers, unsubscribe here {0}\n"
NEWS = [_NEWS.format(k).encode() for k in range(8)]
ALL = [*MESSAGES, *NEWS]
NAMES = ["ann@example.com", "bob@example.com", "@example.com", "carol@other.org", "dave"]


@pytest.fixture(scope="module")
def server():
    """The URL of a PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.fixture(scope="module")
def shared(trained):
    """The filter that all share, which nobody teaches."""
    return LiveFilter(str(trained))


@pytest.fixture
def new_filters(request, shared, tmp_path):
    """A function that returns the filters of users in a new store of a sort."""
    made = []

    def new(sort, **more):
        if sort == "sqlite":
            path = tmp_path / f"{len(made)}.deciban"
            path.touch()
            store = SqliteStore(users_beside(path), str(path))
        else:
            store = PostgresStore(new_schema(request.getfixturevalue("server")))
        made.append(UserFilters(shared, store, **more))
        return made[-1]

    yield new
    for each in made:
        each.close()


def said(known):
    """What a filter says of all messages, to the last bit."""
    found = []
    for message in ALL:
        rating, why = known.explain(message)
        found.append((known.rate(message), rating, why.to_json(), known.explain_item(message).to_json()))
    return repr(found)


@pytest.mark.parametrize("sort", STORES)
def test_a_new_user_has_the_shared_filter(sort, new_filters, shared):
    filters = new_filters(sort)
    expected = said(shared)
    for name in NAMES:
        assert said(filters.of(name)) == expected
    assert filters.of(None) is filters.of("nobody") is filters.of(" ") is shared


@pytest.mark.parametrize("sort", STORES)
def test_what_a_user_teaches_changes_no_verdict_of_others_and_is_forgotten_exactly(sort, new_filters, shared):
    filters = new_filters(sort)
    filters.of("bob@example.com").learn(NEWS[0], "spam", "")
    filters.of("@other.org").learn(NEWS[1], "spam", "")
    before = {name: said(filters.of(name)) for name in NAMES}
    ann = filters.of("ann@example.com")
    assert [ann.learn(message, "spam", "") for message in NEWS[:3]] == ["learnt"] * 3
    assert ann.learn(NEWS[0], "spam", "") == "already known"
    after = {name: said(filters.of(name)) for name in NAMES}
    assert [name for name in NAMES if after[name] != before[name]] == ["ann@example.com"]
    assert said(shared) == before["dave"]
    assert [ann.forget(message, "") for message in (NEWS[1], NEWS[0], NEWS[2], HAM.read_bytes())] == [
        *["forgotten"] * 3,
        "not known",
    ]
    assert {name: said(filters.of(name)) for name in NAMES} == before


@pytest.mark.parametrize("sort", STORES)
def test_a_domain_is_to_its_users_what_all_is_to_it(sort, new_filters):
    filters = new_filters(sort)
    before = {name: said(filters.of(name)) for name in NAMES}
    filters.of("@Example.com").teach(NEWS[:4], "spam", "")
    after = {name: said(filters.of(name)) for name in NAMES}
    assert [name for name in NAMES if after[name] != before[name]] == NAMES[:3]
    assert after["ann@example.com"] == after["bob@example.com"] == after["@example.com"]


@pytest.mark.parametrize("sort", STORES)
def test_a_user_departs_from_the_shared_filter_as_evidence_comes(sort, new_filters, shared):
    ann, label = new_filters(sort).of("ann"), {True: "ham", False: "spam"}[shared.rate(NEWS[7]).verdict.label == "spam"]
    towards = [ann.rate(NEWS[7]).verdict.towards(label).decibans]
    for message in NEWS[:6]:
        ann.learn(message, label, "")
        towards.append(ann.rate(NEWS[7]).verdict.towards(label).decibans)
    assert towards[1] > towards[0]
    assert towards[-1] > 10.0
    assert ann.learn(NEWS[0], {"ham": "spam", "spam": "ham"}[label], "") == "relabelled"


@pytest.mark.parametrize("most", [None, 12])
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(ALL), st.sampled_from(["ham", "spam"])), max_size=6),
    st.sampled_from(ALL),
)
@examples(8)
def test_the_evidence_of_all_levels_sums_to_the_verdict(shared, tmp_path_factory, most, lessons, message):
    path = tmp_path_factory.mktemp("users") / "f.deciban"
    path.touch()
    filters = UserFilters(shared, SqliteStore(users_beside(path), str(path)))
    for name, taught, label in lessons:
        filters.of(name).learn(taught, label, "")
    for name in NAMES:
        known = filters.of(name)
        [verdict] = known.judge([message])
        why = known.explain_item(message) if most is None else known.explain(message)[1]
        assert why.as_verdict().towards(verdict.label) == verdict
        total = why.prior_decibans + math.fsum(term.decibans for term in why.terms)
        assert total == pytest.approx(why.decibans, rel=1e-9, abs=1e-9)
        levels = {level for level, *_ in lessons} & {name, "@" + name.rpartition("@")[2]}
        shown = {level for level in levels for term in why.terms if f"({level}" in str(term.feature)}
        moved = {level for level in levels if (weights := filters.weights(level)) and len(weights.words)}
        assert shown <= moved
        if {each for each, of, _ in lessons if of is message} & moved:
            assert shown
    filters.close()


def test_users_out_of_memory_are_as_users_in_it(new_filters):
    wide, narrow = new_filters("sqlite"), None
    narrow = UserFilters(wide.shared, wide.store, most_bytes=1)
    for k, name in enumerate(NAMES):
        wide.of(name).learn(NEWS[k], "spam", "")
    assert [said(wide.of(name)) for name in NAMES] == [said(narrow.of(name)) for name in NAMES]
    assert len(narrow._known) == 1
    assert len(wide._known) == len({*NAMES, "@other.org"})
    narrow.close()


@pytest.mark.parametrize("most", [20_000, 200_000, *deep(2_000_000)])
def test_memory_of_users_is_what_it_is_counted_as_and_stays_within_its_bound(most, new_filters):
    wide = new_filters("sqlite")
    filters = UserFilters(wide.shared, wide.store, most_bytes=most)
    count, draw = most // 4_000, random.Random(0)
    for k in range(count):
        words = [array("I", sorted(draw.sample(range(1 << 24), 200))) for _ in range(4)]
        taught = [(Taught(draw.randbytes(16), each, ""), 0.0) for each in words]
        filters.tell(lambda users, name=f"user{k}", taught=taught: users.learn(name, taught, 1))
    asked = [f"user{draw.randrange(count)}" for _ in range(3 * count)] + [f"new{k}" for k in range(count)]
    draw.shuffle(asked)
    for name in asked:
        weights = filters.weights(name)
        assert (weights is not None) == name.startswith("user")
        known = {each: own for each, own in filters._known.items() if own is not None}
        assert filters._bytes <= most
        assert filters._bytes == 1000 * len(filters._known) + sum(10 * len(own.weights.words) for own in known.values())
    held = [part for own in known.values() for part in (own.weights.words, own.weights.means, own.weights.counts)]
    assert sum(map(sys.getsizeof, held)) + 400 * len(filters._known) <= filters._bytes
    assert 0.5 * most < filters._bytes
    assert len(known) < count
    filters.close()


@pytest.mark.parametrize("sort", STORES)
def test_what_another_server_is_taught_is_heeded(sort, new_filters, shared):
    one = new_filters(sort)
    other = UserFilters(shared, one.store)
    before = said(other.of("ann"))
    one.of("ann").learn(NEWS[0], "spam", "")
    assert said(other.of("ann")) == said(one.of("ann")) != before
    other.of("ann").forget(NEWS[0], "")
    assert said(one.of("ann")) == before
    other.close()


@pytest.mark.parametrize("sort", STORES)
def test_a_connection_that_was_lost_is_made_again(sort, new_filters):
    filters = new_filters(sort)
    filters.of("ann").learn(NEWS[0], "spam", "")
    expected = said(filters.of("ann"))
    if sort == "sqlite":
        filters._own.users.session.connection.close()
        filters.close()
    else:
        pid = filters._own.users.session.connection.info.backend_pid
        other = filters.store.connect()
        other.execute("SELECT pg_terminate_backend(?)", (pid,))
        other.close()
    assert said(filters.of("ann")) == expected


def test_a_name_that_is_none_has_the_shared_filter_and_teaches_nothing(new_filters, shared):
    filters = new_filters("sqlite")
    assert filters.of("../../etc/passwd") is shared
    with pytest.raises(UsageError, match=r"^'\.\./\.\./etc/passwd' is no name of a user\."):
        filters.of("../../etc/passwd", teaches=True)
    assert isinstance(filters.of("ann", teaches=True), PersonalFilter)


@pytest.mark.parametrize("sort", STORES)
def test_where_the_store_cannot_be_read_the_shared_filter_answers_and_nobody_teaches(
    sort, new_filters, shared, caplog, monkeypatch
):
    filters = new_filters(sort)
    filters.of("ann").learn(NEWS[0], "spam", "")
    expected = said(filters.of("ann"))
    assert expected != said(shared)
    filters.close()

    def lost():
        raise StorageError("the store is gone.")

    with monkeypatch.context() as without:
        without.setattr(filters.store, "connect", lost)
        assert said(filters.of("ann")) == said(shared)
        assert caplog.messages == [
            "the filters of users cannot be read, and the shared one answers for 5 s: the store is gone."
        ]
        for act in (
            lambda: filters.of("ann").learn(NEWS[1], "spam", ""),
            lambda: filters.of("ann").forget(NEWS[0], ""),
            lambda: filters.of("ann", teaches=True).rate(NEWS[1]),
        ):
            with pytest.raises(StorageError, match=r"^the store is gone\.$"):
                act()
    filters._down_until = 0.0
    assert said(filters.of("ann")) == expected


def test_users_need_the_default_model(own, run, tmp_path, new_filters):
    assert run("train", f"spam={SPAM}", f"ham={HAM}", "--model", "naive-bayes", "-q", "-o", "n.deciban").returncode == 0
    filters = UserFilters(LiveFilter("n.deciban"), SqliteStore("n.deciban.users", "n.deciban"))
    with pytest.raises(DataError) as caught:
        filters.check()
    assert str(caught.value) == (
        "n.deciban: expected the default model of mail, online, for users of their own; this one is 'naive-bayes'."
    )


def test_the_command_lists_exports_and_deletes(own, run, out):
    assert out("users", own) == "0 users.\n"
    filters = UserFilters(LiveFilter(str(own)), SqliteStore(users_beside(own), str(own)))
    filters.of("ann@example.com").learn(NEWS[0], "spam", "a test")
    filters.of("bob").learn(NEWS[0], "ham", "a test")
    filters.close()
    told = out("users", own).splitlines()
    assert [line.split("  ")[:2] for line in told] == [
        ["ann@example.com", "1 lesson"],
        ["bob", "1 lesson"],
        ["2 users."],
    ]
    exported = out("users", own, "--export", "Ann@example.com")
    assert '"label": "spam"' in exported
    assert '"source": "a test"' in exported
    assert out("users", own, "--delete", "bob") == "Deleted bob.\n"
    gone = run("users", own, "--delete", "bob")
    assert gone.returncode == 66
    assert gone.stderr == f"deciban: {own}.users: bob has taught nothing. deciban users lists who has.\n"
    assert run("users", own, "--delete", "a/b").returncode == 64
    assert run("users", own, "--delete", "bob", "--export", "bob").stderr == (
        "deciban: Expected --export USER or --delete USER; both came. Leave one out.\n"
    )
    assert '"name": "ann@example.com"' in out("users", own, "--json")
