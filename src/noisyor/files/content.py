"""The bytes and the text of a file, or a FormatError that says why they cannot be read."""

from pathlib import Path

from noisyor.core.errors import FormatError


def bytes_in(path: Path, at_most: int = -1) -> bytes:
    """Return the bytes of a file, or no more than the first `at_most` of them."""
    try:
        with path.open("rb") as file:
            return file.read(at_most)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # Python's error for a name with a NUL character
        raise FormatError(f"cannot read {str(path)!r}: {error}") from error


def text_in(path: Path) -> str:
    """Return the text of a small UTF-8 file."""
    try:
        return bytes_in(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text: {error.reason} at {error.start}") from error
