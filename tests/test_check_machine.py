"""What is said before the build on a machine that cannot build."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.effort import HANGS_AFTER

SCRIPT = Path(__file__).parents[1] / "scripts" / "check_machine.py"


def said(code: str = "", **environment: str) -> tuple[int, str]:
    """Run the script after some code, and return its status and what it says."""
    after = f"{code}\nimport runpy; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    ended = subprocess.run(
        [sys.executable, "-c", after],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    return ended.returncode, ended.stderr


def test_a_machine_that_built_this_lacks_nothing() -> None:
    assert said() == (0, "")


def test_everything_that_is_missing_is_named_with_what_installs_it() -> None:
    without = (
        "import sys, sysconfig; sys.version_info = (3, 10, 4); sys.modules['ensurepip'] = None; "
        "sysconfig.get_paths = lambda: {'include': '/nowhere'}"
    )
    status, line = said(without, PATH="/nowhere", CXX="nothing -O2")
    assert status == 1
    assert line.count("\n") == 1
    lacking = ["Python 3.11 or newer", "venv", "the header files of Python", "a C++ compiler"]
    assert [one for one in lacking if one not in line] == []
    assert line.rstrip().endswith("apt-get install python3-venv python3-dev g++ make")


def test_a_compiler_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "compiler").symlink_to(sys.executable)
    assert said(PATH=str(tmp_path), CXX="compiler -O2") == (0, "")
