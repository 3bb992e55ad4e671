"""Where the documentation of an installed Deciban is: the address that its package declares."""

from __future__ import annotations

from functools import cache


@cache
def address() -> str:
    """Return the `Documentation` among the addresses of the package, which ends with a slash; "" where there is none.

    It stands once, in pyproject.toml under `[project.urls]`.
    """
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        declared = metadata("deciban").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    found = [url.strip() for label, _, url in (each.partition(",") for each in declared) if label == "Documentation"]
    return found[0].rstrip("/") + "/" if found else ""


def page_template() -> str:
    """Return the address of the page of an estimator, with its name left out; "" where there is none."""
    return f"{address()}reference/api/deciban.{{estimator_name}}/" if address() else ""
