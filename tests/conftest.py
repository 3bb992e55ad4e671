"""Settings every test shares; standing here, it also puts `tests/` on the import path for `oracle` and `tiers`."""

import gc
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tiers import draw_others, is_deep, select_tier, split_off_deep, split_off_product, split_off_repeated

SHARED = Path(__file__).parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Without `--deep` only the quick tier runs."""
    parser.addoption("--deep", action="store_true", help="run all tests, with many more examples")
    parser.addoption("--new-examples", action="store_true", help="run all tests, with new random examples")
    parser.addoption("--beyond-quick", action="store_true", help="with --deep: leave out what the quick tier ran, too")


def pytest_configure(config: pytest.Config) -> None:
    """A shell that starts the tests in the background makes them, and every command they run, deaf to Ctrl-C."""
    hear()
    select_tier(*(config.getoption(name) for name in ("deep", "new_examples", "beyond_quick")))


def pytest_collection_finish() -> None:
    """Tens of thousands of tests stay until the end: whoever looks for garbage need not look at them each time."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """A command that has done its work no longer listens; if it ran in this process, this process listens again."""
    hear()


def hear() -> None:
    """Ctrl-C raises KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """`data("sms.parquet")` is the path of a real data set; the test is skipped where the set is absent."""

    def shared(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"the data set {name} is not beside the repository, in {SHARED}")
        return path

    return shared


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Names with an address in memory differ between processes: which tests there are must not."""
    for item in items:
        if " at 0x" in item.name:
            raise pytest.UsageError(f"{item.nodeid} is named by an address; give its case a name with `ids`")
    items[:], product = split_off_product(items)
    left: list[pytest.Item] = []
    if not is_deep():
        items[:], left = split_off_deep(items)
    elif config.getoption("beyond_quick"):
        items[:], left = split_off_repeated(items)
        draw_others(items)
    config.hook.pytest_deselected(items=[*product, *left])
    # What takes one core a minute begins first, so that the others have something to do meanwhile.
    items.sort(key=lambda item: not item.path.stem.startswith(("test_wheel", "test_windows")))


# The adapters carry scikit-learn's docstrings, whose examples are not ours to run.
collect_ignore = ["parity/adapters"]
