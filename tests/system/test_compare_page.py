"""docs/compare.md says what the record of all data sets says, and its curves are those of the problems they name."""

import json
import re

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest
from sklearn.datasets import load_breast_cancer

from system.written_studies import DOCS, STUDIES, renderer, study

# Of the folder of data: archives and files, by the sets that are made of them.
SETS = {
    *("spamassassin", "trec07", "sms", "20news", "imdb", "mr", "korean"),
    *("adult", "a9a", "mushroom", "letter", "spambase", "mnist"),
}


@pytest.fixture(scope="module")
def record():
    return renderer.recorded("compare")["record"]


@pytest.fixture(scope="module")
def page():
    return (DOCS / "compare.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cases():
    with study("compare_cases") as module:
        yield module


@pytest.fixture(scope="module")
def efficiency():
    with study("compare_efficiency") as module:
        yield module


def test_the_code_that_it_shows_runs(page, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    X, y = load_breast_cancer(return_X_y=True)
    known = {"X": X[:, :4], "y": y}
    exec(code, known)
    assert [row.model for row in known["found"].rows] == ["discriminant", "logistic"]
    assert [point.n for point in known["found"].rows[0].curve][:3] == [20, 80, 320]
    assert "discriminant" in capsys.readouterr().out


# --- the record ------------------------------------------------------------------------------------------------


def rows_of(page, title):
    """The cells of the table below a heading."""
    part = page.partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"][2:]


def test_every_data_set_is_in_the_record(record):
    assert set(record["sets"]) == SETS
    assert record["unfinished"] == {}
    for each in record["sets"].values():
        found = each["comparison"]
        assert found["ended"] is None
        assert found["left_out"] == {}
        assert {"naive-bayes", "logistic", "svm"} <= {model["model"] for model in found["models"]}


def test_the_tables_hold_the_numbers_of_the_record(record, page):
    for each in record["sets"].values():
        found = each["comparison"]
        rows = rows_of(page, each["title"])
        assert len(rows) == len(found["models"])
        for (name, error, loss, fit, *_, curve), model in zip(rows, found["models"], strict=True):
            wrong, n = round(model["error"] * found["n"]), found["n"]
            assert model["error"] == pytest.approx(wrong / n, abs=1e-12)
            low = beta.ppf(0.025, wrong, n - wrong + 1) if wrong else 0.0
            high = beta.ppf(0.975, wrong + 1, n - wrong) if wrong < n else 1.0
            assert (name, error) == (model["model"], f"{100 * wrong / n:.2f} ({100 * low:.2f}–{100 * high:.2f})")
            assert float(loss) == pytest.approx(model["log_loss"], abs=5e-4)
            assert float(fit) == pytest.approx(model["fit_seconds"], rel=0.06)
            assert curve == ", ".join(f"{p['n']:,}: {100 * p['error']:.1f}" for p in model["curve"])


def test_what_is_real_in_the_record_is_so_by_binomial_tails(record):
    for each in record["sets"].values():
        found = each["comparison"]
        p = []
        for pair in found["pairs"]:
            b, c = pair["mcnemar"]["only_a"], pair["mcnemar"]["only_b"]
            assert pair["difference"] == pytest.approx((b - c) / found["n"], abs=1e-12)
            p.append(binomtest(b, b + c).pvalue if b + c else 1.0)
        order, least = np.argsort(p), 0.0
        for rank, place in enumerate(order):
            least = max(least, min(1.0, (len(p) - rank) * p[place]))
            assert found["pairs"][place]["p"] == pytest.approx(least, rel=1e-9)
            assert found["pairs"][place]["real"] == (least <= found["level"])


def test_the_summary_is_that_of_the_record(record, page):
    head = page.partition("\n## Every data set")[2].partition("\n### ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in head.splitlines() if line[:1] == "|"][2:]
    for (title, count, classes, least, others, generative, logistic, real), each in zip(
        rows, record["sets"].values(), strict=True
    ):
        found = each["comparison"]
        errors = {model["model"]: model["error"] for model in found["models"]}
        best = min(errors, key=errors.get)
        assert (title, int(classes)) == (each["title"], len(found["classes"]))
        assert int(count.partition(" ")[0].replace(",", "")) == found["n"] <= each["of"]
        assert least.startswith(f"{best}: {100 * errors[best]:.2f} (")
        pairs = {frozenset((pair["a"], pair["b"])): pair["real"] for pair in found["pairs"]}
        alike = [name for name in errors if name != best and not pairs[frozenset((name, best))]]
        assert others == (", ".join(alike) or "–")
        name = min((name for name in ("naive-bayes", "discriminant") if name in errors), key=errors.get)
        assert generative == f"{name}: {100 * errors[name]:.2f}"
        assert logistic == f"{100 * errors['logistic']:.2f}"
        assert real == ("yes" if pairs[frozenset((name, "logistic"))] else "no")


# --- the curves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["normal", "skewed", "poisson", "topics"])
def test_simulated_curves_are_drawn_again_as_they_were(name, cases):
    kept = json.loads((STUDIES / "compare.json").read_text(encoding="utf-8"))["curves"][name]
    again = cases.curves(cases.PROBLEMS[name], (20, 80, 320), 2)
    assert (again["held_out"], list(again["errors"])) == (kept["held_out"], list(kept["errors"]))
    for model, errors in again["errors"].items():
        for size, found in errors.items():
            then = np.array(kept["errors"][model][size][:2])
            # Examples at the very boundary, elsewhere computed.
            assert np.abs(np.array(found) - then).max() <= 0.005 * kept["held_out"]


def test_the_least_error_is_that_of_the_true_log_odds(cases):
    X, y = cases.normal(np.random.default_rng(5))
    d = X.shape[1]
    covariance = cases.CORRELATION ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    means = 1.0 + cases.MIX * (-1.0) ** np.arange(d)
    wrong = int(((X @ np.linalg.solve(covariance, means) > 0.0) != y).sum())
    low, high = binom.ppf([1e-4, 1 - 1e-4], len(y), cases.PROBLEMS["normal"].best)
    assert low <= wrong <= high


def test_efficiencies_are_those_of_efrons_table(efficiency):
    table = {1.0: 0.995, 1.5: 0.968, 2.0: 0.899, 2.5: 0.786, 3.0: 0.641, 3.5: 0.486, 4.0: 0.343}
    assert {d: round(efficiency.efficiency(d), 3) for d in table} == table


def test_the_error_of_a_line_is_that_of_many_examples(efficiency):
    from deciban import LogisticRegression

    random = np.random.default_rng(3)
    means, y = np.array([2.0, 0.0, 0.0]), np.arange(200_000) % 2
    X = random.normal(size=(len(y), 3)) + np.outer(y - 0.5, means)
    model = LogisticRegression().fit(X[:60], y[:60])
    wrong = int((model.predict(X) != y).sum())
    low, high = binom.ppf([1e-4, 1 - 1e-4], len(y), efficiency.error(model, means))
    assert low <= wrong <= high
