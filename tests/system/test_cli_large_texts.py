"""Texts that are larger than --memory are learnt by passes over rows of their words in files: to the model of a fit in
memory, within the gap."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import deciban
from deciban.cli import large_texts, text_training
from deciban.distributed import mapped
from deciban.errors import DataError
from deciban.files.locks import hold_at_once
from system.command import run_here as run

RANDOM = np.random.default_rng(0)
N, WORDS = 500, [f"word{j}" for j in range(60)]
TOLD = RANDOM.normal(size=(3, len(WORDS)))
SHARES = np.exp(TOLD) / np.exp(TOLD).sum(axis=1, keepdims=True)
PLACES = RANDOM.integers(0, 3, N)
TEXTS = [" ".join(RANDOM.choice(WORDS, 3 + k % 9, p=SHARES[c])) for k, c in enumerate(PLACES)]
LABELS = np.array(["ham", "news", "spam"])[PLACES].tolist()
# Two that come again under the same label, and two under another.
TEXTS += TEXTS[:4]
LABELS += [*LABELS[:2], "spam" if LABELS[2] == "ham" else "ham", "spam" if LABELS[3] == "ham" else "ham"]
MODELS = ("logistic", "svm", "nbsvm")
OF_TABLE = ("--text", "text", "--label", "label")
SMALL = ("--words", "1,1", "--memory", "70kB")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(large_texts, "_VALUES", 400)
    monkeypatch.setattr(large_texts, "_VALUES_OF_WORD", 0)


def write_jsonl(path):
    rows = ({"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_csv(path):
    path.write_text("label,text\n" + "".join(f"{y},{text}\n" for text, y in zip(TEXTS, LABELS, strict=True)))


def write_parquet(path):
    parquet.write_table(
        pa.table({"text": TEXTS, "label": LABELS}), path, row_group_size=90, compression="none", use_dictionary=False
    )


def write_folder(path):
    for k, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)):
        (path / label).mkdir(exist_ok=True, parents=True)
        (path / label / f"{k:04}.txt").write_text(text)


def write_mailboxes(path):
    path.mkdir()
    for label in sorted(set(LABELS)):
        some = [(k, text) for k, (text, y) in enumerate(zip(TEXTS, LABELS, strict=True)) if y == label]
        mails = (f"From x Mon Jan  1 00:00:00 2024\nSubject: {k % 5}\n\n{text}\n\n" for k, text in some)
        (path / f"{label}.mbox").write_text("".join(mails))


WRITE = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
    "folder": write_folder,
    "mail": write_mailboxes,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("large")


def source_of(kind, folder):
    """The arguments that name a source."""
    path = folder / f"texts.{kind}"
    if not path.exists():
        WRITE[kind](path)
    if kind == "mail":
        return [f"{each.stem}={each}" for each in sorted(path.iterdir())]
    return [path] if kind == "folder" else [path, *OF_TABLE]


def train(source, model, output, *more):
    return run("train", *source, "--model", model, "-o", output, "--json", *more)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", WRITE)
def test_it_is_the_model_of_a_fit_in_memory_within_the_gap(kind, model, folder, tmp_path):
    source = [*source_of(kind, folder), "--max-features", "70"]  # mail has words in its headers, too
    whole = json.loads(train(source, model, tmp_path / "whole", "--words", "1,1").stdout)
    done = train(source, model, tmp_path / "parts", *SMALL)
    parts = json.loads(done.stdout)
    assert b"is larger than memory: rows of its words are learnt from files in " in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts", "whole"]
    for name in ("n", "classes", "kind", "words", "duplicates", "conflicts", "vanished", "dropped"):
        assert parts[name] == whole[name]
    one, two = (found["certificate"] for found in (whole, parts))
    assert "newton in partitions" in two["objective"]
    assert two["status"] == "converged"
    assert two["dual"] <= one["primal"] * (1 + 1e-12)
    assert one["dual"] <= two["primal"] * (1 + 1e-12)
    assert two["primal"] - two["dual"] <= 3 * (1e-3 if model == "nbsvm" else 1e-6) * two["primal"]
    assert two["calibration"]["how"] == one["calibration"]["how"]
    assert two["calibration"]["log_loss"] == pytest.approx(one["calibration"]["log_loss"], abs=0.01)
    require_same_verdicts(tmp_path)


def require_same_verdicts(folder):
    one, two = (deciban.load(folder / name) for name in ("whole", "parts"))
    assert one.model_.encoder.book == two.model_.encoder.book
    p, q = (each.predict_proba(TEXTS) for each in (one, two))
    assert np.abs(p - q).max() < 0.02
    turned = p.argmax(axis=1) != q.argmax(axis=1)
    nearest = np.sort(p, axis=1)[:, -2:]
    assert (nearest[turned, 1] - nearest[turned, 0] < 0.02).all()


@pytest.mark.parametrize("options", [("--max-features", "40"), ("--hashed", "5"), ("--counts",), ("--seed", "3")])
@pytest.mark.parametrize("model", MODELS)
def test_options_mean_what_they_mean_in_memory(model, options, folder, tmp_path):
    source = source_of("jsonl", folder)
    whole = json.loads(train(source, model, tmp_path / "whole", "--words", "1,1", *options).stdout)
    parts = json.loads(train(source, model, tmp_path / "parts", *SMALL, *options).stdout)
    assert parts["words"] == whole["words"]
    assert parts["certificate"]["dual"] <= whole["certificate"]["primal"] * (1 + 1e-12)
    assert whole["certificate"]["dual"] <= parts["certificate"]["primal"] * (1 + 1e-12)
    require_same_verdicts(tmp_path)


@pytest.mark.parametrize("model", MODELS)
def test_words_that_came_back_after_they_were_dropped_weigh_what_the_rows_say(model, folder, tmp_path, monkeypatch):
    """Their counts are those of some of the texts only."""
    own = text_training.recipes

    def of_few_words(*given):
        found = own(*given)
        return [replace(each, settings=replace(each.settings, max_words=50)) for each in found]

    monkeypatch.setattr(text_training, "recipes", of_few_words)
    monkeypatch.setattr("deciban.tables.rows._batches", in_tens)
    source = source_of("csv", folder)
    whole = json.loads(train(source, model, tmp_path / "whole", "--words", "1,1").stdout)
    parts = json.loads(train(source, model, tmp_path / "parts", *SMALL).stdout)
    assert parts["dropped"] == whole["dropped"] > 0
    assert deciban.load(tmp_path / "parts").model_.encoder.uncounted > 0
    assert parts["certificate"]["dual"] <= whole["certificate"]["primal"] * (1 + 1e-12)
    assert whole["certificate"]["dual"] <= parts["certificate"]["primal"] * (1 + 1e-12)
    require_same_verdicts(tmp_path)


def in_tens(cells, columns, batch_bytes):
    from deciban.tables.rows import Batch

    rows = list(cells)
    for first in range(0, len(rows), 10):
        some = rows[first : first + 10]
        yield Batch([text for _, text, _ in some], [label for _, _, label in some], first + 1)


def test_the_file_does_not_depend_on_jobs(folder, tmp_path):
    for jobs in (1, 3):
        assert train(source_of("jsonl", folder), "nbsvm", tmp_path / str(jobs), *SMALL, "-j", jobs).returncode == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


# What is refused.


def refusal(done):
    *_, last = done.stderr.decode().splitlines()
    return done.returncode, last.removeprefix("deciban: ")


@pytest.mark.parametrize(
    ("model", "options", "what"),
    [
        ("mlp", (), "mlp"),
        ("kernel-svm", (), "kernel-svm"),
        ("perceptron", (), "perceptron"),
        ("least-squares", (), "least-squares"),
        ("svm", ("--report", "r.html"), "a report"),
        ("auto", ("--report", "r.html"), "a report"),
    ],
)
def test_what_needs_all_texts_at_once_is_refused_with_what_does_not(model, options, what, folder, tmp_path):
    source = source_of("jsonl", folder)
    code, said = refusal(train(source, model, tmp_path / "m", *SMALL, *options))
    assert (code, said) == (
        64,
        f"{source[0]}: {what} needs all texts at once, and these take more memory than it may. Expected a smaller "
        "source, or a model that is learnt as a stream or by passes over files. Choose --model naive-bayes, nbsvm, "
        "logistic or svm, without --report, or a larger --memory, or train on a part of it.",
    )
    assert not list(tmp_path.iterdir())


def test_more_words_than_memory_holds_weights_of_are_refused_with_how_many_it_does(folder, tmp_path):
    source, few = source_of("jsonl", folder), ("--memory", "60kB")
    words = len(deciban.TextClassifier("logistic").fit(TEXTS, LABELS).model_.encoder.book)
    assert refusal(train(source, "logistic", tmp_path / "m", *few)) == (
        65,
        f"logistic weighs {words:,} words for each of 3 scores, which takes about {words * 960 / 1e6:.1f} MB of "
        "memory; --memory is 60.0 kB. Expected at most 62. Choose --max-features 62 or less, or a larger --memory.",
    )
    assert refusal(train(source, "svm", tmp_path / "m", *few, "--hashed", "8")) == (
        65,
        "svm weighs 256 hash buckets for each of 3 scores, which takes about 246 kB of memory; --memory is 60.0 kB. "
        "Expected at most 62. Choose --hashed 5 or less, or a larger --memory.",
    )
    assert not list(tmp_path.iterdir())
    for option, value in (("--max-features", "62"), ("--hashed", "5")):
        assert train(source, "logistic", tmp_path / "m", *few, option, value).returncode == 0


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([("a b", "x"), ("a c", "x")], "Expected items of at least two classes; all items are 'x'. Add another class."),
        ([("", "x"), ("  ", "y")], "No words were found in the items: nothing to learn from."),
    ],
    ids=["one-class", "no-words"],
)
def test_texts_that_teach_nothing_are_refused_and_nothing_is_left(rows, text, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("label,text\n" + "".join(f'{label},"{each}"\n' for each, label in rows))
    assert refusal(train([path, *OF_TABLE], "svm", tmp_path / "m", "--memory", "10")) == (65, text)
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_a_folder_that_is_something_else_or_held_is_left_alone(folder, tmp_path):
    part = tmp_path / "m.part"
    part.mkdir()
    (part / "mine").write_text("mine")
    assert refusal(train(source_of("csv", folder), "svm", tmp_path / "m", *SMALL)) == (
        64,
        f"{part}: expected a free name for the rows that are kept meanwhile; it is something else. Remove it, or "
        "choose another name with -o.",
    )
    assert (part / "mine").read_text() == "mine"
    (part / "mine").unlink()
    with hold_at_once(part / "lock") as is_held:
        assert is_held
        code, said = refusal(train(source_of("csv", folder), "svm", tmp_path / "m", *SMALL))
    assert (code, said.split(". ")[1]) == (64, "Wait until it ends, or choose another name with -o.")
    assert train(source_of("csv", folder), "svm", tmp_path / "m", *SMALL).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def test_a_full_disk_is_said_and_nothing_is_left(folder, tmp_path, monkeypatch):
    def on_full_disk(path, mode="r", **settings):
        return open("/dev/full" if "w" in mode else path, mode, **settings)

    monkeypatch.setattr(mapped, "open", on_full_disk, raising=False)
    code, said = refusal(train(source_of("csv", folder), "svm", tmp_path / "m", *SMALL))
    assert code == 74
    assert said.startswith(f"the disk of {tmp_path / 'm.part'}")
    assert said.endswith(" more bytes. Make room there, or choose another folder.")
    assert not list(tmp_path.iterdir())


# What is interrupted.

DIES = """
import os, signal
from deciban.cli import large_texts, main
from deciban.distributed import encoding, newton
large_texts._VALUES, large_texts._VALUES_OF_WORD = 400, 0
count, seen = 0, set()
def at(module, name):
    own = getattr(module, name)
    def counted(*given, **more):
        global count
        count += 1
        if {when}:
            os.kill(os.getpid(), signal.{sent})
        return own(*given, **more)
    setattr(module, name, counted)
at({where})
main()
"""
POINTS = {"search": ["point.npy"], "fold": ["point.npy", "point-fold-0.npy", "point-fold-1.npy"]}
MOMENTS = {
    "encoding": ("encoding, 'write'", "count == 3"),
    "search": ("newton.Search, 'step'", "count == 2"),
    "fold": ("newton.Search, 'step'", "seen.add(given[0].objective.name) or len(seen) == 3"),
}


def dying(source, output, moment, sent, model="logistic"):
    where, when = MOMENTS[moment]
    code = textwrap.dedent(DIES.format(where=where, when=when, sent=sent))
    words = ["train", *source, "--model", model, "-o", output, *SMALL]
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, timeout=60, check=False)
    return done, time.perf_counter() - started


@pytest.mark.deep
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_ends_it_at_once_and_leaves_what_was_there(moment, folder, tmp_path):
    train(source_of("jsonl", folder), "naive-bayes", tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    done, seconds = dying(source_of("jsonl", folder), tmp_path / "m", moment, "SIGINT")
    assert done.returncode == 130, done.stderr
    assert seconds < 20
    assert (tmp_path / "m").read_bytes() == before
    last, part = done.stderr.decode().splitlines()[-1], tmp_path / "m.part"
    if moment == "encoding":
        assert last == "Interrupted: nothing was written."
        assert [each.name for each in tmp_path.iterdir()] == ["m"]
        return
    assert last == f"Interrupted: the weights so far are kept in {part}, and the same command goes on from them."
    assert {each.name for each in part.iterdir()} == {"about.json", "lock", *POINTS[moment]}
    assert part.stat().st_mode & 0o077 == 0


@pytest.mark.deep
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_goes_on_to_the_same_model(moment, model, folder, tmp_path):
    source = source_of("jsonl", folder)
    train(source, model, tmp_path / "whole", *SMALL)
    done, _ = dying(source, tmp_path / "parts", moment, "SIGKILL", model)
    assert done.returncode == -signal.SIGKILL
    again = train(source, model, tmp_path / "parts", *SMALL)
    assert again.returncode == 0
    assert again.stderr.decode().startswith("Going on from the weights in ") == (moment != "encoding")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["parts", "whole"]
    if moment == "encoding":
        assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
        return
    whole, found = (deciban.load(tmp_path / name).certificate_ for name in ("whole", "parts"))
    assert found.status == "converged"
    assert found.iterations <= whole.iterations
    assert max(found.dual, whole.dual) <= min(found.primal, whole.primal) * (1 + 1e-12)
    assert found.calibration.how == whole.calibration.how
    require_same_verdicts(tmp_path)


@pytest.mark.parametrize("change", ["source", "settings", "model", "nothing"])
def test_weights_that_are_kept_are_those_of_the_source_and_the_options(change, tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    write_csv(path)
    source, more, model = [path, *OF_TABLE], list(SMALL), "svm"
    with monkeypatch.context() as patch:
        patch.setattr("deciban.distributed.linear_texts.fit_line_in_parts", raising(KeyboardInterrupt))
        assert train(source, model, tmp_path / "m", *SMALL).returncode == 130
    assert (tmp_path / "m.part" / "point.npy").exists()
    if change == "source":
        path.write_text(path.read_text() + "ham,word1 word2\n")
    elif change == "settings":
        more += ["--max-features", "30"]
    elif change == "model":
        model = "logistic"
    again = train(source, model, tmp_path / "m", *more)
    assert again.returncode == 0
    assert again.stderr.decode().startswith("Going on from the weights in ") == (change == "nothing")
    assert not (tmp_path / "m.part").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, DataError("no")], ids=["interrupted", "refused"])
def test_what_goes_into_a_pipe_leaves_no_folder(error, tmp_path, monkeypatch):
    """No later run would find it."""
    path = tmp_path / "t.csv"
    write_csv(path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(
        "deciban.distributed.linear_texts.fit_line_in_parts", lambda *_, **__: (_ for _ in ()).throw(error)
    )
    done = train([path, *OF_TABLE], "svm", "/dev/null", *SMALL)
    assert done.returncode == (130 if error is KeyboardInterrupt else 65)
    assert b"kept" not in done.stderr.splitlines()[-1]
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def raising(error):
    def raises(*_):
        raise error

    return raises


# Memory.

WATCHED = """
import sys
from threading import Event, Thread
from deciban.cli import large_texts, status
from deciban.tables import rows
rows.read.__kwdefaults__["batch_bytes"] = large_texts._VALUES = 1 << 18
most, done = 0, Event()
def watch():
    global most
    while not done.wait(0.02):
        with open("/proc/self/status") as file:
            most = max(most, next(int(line.split()[1]) for line in file if line.startswith("RssAnon")))
thread = Thread(target=watch)
thread.start()
code = status(sys.argv[1:])
done.set()
thread.join()
print(code, most * 1024)
"""


def memory_of(path, model, memory):
    words = ["train", path, *OF_TABLE, "--model", model, "--words", "1,1", "--memory", memory, "-o", path.parent / "m"]
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, words), "-q"], capture_output=True, env=environment, check=True
    )
    code, most = map(int, done.stdout.split())
    assert code == 0, done.stderr
    return most


@pytest.mark.deep
@pytest.mark.parametrize("model", MODELS)
def test_memory_does_not_grow_with_the_texts(model, tmp_path):
    """But for what is kept of each text, not of each of its words; in memory it does."""
    random, vocabulary = np.random.default_rng(1), np.array([f"word{j}" for j in range(3000)])
    sizes, peaks, unbound = [], [], []
    for n in (10_000, 50_000):
        path = tmp_path / f"{n}.csv"
        with path.open("w") as file:
            file.write("label,text\n")
            for k in range(n):
                file.write(f"{'ab'[k % 2]},{' '.join(vocabulary[random.integers(0, 2900 + 100 * (k % 2), 100)])}\n")
        sizes.append(path.stat().st_size)
        peaks.append(memory_of(path, model, "10MB"))
        unbound.append(memory_of(path, model, "100GB"))
    more = sizes[1] - sizes[0]
    assert sizes[0] > 0.6 * 10e6
    assert peaks[1] - peaks[0] < 0.8 * more
    assert unbound[1] - unbound[0] > 2.0 * more
