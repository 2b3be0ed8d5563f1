"""pyAgrum is imported without a crash, or its absence is reported."""

import subprocess
import sys

import pytest

from noisyor.core import SettingsError
from noisyor.interop import jgum_bytes, to_pyagrum
from tests.interop.models import COUGH


def test_pyagrum_can_be_used_where_warnings_are_errors() -> None:
    script = (
        "from noisyor.interop.pyagrum_loading import load_pyagrum; print(load_pyagrum().__name__)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], check=True, capture_output=True, text=True
    )
    assert run.stdout == "pyagrum\n"


def test_other_libraries_are_loaded_only_when_they_are_needed() -> None:
    script = (
        "import sys, noisyor.interop\n"
        "print({'pyagrum', 'pgmpy', 'networkx'} & sys.modules.keys() or 'none')"
    )
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout == "none\n"


def test_without_pyagrum_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(SettingsError, match=r"pip install noisyor\[interop\]"):
        to_pyagrum(COUGH)
    assert jgum_bytes(COUGH).startswith(b'{"type": "BN"')
