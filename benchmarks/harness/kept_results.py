"""Store each result as a line of JSON at once, so that an interrupted run can resume."""

import hashlib
import json
import os
from pathlib import Path

from benchmarks.harness.measuring import Results
from benchmarks.harness.provenance import provenance


class KeptResults:
    """A file of results by key. Each result is on disk before the next one is computed.

    A line is either the provenance of what follows, `{"run": id, "provenance": {...}}`, or a
    result, `{"key": key, "run": id, "result": {...}}`. An incomplete last line is
    ignored, and removed when the next one is added.
    """

    def __init__(self, path: Path) -> None:
        """Open a file of results, which need not exist."""
        self._path = path
        self._runs: dict[str, Results] = {}
        self._results: dict[str, tuple[str, Results]] = {}
        self._whole = 0  # bytes of the lines that are whole
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
            if not line.endswith(b"\n"):
                break
            self._whole += len(line)
            self._enter(json.loads(line))

    def _enter(self, line: Results) -> None:
        if "provenance" in line:
            self._runs[line["run"]] = line["provenance"]
        else:
            self._results[line["key"]] = (line["run"], line["result"])

    def __contains__(self, key: str) -> bool:
        """Return whether a result has this key."""
        return key in self._results

    def results(self) -> dict[str, Results]:
        """Return all results by key; the last one if several have the same key."""
        return {key: result for key, (_, result) in self._results.items()}

    def provenances(self) -> list[Results]:
        """Return the provenance of the results, each once, in order of appearance."""
        used = dict.fromkeys(run for run, _ in self._results.values())
        return [self._runs[run] for run in used]

    def add(self, key: str, result: Results) -> None:
        """Append a result with the provenance of this run, and flush it to disk."""
        origin = provenance()
        run = hashlib.sha256(json.dumps(origin, sort_keys=True).encode()).hexdigest()[:8]
        lines: list[Results] = []
        if run not in self._runs:
            lines.append({"run": run, "provenance": origin})
        lines.append({"key": key, "run": run, "result": result})
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.truncate(self._whole)
            for line in lines:
                self._whole += file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
                self._enter(line)
            file.flush()
            os.fsync(file.fileno())
