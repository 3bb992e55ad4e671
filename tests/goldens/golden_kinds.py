"""One small file of each kind of model that there is, and what such a file says."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import deciban
from deciban import (
    NBSVM,
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVM,
    LinearSVR,
    LogisticRegression,
    MLPClassifier,
    MLPRegressor,
    MutualInformation,
    NaiveBayes,
    Nystroem,
    OneClassSVM,
    Perceptron,
    RandomFourier,
    SVMRegressor,
    TextClassifier,
    TextVectorizer,
    TfidfTransformer,
    store,
)
from deciban.cli import status
from deciban.data.text_layout import MODELS as OF_TEXTS
from deciban.kernels import Spectrum
from deciban.mail.filter import Filter
from deciban.table_models.recipes import MODELS as OF_TABLES
from deciban.table_models.recipes import recipe
from deciban.table_models.served import ServedTable
from deciban.table_models.table_model import Origin, Rows
from deciban.tables.cells import read_cells
from deciban.tables.typed import learnt_from
from deciban.text.served import ServedText

TEXTS = ["무료 free money now", "free lunch, really free", "lunch at noon", "회의 at noon today", "money for nothing"]
TEXTS += ["the meeting is at ten", "Free MONEY!!! http://win.example", "minutes of the meeting"]
LABELS = ["spam", "spam", "정상", "정상", "spam", "정상", "spam", "정상"]
ASKED_TEXTS = ["free money", "the meeting at noon", "", "무료 회의 unheard-of words"]

SAMPLE = Path(deciban.__file__).parent / "sample"
ASKED_MAIL = sorted((SAMPLE / "train" / "spam").iterdir())[4:6] + sorted((SAMPLE / "train" / "ham").iterdir())[4:6]


def _person(i: int) -> list[str]:
    height = "" if i == 5 else f"{1.5 + 0.37 * i % 0.5:.2f}"
    kinds = ("clerk", "nurse", "judge")[i % 3], ("true", "false")[i % 5 < 2]
    return [str(20 + 7 * i % 31), height, *kinds, "yes" if 7 * i % 31 > 14 else "no"]


PEOPLE = [["age", "height", "job", "member", "buys"], *map(_person, range(24))]
ASKED_PEOPLE = [PEOPLE[0][:-1], ["33", "1.71", "nurse", "true"], ["21", "", "clerk", "false"], ["60", "1.9", "spy", ""]]

random = np.random.default_rng(3)
COUNTS = random.poisson(2.0, (30, 5)) + np.arange(30)[:, None] % 3 * (np.arange(5) == 1)
NUMBERS = random.normal(size=(30, 5)) + np.arange(30)[:, None] % 3 * (np.arange(5) == 1)
CLASSES = np.array(["a", "b", "c"])[np.arange(30) % 3]
ASKED = slice(0, 6)


def _text(path: Path, **given: Any) -> None:
    TextClassifier(**given).fit(TEXTS, LABELS).save(path)


def _mail(path: Path, *options: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for label in ("spam", "ham"):
            for message in sorted((SAMPLE / "train" / label).iterdir())[:4]:
                (Path(scratch) / label).mkdir(exist_ok=True)
                shutil.copy(message, Path(scratch) / label)
        code = status(["train", f"spam={scratch}/spam", f"ham={scratch}/ham", "-o", str(path), "--quiet", *options])
    if code:
        raise RuntimeError(f"training ended with {code}")


def _full(path: Path) -> None:
    """A filter of which rare words gave way to those of a message."""
    _mail(path)
    known = Filter.load(path)
    encoder = known.model.encoder
    full = replace(encoder.settings, max_words=len(encoder.book) + 5)
    known = replace(known, model=replace(known.model, encoder=replace(encoder, settings=full)))
    learnt, _ = known.learn([b"Subject: new\n\nten words that this filter has not met: qat qi xu zax za"], "spam")
    learnt.save(path)


def _table(path: Path, model: str) -> None:
    source = path.with_suffix(".csv")
    _csv(source, PEOPLE)
    table = learnt_from(read_cells(str(source)), "buys")
    learnt = recipe(model, {}, 0).learn(Rows.of(table, "people"))
    learnt.save(path, Origin("buys", table.ignored).header())
    source.unlink()


def _array(model: Any, X: Any, y: Any = CLASSES) -> Callable[[Path], None]:
    return lambda path: (model.fit(X) if y is None else model.fit(X, y)).save(path)


NETWORK = {"max_iter": 3, "batch_size": 8}
TWO = CLASSES == "a"
KINDS: dict[str, Callable[[Path], None]] = {
    **{f"text {model}": lambda path, model=model: _text(path, model=model) for model in OF_TEXTS},
    "text bernoulli": lambda path: _text(path, model="naive-bayes", likelihood="bernoulli", max_features=6),
    "text multinomial": lambda path: _text(path, model="naive-bayes", likelihood="multinomial", alpha=0.5),
    "text hashed": lambda path: _text(path, model="naive-bayes", hashed_bits=6),
    "text logistic hashed": lambda path: _text(path, model="logistic", hashed_bits=6),
    "mail naive-bayes": lambda path: _mail(path),
    "mail beyond its words": _full,
    "mail logistic": lambda path: _mail(path, "--model", "logistic"),
    **{f"table {model}": lambda path, model=model: _table(path, model) for model in OF_TABLES},
    **{f"counts {name}": _array(NaiveBayes(name), COUNTS) for name in ("multinomial", "complement", "poisson")},
    "counts predictive": _array(NaiveBayes("multinomial", estimate="predictive", alpha=[1, 2, 3, 4, 5]), COUNTS),
    "counts bernoulli": _array(NaiveBayes("bernoulli", class_prior="uniform"), COUNTS > 2),
    "codes categorical": _array(NaiveBayes("categorical", alpha=0.5), np.minimum(COUNTS, 3)),
    "numbers gaussian": _array(NaiveBayes("gaussian", var_smoothing=1e-9), NUMBERS),
    "numbers svm": _array(SVM(C=2.0, random_state=1), NUMBERS, TWO),
    "numbers svm of three": _array(SVM("poly", degree=2, gamma=0.3, coef0=1.0, random_state=1), NUMBERS),
    "numbers svm one against the rest": _array(SVM(multi_class="ovr", random_state=1), NUMBERS),
    "texts svm spectrum": _array(SVM(Spectrum(3), random_state=1), TEXTS, LABELS),
    "numbers one-class svm": _array(OneClassSVM(nu=0.2), NUMBERS, None),
    "numbers support vector regression": _array(SVMRegressor(C=2.0), NUMBERS, NUMBERS[:, 0]),
    "numbers mlp": _array(MLPClassifier((4, 3), random_state=2, **NETWORK), NUMBERS),
    "numbers logistic": _array(LogisticRegression(C=2.0), NUMBERS),
    "numbers logistic l1": _array(LogisticRegression(penalty="l1"), NUMBERS, TWO),
    "numbers linear svm": _array(LinearSVM(random_state=1), NUMBERS),
    "counts nbsvm": _array(NBSVM(random_state=1), COUNTS, TWO),
    "numbers perceptron": _array(Perceptron(averaged=True, random_state=1), NUMBERS),
    "numbers least squares": _array(LeastSquaresClassifier(), NUMBERS),
    "numbers discriminant": _array(GaussianDiscriminant(), NUMBERS),
    "numbers discriminant per class": _array(GaussianDiscriminant("per_class", shrinkage="auto"), NUMBERS),
    "numbers regression": _array(LinearRegression(penalty="l2"), NUMBERS, NUMBERS[:, :2]),
    "numbers huber": _array(LinearRegression(loss="huber"), NUMBERS, NUMBERS[:, 0]),
    "numbers linear svr": _array(LinearSVR(epsilon=0.1), NUMBERS, NUMBERS[:, 0]),
    "numbers calibrated": _array(CalibratedClassifier(LinearSVM(calibration=None), "isotonic", cv=3), NUMBERS, TWO),
    "numbers calibrated svm": _array(CalibratedClassifier(SVM(calibration=None), "platt", cv=3), NUMBERS, TWO),
    "counts mutual information": _array(MutualInformation(k=2), COUNTS),
    "numbers nystroem": _array(Nystroem(n_components=6, random_state=1), NUMBERS),
    "numbers random fourier": _array(RandomFourier(n_components=6, random_state=1), NUMBERS),
    "counts tf-idf": _array(TfidfTransformer(), COUNTS),
    "texts vectorizer": _array(TextVectorizer(max_features=9), TEXTS, None),
    "texts vectorizer hashed": _array(TextVectorizer(hashed_bits=5), TEXTS, None),
    "numbers mlp regressor": _array(MLPRegressor((4,), random_state=2, **NETWORK), NUMBERS, NUMBERS[:, :2]),
}


def _csv(path: Path, rows: list[list[str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def says(name: str, path: Path, scratch: Path) -> Any:
    """What the file says of the items that are asked of its kind, as JSON has it."""
    if name.startswith(("text ", "mail ")):
        served = ServedText.from_stored(store.read(path))
        asked = ASKED_TEXTS if name.startswith("text ") else [each.read_bytes() for each in ASKED_MAIL]
        return _plain([_short(served.explain(item)) for item in asked])
    if name.startswith("table "):
        _csv(scratch / "asked.csv", ASKED_PEOPLE)
        (cells,) = read_cells(str(scratch / "asked.csv"))
        rows = ServedTable.from_stored(store.read(path, tables=True))
        return _plain([_short(each) for each in rows.explain(cells)])
    model, asked = deciban.load(path), _asked(name)
    told: dict[str, Any] = {}
    if hasattr(model, "transform"):
        Z = model.transform(asked)
        told["transform"] = Z.toarray() if hasattr(Z, "toarray") else Z
    for method in ("predict", "predict_joint_log_proba", "predict_log_proba", "decision_function", "credible_interval"):
        if hasattr(model, method):
            told[method] = getattr(model, method)(asked)
    if hasattr(model, "explain"):
        told["explain"] = [_short(each) for each in model.explain(asked)]
    return _plain(told)


def _short(why: Any) -> dict[str, Any]:
    """The verdict and its strongest terms."""
    values = why.to_json()
    return {**values, "terms": values["terms"][:4], "text": values.get("text", "")[:60]}


def _asked(name: str) -> Any:
    given = {"counts bernoulli": COUNTS > 2, "codes categorical": np.minimum(COUNTS, 3), "texts svm spectrum": TEXTS}
    given |= dict.fromkeys(("texts vectorizer", "texts vectorizer hashed"), TEXTS)
    return given.get(name, COUNTS if name.startswith("counts") else NUMBERS)[ASKED]


def _plain(values: Any) -> Any:
    return json.loads(json.dumps(values, default=lambda value: value.tolist()))
