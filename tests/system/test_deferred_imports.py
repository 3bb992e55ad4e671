"""Modules that the command defers: executed at their first use, once, and no thread sees one half executed."""

import subprocess
import sys
from textwrap import dedent

import pytest


def run(code):
    lines = dedent(code).strip()
    program = f"from deciban.cli.deferred import defer_imports\ndefer_imports()\nimport sys\n{lines}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("statement", "deferred"),
    [
        ("import scipy.stats", True),
        ("import scipy; scipy.stats", True),
        ("import scipy.stats as stats; stats.__spec__", True),
        ("import scipy.stats as stats; stats.norm", False),
        ("from scipy import stats", True),
        ("from scipy.stats import norm", False),
        ("import scipy.stats.distributions", False),
    ],
)
def test_a_module_is_executed_when_it_is_asked_for_something(statement, deferred):
    assert run(f"{statement}\nprint('scipy.stats._stats_py' in sys.modules)") == [str(not deferred)]


def test_threads_wait_for_a_module_that_another_executes():
    found = run(
        """
        from threading import Barrier, Thread
        import numpy, scipy.stats
        together, found = Barrier(8), []
        def use():
            together.wait()
            from scipy.stats import norm
            found.append(float(norm.cdf(0.0)))
        threads = [Thread(target=use) for _ in range(8)]
        for each in threads: each.start()
        for each in threads: each.join()
        print(*found, type(scipy.stats).__name__)
        """
    )
    assert found == ["0.5"] * 8 + ["module"]


def test_pandas_is_as_if_it_were_not_installed():
    code = """
        import sklearn.base, polars, matplotlib.cbook
        try:
            import pandas
        except ModuleNotFoundError as error:
            print(error.name)
        print("pandas" in sys.modules)
        """
    assert run(code) == ["pandas", "False"]
