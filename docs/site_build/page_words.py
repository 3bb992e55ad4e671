"""The words of the pages that are generated, in words/: Markdown, in English and in Korean."""

from pathlib import Path

FOLDER = Path(__file__).parent / "words"


def words_of(page: str, language: str) -> str:
    """Return the words of a page."""
    return (FOLDER / f"{page}{'' if language == 'en' else f'.{language}'}.md").read_text(encoding="utf-8")
