"""Files that appear whole or not at all.

A file is written next to its target, under a temporary name (`.NAME.` and 16 hexadecimal digits),
forced to disk, and renamed to its target. Then the folder, which holds the name, is forced to disk,
too, so that a power failure undoes nothing. A target that is a symbolic link stays one: the file
that it points to is written.
"""

import errno
import io
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from noisyor.core.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_WAITING = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}", re.DOTALL)  # what _beside makes

# Errors for folders that cannot be forced to disk: some network and cluster file systems.
_NO_SYNC = (errno.EBADF, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


def check_target(path: Path) -> None:
    """Refuse a file that could not be written, before doing the work to produce it."""
    try:
        folder = _pointed_to(path).parent
        _refuse_other_than_files(path)
    except OSError as error:  # a name that is too long, links in a circle
        raise _cannot_write(path, error) from error
    if not folder.is_dir():
        raise SettingsError(f"cannot write {path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingsError(f"cannot write {path}: the folder {folder} cannot be written to")


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files so that nobody ever sees part of one, nor some of them without the others.

    All are first written next to their targets and forced to disk; only then are they renamed.
    What can be foreseen (a full disk, a folder that does not exist or is not writable, a target
    that is a folder) fails before the first one is renamed, and leaves nothing behind.
    """
    waiting: dict[Path, Path] = {}
    current = Path()
    try:
        for current in contents:
            _refuse_other_than_files(current)
            waiting[current] = _beside(_pointed_to(current))
            _write_through(waiting[current], contents[current])
        for current in list(waiting):
            waiting[current].replace(_pointed_to(current))
            del waiting[current]
        for folder in dict.fromkeys(_pointed_to(path).parent for path in contents):
            _sync_folder(folder)
    except OSError as error:
        raise _cannot_write(current, error) from error
    finally:
        for temporary in waiting.values():
            _remove_if_made(temporary)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Provide a temporary file next to the target; rename it to the target if nothing goes wrong.

    For what is too large to hold as bytes. If an exception ends the block, nothing is left behind.
    """
    check_target(path)
    target = _pointed_to(path)
    waiting = _beside(target)
    failures: list[OSError] = []
    try:
        with waiting.open("xb") as file:
            yield cast("BinaryIO", _Watched(file, failures))
            file.flush()
            os.fsync(file.fileno())
        waiting.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise _cannot_write(path, (failures or [error])[0]) from error
    except Exception as error:
        if not failures:
            raise
        raise _cannot_write(path, failures[0]) from error
    finally:
        _remove_if_made(waiting)


class _Watched(io.RawIOBase):
    """A file that records why it could not be written.

    polars raises its own errors for that, which say less. To what it recognizes as a file of the
    operating system, it writes without Python, so that no error would be seen here.
    """

    def __init__(self, file: IO[bytes], failures: list[OSError]) -> None:
        super().__init__()
        self._file = file
        self._failures = failures

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, content: "ReadableBuffer", /) -> int:
        """Write all of the bytes, and return how many."""
        with self._noting():
            return self._file.write(content)

    def flush(self) -> None:
        """Flush the file, if it is still open: Python flushes again what it discards."""
        super().flush()
        if self._file.closed:
            return
        with self._noting():
            self._file.flush()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failures.append(error)
            raise


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, and force their names to disk."""
    _check_characters(folder)
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        _sync_folder(one.parent)


def name_to_be(leftover: Path) -> str | None:
    """Return the name of the target of a temporary file, or None for any other path."""
    found = _WAITING.fullmatch(leftover.name)
    return None if found is None else found["name"]


def remove_leftovers(targets: Iterable[Path]) -> None:
    """Delete temporary files that killed writers of these targets left next to them.

    The caller must know that nobody is writing the targets now.
    """
    for target in targets:
        try:
            pointed_to = _pointed_to(target)
            beside = list(pointed_to.parent.iterdir())
        except PermissionError:  # the folder can be written to but not listed
            continue
        except OSError as error:
            raise _cannot_write(target, error) from error
        remove_files(path for path in beside if name_to_be(path) == pointed_to.name)


def remove_files(paths: Iterable[Path]) -> None:
    """Delete those of these paths that are regular files.

    noisyor writes nothing else, so a link, a folder or a pipe with one of its names belongs to
    somebody else and stays.
    """
    for path in paths:
        if path.is_file() and not path.is_symlink():
            path.unlink(missing_ok=True)


def remove_if_empty(folder: Path) -> None:
    """Delete a folder, unless it is a link or not empty."""
    if folder.is_symlink():
        return
    try:
        folder.rmdir()
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY}:
            raise SettingsError(f"cannot remove {folder}: {error.strerror}") from error


def refuse_links(paths: Iterable[Path]) -> None:
    """Refuse links under names that noisyor chose: their targets could be anything."""
    for path in paths:
        if path.is_symlink():
            raise SettingsError(
                f"{path} is a link, and what it points to could be overwritten; remove the link, "
                "or name another output"
            )


def _refuse_other_than_files(path: Path) -> None:
    """Refuse what a new file must not replace: a folder, a pipe, a device."""
    if path.is_dir():
        raise SettingsError(f"cannot write {path}: it is a folder; name a file")
    if path.exists() and not path.is_file():
        raise SettingsError(f"cannot write {path}: it is a pipe or a device; name a file")


def _cannot_write(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"cannot write {path}: {error.strerror or error}; the output must be a file in a folder "
        "that exists and can be written to"
    )


def _pointed_to(path: Path) -> Path:
    """Return the file that a path means: for a link, its target."""
    _check_characters(path)
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # a cycle of links
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def _check_characters(path: Path) -> None:
    """Raise an OSError for a NUL character, for which Python would raise a ValueError."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a name cannot contain a NUL character")


def _beside(target: Path) -> Path:
    """Return an unused name in the target's folder, so that renaming is one atomic step."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}")


def _write_through(path: Path, content: bytes) -> None:
    """Write a new file and force it to disk."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _remove_if_made(path: Path) -> None:
    """Delete a file that may never have been created, for instance on a read-only medium.

    There, deleting would fail, too, and hide why the file could not be created.
    """
    if os.path.lexists(path):
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Force the names in a folder to disk, where the system supports it.

    A folder may be writable but not readable, and some file systems cannot sync folders. The
    files are whole all the same, so neither is an error. An error of the disk is.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
