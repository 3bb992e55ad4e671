"""What certificates say has Korean words: whatever solvers write, and nothing that they no longer do."""

import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import deciban
from deciban import TextClassifier
from deciban.features.deviation import Deviation
from deciban.kernel_solvers.nystroem import LandmarkProof, describe_landmarks
from deciban.models import perceptron
from deciban.models.certified import ESTIMATES
from deciban.models.normal_equations import advice
from deciban.networks.history import Ending, diagnose
from deciban.pages import learnt
from deciban.pages.proof_words import KOREAN, translate_proof
from deciban.pages.words import Words
from deciban.solvers import Status
from deciban.text.recipes import MODELS

SENTENCE = re.compile("[A-Za-z]{2,} [A-Za-z]{2,}")
"""Words one after the other are English; one alone may be the name of a parameter, or of its value."""
FACTORS = {"dead": [0.9], "saturated": [0.9], "gradient_norms": [1e-9, 1.0]}


def _fits():
    return [
        SimpleNamespace(rank=2, condition=1e20, scaled_condition=1.0),
        SimpleNamespace(rank=3, condition=1e20, scaled_condition=1.0),
        SimpleNamespace(rank=3, condition=1e20, scaled_condition=1e20),
    ]


def advised():
    """What solvers advise, of every kind."""
    yield from (status.value for status in Status)
    yield from (ending.advice for ending in Ending)
    yield from perceptron._ADVICE.values()
    yield from (advice(fit, 3, penalised=False) for fit in _fits())
    yield from (diagnose([SimpleNamespace(**FACTORS)], name) for name in ("relu", "tanh"))
    yield diagnose([SimpleNamespace(**FACTORS | {"dead": [0.0]})], "tanh")


@pytest.mark.parametrize("text", sorted({text for text in advised() if text}))
def test_advice_is_told_in_korean(text):
    told = translate_proof(text, "ko")
    assert told, text
    assert not SENTENCE.search(told), told
    assert translate_proof(text, "en") == text


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize(
    ("family", "prior"), [*product(["multinomial", "bernoulli", "complement"], ["empirical", "given"])]
)
def test_what_counting_minimises_is_told_in_korean(estimate, family, prior):
    named = ESTIMATES[estimate].format(alpha="0.02")
    text = f"−log joint likelihood of labels and {family} features {named}; class prior {prior}"
    told = translate_proof(text, "ko")
    assert told
    assert not SENTENCE.search(told)
    assert ("0.02" in told) == ("0.02" in text)


@pytest.mark.parametrize("model", MODELS)
def test_the_certificate_of_every_model_of_texts_is_korean(model):
    texts = [f"word{k % 7} and other{k % 5} {'good' if k % 2 else 'bad'}" for k in range(60)]
    given = TextClassifier(model=model).fit(texts, ["yes" if k % 2 else "no" for k in range(60)])
    found = learnt.facts(given.certificate_.to_json(), Words("ko"))
    assert not found.foreign
    assert len(found.rows) > 5
    for heading, text in found.rows:
        assert not SENTENCE.search(f"{heading} {text}"), (heading, text)


def test_what_landmarks_lose_is_told_in_korean():
    """With what their features differ from the kernel by."""
    fields = {"counts": (10, 20), "primal": 3.0, "dual": 1.0, "bound": 2.0, "error": 0.5}
    proof = object.__new__(LandmarkProof)
    for name, value in {**fields, "deviation": Deviation(10, 0.5, 1.0, 2.0)}.items():
        object.__setattr__(proof, name, value)
    text = describe_landmarks([proof])
    assert "landmarks" in text
    told = translate_proof(text, "ko")
    assert told
    assert not SENTENCE.search(told), told


def test_what_no_solver_says_is_no_pattern():
    """All that stands between values is somewhere in the program."""
    folder = Path(deciban.__file__).parent
    paths = [path for path in folder.rglob("*.py") if path.parent.name not in ("pages", "page")]
    source = re.sub(r'"\s*\+?\s*\(?\s*f?"', "", "".join(path.read_text(encoding="utf-8") for path in paths))
    for english in KOREAN:
        for piece in re.split(r"\{\w+\}|[,:;)] ", english):
            if re.search("[A-Za-z]{2}", piece):
                assert piece.strip(" ,:;()%±.") in source, english


@pytest.mark.parametrize(
    "text", ["", "to be done", "raise max_iter; to be done", "x" * 100_000, "; ".join(["raise x"] * 9_999), "1e-05"]
)
def test_what_is_not_known_stays_english(text):
    told = translate_proof(text, "ko")
    assert told == (None if "be done" in text or len(text) > 1_000 else text)


def test_numbers_stay_as_they_are():
    rng = np.random.default_rng(0)
    for n in rng.integers(1, 10**6, 20):
        told = translate_proof(f"columns differ in size by a factor of {n}: scale them, as the penalty cannot", "ko")
        assert f"{n}배" in told
