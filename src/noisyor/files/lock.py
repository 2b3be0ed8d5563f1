"""One run at a time per output, enforced by a lock of the operating system.

The system releases the lock when the process that holds it ends, however it ends, so a killed run
never blocks the next one. POSIX only, like the package: Windows has no `flock`.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.core.errors import SettingsError
from noisyor.core.warning import warn_user
from noisyor.files.whole import refuse_links

FOLDER_LOCK = ".lock"
"""The file in a folder that a run locks while it uses the folder."""

# Errors for files that cannot be locked: some network and cluster file systems.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def folder_in_use(folder: Path) -> Iterator[None]:
    """Keep every other run out of a folder, or refuse at once if one is using it."""
    with _locked(folder / FOLDER_LOCK, f"the folder {folder}", "folder"):
        yield


@contextmanager
def file_in_use(output: Path) -> Iterator[None]:
    """Keep every other run from writing to a file, or refuse at once if one holds the lock."""
    written = Path(os.path.realpath(output))  # links to one file are one output
    with _locked(written.with_name(f".{written.name}{FOLDER_LOCK}"), str(output), "output"):
        yield


@contextmanager
def _locked(path: Path, what: str, kind: str) -> Iterator[None]:
    """Hold the lock on a file, which exists only meanwhile (and after a run was killed)."""
    try:
        descriptor = _taken(path)
    except BlockingIOError as error:
        raise SettingsError(
            f"{what} is in use by another run of noisyor; wait until that has ended, or name "
            f"another {kind}"
        ) from error
    except OSError as error:
        raise SettingsError(f"cannot use {what}: {error.strerror or error}") from error
    try:
        yield
    finally:
        # The name goes while the lock is held: see _taken.
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _taken(path: Path) -> int:
    """Return a descriptor that holds the lock, or raise BlockingIOError if another does.

    The previous holder removes the file, perhaps after we open it and before we lock it. Then we
    hold the lock of a deleted file, and others could lock a new one: try again.
    """
    refuse_links([path])
    while True:
        # Do not follow a link or wait for the other end of a pipe: neither is ours.
        how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, how, 0o666)
        try:
            _refuse_what_is_not_ours(descriptor, path)
            _lock(descriptor, path)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _refuse_what_is_not_ours(descriptor: int, path: Path) -> None:
    """Refuse a file of another program: our locks are empty files, which are removed later."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size:
        raise OSError(f"{path} is not an empty file, so not a lock of noisyor; remove or rename it")


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        warn_user(
            f"the file system of {path.parent} has no locks ({error.strerror}): make sure that no "
            "other run of noisyor writes to the same place",
            UserWarning,
        )


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file still has this name."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), named)
