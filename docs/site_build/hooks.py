"""What MkDocs calls while it builds the site: pages that nobody writes by hand, and links that lead out of docs/.

The pages of the API, of the command line, of the benchmarks and of the files in deploy/ are generated. A page
may hold three placeholders: `<!-- explanation -->`, `<!-- comparison -->` and `<!-- api NAME -->`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
sys.path.insert(0, str(Path(__file__).parent))

import api_pages
import command_pages
import inline_pictures
import links
import repository_pages
import shown
from page_words import LANGUAGES
from underscores import KeepUnderscores

ROOT = Path(__file__).parents[2]

OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*)")
IN_ENGLISH: dict[str, tuple[str, Any]] = {}
"""Content and headings of the English pages, which are built first: docstrings are rendered once."""
OPTIONAL = "course/index.md"
"""A page of the navigation that may be missing: the course is a part of its own."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave the course out of the navigation where there is none, and underscores as they are."""
    config.markdown_extensions.append(KeepUnderscores())  # type: ignore[arg-type]
    if config.nav and not (ROOT / "docs" / OPTIONAL).exists():
        config.nav = [item for item in config.nav if OPTIONAL not in item.values()]
    return config


@event_priority(-200)  # after the plugin of languages, which takes every page for a file
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are generated, in the language that is being built."""
    language = language_of(config)
    pages = {**command_pages.pages(language), **repository_pages.pages(language), **api_pages.pages(language)}
    for uri, text in pages.items():
        files.append(generated(config, uri, text, language))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill the placeholders, and turn links as they lead in the repository into links of the site."""
    language = language_of(config)
    return links.link_names(links.rewrite(shown.fill(markdown, language), page.file.src_uri), page.url, language)


def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Any) -> Any:
    """Let the links to other languages lead there from any place where the site may lie, not only from the root."""
    for other in config.extra.get("alternate", []):
        other["link"] = other["link"].lstrip("/") or "."
    return context


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Arrange the page of a public name, put drawn pictures into their pages, keep the dashes of options together, and
    make the empty corner of a table a cell: a heading without a text tells readers of a screen nothing."""
    place, language = page.file.src_uri, language_of(config)
    if language == "en":
        IN_ENGLISH[place] = html, page.toc
    elif api_pages.is_of_a_name(place):
        html, page.toc = IN_ENGLISH[place]
    html = inline_pictures.inline(api_pages.arrange(html, place, language), language)
    html = re.sub(
        r"<code>[^<]*--[^<]*</code>", lambda found: OPTION.sub(r'<span class="option">\1</span>', found[0]), html
    )
    return re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Leave out what a page does not need, and name what the theme leaves without a name.

    The theme asks for the sitemap of each alternate link. The lists within the navigation are no landmarks.
    """
    output = re.sub(r'\s*<link rel="alternate"[^>]*>', "", output)
    name = {"en": "Search", "ko": "검색"}[language_of(config)]
    dialog = 'data-md-component="search" role="dialog"'
    output = output.replace(dialog, f'{dialog} aria-label="{name}"')
    output = re.sub(r'(<nav class="md-nav" data-md-level="[1-9]") [^>]*>', r'\1 role="none">', output)
    return output if 'class="doc' in output else re.sub(r'\s*<link[^>]*_mkdocstrings\.css"[^>]*>', "", output)


@event_priority(-300)  # after the plugin of languages, which writes one index of all
def on_post_build(config: MkDocsConfig) -> None:
    """Split the index of the search by language: who reads Korean finds Korean pages, and loads no others."""
    path = Path(config.site_dir) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for language in reversed(LANGUAGES):
        own = [doc for doc in index["docs"] if _language_at(doc["location"]) == language]
        told = json.dumps({**index, "docs": own}, ensure_ascii=False, separators=(",", ":"))
        path.with_stem(f"search_index{'' if language == 'en' else f'.{language}'}").write_text(told, encoding="utf-8")


def _language_at(place: str) -> str:
    """Return the language of a page by its place in the site."""
    return next((each for each in LANGUAGES if place.startswith(f"{each}/")), "en")


def language_of(config: MkDocsConfig) -> str:
    """Return the language that is being built."""
    plugin: Any = config.plugins["i18n"]
    return str(plugin.current_language)


def generated(config: MkDocsConfig, uri: str, text: str, language: str) -> File:
    """Return a page that has no file, with what the plugin of languages knows of every page."""
    file: Any = File.generated(config, uri, content=text)
    file.alternates = {}
    for other in LANGUAGES:
        alternate: Any = file if other == language else File.generated(config, uri, content="")
        if other != "en":
            alternate.dest_uri = f"{other}/{alternate.dest_uri}"
            alternate.url = alternate._get_url(config.use_directory_urls)
            alternate.abs_dest_path = str(Path(config.site_dir) / alternate.dest_uri)
        file.alternates[other] = alternate
    file.locale = file.locale_alternate_of = language
    file.localization, file.norm_src_uri = None, uri
    return file
