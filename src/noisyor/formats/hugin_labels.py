"""What a label or description in a Hugin file shows of a text, and the text itself.

A reader that works line by line, such as bnlearn's, must not take anything in a label for a
comment, a bracket, a quotation mark or a block. So a label has few characters, and an attribute of
noisyor keeps the text. If somebody has changed the label since, the label counts.
"""

import re

from noisyor.formats.legal_names import without_accents

_NOT_IN_A_LABEL = re.compile(r"[^A-Za-z0-9_<>=+.:,'?!&@#*/-]+")
# A reader that searches for these words anywhere would find a node within a label.
_MISLEADING = re.compile(r"\b(?:node|potential|states)\b", re.IGNORECASE)


def label_of(text: str) -> str:
    """Return what a label can show of a text, which may be nothing."""
    label = _NOT_IN_A_LABEL.sub(" ", without_accents(text)).strip()
    return "" if _MISLEADING.search(label) else label


def text_of(label: str | None, kept: str | None) -> str | None:
    """Return the text of which this is the label, given what noisyor kept, if anything."""
    if kept is not None and label_of(kept) == (label or ""):
        return kept or None
    return label or None
