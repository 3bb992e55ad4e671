"""The same bytes on any number of threads, and `n_jobs` as joblib means it."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import joblib
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from deciban import MutualInformation, TextClassifier, TextVectorizer, blas
from deciban._core import available_threads
from deciban.blas import ONE_THREAD, add_gram, blocks, gram, matmul, run_each
from deciban.threads import effective_threads, using
from laws.estimators import BY_ID, Case, fitted, over, public
from tiers import deep

PROGRAM = Path(__file__).with_name("bytes_of_fits.py")
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
TOGETHER = {"OPENBLAS_NUM_THREADS": "4"}
FEW = ["discriminant", "logistic", "svm", "mlp", "texts-nbsvm"]


def environment(settings: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ALONE}
    path = os.pathsep.join([str(PROGRAM.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, "PYTHONPATH": path, **settings}


def started(settings: dict[str, str], *arguments: str) -> subprocess.Popen:
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, env=environment(settings), stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen) -> str:
    output, _ = process.communicate()
    assert process.returncode == 0
    return output


@pytest.mark.parametrize("cases", [FEW, *deep(list(BY_ID))], ids=["few", "all"])
def test_every_estimator_learns_the_same_bytes_whatever_the_threads(cases):
    one, many = started(ALONE, str(PROGRAM), "1", *cases), started(TOGETHER, str(PROGRAM), "3", *cases)
    first, second = json.loads(told(one)), json.loads(told(many))
    assert list(first) == cases
    assert [name for name in first if first[name] != second[name]] == []


def test_every_estimator_that_computes_in_parallel_has_n_jobs():
    without = [name for name, each in public().items() if "n_jobs" not in inspect.signature(each).parameters]
    assert without == ["TfidfTransformer"]  # one pass over what is stored


@over()
def test_n_jobs_is_what_joblib_means(case: Case):
    if "n_jobs" not in case.estimator.get_params():
        return
    for n_jobs in (-1, -2, 2, np.int64(1)):
        fitted(case, n_jobs=n_jobs)
    for wrong in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0, got"):
            fitted(case, n_jobs=wrong)


def test_threads_are_counted_as_joblib_counts_them():
    cores = available_threads()
    assert [effective_threads(n) for n in (None, -1, -2, 1, 7)] == [cores, cores, max(1, cores - 1), 1, 7]
    with joblib.parallel_config(n_jobs=3):
        assert effective_threads() == 3
        assert effective_threads(2) == 2
    with joblib.parallel_config(n_jobs=-1):
        assert effective_threads() == cores
    inside = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(effective_threads)(n) for n in (None, -1, 2))
    assert inside == [1, 1, 2]


@pytest.mark.parametrize(("settings", "most"), [({"RAYON_NUM_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "1,2"}, 1)])
def test_the_environment_limits_what_is_available(settings, most):
    program = "from deciban.threads import effective_threads as n; print(n(), n(-1), n(-2), n(3))"
    assert told(started(settings, "-c", program)).split() == [str(most), str(most), "1", "3"]


@pytest.mark.parametrize("settings", [{"RAYON_NUM_THREADS": "0"}, {"OMP_NUM_THREADS": "many"}, {}])
def test_an_environment_that_says_nothing_limits_nothing(settings):
    program = "from deciban.threads import effective_threads as n; print(n())"
    assert told(started(settings, "-c", program)) == told(started({}, "-c", program))


def test_workers_of_joblib_share_the_cores():
    program = (
        "import joblib\nfrom deciban.threads import effective_threads as n\n"
        "with joblib.parallel_config('loky', inner_max_num_threads=1):\n"
        "    print(*joblib.Parallel(n_jobs=2)(joblib.delayed(n)(k) for k in (None, -1)))"
    )
    assert told(started({}, "-c", program)).split() == ["1", "1"]


def test_a_process_that_asks_for_one_thread_starts_no_other():
    program = (
        "import os, numpy as np\nfrom deciban import NaiveBayes, TextVectorizer\n"
        "X, y = np.ones((50_000, 50)), np.arange(50_000) % 2\nbefore = len(os.listdir('/proc/self/task'))\n"
        "NaiveBayes(n_jobs=1).fit(X, y).predict(X)\nTextVectorizer(n_jobs=1).fit_transform(['a b'] * 1000)\n"
        "print(len(os.listdir('/proc/self/task')) - before)"
    )
    if not Path("/proc/self/task").exists():
        pytest.skip("threads are counted in /proc")
    assert told(started({}, "-c", program)).strip() == "0"


def test_blas_gets_its_threads_back():
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    before = [each.get_num_threads() for each in libraries]
    with using(1):
        assert {each.get_num_threads() for each in libraries} == {1}
        with using(2):
            assert effective_threads() == 2
        worker = Thread(target=ONE_THREAD.enter)
        worker.start()
        worker.join()
        assert {each.get_num_threads() for each in libraries} == {1}
    ONE_THREAD.leave()  # the worker's, which ended without
    assert [each.get_num_threads() for each in libraries] == before


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 200, 5), (5000, 40, 30), (300, 500, 400)])
def test_products_in_blocks_are_products(shape):
    n, k, m = shape
    random = np.random.default_rng(0)
    A, B = random.normal(size=(n, k)), random.normal(size=(k, m))
    found = []
    for threads in (1, 2, 5):
        with using(threads):
            W = np.zeros((k, k))
            add_gram(W, A)
            found.append((matmul(A, B), np.tril(W)))
    np.testing.assert_allclose(found[0][0], A @ B, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[0][1], np.tril(A.T @ A), rtol=1e-12, atol=1e-12)
    for product, lower in found[1:]:
        np.testing.assert_array_equal(product, found[0][0])
        np.testing.assert_array_equal(lower, found[0][1])
    assert sum(part.stop - part.start for part in blocks(n, k * m)) == n


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 1), (7, 0), (5000, 60), (9000, 127), (9000, 128), (300, 260)])
def test_weighted_products_of_rows_are_sums_of_theirs(shape, kind, monkeypatch):
    random = np.random.default_rng(1)
    X, c = random.normal(size=shape).astype(kind), random.integers(0, 3, shape[0]).astype(np.float64)
    monkeypatch.setattr(blas, "_MANY_ROWS", 4000)  # several pieces
    for weight in (None, np.ones(shape[0]), c, 0.0 * c):
        found = []
        for threads in (1, 2, 5):
            with using(threads):
                found.append(gram(X, weight))
        Z = X.astype(np.float64)
        expected = Z.T @ Z if weight is None else (Z.T * weight) @ Z
        np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-11)
        for each in found:
            np.testing.assert_array_equal(each, found[0])
            np.testing.assert_array_equal(each, each.T)


def test_tasks_within_tasks_do_not_wait_for_each_other():
    def outer(k: int) -> list[int]:
        return run_each(lambda j: 10 * k + j, range(3), 2)

    assert run_each(outer, range(4), 2) == [[10 * k + j for j in range(3)] for k in range(4)]


def test_one_model_on_one_thread_and_another_on_all_are_equal():
    X, y = np.random.default_rng(0).poisson(1.0, (500, 30)), np.arange(500) % 2
    assert (
        MutualInformation(n_jobs=1).fit(X, y).scores_.tolist()
        == MutualInformation(n_jobs=-1).fit(X, y).scores_.tolist()
    )
    texts = ["free lunch", "noon lunch", "free money"] * 20
    one, all_ = (TextVectorizer(n_jobs=n).fit(texts).transform(texts) for n in (1, -1))
    assert (one != all_).nnz == 0
    labels = ["ham", "ham", "spam"] * 20
    one, all_ = (TextClassifier("logistic", n_jobs=n).fit(texts, labels).predict_proba(texts) for n in (1, -1))
    np.testing.assert_array_equal(one, all_)
