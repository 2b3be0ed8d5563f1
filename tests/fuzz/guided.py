"""Let atheris search for inputs that reach new code of a reader.

    python -m tests.fuzz.guided --seconds 300

Coverage-guided: it keeps a change of an input if the reader then runs lines that it did not run
before. Each reader runs in a separate process with limits on memory and on the time of an input.
Findings are saved as files, and the exit code is 1. atheris is not a development dependency of
noisyor: it is installed for this program alone (see `make fuzz-guided`).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

SECONDS_AN_INPUT = 10
MEGABYTES_OF_MEMORY = 2048
_LONGEST = 4096
_STARTING_SECONDS = 120
_DONE = re.compile(r"Done (\d+) runs")
_ONE_READER = "--one-reader"


def say(text: str) -> None:
    """Print a line and flush."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Try the given readers, one after the other, and return the exit code."""
    from tests.fuzz.readers import READERS  # noqa: PLC0415  (instrumented in the other processes)

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="for all readers together")
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    options = parser.parse_args()
    names = options.reader or list(READERS)
    options.findings.mkdir(parents=True, exist_ok=True)
    seconds = max(1, round(options.seconds / len(names)))
    failed = [name for name in names if not _try_reader(name, seconds, options.findings)]
    say(f"findings: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _try_reader(name: str, seconds: int, findings: Path) -> bool:
    """Try a reader for `seconds`, and return whether nothing was found."""
    from tests.fuzz.corpus import inputs_for  # noqa: PLC0415  (as above)

    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(inputs_for(name).values()):
            (Path(folder) / f"{number}").write_bytes(content)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.fuzz.guided", _ONE_READER, name),
                *(f"-max_total_time={seconds}", f"-timeout={SECONDS_AN_INPUT}"),
                *(f"-rss_limit_mb={MEGABYTES_OF_MEMORY}", f"-max_len={_LONGEST}", "-seed=1"),
                *(f"-artifact_prefix={findings / name}-", "-verbosity=1", folder),
            ],
            env=os.environ | {"POLARS_MAX_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds + _STARTING_SECONDS,
            check=False,
        )
    runs = _DONE.search(done.stdout)
    if done.returncode or runs is None:
        end = "\n  ".join(done.stdout.splitlines()[-12:])
        say(f"{name}: ended with {done.returncode}\n  {end}")
        return False
    say(f"{name:20} {runs[1]} inputs")
    return True


def _one_reader(arguments: list[str]) -> None:
    """Run atheris on a reader; this does not return."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415

    with atheris.instrument_imports(include=["noisyor", "tests.fuzz", "csv", "json", "yaml"]):
        from noisyor.core.warning import ConversionWarning  # noqa: PLC0415
        from noisyor.data.warning import DataWarning  # noqa: PLC0415
        from tests.fuzz.readers import READERS, outcome  # noqa: PLC0415
    warnings.simplefilter("error")
    for allowed in (DataWarning, ConversionWarning):
        warnings.simplefilter("ignore", allowed)
    name, *own = arguments
    reader = READERS[name]

    def try_input(content: bytes) -> None:
        outcome(reader, content)

    atheris.Setup([sys.argv[0], *own], try_input)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == [_ONE_READER]:
        _one_reader(sys.argv[2:])
    sys.exit(main())
