"""Models that learn online are functions of the set of their examples, calibrated by what they did not know."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from deciban import TextClassifier, store
from deciban._core import Reader
from deciban.errors import DataError
from deciban.mail.filter import Filter
from deciban.mail.ledger import Ledger
from deciban.scores import log_posterior
from deciban.text.corpus import Corpus
from deciban.text.experts import DISAGREE
from deciban.text.recipes import recipe
from deciban.text.teaching import PASSES, Teacher, scores_of
from deciban.text.word_sets import Lesson, word_sets
from tiers import examples

LABELS = ("ham", "spam")


def mail(n):
    """A message of its own: some share words, senders and the day on which they came."""
    words = " ".join(f"w{(n * k) % 17}" for k in range(1, 2 + n % 5))
    day = f"Received: by mx; {1 + n % 28} Jan 2007 10:00:00 +0000\n" if n % 3 else ""
    return f"{day}From: a{n % 4}@example.org\nSubject: about w{n % 7}\n\n{words} only{n}\n".encode()


def trained(labels, n_jobs=None):
    """The filter of messages by number, all at once."""
    of = recipe("mail", "online", {})
    numbers = [*labels]
    members = [LABELS.index(labels[n]) for n in numbers]
    corpus = Corpus.of_texts([mail(n) for n in numbers], of.settings.reader(), LABELS, members)
    return Filter(of.learn(corpus, n_jobs=n_jobs), Ledger.of_distinct(corpus.keys, corpus.y))


def content(known, path):
    """The bytes of the filter, which its file gives again."""
    known.save(path)
    found = path.read_bytes()
    Filter.load(path).save(path)
    assert path.read_bytes() == found
    return found


steps = st.lists(st.tuples(st.integers(0, 30), st.sampled_from([*LABELS, None])), max_size=25)


@given(steps=steps)
@examples(40)
def test_learning_and_forgetting_in_any_order_end_where_training_does(steps, tmp_path_factory):
    path = tmp_path_factory.mktemp("filters") / "f.deciban"
    labels = {100 + n: LABELS[n % 2] for n in range(8)}
    known, given_labels = trained(labels), {n: [label] for n, label in labels.items()}
    for n, label in steps:
        known, (became,) = known.forget([mail(n)]) if label is None else known.learn([mail(n)], label)
        held = given_labels.setdefault(n, [])
        if label is None:
            assert became == ("forgotten" if held else "not known")
            del held[-1:]
        else:
            same = held[-1:] == [label]
            assert became == ("already known" if same else "relabelled" if held else "learnt")
            held.extend([] if same else [label])
    now = trained({n: held[-1] for n, held in given_labels.items() if held})
    again = Filter(known.model, now.ledger)  # which does not know the labels before the last
    assert content(again, path) == content(now, path)


def test_nothing_is_left_when_all_is_forgotten():
    known = trained({n: LABELS[n % 2] for n in range(6)})
    known, _ = known.forget([mail(n) for n in (1, 3, 5)])
    (verdict,) = known.model.compile().judge([mail(1)])
    assert (verdict.label, verdict.decibans, verdict.unsure) == ("ham", np.inf, True)
    known, _ = known.forget([mail(n) for n in (0, 2, 4)])
    assert (len(known.model.encoder.book), sum(known.model.encoder.book.items)) == (0, 0.0)


def taught(rows, y, orders, least):
    """Weights, the offset, and scores before anything was learnt of each row: as the formulas say, word by word."""
    W, H, first = {}, {}, {}
    b = h = np.float32(0.0)
    for number, order in enumerate(orders):
        for i in order:
            x = 1.0 / np.sqrt(max(len(rows[i]), 1))
            z = x * sum(float(W.get(word, 0.0)) for word in rows[i]) + float(b)
            if not number:
                first[i] = z
            g = 1.0 / (1.0 + np.exp(-z)) - y[i]
            if abs(g) <= 1e-3:
                continue
            step = np.float32(g * x)
            for word in rows[i]:
                H[word] = np.float32(H.get(word, np.float32(0.0)) + step * step)
                moved = np.float32(W.get(word, np.float32(0.0)) - step / np.sqrt(H[word] + np.float32(1e-3)))
                W[word] = max(moved, np.float32(least))
            g = np.float32(g)
            h = np.float32(h + g * g)
            b = np.float32(b - np.float32(0.1) * g / np.sqrt(h + np.float32(1.0)))
    return W, b, first


def test_experts_learn_as_the_formulas_say():
    labels = {n: LABELS[(n * n) % 3 == 1] for n in range(40)}
    model = trained(labels).model
    examples_, book = model.examples, model.encoder.book
    names, heard = book.names([*range(len(book))]), book.experts()
    order = [*range(40)]
    orders = [order] * (PASSES - 1) + [sorted(order, key=lambda i: examples_.times[i])]
    for e, least in ((0, -2.0), (1, -np.inf)):  # words of content are bounded for ham
        rows = [
            [int(j) for j in examples_.words[a:b] if heard[j] == e]
            for a, b in zip(examples_.starts, examples_.ends, strict=True)
        ]
        W, b, _ = taught(rows, examples_.y, orders, least)
        assert_allclose(model.bias[e, 0], b, rtol=1e-6)
        for j, weight in W.items():
            assert_allclose(model.weights[j, 0], weight, rtol=1e-5, err_msg=names[j])
    assert {name.partition(":")[0] for name, e in zip(names, heard, strict=True) if e} == {
        "from",
        "address",
        "received",
    }


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_any_number_of_threads_learns_the_same(n_jobs, tmp_path):
    labels = {n: LABELS[n % 2] for n in range(90)}
    assert content(trained(labels, n_jobs), tmp_path / "a") == content(trained(labels), tmp_path / "b")


def test_a_class_that_hides_is_guarded_wherever_it_stands():
    """Swapping the classes turns every score round, and one expert is enough for spam."""
    texts, y = [mail(n) for n in range(60)], [(n * 5) % 3 == 0 for n in range(60)]
    both = (np.where(y, "spam", "ham"), np.where(y, "spam", "z"))
    last, first = (TextClassifier("online", kind="mail").fit(texts, labels) for labels in both)
    assert (first.classes_.tolist(), last.classes_.tolist()) == (["spam", "z"], ["ham", "spam"])
    assert first.model_.fusion.bend == -last.model_.fusion.bend < 0.0
    asked = [mail(n) for n in range(50, 80)]
    assert_allclose(
        first.predict_joint_log_proba(asked), last.predict_joint_log_proba(asked)[:, ::-1], rtol=1e-9, atol=1e-12
    )
    neither = TextClassifier("online", kind="mail").fit(texts, np.where(y, "a", "b"))
    assert neither.model_.fusion.bend == 0.0
    assert not any(term.term == DISAGREE for why in neither.explain(asked) for term in why.terms)
    assert any(term.term == DISAGREE for why in last.explain(asked) for term in why.terms)


def test_scores_are_calibrated_on_noise_and_on_signal():
    """Where words tell nothing, probabilities stay at the shares of the classes; else they are borne out."""
    random = np.random.default_rng(0)

    def draw(n, told):
        y = random.random(n) < 0.3
        words = [[f"n{k}" for k in random.integers(0, 400, 20)] for _ in range(n)]
        for row, spam in zip(words, y, strict=True):
            row += [f"{'s' if spam != (random.random() < 0.2) else 'h'}{random.integers(0, 40)}"] * told
        return [" ".join(row) for row in words], np.where(y, "yes", "no")

    for told, least, most in ((0, 0.58, 0.66), (1, 0.40, 0.60)):
        X, y = draw(1500, told)
        new, truth = draw(1500, told)
        log_p = log_posterior(TextClassifier("online").fit(X, y).predict_joint_log_proba(new))
        loss = -log_p[np.arange(1500), (truth == "yes").astype(int)].mean()
        assert least < loss < most
        p = np.exp(log_p[:, 1])
        assert abs(p.mean() - (truth == "yes").mean()) < 0.05


def test_when_messages_came_is_read_from_the_first_received():
    reader = Reader("mail", (1, 1), 0)
    told = b"Received: by a; Mon, 2 Apr 2007 10:00:00 -0400\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n\nx"
    asked = [told, told.partition(b"\n")[2], b"Subject: never\n\nx"]
    assert reader.arrivals(asked).tolist() == [1175522400, 883612800, 0]
    assert Reader("text", (1, 1), 0).arrivals([told]).tolist() == [0]


def test_what_python_has_learnt_a_filter_learns_on(tmp_path):
    path, labels = tmp_path / "f.deciban", {n: LABELS[n % 2] for n in range(8)}
    TextClassifier("online", kind="mail").fit([mail(n) for n in labels], [*labels.values()]).save(path)
    known, _ = Filter.load(path).learn([mail(9)], "spam")
    assert content(known, path) == content(trained({**labels, 9: "spam"}), tmp_path / "g")


@pytest.mark.parametrize("change", [{"experts": 1}, {"intercept": [0.0, 0.0]}])
def test_experts_that_do_not_fit_their_items_are_refused(change, tmp_path):
    path = tmp_path / "f.deciban"
    known = trained({n: LABELS[n % 2] for n in range(8)})
    fusion = {**known.model.fusion.to_json(), **change}
    fusion |= {name: list(fusion[name])[: fusion["experts"]] for name in ("spread", "typical")}
    store.write(path, {**known.model.header(), "online": {"fusion": fusion}}, known.model.arrays())
    with pytest.raises(DataError, match="expected 2 experts of 1 columns"):
        store.read(path)


CLASSES = {2: ("no", "yes"), 3: ("a", "b", "c")}


@given(
    steps=st.lists(st.tuples(st.integers(0, 25), st.integers(0, 2), st.sampled_from([0.5, 1.0, 3.0])), max_size=12),
    forgotten=st.sets(st.integers(0, 11)),
    classes=st.sampled_from([2, 3]),
    kind=st.sampled_from(["text", "mail"]),
    weighted=st.booleans(),
)
@examples(12)
def test_texts_learnt_on_and_forgotten_are_those_of_one_fit(steps, forgotten, classes, kind, weighted):
    """The same text may come again, also with another label or weight: each time is one that may be forgotten."""
    names = CLASSES[classes]
    first = [(n, n % classes, 1.0) for n in range(2 * classes)]
    steps = [(n, c % classes, weight if weighted else 1.0) for n, c, weight in steps]

    def given_(rows):
        texts, labels, weights = [mail(n) for n, _, _ in rows], [names[c] for _, c, _ in rows], [w for *_, w in rows]
        return (texts, labels, weights) if weighted else (texts, labels)

    known = TextClassifier("online", kind=kind).partial_fit(*given_(first))
    for row in steps:
        known.partial_fit(*given_([row]))
        assert known.predict_proba([mail(3)]).shape == (1, classes)
    gone = [i for i in sorted(forgotten) if i < len(steps)]
    for i in gone:
        known.forget(*given_([steps[i]]))
    left = [*first, *(row for i, row in enumerate(steps) if i not in gone)]
    once = TextClassifier("online", kind=kind).fit(*given_(left))
    assert same_files(known, once)


def same_files(*models):
    contents = [store.to_bytes(each.model_.header(), each.model_.arrays()) for each in models]
    return contents[0] == contents[1]


def test_a_step_is_the_one_that_the_lesson_would_take_next(tmp_path):
    """What is learnt on is judged by the same numbers as in a lesson that learns it onward."""
    numbers = [*range(60)]
    model = trained({n: LABELS[(n * n) % 3 == 1] for n in numbers[:40]}).model
    served, of = model.compile(), model.encoder.settings
    both = trained({n: LABELS[(n * n) % 3 == 1] for n in numbers}).model
    examples_ = both.examples
    teacher = Teacher.of(both.encoder, examples_, 2, model.fusion, None)
    key = {reader_digest(of, n): n for n in numbers}
    row = {key[bytes(k).ljust(16, b"\0")]: i for i, k in enumerate(examples_.keys)}
    old = np.array(sorted(row[n] for n in numbers[:40]))
    came = old[np.argsort(examples_.times[old], kind="stable")]
    new = np.array([row[n] for n in numbers[40:]])
    (taught,) = teacher.teach_each([([old] * (PASSES - 1) + [came], new, True)])
    wanted = scores_of(model.fusion, taught.judged)
    for n, scores in zip(numbers[40:], wanted, strict=True):
        assert_allclose(served.joint([mail(n)])[0], scores, rtol=1e-12, atol=1e-12)
        why = served.explain(mail(n))
        assert_allclose(why.prior_decibans + sum(term.decibans for term in why.terms), why.decibans, atol=1e-9)
        served.learn([Lesson(word_sets(of, [mail(n)])[0], LABELS.index(LABELS[(n * n) % 3 == 1]))])


def reader_digest(settings, n):
    return settings.reader().digest(mail(n))


def test_what_was_never_learnt_cannot_be_forgotten():
    known = TextClassifier("online", kind="mail").fit([mail(n) for n in range(8)], [LABELS[n % 2] for n in range(8)])
    before = store.to_bytes(known.model_.header(), known.model_.arrays())
    known.partial_fit([mail(20)], ["spam"])
    known.forget([mail(20)], ["spam"])
    for texts, labels in (([mail(1), mail(20)], ["spam", "spam"]), ([mail(1), mail(1)], ["spam", "spam"])):
        with pytest.raises(DataError, match=r"text 1 of those to forget was never learnt as 'spam'\."):
            known.forget(texts, labels)
    with pytest.raises(ValueError, match="labels that were learnt are expected"):
        known.forget([mail(1)], ["other"])
    assert store.to_bytes(known.model_.header(), known.model_.arrays()) == before


def test_a_class_that_is_forgotten_goes_and_one_that_comes_is_learnt():
    texts, labels = [mail(n) for n in range(9)], ["abc"[n % 3] for n in range(9)]
    known = TextClassifier("online").fit(texts, labels)
    known.forget(texts[2::3], ["c"] * 3)
    two = [n for n in range(9) if n % 3 < 2]
    assert same_files(known, TextClassifier("online").fit([texts[n] for n in two], [labels[n] for n in two]))
    known.partial_fit(texts[2::3], ["c"] * 3)
    assert same_files(known, TextClassifier("online").fit(texts, labels))
    with pytest.raises(ValueError, match="at least two classes are expected"):
        TextClassifier("online").partial_fit(texts[:1], ["a"])


def test_a_model_that_leaves_words_out_does_not_learn_on():
    known = TextClassifier("online", max_features=5).fit([mail(n) for n in range(8)], ["ab"[n % 2] for n in range(8)])
    with pytest.raises(ValueError, match="max_features=None"):
        known.partial_fit([mail(9)], ["a"])


def test_copies_of_a_model_know_what_it_has_learnt_since():
    n = 100
    texts, labels = [mail(i) for i in range(n)], ["ab"[(i * i) % 3 == 1] for i in range(n)]
    known = TextClassifier("online", kind="mail").fit(texts, labels)
    before = known.predict_joint_log_proba([mail(200)])
    known.partial_fit([mail(200)], ["b"])
    assert known._lessons
    assert (known.predict_joint_log_proba([mail(200)]) - before)[0] @ [-1.0, 1.0] > 0.0
    copied = pickle.loads(pickle.dumps(known))
    once = TextClassifier("online", kind="mail").fit([*texts, mail(200)], [*labels, "b"])
    assert same_files(copied, once)
    assert not known._lessons
