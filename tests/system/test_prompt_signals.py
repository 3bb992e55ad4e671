"""SIGINT and SIGTERM end every verb, of every model, within a second of processor time a thread, and what it says then
is true.

The moments are counted in processor time, too: what else the machine does changes neither when a signal comes nor what
is measured after it.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

from deciban.cli import model_options as of_texts
from deciban.table_models import recipes as of_tables
from system.command import PROGRAM, identities

pytestmark = pytest.mark.deep

THREADS = 2
BOUND = 1.0 * THREADS
"""Seconds of processor time after the signal, of all threads together."""
MOMENTS = {"train": (0.1, 0.3, 0.7, 1.5, 3.0), "compare": (0.3, 1.5), "suspects": (0.3, 1.5)}
"""Seconds of processor time before it: while modules are imported, while items are read, while a model is fitted."""
SOON = (0.1, 0.2, 0.5)
"""The same for the verbs that fit nothing. Each case has one of the moments, its neighbours in the list the others."""
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}
TICK = os.sysconf("SC_CLK_TCK")

TEXTS = tuple(model for model in of_texts.CHOICES if model != of_texts.DISCRIMINANT)
MODELS = {"mail": TEXTS, "text": TEXTS, "table": ("auto", *of_tables.MODELS)}
LEARN_ON = {
    "mail": ("online", "naive-bayes"),
    "text": ("naive-bayes",),
    "table": ("naive-bayes", "discriminant", "least-squares"),
}
READ = ("classify", "explain", "evaluate", "threshold", "inspect")
FIT = ("train", "compare", "suspects")
# Every model is trained; of the other verbs that fit it meets one, and of those that read two, which meet several each.
CASES = [
    *(
        (verb, kind, model)
        for kind in MODELS
        for place, model in enumerate(MODELS[kind])
        for verb in ("train", FIT[1 + place % 2])
    ),
    *(
        (verb, kind, model)
        for kind in MODELS
        for place, model in enumerate(model for model in MODELS[kind] if model != "auto")
        for verb in (READ[place % len(READ)], READ[(place + 2) % len(READ)])
    ),
    *((verb, kind, model) for verb in ("learn", "forget") for kind in MODELS for model in LEARN_ON[kind]),
]


def words(draw, label, n):
    """Words of which some tell the label, most are rare."""
    telling = (f"{'ab'[label]}{draw.randrange(40)}" for _ in range(n // 10))
    return " ".join([*telling, *(f"w{int(draw.paretovariate(0.4)) % 200_003}" for _ in range(n))])


def write_inputs(folder, size):
    """Two mailboxes of so many messages, a table of texts and one of numbers and categories, and a part of it."""
    draw = random.Random(0)
    for label, name in enumerate(("ham", "spam")):
        with open(folder / f"{name}.mbox", "w") as file:
            for i in range(size):
                file.write(f"From x Mon Jan  1 00:00:00 2024\nSubject: number {i}\n\n{words(draw, label, 150)}\n\n")
    texts = [f"{words(draw, i % 2, 150)} {i}" for i in range(2 * size)]
    (folder / "texts.csv").write_text("text,label\n" + "".join(f"{t},{'ab'[i % 2]}\n" for i, t in enumerate(texts)))
    (folder / "text.txt").write_text("\n".join(texts))
    rows = [",".join(["y", *(f"x{j}" for j in range(20)), "c"])]
    for i in range(4 * size):
        x = (f"{draw.gauss(0.2 * (i % 2), 1):.4f}" for _ in range(20))
        rows.append(",".join(["uv"[i % 2], *x, f"c{draw.randrange(30)}"]))
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "most.csv").write_text("\n".join(rows[: 3 * size]) + "\n")


LABELLED = {
    "mail": ["spam={0}/spam.mbox", "ham={0}/ham.mbox"],
    "text": ["{0}/texts.csv", "--text", "text", "--label", "label"],
    "table": ["{0}/rows.csv", "--label", "y"],
}
ITEMS = {"mail": ["{0}/spam.mbox"], "text": ["{0}/text.txt"], "table": ["{0}/most.csv"]}
UNDER = {"mail": ["--as", "spam"], "text": ["--as", "a"], "table": []}


def arguments(verb, kind, model, inputs, file="f.deciban"):
    """The command line of a verb that reads, changes or writes the file of a model."""
    labelled, items = ([part.format(inputs) for part in of[kind]] for of in (LABELLED, ITEMS))
    match verb:
        case "train":
            return ["train", *labelled, "--model", model, "-o", file]
        case "compare":
            return ["compare", *labelled, *(["--models", model] if model != "auto" else [])]
        case "suspects":
            return ["suspects", *labelled, "--model", model]
        case "evaluate" | "threshold":
            return [verb, file, *labelled]
        case "classify":  # so many that none is done before its moment
            return [verb, file, *(items * 20)]
        case "explain" | "forget":
            return [verb, file, *items]
        case "learn":
            return [verb, file, *items, *UNDER[kind]]
    return [verb, file]


def used(pid):
    """Seconds of processor time of a process that runs; None once it has ended."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / TICK


def signalled(command, folder, moment, number):
    """The exit code, what was told, and the processor time after the signal; None if it was done before."""
    with open(folder / "told", "w+b") as told, open(folder / "result", "wb") as result:
        environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS)}
        process = subprocess.Popen([*PROGRAM, *command], cwd=folder, stdout=result, stderr=told, env=environment)
        while (before := used(process.pid)) is not None and before < moment:
            time.sleep(0.002)
        if before is not None:
            process.send_signal(number)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        said = told.read().decode()
    if before is None:
        return None
    return process.returncode, said, usage.ru_utime + usage.ru_stime - before


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "small").mkdir()
    write_inputs(folder, 3000)
    write_inputs(folder / "small", 150)
    return folder


@pytest.fixture(scope="module")
def trained(inputs):
    """The bytes of models, each trained once: of few items, or, for what is to be forgotten, of all."""
    known = {}

    def held(verb, kind, model):
        folder = inputs if verb == "forget" else inputs / "small"
        where = folder / f"{kind} {model}.deciban"
        if where not in known:
            verbs = ["train", *(["learn"] if (verb, kind) == ("forget", "text") else [])]
            for each in verbs:
                subprocess.run(
                    [*PROGRAM, *arguments(each, kind, model, folder, where)], check=True, capture_output=True
                )
            known[where] = where.read_bytes()
        return known[where]

    return held


WRITTEN = ("f.deciban.journal", "f.deciban")


def check(case, moment, number, found, changed):
    code, said, after = found
    where = (*case, moment, number.name, code, round(after, 2), said)
    last = said.splitlines()[-1] if said else ""
    assert after <= BOUND, where
    assert "error of the program itself" not in said, where
    if code == 0:  # it was too late, or the best until then is kept
        assert bool(changed) == (case[0] in ("train", "learn", "forget")), where
        return
    assert (code, last[:13]) == (SIGNALS[number], "Interrupted: "), where
    assert re.findall(r"([^ ]+) had been written", last) == changed, where
    assert changed or "nothing was written" in last or "is told" in last, where


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_signal_ends_it_within_a_second(case, inputs, trained, tmp_path):
    verb, kind, model = case
    if verb not in FIT:
        (tmp_path / "f.deciban").write_bytes(trained(verb, kind, model))
    before, place = identities(WRITTEN, tmp_path), CASES.index(case)
    moments = MOMENTS.get(verb, SOON)
    moment, number = moments[place % len(moments)], list(SIGNALS)[place // len(moments) % 2]
    found = signalled(arguments(verb, kind, model, inputs), tmp_path, moment, number)
    if found is None:
        assert moment > moments[0], "it is done before anything can be interrupted"
        return
    after = identities(WRITTEN, tmp_path)
    check(case, moment, number, found, [name for name in WRITTEN if after.get(name) != before.get(name)])
    assert {*os.listdir(tmp_path)} <= {*WRITTEN, "told", "result"}


# Fits that take far longer than the moments at which they are interrupted: the model, the rows and the columns.
LARGE = {
    "kernel machine": ("SVM()", 20_000, 50),
    "kernel machine of blocks": ("SVM(C=10.0)", 60_000, 30),
    "kernel machines of classes": ("SVM(multi_class='ovr')", 20_000, 50),
    "polynomial": ("SVM('polynomial')", 20_000, 50),
    "laplacian": ("SVM('laplacian')", 20_000, 50),
    "regression machine": ("SVMRegressor()", 20_000, 50),
    "landmarks": ("SVM(solver='nystroem')", 100_000, 50),
    "least squares": ("LeastSquaresClassifier()", 300_000, 300),
    "lasso": ("LinearRegression(penalty='l1', alpha=1e-6)", 300_000, 300),
    "linear regression": ("LinearRegression()", 300_000, 300),
    "lasso of few rows": ("LinearRegression(penalty='l1', alpha=1e-6)", 90, 200),
    "discriminant": ("GaussianDiscriminant()", 300_000, 300),
    "discriminant of classes": ("GaussianDiscriminant(covariance='per_class')", 300_000, 300),
    "discriminant of many columns": ("GaussianDiscriminant()", 20_000, 1_500),
    "logistic": ("LogisticRegression(C=1e4, tol=1e-12)", 200_000, 100),
    "linear machine": ("LinearSVM(C=1e2, tol=1e-10)", 200_000, 100),
    "perceptron": ("Perceptron(max_iter=1000)", 300_000, 100),
    "network": ("MLPClassifier()", 200_000, 100),
}
PROGRAM_OF_FIT = """
import signal, sys
import numpy as np
from deciban import *
signal.signal(signal.SIGINT, signal.default_int_handler)
random, (model, N, d) = np.random.default_rng(0), eval(sys.argv[1])
X = random.normal(size=(N, d))
y = (np.abs(X[:, :3]).sum(axis=1) * 1.3 + random.normal(size=N)).astype(int) % 3
eval(model).fit(X[:90, :2], y[:90])  # which imports modules
print("begins", flush=True)
try:
    certificate = eval(model).fit(X, y).certificate_
    print(certificate.status, flush=True)
except KeyboardInterrupt:
    print("raised", flush=True)
os._exit(0)
""".replace("import signal, sys", "import os, signal, sys")


@pytest.mark.parametrize("name", LARGE)
def test_ctrl_c_ends_a_large_fit_within_a_second(name):
    """It ends the fit, or the certificate says that it was interrupted."""
    moment = 1.0 + 2.0 * ([*LARGE].index(name) % 2)
    words = [sys.executable, "-W", "ignore", "-c", PROGRAM_OF_FIT, repr(LARGE[name])]
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "begins\n"
        begun = before = used(process.pid)
        while before is not None and before < begun + moment:
            time.sleep(0.002)
            before = used(process.pid)
        if before is not None:
            process.send_signal(signal.SIGINT)
        ended = process.stdout.read().strip()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if before is None:
        assert moment > 1.0, ended
        return
    assert (process.returncode, ended in ("raised", "interrupted")) == (0, True), ended
    assert usage.ru_utime + usage.ru_stime - before <= BOUND
