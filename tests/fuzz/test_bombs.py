"""Small files that expand to much are refused before they take memory or disk."""

import gzip
import subprocess
import sys
from pathlib import Path

from tests.fuzz.bombs import BOMBS, TITLE
from tests.fuzz.corpus import inputs_for
from tests.support.effort import HANGS_AFTER

MEBIBYTE = 2**20
PROGRAM = """
import resource, sys, warnings
from pathlib import Path
from noisyor.data.warning import DataWarning
from tests.fuzz.readers import READERS, outcome

warnings.simplefilter("ignore", DataWarning)
used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
limit = used * resource.getpagesize() + 2**30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for given in sys.argv[1:]:
    name, path = given.split("=")
    print(name, outcome(READERS[name], Path(path).read_bytes()), flush=True)
"""


def packed(content: bytes, times: int) -> bytes:
    """Return gzip of repeated content, without ever holding the content."""
    return gzip.compress(content, mtime=0) * times


def test_bombs_are_refused_within_little_memory(tmp_path: Path) -> None:
    bombs = {name: inputs_for(name)[TITLE] for name in BOMBS}
    bombs["csv-gz"] = gzip.compress(b"flu,cold\n0,1\n") + packed(b"1" * MEBIBYTE, 600)
    bombs["bif-gz"] = gzip.compress(b"network a {") + packed(b" " * MEBIBYTE, 600)
    assert max(map(len, bombs.values())) < MEBIBYTE
    given = []
    for name, content in bombs.items():
        path = tmp_path / name
        path.write_bytes(content)
        given.append(f"{name}={path}")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *given],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    assert done.stdout.splitlines() == [f"{name} refused" for name in bombs], done.stderr
