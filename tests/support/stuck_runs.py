"""Commands that get stuck in native code which never returns to Python."""

import importlib
import os
from collections import deque
from itertools import chain
from pathlib import Path

import pytest

from tests.support.killed_runs import command

_FOR_EVER = 10**15


def stuck_command(arguments: list[str], said: Path, place: str, mark: Path) -> None:
    """Run the command line until it calls a function, `module:name`, which never returns.

    Exhausting a range runs without a single instruction of Python, and no other thread of Python
    gets a turn meanwhile: no handler of a signal is run. The mark, a folder, is made on the way
    there, so that nobody who sees it can send a signal too early.
    """
    module, _, name = place.partition(":")
    owner, _, attribute = name.rpartition(".")
    target = importlib.import_module(module)

    def get_stuck(*given: object, **named: object) -> None:
        del given, named
        deque(chain(map(os.mkdir, (mark,)), range(_FOR_EVER)), maxlen=0)

    pytest.MonkeyPatch().setattr(getattr(target, owner) if owner else target, attribute, get_stuck)
    command(arguments, said)
