"""How Sphinx makes the site of these pages; it needs no network, and neither does the site.

Made by `sphinx-build -W docs site`. The pages are written for a reader of the repository
too, so what only Sphinx needs is done here and not in them.
"""  # noqa: INP001  (read by Sphinx, not imported)

import re
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import noisyor

project = "noisyor"
author = "the noisyor developers"
release = version = noisyor.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["search.md"]  # included by searching.md: search.html searches the site
myst_heading_anchors = 3  # links such as price.md#the-loop, as in the repository

html_theme = "furo"
html_title = f"noisyor {release}"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, object] = {
    "top_of_page_buttons": []
}  # the site does not know its repository

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

_RESULTS = (
    *("table2", "states", "table1", "table3", "heldout", "relations", "grid", "study"),
    *("calibration", "gaps", "race", "large", "recovery", "making"),
)
_PAGES_BELOW = {
    "results": "\n".join(
        ["", "```{toctree}", ":hidden:", "", *(f"results/{name}" for name in _RESULTS), "```", ""]
    )
}
"""What the navigation shows below a page; in the repository it would be a block of code."""

_MARKS = re.compile(r"([\\*_|])")
_CODE = re.compile(r"`([^`]+)`")


def rest_of(docstring: str) -> str:
    """Return a docstring of ours as reStructuredText.

    They are plain text: code is in single backticks, what is indented after an empty line is an
    example, a line of dashes makes the one above it a heading, and everything else means itself.
    """
    return "\n\n".join(_rest_of_paragraph(one) for one in docstring.split("\n\n"))


def _rest_of_paragraph(paragraph: str) -> str:
    if paragraph.startswith(" "):
        return f"::\n\n{paragraph}"
    heading, _, rest = paragraph.partition("\n")
    dashes, _, below = rest.partition("\n")
    if dashes and not dashes.strip("-"):
        return f"**{heading}**\n\n{_rest_of_words(below)}"  # what is below is a list of terms
    return _rest_of_words(paragraph)


def _rest_of_words(paragraph: str) -> str:
    pieces = _CODE.split(paragraph)  # words and code in turn
    words = [_MARKS.sub(r"\\\1", piece) for piece in pieces[::2]]
    code = [_rest_of_code(piece) for piece in pieces[1::2]]
    return words[0] + "".join(
        # A mark must not touch a letter; an escaped blank parts them and is not shown.
        f"{one}\\ {after}" if after[:1].isalnum() else one + after
        for one, after in zip(code, words[1:], strict=True)
    )


def _rest_of_code(code: str) -> str:
    """Return code as such, or as a link if it is a public name."""
    name = code.removeprefix("noisyor.")
    return f":py:obj:`~noisyor.{name}`" if name in noisyor.__all__ else f"``{code}``"


def _convert_docstring(
    _app: Sphinx, _what: str, _name: str, _thing: object, _options: object, lines: list[str]
) -> None:
    lines[:] = rest_of("\n".join(lines)).split("\n")


def _convert_signature(
    _app: Sphinx,
    _what: str,
    _name: str,
    _thing: object,
    _options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write a default that is made anew for each object as one that Sphinx can parse."""
    return (signature.replace("<factory>", "...") if signature else signature), returned


def _mend_links(text: str, page: str) -> str:
    """Return a page whose links lead to what the site has.

    Files outside of this folder, such as benchmarks, become files to download.
    """
    here = "../" * page.count("/")
    return text.replace(f"]({here}search.md", f"]({here}searching.md").replace(
        f"](../{here}", f"](path:../{here}"
    )


def _convert_page(_app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = _mend_links(source[0], page) + _PAGES_BELOW.get(page, "")


def _convert_included(_app: Sphinx, _path: Path, page: str, source: list[str]) -> None:
    source[0] = _mend_links(source[0], page)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is ours."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", _convert_page)
    app.connect("include-read", _convert_included)
    app.connect("autodoc-process-docstring", _convert_docstring)
    app.connect("autodoc-process-signature", _convert_signature)
    return {"parallel_read_safe": True}
