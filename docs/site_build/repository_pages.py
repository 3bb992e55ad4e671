"""Pages of what lies outside docs/: the README of the benchmarks, and the files for mail servers in deploy/."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
TITLES = {"en": "# Server files", "ko": "# 서버 설정 파일"}
TOLD = {
    "en": "Files of the folder `deploy/` of the source. The guide to the [server](serve.md) says how they are used.",
    "ko": "소스의 `deploy/` 폴더에 있는 파일입니다. 쓰는 방법은 [서버 안내](serve.md)에 있습니다.",
}


def pages(language: str) -> dict[str, str]:
    """Return the pages by their place."""
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").replace("](../docs/", "](")
    return {"benchmarks.md": readme, "deploy.md": deploy(language)}


def deploy(language: str) -> str:
    """Return a page with every file of deploy/, by folder."""
    folder = ROOT / "deploy"
    parts = [TITLES[language], TOLD[language], *map(block, sorted(each for each in folder.iterdir() if each.is_file()))]
    for inner in sorted(each for each in folder.iterdir() if each.is_dir()):
        parts += [f"## {inner.name}", *map(block, sorted(each for each in inner.iterdir() if each.is_file()))]
    return "\n\n".join(parts) + "\n"


def block(path: Path) -> str:
    """Return the text of a file, under its name."""
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f"`{path.relative_to(ROOT)}`\n\n```text\n{text}\n```"
