"""The characters in the bytes of a file, and back.

XML files say themselves how they are encoded; old versions of GeNIe write ISO-8859-1. Other text is
UTF-8, or UTF-16 with a mark of its byte order.
"""

import codecs
import re

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning, warn_user

_UTF_8 = ("utf-8", "utf8")
_FALLBACK = "iso-8859-1"  # every byte is a character in it
# Python has other codecs that are not character sets: some take quadratic time, or warn.
_CHARACTER_SETS = re.compile(
    r"(?:utf|ascii|us-ascii|iso|latin|windows|cp|koi8|mac|euc|shift|gb|big5)[a-z0-9._-]*"
)
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}?encoding=[\"']([A-Za-z0-9._-]{1,40})[\"']")
_LONGEST_DECLARATION = 300
_STARTS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)


def decoded(content: bytes, *, forgiving: bool = False) -> str:
    """Return the text of a file; a FormatError says that it is none in its encoding.

    If `forgiving`, text that is not UTF-8, although it should be, is taken for ISO-8859-1, with a
    ConversionWarning.
    """
    encoding = _encoding_of(content)
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        if not encoding.startswith(_UTF_8):
            raise FormatError(f"it is not text in {encoding}: {error}") from error
        if not forgiving:
            raise FormatError(
                f"it is not text in utf-8: {error}; with forgiving=True, it is taken "
                f"for {_FALLBACK}"
            ) from error
    warn_user(f"it is not text in utf-8; taken for {_FALLBACK}", ConversionWarning)
    return content.decode(_FALLBACK)


def encoded(text: str) -> bytes:
    """Return the bytes of a text: of XML, in the encoding that it declares, else in UTF-8.

    What an encoding of XML lacks is written as a reference to the character.
    """
    encoding = _declared(text)
    try:
        return text.encode(encoding, "strict" if encoding in _UTF_8 else "xmlcharrefreplace")
    except UnicodeEncodeError as error:
        raise FormatError(f"a name cannot be written as text: {error}") from error


def _encoding_of(content: bytes) -> str:
    for start, encoding in _STARTS:
        if content.startswith(start):
            return encoding
    declared = _declared(content[:_LONGEST_DECLARATION].decode("latin-1"))
    # A declaration of wide characters that can be read byte by byte is wrong; some programs on
    # Windows write it.
    return "utf-8" if declared.startswith(("utf-16", "utf_16", "utf-32", "utf_32")) else declared


def _declared(text: str) -> str:
    """Return the encoding that the text of an XML file declares; without a declaration, UTF-8."""
    declared = _DECLARATION.match(text)
    encoding = "utf-8" if declared is None else declared[1].lower()
    try:
        known = _CHARACTER_SETS.fullmatch(encoding) is not None and codecs.lookup(encoding)
    except LookupError:
        known = None
    if not known:
        raise FormatError(f"it declares the encoding {encoding!r}, which is unknown")
    return encoding
